import Type from 'typebox'
import { druidFormats } from '../model/druid-layout.ts'

/** The body of an SQL query. */
export const SqlQueryRequest = Type.Object(
  {
    sql_query: Type.String({
      description:
        "One query of Druid's SQL: SELECT, with WITH, UNION ALL and so on. Entities are the tables, their time is `__time`; metadata entities are tables of the schema `metadata`; " +
        'INFORMATION_SCHEMA.TABLES, COLUMNS and SCHEMATA tell what there is. See docs/druid-sql.md.',
      examples: ["SELECT TIME_FLOOR(__time, 'PT1H') AS hour, AVG(V) AS mean FROM plant GROUP BY 1 ORDER BY 1"],
    }),
  },
  { additionalProperties: false, description: "A query in Druid's SQL dialect." },
)

const flag = (description: string) =>
  Type.Optional(Type.Unsafe<boolean | null>({ type: ['boolean', 'null'], description }))

/** The body of an SQL query as Druid takes it; what Druid does not know it passes over. */
export const DruidSqlRequestSchema = Type.Object(
  {
    query: Type.String({
      description: "One query of Druid's SQL; values may stand in it as `?`.",
      examples: ['SELECT COUNT(*) AS "rows" FROM plant WHERE T = ?'],
    }),
    resultFormat: Type.Optional(
      Type.Unsafe<string | null>({
        type: ['string', 'null'],
        description: `How rows are written: ${druidFormats.map((name) => `\`${name}\``).join(', ')}.`,
      }),
    ),
    header: flag('Whether the names of the columns come first.'),
    typesHeader: flag('Whether their types to the engine follow.'),
    sqlTypesHeader: flag('Whether their types in SQL follow.'),
    parameters: Type.Optional(
      Type.Unsafe<unknown[] | null>({
        type: ['array', 'null'],
        description: 'The values of `?`, in order: `{"type": "VARCHAR", "value": "a"}`.',
        examples: [[{ type: 'VARCHAR', value: 'boiler.temp' }]],
      }),
    ),
    context: Type.Optional(
      Type.Unsafe<object | null>({
        type: ['object', 'null'],
        description: 'Of it `sqlQueryId`, `queryId`, `timeout` and `sqlTimeZone` count.',
        examples: [{ sqlTimeZone: 'Europe/Madrid' }],
      }),
    ),
  },
  { additionalProperties: true, description: 'A query in SQL, as Apache Druid takes it.' },
)
