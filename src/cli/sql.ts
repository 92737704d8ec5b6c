import type { Command } from 'commander'
import { queryAddress } from '../client/query-address.ts'
import { type AnswerOptions, withFormats, writeAnswer } from './answer-output.ts'
import { UsageError } from './command-error.ts'
import { type CliContext, connect, readText } from './context.ts'
import { addressText, exampleUrl } from './option-names.ts'

interface SqlOptions extends AnswerOptions {
  readonly file?: string
}

/** The text of the query. Throws `UsageError` unless exactly one query is given, and `CommandError` if its file cannot be read. */
async function queryText(context: CliContext, query: string | undefined, { file }: SqlOptions): Promise<string> {
  if (query !== undefined && file !== undefined) {
    throw new UsageError('The query and --file exclude each other. Give one of them.')
  }
  const from = file ?? (query === '-' ? '-' : null)
  const text = from === null ? query : (await readText(from, context)).replace(/^\uFEFF/, '')
  if (text === undefined || text.trim() === '') {
    throw new UsageError(
      from === null
        ? 'Give the query in quotes, or --file FILE, or - for standard input.'
        : `${from === '-' ? 'Standard input' : from} holds no query.`,
    )
  }
  return text
}

/** `tidemark sql`: runs a query in Druid's SQL. */
export function addSql(program: Command, context: CliContext): void {
  withFormats(program.command('sql'))
    .description("query data in Druid's SQL")
    .argument(
      '[query]',
      'one SELECT; the tables are the entities, and their time is __time. - reads it from standard input',
    )
    .option('--file <file>', 'read the query from this file')
    .addHelpText(
      'after',
      `
Examples:
  tidemark sql "SELECT TIME_FLOOR(__time, 'PT1H') AS hour, AVG(V) AS mean FROM plant GROUP BY 1 ORDER BY 1"
  tidemark sql --format arrow --output plant.arrow "SELECT * FROM plant"
  tidemark sql --file hourly.sql
  tidemark sql - < hourly.sql
  tidemark sql "SELECT TABLE_NAME, COLUMN_NAME, DATA_TYPE FROM INFORMATION_SCHEMA.COLUMNS"
${addressText}
  ${exampleUrl}/consumer/data/sql-query?format=csv&${queryAddress({ sql_query: 'SELECT T, MAX(V) AS most FROM plant GROUP BY T' })}
`,
    )
    .action(async (query: string | undefined, options: SqlOptions, command: Command) => {
      const client = connect(context, command.optsWithGlobals())
      const text = await queryText(context, query, options)
      await writeAnswer(context, options, (format) => client.sqlBytes(text, format))
    })
}
