// Publicly reported wrong results of DuckDB, in our dialect and over our tables. Several forms under one report are variants of it. Add a line for each
// new report.

export interface Reported {
  readonly report: string
  readonly sql: string
}

const all = (report: string, ...statements: readonly string[]): readonly Reported[] =>
  statements.map((sql) => ({ report, sql }))

const counted = (table: string, report: string, ...conditions: readonly string[]): readonly Reported[] =>
  all(report, ...conditions.map((condition) => `SELECT COUNT(*) AS n FROM ${table} WHERE ${condition}`))

/** The value of each condition for each row: true, false or unknown. */
const shown = (table: string, report: string, ...conditions: readonly string[]): readonly Reported[] =>
  conditions.flatMap((condition) => {
    const parts = [condition, `NOT (${condition})`, `(${condition}) IS NULL`]
    const counts = parts.map((part, place) => `SELECT ${place} AS p, COUNT(*) AS n FROM ${table} WHERE ${part}`)
    const filtered = parts.map((part, place) => `COUNT(*) FILTER (WHERE ${part}) AS f${place}`)
    return all(
      report,
      counts.join(' UNION ALL '),
      `SELECT ${filtered.join(', ')}, SUM(CASE WHEN NOT (${condition}) THEN 1 ELSE 0 END) AS c FROM ${table}`,
      `SELECT i, CASE WHEN ${condition} THEN 1 WHEN NOT (${condition}) THEN 0 END AS c FROM ${table}`,
    )
  })

const distinctFrom = [
  ...counted(
    'constant',
    'duckdb#25992',
    'l IS DISTINCT FROM 5 OR l > 7',
    'NOT (l IS NOT DISTINCT FROM 5) OR l < 3',
    'V IS DISTINCT FROM 1.5 OR V > 9',
    "s IS DISTINCT FROM 'x' OR s > 'y'",
    'k IS DISTINCT FROM 5 OR k > 7',
    'l > 7 OR l IS DISTINCT FROM 5 OR l < 2',
    '(l IS DISTINCT FROM 5 AND i > 2) OR l > 7',
    'NOT (l IS NOT DISTINCT FROM 5 AND l <= 7)',
    '(l IS DISTINCT FROM 5) IS TRUE OR l > 7',
    '(l IS NOT DISTINCT FROM 5) IS FALSE OR l > 7',
    'l IS NOT DISTINCT FROM 5 OR l > 7',
    'l IS NOT DISTINCT FROM NULL OR l > 7',
    'l IS DISTINCT FROM k OR l > 7',
    'CASE WHEN l IS DISTINCT FROM 5 THEN TRUE ELSE l > 7 END',
  ),
  ...counted(
    'big',
    'duckdb#25992',
    'k IS DISTINCT FROM 1 OR k > 2',
    'k IS DISTINCT FROM 2 OR k < 0',
    'NOT (k IS NOT DISTINCT FROM 0) OR k > 2',
  ),
  ...all(
    'duckdb#25992',
    'SELECT l, COUNT(*) AS n FROM constant GROUP BY l HAVING l IS DISTINCT FROM 5 OR l > 7',
    'SELECT COUNT(*) AS n FROM (SELECT l, 5 AS five FROM constant) AS q WHERE l IS DISTINCT FROM five OR l > 7',
    'SELECT COUNT(*) AS n FROM constant AS x INNER JOIN (SELECT i AS j FROM names) AS y ON x.i = y.j AND (x.l IS DISTINCT FROM 5 OR x.l > 7)',
    'SELECT COUNT(*) AS n FROM constant AS x LEFT JOIN (SELECT i AS j FROM names) AS y ON x.i = y.j AND (x.l IS DISTINCT FROM 5 OR x.l > 7)',
    'WITH w AS (SELECT l, i FROM constant) SELECT i FROM w WHERE l IS DISTINCT FROM 5 UNION ALL SELECT i FROM w WHERE l > 7',
  ),
  ...shown(
    'plant',
    'duckdb#25884',
    '(k > 1) IS TRUE OR NOT ((k > 1) IS TRUE) AND l > 0',
    '(b = 1) IS TRUE OR NOT ((b = 1) IS TRUE)',
  ),
]

const equalOrBothNull = [
  ...shown(
    'plant',
    'duckdb#23685',
    '(s = tag) OR (s IS NULL AND tag IS NULL)',
    '(s = site) OR (s IS NULL AND site IS NULL)',
    '(site IS NULL AND s IS NULL) OR s = site',
    '(l = k) OR (l IS NULL AND k IS NULL)',
    'l > 100 OR ((l = k) OR (l IS NULL AND k IS NULL))',
    '(i < 99 AND l = k) OR (i < 99 AND l IS NULL AND k IS NULL)',
    '(l + 1 = k) OR (l + 1 IS NULL AND k IS NULL)',
    '((s = site) OR (s IS NULL AND site IS NULL)) IS TRUE',
    '((l > 1) = (k > 1)) OR ((l > 1) IS NULL AND (k > 1) IS NULL)',
  ),
  ...all(
    'duckdb#23685',
    'SELECT COUNT(*) AS n FROM plant AS x INNER JOIN (SELECT i AS j, site AS t, k AS m FROM plant) AS y ON x.i = y.j AND NOT ((x.s = y.t) OR (x.s IS NULL AND y.t IS NULL))',
    'SELECT COUNT(*) AS n FROM plant AS x INNER JOIN (SELECT i AS j, site AS t FROM plant WHERE i < 50) AS y ON (x.s = y.t) OR (x.s IS NULL AND y.t IS NULL)',
    'SELECT COUNT(*) AS n FROM plant AS x LEFT JOIN (SELECT i AS j, site AS t FROM plant WHERE i < 50) AS y ON x.s IS NOT DISTINCT FROM y.t',
    'SELECT x.i, y.j FROM plant AS x LEFT JOIN (SELECT i AS j, s AS t FROM constant) AS y ON x.i = y.j WHERE x.s IS NOT DISTINCT FROM y.t',
    'SELECT tag, COUNT(*) AS n FROM plant GROUP BY tag HAVING NOT ((MAX(l) = MAX(k)) OR (MAX(l) IS NULL AND MAX(k) IS NULL))',
  ),
]

const belowLimit = all(
  'duckdb#22963, duckdb#22924',
  "SELECT q.tag FROM (SELECT tag, AVG(V) AS a FROM big GROUP BY tag ORDER BY a DESC LIMIT 2) AS q INNER JOIN names AS m ON q.tag = m.tag WHERE m.s = 'first'",
  "SELECT COUNT(*) AS n FROM (SELECT DISTINCT tag, k FROM big ORDER BY tag, k LIMIT 5) AS q INNER JOIN (SELECT tag FROM names WHERE s = 'rest') AS m ON q.tag = m.tag",
  "WITH w AS (SELECT tag, MAX(V) AS m FROM big GROUP BY tag ORDER BY m DESC LIMIT 2) SELECT COUNT(*) AS n FROM w WHERE tag IN (SELECT tag FROM names WHERE s = 'first')",
  "SELECT tag, V FROM (SELECT * FROM (SELECT tag, V FROM big WHERE V IS NOT NULL) AS q ORDER BY V DESC, tag LIMIT 5) AS r WHERE tag IN (SELECT tag FROM names WHERE tag = 't1')",
  'SELECT COUNT(*) AS n FROM (SELECT k FROM big ORDER BY __time LIMIT 100 OFFSET 50) AS q WHERE q.k > (SELECT MAX(i) - 4 FROM names)',
  'SELECT COUNT(*) AS n FROM (SELECT i FROM big ORDER BY __time LIMIT 100) AS q WHERE q.i >= (SELECT MAX(i) + 86 FROM names)',
  'SELECT COUNT(*) AS n FROM (SELECT i FROM big ORDER BY __time LIMIT 900 OFFSET 14000) AS q WHERE q.i IN (SELECT i FROM names)',
  'SELECT COUNT(*) AS n FROM (SELECT * FROM (SELECT i FROM big ORDER BY __time LIMIT 50) AS q LIMIT 20 OFFSET 20) AS r WHERE r.i IN (SELECT 40 + i FROM names)',
  'SELECT COUNT(*) AS n FROM (SELECT i FROM big ORDER BY __time LIMIT 10) AS x INNER JOIN (SELECT i FROM big ORDER BY __time LIMIT 10 OFFSET 5) AS y ON x.i = y.i',
  'SELECT COUNT(*) AS n FROM (SELECT i FROM (SELECT i FROM big ORDER BY __time LIMIT 10) AS x UNION ALL SELECT i FROM (SELECT i FROM plant ORDER BY __time LIMIT 10) AS y) AS q WHERE q.i IN (SELECT i + 9 FROM names)',
  'SELECT q.k FROM (SELECT k, COUNT(*) AS n FROM big GROUP BY k ORDER BY k LIMIT 2) AS q LEFT JOIN names AS m ON q.k = m.i WHERE m.i > 0',
  'SELECT i FROM (SELECT i, ROW_NUMBER() OVER (ORDER BY i) AS r FROM big) AS q WHERE r <= 5 AND i IN (SELECT i + 3 FROM names)',
)

const windows = [
  ...all(
    'duckdb#24780, duckdb#24629',
    'SELECT i, SUM(k) OVER (PARTITION BY tag, s) AS a, SUM(k) OVER (PARTITION BY tag, tag) AS c FROM plant',
    'SELECT i, SUM(k) OVER (PARTITION BY tag, s) AS a, SUM(k) OVER (PARTITION BY s, s) AS c FROM plant',
    'SELECT i, COUNT(*) OVER (PARTITION BY tag, l) AS a, SUM(k) OVER (PARTITION BY tag, CAST(tag AS VARCHAR)) AS c FROM plant',
    'SELECT i, SUM(k) OVER (PARTITION BY t, s) AS a, SUM(k) OVER (PARTITION BY t, u) AS c FROM (SELECT i, k, s, tag AS t, tag AS u FROM plant) AS q',
    'SELECT i, SUM(k) OVER (PARTITION BY s, tag) AS a, SUM(k) OVER (PARTITION BY tag) AS c, COUNT(*) OVER () AS d FROM plant',
    'SELECT i, SUM(k) FILTER (WHERE l > 1) OVER (PARTITION BY tag) AS a, AVG(V) OVER (PARTITION BY tag) AS c FROM plant',
    'SELECT tag, s, SUM(COUNT(*)) OVER (PARTITION BY tag) AS c FROM plant GROUP BY tag, s',
  ),
  ...all(
    'duckdb#23677, duckdb#23675, duckdb#24363, duckdb#24708, duckdb#23588',
    "SELECT i FROM (SELECT i, ROW_NUMBER() OVER (PARTITION BY NULLIF(s, 'x') ORDER BY i) AS r FROM plant) AS q WHERE r <= 2",
    'SELECT i FROM (SELECT i, ROW_NUMBER() OVER (PARTITION BY tag ORDER BY V DESC, i) AS r FROM plant) AS q WHERE r = 1',
    'SELECT i FROM (SELECT i, ROW_NUMBER() OVER (ORDER BY i) AS r FROM vacant) AS q WHERE r <= 3',
    'SELECT q.i FROM (SELECT i, tag, ROW_NUMBER() OVER (PARTITION BY tag ORDER BY i DESC) AS r FROM big) AS q INNER JOIN names AS m ON q.tag = m.tag WHERE q.r <= 2',
    'SELECT i, RANK() OVER (PARTITION BY tag ORDER BY k) AS a, DENSE_RANK() OVER (PARTITION BY tag ORDER BY k) AS d FROM plant',
  ),
  ...all(
    'duckdb#23457, duckdb#25701, duckdb#15758',
    'SELECT i, FIRST_VALUE(V) OVER (PARTITION BY tag ORDER BY i) AS a, FIRST_VALUE(V) OVER (PARTITION BY tag, s ORDER BY i) AS c FROM plant',
    'SELECT i, LEAD(k) OVER (ORDER BY i) AS a FROM (SELECT i, k FROM plant UNION ALL SELECT i + 1000 AS i, k FROM plant) AS q',
    'SELECT i, LAG(V, 2) OVER (PARTITION BY tag ORDER BY i) AS a FROM plant WHERE l > 0',
  ),
]

const joins = [
  ...all(
    'duckdb#23688, duckdb#24542, duckdb#24540',
    'SELECT x.i FROM constant AS x LEFT JOIN (SELECT i AS j, l AS m FROM names) AS y ON x.i = y.j WHERE x.l IS NOT DISTINCT FROM y.m',
    'SELECT COUNT(*) AS n FROM (SELECT q.i, y.j FROM (SELECT i FROM plant) AS q LEFT JOIN (SELECT i AS j FROM names) AS y ON q.i = y.j ORDER BY q.i LIMIT 10) AS r WHERE j IS NULL',
    'SELECT COUNT(*) AS n FROM plant AS x LEFT JOIN (SELECT i AS j, k AS m FROM constant) AS y ON x.i = y.j WHERE y.m IS NULL',
    'SELECT COUNT(*) AS n, COUNT(y.j) AS m FROM plant AS x FULL JOIN (SELECT i - 3 AS j FROM names) AS y ON x.i = y.j',
    'SELECT COUNT(*) AS n, COUNT(x.i) AS m FROM plant AS x RIGHT JOIN (SELECT i - 3 AS j FROM names) AS y ON x.i = y.j AND x.l > 0',
  ),
  ...all(
    'duckdb#19984, duckdb#25213, duckdb#21757',
    'SELECT COUNT(*) AS n FROM plant AS x LEFT JOIN (SELECT DISTINCT s AS t FROM plant) AS y ON x.s = y.t',
    'SELECT COUNT(*) AS n FROM plant AS x LEFT JOIN (SELECT s AS t, COUNT(*) AS c FROM plant GROUP BY s) AS y ON x.s = y.t',
    'WITH w AS (SELECT DISTINCT tag AS t FROM plant) SELECT COUNT(*) AS n, COUNT(y.tag) AS m FROM w AS x LEFT JOIN vacant AS y ON x.t = y.tag',
    'SELECT COUNT(*) AS n FROM plant AS x LEFT JOIN (SELECT s AS t FROM plant UNION ALL SELECT s AS t FROM constant) AS y ON x.s = y.t',
  ),
  ...all(
    'duckdb#22418, duckdb#24320, duckdb#14232, duckdb#15238, duckdb#16803',
    'SELECT COUNT(*) AS n FROM plant WHERE l NOT IN (SELECT k FROM plant WHERE i < 10)',
    'SELECT COUNT(*) AS n FROM plant WHERE l NOT IN (SELECT k FROM plant WHERE i < 10 AND k IS NOT NULL)',
    'SELECT COUNT(*) AS n FROM plant WHERE l IN (SELECT k FROM plant WHERE i < 10)',
    'SELECT COUNT(*) AS n FROM plant WHERE l NOT IN (SELECT i FROM vacant)',
    'SELECT i, CASE WHEN l IN (SELECT k FROM constant) THEN 1 ELSE 0 END AS c FROM plant',
    'SELECT COUNT(*) AS n FROM plant WHERE NOT (s IN (SELECT s FROM constant))',
  ),
  ...all(
    'duckdb#22075',
    'SELECT q.tag, q.n FROM (SELECT tag, s, COUNT(*) AS n FROM big GROUP BY tag, s) AS q INNER JOIN (SELECT tag, i FROM names WHERE i > 2) AS m ON q.tag = m.tag',
  ),
]

const subplans = [
  ...all(
    'duckdb#23691, duckdb#23679, duckdb#24624, duckdb#25819',
    'SELECT COUNT(*) AS n FROM plant WHERE l > 1 UNION ALL SELECT COUNT(*) AS n FROM plant WHERE l > 2',
    'SELECT n FROM (SELECT COUNT(*) AS n FROM plant WHERE k = 1) AS q UNION ALL SELECT n FROM (SELECT COUNT(*) AS n FROM plant WHERE k = 5) AS q',
    'WITH w AS (SELECT tag, SUM(k) AS c FROM plant GROUP BY tag) SELECT x.tag, x.c, y.c AS d FROM w AS x INNER JOIN w AS y ON x.tag = y.tag WHERE x.c > 0',
    'SELECT (SELECT MAX(k) FROM plant WHERE l = 1) AS a, (SELECT MAX(k) FROM plant WHERE l = 2) AS c FROM names',
  ),
  ...all(
    'duckdb#22776, duckdb#22515, duckdb#24806',
    'SELECT DISTINCT V FROM big ORDER BY V DESC LIMIT 3000',
    "SELECT s || '-longer text' AS t, COUNT(*) AS n, MIN(V) AS a FROM plant GROUP BY s || '-longer text'",
  ),
]

const predicates = [
  ...shown(
    'plant',
    'duckdb#19575, duckdb#23559',
    "s LIKE 'é%'",
    "s LIKE 'été%'",
    "site LIKE 'é%' OR s LIKE 'a%'",
    "s || '-longer text' LIKE 'ab-longer text%'",
  ),
  ...shown(
    'plant',
    'duckdb#23921, duckdb#25521',
    'V = 0.0',
    'V = -0.0',
    'V IN (-0.0, 5.0)',
    'V BETWEEN -0.0 AND 1.5',
    'V < 0.0',
    'V <> 0.0',
  ),
  ...shown(
    'plant',
    'duckdb#14232',
    'l IN (1, 2, NULL)',
    'l NOT IN (1, NULL)',
    'l BETWEEN k AND 5',
    'NOT (l BETWEEN 1 AND k)',
  ),
  ...all(
    'duckdb#24320',
    "SELECT i, COALESCE(s, site, 'none') AS a, NULLIF(s, tag) AS c FROM plant WHERE COALESCE(l, k) > 1",
  ),
]

export const reports: readonly Reported[] = [
  distinctFrom,
  equalOrBothNull,
  belowLimit,
  windows,
  joins,
  subplans,
  predicates,
].flat()

const intervals = ['2000-01-01/2050-01-01']
const counting = {
  queryType: 'timeseries',
  intervals,
  granularity: 'all',
  aggregations: [{ type: 'count', name: 'n' }],
}
const bothNull = '(s = site) OR (s IS NULL AND site IS NULL)'

type ReportedNative = Reported & { readonly native: object }

const native = (report: string, table: string, filter: object, condition: string): ReportedNative => ({
  report,
  native: { ...counting, dataSource: table, filter },
  sql: `SELECT COUNT(*) AS n FROM ${table} WHERE ${condition}`,
})

const limited = (query: object, sql: string): ReportedNative => ({
  report: 'duckdb#22963, duckdb#22924',
  native: {
    ...counting,
    dataSource: {
      type: 'join',
      left: { type: 'query', query },
      right: {
        type: 'inline',
        columnNames: ['j'],
        columnTypes: ['LONG'],
        rows: [[149], [150], [7000], [14998], [14990]],
      },
      rightPrefix: 'y.',
      condition: 'i == "y.j"',
      joinType: 'INNER',
    },
  },
  sql: `SELECT COUNT(*) AS n FROM (${sql}) AS q WHERE i IN (149, 150, 7000, 14998, 14990)`,
})

/** Native queries, each with the equivalent SQL. */
export const nativeReports: readonly ReportedNative[] = [
  native(
    'duckdb#25992',
    'constant',
    { type: 'expression', expression: 'isdistinctfrom(l, 5) || l > 7' },
    'l IS DISTINCT FROM 5 OR l > 7',
  ),
  native(
    'duckdb#25992',
    'constant',
    { type: 'expression', expression: '!notdistinctfrom(l, 5) || l > 7' },
    'l IS DISTINCT FROM 5 OR l > 7',
  ),
  native(
    'duckdb#25992',
    'constant',
    {
      type: 'or',
      fields: [
        { type: 'not', field: { type: 'expression', expression: 'notdistinctfrom(l, 5)' } },
        { type: 'range', column: 'l', matchValueType: 'LONG', lower: 8 },
      ],
    },
    'l IS DISTINCT FROM 5 OR l >= 8',
  ),
  native(
    'duckdb#23685',
    'plant',
    { type: 'expression', expression: '!((s == site) || (isnull(s) && isnull(site)))' },
    `NOT (${bothNull})`,
  ),
  ...[
    [
      { type: 'null', column: 's' },
      { type: 'null', column: 'site' },
    ],
    [
      { type: 'selector', dimension: 's', value: null },
      { type: 'in', dimension: 'site', values: [null] },
    ],
    [
      { type: 'expression', expression: 'isnull(s)' },
      { type: 'null', column: 'site' },
    ],
  ].map((nulls) =>
    native(
      'duckdb#23685',
      'plant',
      {
        type: 'not',
        field: {
          type: 'or',
          fields: [
            { type: 'expression', expression: 's == site' },
            { type: 'and', fields: nulls },
          ],
        },
      },
      `NOT (${bothNull})`,
    ),
  ),
  native(
    'duckdb#23685',
    'plant',
    { type: 'columnComparison', dimensions: ['s', 'site'] },
    's IS NOT DISTINCT FROM site',
  ),
  // A join over a limited query: its filter reaches the scan, which reads all rows of a day or more.
  limited(
    {
      queryType: 'scan',
      dataSource: 'big',
      intervals,
      columns: ['__time', 'i'],
      order: 'ascending',
      limit: 100,
      offset: 50,
    },
    'SELECT i FROM big ORDER BY __time LIMIT 100 OFFSET 50',
  ),
  limited(
    {
      queryType: 'groupBy',
      dataSource: 'big',
      intervals,
      granularity: 'all',
      dimensions: [{ type: 'default', dimension: 'i', outputName: 'i', outputType: 'LONG' }],
      limitSpec: {
        type: 'default',
        limit: 5,
        columns: [{ dimension: 'i', direction: 'descending', dimensionOrder: 'numeric' }],
      },
    },
    'SELECT i FROM (SELECT i FROM big) AS w ORDER BY i DESC LIMIT 5',
  ),
]
