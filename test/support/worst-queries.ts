// Small queries that need much memory, much time, or one expensive function call. `worst` has the fields D, T and V.
import { callOk, makeIngest } from './api.ts'
import { adminKey } from './server-process.ts'

export const worstRows = 20_000

export interface WorstQuery {
  readonly name: string
  readonly path: string
  readonly body: object
}

const many = (count: number, text: string): string[] => Array.from({ length: count }, () => text)
const joined = 'FROM worst a CROSS JOIN worst b'

/** Nested subqueries, each of which enlarges the column of the inner one. */
function nested(depth: number, innermost: string, more: (a: string) => string): string {
  let text = innermost
  for (let level = 0; level < depth; level++) text = `SELECT ${more('a')} AS a FROM (${text})`
  return `SELECT SUM(LENGTH(a)) AS n FROM (${text})`
}

const texts: Readonly<Record<string, string>> = {
  'a format of a gigabyte': "SELECT LENGTH(STRING_FORMAT('%999999999s', 'a')) AS n",
  'four formats': `SELECT ${many(4, "LENGTH(STRING_FORMAT('%99999999s', T))").join(' + ')} AS n FROM worst`,
  'a gigabyte by REPLACE': "SELECT LENGTH(REPLACE(REPEAT('x', 1000000), 'x', REPEAT('y', 1000))) AS n",
  'REPLACE a row': "SELECT SUM(LENGTH(REPLACE(REPEAT(T, 10000), 't', T || T || T || T))) AS n FROM worst",
  'a long constant a row': "SELECT REPEAT('x', 1000000) AS x FROM worst",
  'a long text a row': 'SELECT SUM(LENGTH(REPEAT(T, 100000))) AS n FROM worst',
  'a padded text a row': 'SELECT SUM(LENGTH(LPAD(T, 900000))) AS n FROM worst',
  'many texts together': `SELECT SUM(LENGTH(CONCAT(${many(200, 'REPEAT(T, 1000)').join(', ')}))) AS n FROM worst`,
  'a text through many functions': `SELECT SUM(LENGTH(${'REVERSE(UPPER('.repeat(20)}REPEAT(T, 10000)${'))'.repeat(20)})) AS n FROM worst`,
  'texts sorted':
    'SELECT SUM(LENGTH(x)) AS n FROM (SELECT x FROM (SELECT REPEAT(T, 5000) AS x FROM worst) ORDER BY x DESC LIMIT 10000)',
  'all texts as one': `SELECT LENGTH(STRING_AGG(REPEAT(a.T, 100), ',')) AS n ${joined}`,
  'an array of all': `SELECT ARRAY_AGG(a.T || b.T) AS x ${joined}`,
  'LIKE that goes back': "SELECT REPEAT('a', 100000) LIKE '%_a_%_a_%_a_%_a_%b' AS x",
  'LIKE that goes back, a row': "SELECT COUNT(*) AS n FROM worst WHERE REPEAT(T, 5000) LIKE '%_t_%_t_%_t_%_t_%b'",
  'a regular expression, a row':
    "SELECT COUNT(*) AS n FROM worst WHERE REGEXP_LIKE(REPEAT(T, 5000), '(t*|1*)*(t*|1*)*b')",
  'texts that grow from query to query': nested(8, 'SELECT T AS a FROM worst', (a) => `REPLACE(${a}, 't', 'tttttttt')`),
  'arrays that grow from query to query': nested(
    14,
    'SELECT ARRAY[T, T] AS a FROM worst',
    (a) => `ARRAY_CONCAT(${a}, ${a})`,
  ).replace('LENGTH(a)', 'ARRAY_LENGTH(a)'),
  'escapes of JSON, a row':
    "SELECT SUM(LENGTH(TO_JSON_STRING(JSON_OBJECT('a' : REPEAT('\u0001', 100000) || T)))) AS n FROM worst",
  'groups of a regular expression':
    "SELECT SUM(LENGTH(REGEXP_EXTRACT(REPEAT(T, 10000), '(.*)(.*)(.*)(.*)x'))) AS n FROM worst",
  'texts of windows':
    'SELECT SUM(LENGTH(x)) AS n FROM (SELECT LAG(REPEAT(T, 10000), 1) OVER (ORDER BY V) AS x FROM worst)',
  'exact quantiles of pairs': `SELECT APPROX_QUANTILE_DS(a.V * b.V, 0.5) AS n ${joined}`,
  'thousands of conditions': `SELECT COUNT(*) AS n FROM worst WHERE ${Array.from({ length: 5000 }, (_, index) => `T LIKE '%_x${index}%'`).join(' OR ')}`,
  'pairs counted': `SELECT COUNT(*) AS n ${joined} CROSS JOIN worst c WHERE a.V + b.V + c.V = -1`,
  'pairs sorted': `SELECT a.V AS v ${joined} ORDER BY b.V * a.V, a.T || b.T LIMIT 3`,
}

const native = (expression: string, filter: object = { type: 'true' }): object => ({
  query_type: 'groupBy',
  query_data: {
    dataSource: 'worst',
    granularity: 'all',
    intervals: ['2026-01-01/2027-01-01'],
    virtualColumns: [{ type: 'expression', name: 'v', expression }],
    filter,
    dimensions: ['v'],
    aggregations: [],
  },
})

const natives: Readonly<Record<string, object>> = {
  'native: a gigabyte by replace': native("strlen(replace(repeat('x', 1000000), 'x', repeat('y', 1000)))"),
  'native: many texts together': native(`strlen(concat(${many(200, 'repeat(T, 10000)').join(', ')}))`),
  'native: a long text a row': native('strlen(repeat(T, 100000))'),
  'native: like that goes back': native('repeat(T, 5000)', {
    type: 'like',
    dimension: 'v',
    pattern: '%_t_%_t_%_t_%_t_%b',
  }),
}

export const worstQueries: readonly WorstQuery[] = [
  ...Object.entries(texts).map(([name, text]) => ({
    name,
    path: '/consumer/data/sql-query',
    body: { sql_query: text },
  })),
  ...Object.entries(natives).map(([name, body]) => ({ name, path: '/consumer/data/druid-native-query', body })),
]

/** Creates the entity that they query. */
export async function makeWorst(url: string): Promise<void> {
  const key = await makeIngest(url, adminKey, { alias: 'worst' })
  const body = Array.from({ length: worstRows }, (_, row) => ({
    D: new Date(Date.UTC(2026, 0, 1) + row * 1000).toISOString(),
    T: `tag${row % 100}`,
    V: row,
  }))
  await callOk(url, 'POST', '/ingests/worst/data?wait=true', { key, body })
}
