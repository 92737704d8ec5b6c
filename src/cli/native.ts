import type { Command } from 'commander'
import { CommandError } from './command-error.ts'
import { type CliContext, connect, readText, writeAll } from './context.ts'

/** `tidemark native`: runs a native query of Druid from a file. */
export function addNative(program: Command, context: CliContext): void {
  program
    .command('native <file>')
    .description('query data with a native query of Apache Druid, as JSON in a file, or - for standard input')
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
      const query = await readText(file, context)
      const answer = connect(context, command.optsWithGlobals()).nativeBytes(queryTypeOf(query, file), query)
      await writeAll(context.stdout, answer)
      context.stdout.write('\n')
    })
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
