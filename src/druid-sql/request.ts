import Type from 'typebox'
import { druidFormats } from '../model/druid-layout.ts'

/** The body of an SQL query. */
export const SqlQueryRequest = Type.Object(
  {
    sql_query: Type.String({
      description:
        "One query in Druid's SQL: SELECT, with WITH, UNION ALL and so on. Entities are tables with the time `__time`; metadata entities are tables of the schema `metadata`; INFORMATION_SCHEMA.TABLES, COLUMNS and SCHEMATA list them. See docs/druid-sql.md.",
      examples: ["SELECT TIME_FLOOR(__time, 'PT1H') AS hour, AVG(V) AS mean FROM plant GROUP BY 1 ORDER BY 1"],
    }),
  },
  { additionalProperties: false, description: "A query in Druid's dialect of SQL." },
)

const flag = (description: string) =>
  Type.Optional(Type.Unsafe<boolean | null>({ type: ['boolean', 'null'], description }))

/** The body of an SQL query as in Druid. Unknown members are ignored, as in Druid. */
export const DruidSqlRequestSchema = Type.Object(
  {
    query: Type.String({
      description: "One query in Druid's SQL, with `?` for parameters.",
      examples: ['SELECT COUNT(*) AS "rows" FROM plant WHERE T = ?'],
    }),
    resultFormat: Type.Optional(
      Type.Unsafe<string | null>({
        type: ['string', 'null'],
        description: `The format of rows: ${druidFormats.map((name) => `\`${name}\``).join(', ')}.`,
      }),
    ),
    header: flag('Whether the column names come first.'),
    typesHeader: flag("Whether the engine's column types follow."),
    sqlTypesHeader: flag('Whether the SQL column types follow.'),
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
        description: '`sqlQueryId`, `queryId`, `timeout` and `sqlTimeZone` have an effect.',
        examples: [{ sqlTimeZone: 'Europe/Madrid' }],
      }),
    ),
  },
  { additionalProperties: true, description: 'An SQL query, as in Apache Druid.' },
)
