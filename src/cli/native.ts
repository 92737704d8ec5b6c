import { readFile } from 'node:fs/promises'
import { text as readText } from 'node:stream/consumers'
import type { Command } from 'commander'
import { inWords } from '../lib/system-error.ts'
import { CommandError } from './command-error.ts'
import { type CliContext, connect, writeAll } from './context.ts'

/** `tidemark native`: a native query of Druid's, from a file. */
export function addNative(program: Command, context: CliContext): void {
  program
    .command('native <file>')
    .description('query data with a native query of Apache Druid: a file with its JSON, or - for standard input')
    .addHelpText(
      'after',
      `
Example:
  tidemark native hourly.json
with a file like
  {"queryType": "timeseries", "dataSource": "plant", "granularity": "hour", "intervals": ["2026-01-01/P1D"],
   "aggregations": [{"type": "doubleMean", "name": "mean", "fieldName": "V"}]}
`,
    )
    .action(async (file: string, _options: object, command: Command) => {
      const query = await readQuery(file, context)
      const answer = connect(context, command.optsWithGlobals()).nativeBytes(queryTypeOf(query, file), query)
      await writeAll(context.stdout, answer)
      context.stdout.write('\n')
    })
}

async function readQuery(file: string, context: CliContext): Promise<string> {
  if (file === '-') return readText(context.stdin)
  try {
    return await readFile(file, 'utf8')
  } catch (cause) {
    throw new CommandError(`${file} cannot be read: ${inWords(cause)}.`, {
      cause,
    })
  }
}

function queryTypeOf(query: string, file: string): string {
  try {
    const { queryType } = JSON.parse(query)
    if (typeof queryType === 'string') return queryType
  } catch (cause) {
    throw new CommandError(`${file} is not JSON: ${cause instanceof Error ? cause.message : String(cause)}`, { cause })
  }
  throw new CommandError(`${file} is not a native query: it has no "queryType".`)
}
