import Type from 'typebox'

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
