import { readFile } from 'node:fs/promises'
import { text } from 'node:stream/consumers'
import { inWords } from '../lib/system-error.ts'
import { CommandError } from './command-error.ts'
import type { CliContext } from './context.ts'

/** The text of a file, or of standard input for `-`. Throws `CommandError` where it cannot be read. */
export async function readText(file: string, { stdin }: Pick<CliContext, 'stdin'>): Promise<string> {
  if (file === '-') return text(stdin)
  try {
    return await readFile(file, 'utf8')
  } catch (cause) {
    throw new CommandError(`${file} cannot be read: ${inWords(cause)}.`, { cause })
  }
}
