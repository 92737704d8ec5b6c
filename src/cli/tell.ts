import { printable } from '../lib/text-table.ts'
import type { CliContext } from './context.ts'
import { inCommands } from './in-commands.ts'

/** Says something that is no part of what was asked for, in a line of its own. */
export function tell({ stderr }: Pick<CliContext, 'stderr'>, line: string): void {
  stderr.write(`tidemark: ${printable(inCommands(line))}\n`)
}
