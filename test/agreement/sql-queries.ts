// Druid's SQL as people write it: every clause, over rows, groups, windows, joins and nested queries.
import { seededRandom } from '../support/random.ts'
import { type Grammar, type Piece, piecesOf, Writer } from './grammar.ts'
import type { Shrinking } from './shrink.ts'
import { boardKinds, dashboards } from './sql-dashboards.ts'
import { columns, constants, noColumns, values } from './sql-values.ts'

const from = '<from>(? WHERE <truth>?)'

const aggregating: Grammar = {
  aggregate: ['<longAggregate>', '<doubleAggregate>', '<textAggregate>', '<timeAggregate>', '<arrayAggregate>'],
  longAggregate: [
    'COUNT(*)',
    'COUNT(<value>)',
    'COUNT(DISTINCT <text>)',
    'COUNT(DISTINCT <long>)',
    'SUM(<long>)',
    'SUM(<longColumn>) / COUNT(<longColumn>)',
    'SUM(CASE WHEN <truth> THEN <long> ELSE 0 END)',
    'SUM(CASE WHEN <truth> THEN 1 ELSE 0 END)',
    'SUM(DISTINCT <longColumn>)',
    'MIN(<long>)',
    'MAX(<long>)',
    'LATEST(<long>)',
    'EARLIEST(<long>)',
    'LATEST_BY(<long>, __time)',
    'EARLIEST_BY(<long>, __time)',
    'APPROX_COUNT_DISTINCT(<text>)',
    'APPROX_COUNT_DISTINCT_BUILTIN(<text>)',
    'APPROX_COUNT_DISTINCT_DS_HLL(<text>)',
    'APPROX_COUNT_DISTINCT_DS_THETA(<text>)',
    'BIT_AND(<long>)',
    'BIT_OR(<long>)',
    'BIT_XOR(<long>)',
    '<longAggregate> FILTER (WHERE <truth>)',
    'COUNT(*) FILTER (WHERE <truth>)',
    'COUNT(CASE WHEN <truth> THEN 1 END)',
    'SUM(CASE WHEN <truth> THEN <long> END)',
    '<longAggregate> + <longAggregate>',
    'COALESCE(<longAggregate>, 0)',
    'SAFE_DIVIDE(<longAggregate>, COUNT(*))',
    'CASE WHEN COUNT(*) > 1 THEN <longAggregate> ELSE 0 END',
    'ARRAY_LENGTH(<arrayAggregate>)',
    'ROUND(HLL_SKETCH_ESTIMATE(DS_HLL(<text>)))',
    'ROUND(HLL_SKETCH_ESTIMATE(HLL_SKETCH_UNION(DS_HLL(<textColumn>), DS_HLL(<textColumn>))))',
    'THETA_SKETCH_ESTIMATE(DS_THETA(<text>))',
    'THETA_SKETCH_ESTIMATE(THETA_SKETCH_UNION(DS_THETA(<textColumn>), DS_THETA(<textColumn>)))',
    'THETA_SKETCH_ESTIMATE(THETA_SKETCH_INTERSECT(DS_THETA(s), DS_THETA(<textColumn>)))',
    'THETA_SKETCH_ESTIMATE(THETA_SKETCH_NOT(DS_THETA(s), DS_THETA(<textColumn>)))',
  ],
  doubleAggregate: [
    'SUM(<double>)',
    'AVG(<double>)',
    'AVG(<long>)',
    'MIN(<double>)',
    'MAX(<double>)',
    'LATEST(<double>)',
    'EARLIEST(<double>)',
    ...['VAR_POP', 'VAR_SAMP', 'VARIANCE', 'STDDEV_POP', 'STDDEV_SAMP', 'STDDEV'].map((name) => `${name}(<double>)`),
    'STDDEV(n)',
    'SUM(<double>) / COUNT(*)',
    'ROUND(AVG(<double>), 2)',
    'APPROX_QUANTILE(d, 0.5)',
    'APPROX_QUANTILE_DS(d, 0.5)',
    'APPROX_QUANTILE_DS(n, 0.9)',
    'APPROX_QUANTILE_FIXED_BUCKETS(d, 0.5, 100, -100, 100)',
    'DS_GET_QUANTILE(DS_QUANTILES_SKETCH(d), 0.5)',
    'DS_RANK(DS_QUANTILES_SKETCH(d), 1.5)',
    '<doubleAggregate> FILTER (WHERE <truth>)',
  ],
  textAggregate: [
    'LATEST(<text>)',
    'LATEST(<text>, 128)',
    'EARLIEST(<text>, 128)',
    'LATEST_BY(<text>, __time, 128)',
    'EARLIEST_BY(<text>, __time)',
    "ANY_VALUE(UPPER(T)) FILTER (WHERE T = 't1')",
    'UPPER(<textAggregate>)',
    "STRING_AGG(DISTINCT <text>, ',')",
    "LISTAGG(DISTINCT <text>, '|')",
    '<textAggregate> FILTER (WHERE <truth>)',
  ],
  timeAggregate: ['MIN(<time>)', 'MAX(<time>)', 'LATEST(ts)', 'TIME_FLOOR(MAX(<time>), <period>)'],
  arrayAggregate: [
    'ARRAY_AGG(DISTINCT <text>)',
    'ARRAY_AGG(DISTINCT <long>)',
    'ARRAY_AGG(DISTINCT <double>)',
    'ARRAY_CONCAT_AGG(DISTINCT ARRAY[<textColumn>, <textColumn>])',
    "ARRAY_AGG(T) FILTER (WHERE n = 1 AND __time < TIMESTAMP '2026-01-01 01:00:00')",
  ],
  aggregateTruth: [
    'COUNT(*) > 1',
    '<longAggregate> <compared> <long1>',
    '<doubleAggregate> <compared> 1.5',
    'MAX(<text>) IS NULL',
    '<aggregateTruth> AND <aggregateTruth>',
    'NOT (<aggregateTruth>)',
    '<textAggregate> IS NOT NULL',
  ].filter((rule) => !rule.startsWith('MAX(<text>')),
  long1: ['1', '3', '0', '10'],
}

const windows: Grammar = {
  windowed: [
    ...['ROW_NUMBER()', 'RANK()', 'DENSE_RANK()', 'PERCENT_RANK()', 'CUME_DIST()', 'NTILE(3)'].map(
      (call) => `${call} OVER (<byTime>)`,
    ),
    'LAG(<windowValue>) OVER (<byTime>)',
    'LAG(<windowValue>, 2) OVER (<byTime>)',
    'LEAD(<windowValue>, <above>) OVER (<byTime>)',
    'FIRST_VALUE(<windowValue>) OVER (<byTime>(? <openFrame>?))',
    'LAST_VALUE(<windowValue>) OVER (<byTime>(? <openFrame>?))',
    'SUM(<windowNumber>) OVER (<byTime>(? <frame>?))',
    'AVG(<windowNumber>) OVER (<byTime>(? <frame>?))',
    'MIN(<windowNumber>) OVER (<byTime>)',
    'MAX(<windowNumber>) OVER (<byTime> <frame>)',
    'COUNT(*) OVER (<byTime>)',
    'COUNT(<windowValue>) OVER (PARTITION BY <windowKey>)',
    'SUM(<windowNumber>) OVER (PARTITION BY <windowKey>)',
    'SUM(<windowNumber>) OVER ()',
  ],
  byTime: ['ORDER BY t', 'PARTITION BY <windowKey> ORDER BY t', 'PARTITION BY <windowKey> ORDER BY t DESC'],
  windowKey: ['k', 'x'],
  windowValue: ['x', 'c', 'k', 'v'],
  windowNumber: ['c', 'v'],
  openFrame: [
    'RANGE BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW',
    'ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING',
    'ROWS UNBOUNDED PRECEDING',
  ],
  frame: [
    'ROWS BETWEEN 1 PRECEDING AND CURRENT ROW',
    'ROWS BETWEEN UNBOUNDED PRECEDING AND 1 FOLLOWING',
    'ROWS 2 PRECEDING',
    'RANGE BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW',
    'ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING',
    'RANGE UNBOUNDED PRECEDING',
  ],
}

const grouped = `SELECT <value=k> AS k, <aggregate> AS c0(?, <aggregate> AS c1?) FROM ${from} GROUP BY 1(? HAVING <aggregateTruth>?)`

const queries: Grammar = {
  from: [
    'fuzz',
    'fuzz',
    'fuzz AS f',
    'druid.fuzz',
    '(SELECT * FROM fuzz WHERE <truth>) AS q',
    '(SELECT __time, T, <text> AS s, j, <long> AS n, l, b, ts, <double> AS d, V, c, m FROM fuzz) AS q',
    '(SELECT MAX(__time) AS __time, T, s, MIN(j) AS j, SUM(n) AS n, MAX(l) AS l, MAX(b) AS b, MAX(ts) AS ts, AVG(d) AS d, MAX(V) AS V, LATEST(c, 128) AS c, MIN(m) AS m FROM fuzz GROUP BY T, s) AS q'.replace(
      'MIN(j)',
      'LATEST(j, 128)',
    ),
    '(SELECT * FROM fuzz UNION ALL SELECT * FROM fuzz) AS q',
    'fuzz AS x <joined> JOIN (SELECT T AS t2, l AS l2, d AS d2, s AS s2 FROM fuzz WHERE n = 1) AS y ON <joinTruth>',
    "fuzz CROSS JOIN UNNEST(STRING_TO_ARRAY(s, ' ')) AS u(e)",
    'fuzz CROSS JOIN UNNEST(<texts>) AS u(e)',
    "(VALUES (TIMESTAMP '2026-01-01 00:00:00', 'a', 'x', '{}', 1, 2, 0, TIMESTAMP '2026-01-02 00:00:00', 1.5, 2.5, 'c', 3), (TIMESTAMP '2026-01-01 01:00:00', 'b', 'y', '[1]', 3, 4, 1, TIMESTAMP '2026-01-03 00:00:00', -0.5, 1e10, 'a', 4)) AS v(__time, T, s, j, n, l, b, ts, d, V, c, m)",
  ],
  joinedOnce: ['INNER', 'LEFT', ''],
  valuesTruth: [
    's2 <compared> <sought>',
    'CAST(s2 AS BIGINT) <compared> <sought>',
    'CAST(d2 AS BIGINT) <compared> <sought>',
    'CAST(s2 AS BOOLEAN)',
    's2 IN (7, <sought>)',
  ],
  joined: ['INNER', 'LEFT', '', 'RIGHT', 'FULL'],
  joinTruth: ['x.T = y.t2', 'x.s = y.s2', 'x.l = y.l2 AND x.T = y.t2', 'LOWER(x.s) = y.s2', 'x.n = y.l2'],
  query: [
    `SELECT <value> AS c0(?, <value> AS c1?)(?, <value> AS c2?) FROM ${from}`,
    `SELECT <value> AS c0(?, <value> AS c1?) FROM ${from}`,
    `SELECT <value>(?, <value>?) FROM ${from}`,
    `SELECT * FROM ${from}`,
    'SELECT *, <value> AS c0 FROM fuzz WHERE <truth>',
    'SELECT __time, <value> AS c0 FROM fuzz(? WHERE <truth>?) ORDER BY __time(? DESC?)(? LIMIT <above>?)',
    'SELECT __time, <value> AS c0 FROM fuzz ORDER BY __time LIMIT <above> OFFSET <above>',
    `SELECT DISTINCT <value> AS c0(?, <textColumn> AS c1?) FROM ${from}`,
    'SELECT DISTINCT <text> AS c0 FROM fuzz ORDER BY c0(? DESC?) LIMIT <above>',
    `SELECT <aggregate> AS c0(?, <aggregate> AS c1?)(?, <aggregate> AS c2?) FROM ${from}`,
    `SELECT <aggregate>, <aggregate> FROM ${from}`,
    grouped,
    grouped,
    `${grouped} ORDER BY k(? DESC?)`,
    `${grouped} ORDER BY 1(? DESC?) LIMIT <above>`,
    `${grouped} ORDER BY 1 NULLS FIRST LIMIT 3 OFFSET 1`,
    `${grouped.replace('<aggregate> AS c0', '<longAggregate> AS c0')} ORDER BY c0 DESC, k`,
    `SELECT <textColumn=k> AS k, <longAggregate> AS c0 FROM ${from} GROUP BY <@k> ORDER BY 2 DESC, 1 LIMIT 5`,
    `SELECT <value=k> AS k, <textColumn=m> AS m, <aggregate> AS c0 FROM ${from} GROUP BY <@k>, <@m>`,
    `SELECT TIME_FLOOR(__time, <period=p>) AS k, <aggregate> AS c0 FROM ${from} GROUP BY TIME_FLOOR(__time, <@p>) ORDER BY 1`,
    `SELECT T, s, <aggregate> AS c0, GROUPING(T, s) AS g FROM ${from} GROUP BY ROLLUP (T, s)`,
    `SELECT T, <textColumn=k> AS k, <longAggregate> AS c0 FROM ${from} GROUP BY CUBE (T, <@k>)`
      .replace('<textColumn=k> AS k, <longAggregate> AS c0 FROM', 'n, <longAggregate> AS c0 FROM')
      .replace('<@k>', 'n'),
    `SELECT T, n, <aggregate> AS c0, GROUPING(n) AS g FROM ${from} GROUP BY GROUPING SETS ((T), (n), (T, n), ())`,
    `SELECT <aggregate> AS c0 FROM ${from} GROUP BY GROUPING SETS ((), ())`,
    `SELECT <value> AS c0 FROM ${from} UNION ALL SELECT <value> AS c0 FROM fuzz`.replaceAll('<value>', '<text>'),
    'SELECT <long> AS c0, <double> AS c1 FROM fuzz UNION ALL SELECT <long> AS c0, <double> AS c1 FROM fuzz',
    `WITH w AS (${grouped}) SELECT * FROM w`,
    `WITH w AS (SELECT <text> AS k, <long> AS c FROM fuzz) SELECT k, SUM(c) AS c0 FROM w GROUP BY k`,
    `SELECT k, COUNT(*) AS c FROM (${grouped}) AS q GROUP BY k`,
    `SELECT SUM(c) AS c0, MAX(c) AS c1 FROM (SELECT <text> AS k, <longAggregate> AS c FROM ${from} GROUP BY 1) AS q`,
    'SELECT <value> AS c0 FROM fuzz WHERE T IN (SELECT T FROM fuzz WHERE <truth>)',
    'SELECT <value> AS c0 FROM fuzz WHERE n = (SELECT MAX(n) FROM fuzz)',
    'SELECT T, d - (SELECT AVG(d) FROM fuzz) AS c0 FROM fuzz',
    'SELECT T, x, <windowed> AS c0(?, <windowed> AS c1?) FROM (SELECT __time AS t, T, s AS k, n AS x, n AS c, d AS v FROM fuzz) AS q',
    "SELECT t, <windowed> AS c0 FROM (SELECT TIME_FLOOR(__time, 'PT1S') AS t, T AS k, COUNT(*) AS x, SUM(n) AS c, SUM(d) AS v FROM fuzz GROUP BY 1, 2) AS q",
    // Results of windows, and joined VALUES, in conditions.
    'SELECT COUNT(*) AS c0, SUM(c) AS c1 FROM (SELECT n AS c, LAG(<textColumn>) OVER (ORDER BY __time) AS x FROM fuzz) AS q WHERE x <compared> <sought>',
    'SELECT COUNT(*) AS c0 FROM (SELECT MAX(d) OVER (PARTITION BY T ORDER BY __time) AS x FROM fuzz) AS q WHERE CAST(x AS BIGINT) <compared> <sought>',
    "SELECT s2 AS k, COUNT(*) AS c0 FROM fuzz AS x <joinedOnce> JOIN (VALUES ('t1', 'a', 1.5), ('t2', '007', 2.0), ('t3', '10', 2.5)) AS y(t2, s2, d2) ON x.T = y.t2 WHERE <valuesTruth> GROUP BY 1",
    'SELECT t, SUM(c) OVER w AS c0 FROM (SELECT __time AS t, n AS c FROM fuzz) AS q WINDOW w AS (ORDER BY t)',
  ],
  constantQuery: ['SELECT <value> AS c0', 'SELECT <value> AS c0, <value> AS c1', 'SELECT <value>, <value>'],
}

const all: Grammar = { ...constants, ...columns, ...values, ...aggregating, ...windows, ...queries, ...dashboards }
const withColumns = new Writer(all)
const withoutColumns = new Writer({
  ...all,
  ...noColumns,
  truth: values['truth']!.filter((rule) => !/^(?:n|T|d) /.test(rule)),
})

/** The kinds whose rules are used in turn: those of values and clauses. */
const turns = ['query', 'from', 'truth', 'text', 'long', 'double', 'time', 'texts', 'longs', 'json'].concat([
  'longAggregate',
  'doubleAggregate',
  'textAggregate',
  'timeAggregate',
  'arrayAggregate',
  'windowed',
  'frame',
  ...boardKinds,
])
export const sqlRules: readonly { readonly kind: string; readonly rule: string }[] = turns.flatMap((kind) =>
  all[kind]!.map((rule) => ({ kind, rule })),
)

const scalarKinds = new Set(
  ['truth', 'text', 'long', 'double', 'time', 'texts', 'longs', 'json'].concat([
    'boardTruth',
    'boardComputed',
    'boardChoice',
    'boardBucket',
    'boardArray',
  ]),
)
const aggregateKinds = new Set(
  ['longAggregate', 'doubleAggregate', 'textAggregate', 'timeAggregate', 'arrayAggregate'].concat([
    'boardAggregate',
    'boardNumberOut',
    'boardTotal',
  ]),
)

const selecting = (piece: Piece, after: string): Piece => ({
  kind: 'query',
  rule: 'SELECT <value> AS c0',
  parts: ['SELECT ', { piece, named: null, label: null, inJson: false }, ` AS c0${after}`],
})

/** Each value and aggregate of a query, selected alone. */
const alone =
  (after: string) =>
  (piece: Piece): readonly Piece[] =>
    [...piecesOf(piece, aggregateKinds), ...piecesOf(piece, scalarKinds)].map((part) => selecting(part, after))

export interface MadeSql extends Shrinking {
  readonly piece: Piece
}

/** Every nth query uses the next rule in turn. */
const turnEvery = 2
/** The percentage of dashboard queries among those that do not use a rule in turn. */
const boardChances = 70
/** Every nth query has no table. */
const constantEvery = 12

/** The query with this number: the same for the same seed. */
export function sqlOf(number: number, seed: number): MadeSql {
  const random = seededRandom(seed * 1_000_003 + number)
  if (number % constantEvery === constantEvery - 1) {
    return {
      piece: withoutColumns.make('constantQuery', 5, random),
      plainest: withoutColumns.plainest,
      alone: alone(''),
    }
  }
  const turn = number % turnEvery === 0 ? (sqlRules[(number / turnEvery) % sqlRules.length] ?? null) : null
  const isBoard = turn === null ? random.below(100) < boardChances : turn.kind.startsWith('board')
  const kind = isBoard || turn?.kind === 'nothing' ? 'board' : 'query'
  return {
    piece: withColumns.makeWith(turn, kind, (kind === 'board' ? 4 : 5) + random.below(3), random),
    plainest: withColumns.plainest,
    alone: alone(' FROM fuzz'),
  }
}
