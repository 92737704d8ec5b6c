import type { Command } from 'commander'
import { type AnswerOptions, withFormats, writeAnswer } from './answer-output.ts'
import { type CliContext, connect } from './context.ts'

/** `tidemark sql`: a query in Druid's SQL. */
export function addSql(program: Command, context: CliContext): void {
  withFormats(program.command('sql'))
    .description("query data in Druid's SQL")
    .argument('<query>', 'one SELECT; the tables are the entities, and their time is __time')
    .addHelpText(
      'after',
      `
Examples:
  tidemark sql "SELECT TIME_FLOOR(__time, 'PT1H') AS hour, AVG(V) AS mean FROM plant GROUP BY 1 ORDER BY 1"
  tidemark sql --format arrow --output plant.arrow "SELECT * FROM plant"
  tidemark sql "SELECT TABLE_NAME, COLUMN_NAME, DATA_TYPE FROM INFORMATION_SCHEMA.COLUMNS"
`,
    )
    .action(async (text: string, options: AnswerOptions, command: Command) => {
      const client = connect(context, command.optsWithGlobals())
      await writeAnswer(context, options, (format) => client.sqlBytes(text, format))
    })
}
