import type { Command } from 'commander'
import { type CliContext, connect } from './context.ts'
import type { JsonOption } from './output.ts'
import { printAnswer } from './query.ts'

/** `tidemark sql`: a query in Druid's SQL. */
export function addSql(program: Command, context: CliContext): void {
  program
    .command('sql')
    .description("query data in Druid's SQL")
    .argument('<query>', 'one SELECT; the tables are the entities, and their time is __time')
    .option('--json', 'print the JSON answer as it comes')
    .addHelpText(
      'after',
      `
Examples:
  tidemark sql "SELECT TIME_FLOOR(__time, 'PT1H') AS hour, AVG(V) AS mean FROM plant GROUP BY 1 ORDER BY 1"
  tidemark sql "SELECT TABLE_NAME, COLUMN_NAME, DATA_TYPE FROM INFORMATION_SCHEMA.COLUMNS"
`,
    )
    .action(async (text: string, options: JsonOption, command: Command) => {
      await printAnswer(context, options, connect(context, command.optsWithGlobals()).sqlBytes(text))
    })
}
