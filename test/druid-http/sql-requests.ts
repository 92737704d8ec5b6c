// SQL over HTTP: formats, headers, parameters, contexts, written values, and refused queries.
import { type Difference, differences as d } from './differences.ts'
import { type Asked, canceled, posted, sql } from './request.ts'

const all = 'SELECT __time, T, unit, n, V FROM plant ORDER BY __time'
const few = "SELECT __time, T, n, V FROM plant WHERE T = 'a' ORDER BY __time"
const none = "SELECT __time, T, n, V FROM plant WHERE T = 'nobody'"
/** Cross-joins the rows eleven times. */
const slow = `SELECT COUNT(*) AS n FROM plant a ${[...'bcdefghijk'].map((name) => `CROSS JOIN plant ${name}`).join(' ')}`

const formats = ['object', 'array', 'objectLines', 'arrayLines', 'csv'] as const
const headed = { header: true }
const typed = { header: true, typesHeader: true, sqlTypesHeader: true }

const inFormats: readonly Asked[] = formats.flatMap((resultFormat) => {
  const mediaType = resultFormat === 'object' || resultFormat === 'array' ? [] : [d.mediaTypes]
  const escapes = resultFormat === 'csv' ? [] : [d.escapes]
  return [
    sql(all, { resultFormat }, ...mediaType, ...escapes),
    sql(few, { resultFormat, ...headed }, ...mediaType),
    sql(few, { resultFormat, header: true, typesHeader: true }, ...mediaType),
    sql(few, { resultFormat, ...typed }, ...mediaType),
    sql(none, { resultFormat, ...headed }, ...mediaType),
    sql(none, { resultFormat }, ...mediaType),
  ]
})

const layouts: readonly Asked[] = [
  sql(few),
  sql(few, { resultFormat: null, header: null }),
  sql(few, { resultFormat: 'OBJECTLINES' }, d.mediaTypes),
  sql(few, { header: true, sqlTypesHeader: true }),
  sql(few, { typesHeader: true }, d.errorBody),
  sql(few, { sqlTypesHeader: true }, d.errorBody),
  sql(few, { resultFormat: 'xml' }, d.errorBody),
  sql(few, { resultFormat: '' }, d.errorBody),
  sql(few, { header: 'yes' }, d.errorBody),
  sql(few, { header: 'true' }, d.strict),
]

const parameter = (type: string, value: unknown, ...differs: Difference[]): Asked =>
  sql('SELECT ? AS x', { parameters: [{ type, value }], resultFormat: 'array', ...typed }, ...differs)

const parameters: readonly Asked[] = [
  parameter('VARCHAR', "it's ?", d.sqlTypes),
  parameter('CHAR', 'c', d.sqlTypes),
  parameter('BIGINT', 42, d.sqlTypes),
  parameter('BIGINT', '42', d.lenient),
  posted('/druid/v2/sql', '{"query":"SELECT ? AS x","parameters":[{"type":"BIGINT","value":9007199254740993}]}'),
  parameter('INTEGER', 42, d.sqlTypes),
  parameter('SMALLINT', 42, d.sqlTypes),
  parameter('TINYINT', 42, d.sqlTypes),
  parameter('DOUBLE', 1.5),
  parameter('DOUBLE', '1.5', d.lenient),
  parameter('FLOAT', 1.5),
  parameter('REAL', 1.5),
  parameter('DECIMAL', 1.5, d.sqlTypes),
  parameter('BOOLEAN', true),
  parameter('BOOLEAN', 'true', d.lenient),
  parameter('TIMESTAMP', '2026-01-02 03:04:05'),
  parameter('TIMESTAMP', '2026-01-02T03:04:05Z'),
  parameter('TIMESTAMP', 1767323045000),
  parameter('DATE', '2026-01-02', d.lenient),
  parameter('VARCHAR', null, d.sqlTypes),
  parameter('BIGINT', null, d.sqlTypes),
  parameter('BIGINT', 'many', d.faults),
  parameter('varchar', 'x', d.lenient),
  parameter('NUMBER', 1, d.errorBody),
  parameter('ARRAY', ['a', 'b']),
  sql('SELECT COUNT(*) AS n FROM plant WHERE T = ? AND __time >= ? AND V < ?', {
    parameters: [
      { type: 'VARCHAR', value: 'a' },
      { type: 'TIMESTAMP', value: '2026-01-01 12:00:00' },
      { type: 'DOUBLE', value: 11 },
    ],
  }),
  sql('SELECT T FROM plant WHERE T = ?', { parameters: [] }),
  sql('SELECT T FROM plant WHERE n = 2', { parameters: [{ type: 'BIGINT', value: 2 }] }),
  sql('SELECT T FROM plant WHERE n = 2', { parameters: 'none' }, d.errorBody),
  sql('SELECT T FROM plant WHERE n = 2 ORDER BY __time', { parameters: null }),
  sql('SELECT T FROM plant WHERE n = ?', { parameters: [{ value: 2 }] }, d.errorBody),
]

const inZone = "SELECT TIME_FLOOR(__time, 'P1D') AS d, COUNT(*) AS n FROM plant GROUP BY 1 ORDER BY 1"

const contexts: readonly Asked[] = [
  sql(inZone, { context: { sqlTimeZone: 'Europe/Madrid' } }),
  sql(inZone, { context: { sqlTimeZone: 'America/New_York' }, resultFormat: 'csv' }, d.mediaTypes),
  sql(inZone, { context: { sqlTimeZone: '+05:30' } }),
  sql(inZone, { context: { sqlTimeZone: 'Etc/UTC' } }),
  sql("SELECT COUNT(*) AS n FROM plant WHERE __time >= TIMESTAMP '2026-01-02 00:00:00'", {
    context: { sqlTimeZone: 'Asia/Tokyo' },
  }),
  sql('SELECT EXTRACT(HOUR FROM __time) AS h, __time FROM plant ORDER BY __time LIMIT 1', {
    context: { sqlTimeZone: 'Asia/Tokyo' },
  }),
  sql(inZone, { context: { sqlTimeZone: 'Mars/Phobos' } }, d.strict),
  sql(inZone, { context: { sqlTimeZone: 5 } }, d.strict),
  sql(few, { context: { sqlQueryId: 'q-1' } }),
  sql(few, { context: { queryId: 'q-2' } }, d.sqlId),
  sql(few, { context: { queryId: 'q-3', sqlQueryId: 'q-4' } }),
  sql(few, { context: { sqlQueryId: 17 } }, d.lenient),
  sql('SELECT nothing FROM plant', { context: { sqlQueryId: 'q-5' } }),
  sql(few, { context: { timeout: 60000 } }),
  sql(few, { context: { timeout: '60000' } }),
  sql(few, { context: { timeout: 0 } }, d.noTimeout),
  sql(few, { context: { timeout: -1 } }, d.errorBody),
  sql(few, { context: { timeout: 'soon' } }, d.errorBody),
  sql(slow, { context: { timeout: 500, sqlQueryId: 'q-6' } }, d.statuses),
  sql(few, { context: null }),
  sql(few, { context: {} }),
  sql(few, { context: [] }, d.errorBody),
  sql(few, { context: { useCache: false, populateCache: false, anything: [1] } }),
  sql('SELECT ARRAY[1, 2] AS x', { context: { sqlStringifyArrays: false } }, d.context),
  canceled(sql(slow, { context: { sqlQueryId: 'c-1', timeout: 30_000 } }, d.statuses), '/druid/v2/sql/c-1'),
]

const values: readonly Asked[] = [
  sql('SELECT 1 AS i, 1.5 AS d, 1e0 AS e, 1e10 AS f, 0.00001 AS g, CAST(1 AS FLOAT) AS h', typed, d.sqlTypes),
  sql('SELECT TRUE AS t, 1 > 2 AS f, NULL AS n', typed, d.sqlTypes),
  sql(
    "SELECT DATE '2026-01-02' AS d, TIMESTAMP '2026-01-02 03:04:05.678' AS t, CAST('2026-01-02' AS DATE) AS c",
    typed,
  ),
  sql(
    "SELECT '' AS e, 'x' AS x, U&'\\00e9' AS u, '\u{1f600}' AS s, 'a\"b' AS q",
    { resultFormat: 'csv', ...headed },
    d.mediaTypes,
  ),
  sql("SELECT ' a ' AS a, 'b\nc' AS b, 'd;e' AS c, NULL AS n, 'x,y' AS y", { resultFormat: 'csv' }, d.mediaTypes),
  sql("SELECT ARRAY[1, 2] AS x, ARRAY['a', NULL] AS y", typed),
  sql("SELECT ARRAY['a', 'b'] AS y", { resultFormat: 'csv' }, d.mediaTypes),
  sql("SELECT JSON_OBJECT('a':1, 'b':'x') AS j", typed),
  sql("SELECT JSON_OBJECT('a':1, 'b':'x') AS j", { resultFormat: 'csv' }, d.mediaTypes),
  sql('SELECT 9223372036854775807 AS x, -9223372036854775808 AS y'),
  sql('SELECT V / 0.0 AS x FROM plant ORDER BY __time LIMIT 1', {}, d.noNumber),
  sql('SELECT n / 0 AS x FROM plant ORDER BY __time LIMIT 1', {}, d.faults),
  sql('SELECT COUNT(*), MAX(V) FROM plant'),
  sql('SELECT T, T FROM plant ORDER BY __time LIMIT 1', { resultFormat: 'array', ...typed }, d.sameNames),
  sql('SELECT T AS x, n AS x FROM plant ORDER BY __time LIMIT 1', { resultFormat: 'array', ...typed }, d.sameNames),
  sql('SELECT * FROM plant ORDER BY __time LIMIT 2', typed),
  sql('SELECT T, COUNT(*) AS n, SUM(V) AS s, AVG(n) AS m, MAX(__time) AS t FROM plant GROUP BY T ORDER BY T', typed),
  sql('SELECT LATEST(V) AS l, EARLIEST(unit, 100) AS e, COUNT(DISTINCT T) AS d FROM plant', {
    ...typed,
    context: { useApproximateCountDistinct: false },
  }),
  sql('SELECT COUNT(*) AS n FROM plant;', {}, d.lenient),
]

const tables: readonly Asked[] = [
  sql("SELECT * FROM INFORMATION_SCHEMA.TABLES WHERE TABLE_SCHEMA = 'druid' AND TABLE_NAME = 'plant'"),
  sql("SELECT * FROM INFORMATION_SCHEMA.COLUMNS WHERE TABLE_NAME = 'plant' ORDER BY ORDINAL_POSITION", {}, d.schemas),
  sql("SELECT * FROM INFORMATION_SCHEMA.SCHEMATA WHERE SCHEMA_NAME = 'druid'"),
  sql('SELECT SCHEMA_NAME FROM INFORMATION_SCHEMA.SCHEMATA ORDER BY 1', {}, d.schemas),
  sql('EXPLAIN PLAN FOR SELECT COUNT(*) AS n FROM plant', { resultFormat: 'array', header: true }, d.explain),
  sql("SELECT * FROM INFORMATION_SCHEMA.ROUTINES WHERE ROUTINE_NAME = 'TIME_FLOOR'", {}, d.schemas),
]

const json = { 'content-type': 'application/json' }
const text = { 'content-type': 'text/plain' }

const refused: readonly Asked[] = [
  sql('SELECT * FROM nothing'),
  sql('SELECT nothing FROM plant'),
  sql('SELECT NOTHING(T) FROM plant'),
  sql('SELEC 1'),
  sql('SELECT 1; SELECT 2'),
  sql(''),
  sql('   '),
  sql('INSERT INTO plant SELECT * FROM plant PARTITIONED BY DAY'),
  sql('DROP TABLE plant'),
  sql("SELECT CAST('x' AS BIGINT) AS x"),
  sql('SELECT T FROM plant GROUP BY n'),
  posted('/druid/v2/sql', '{"resultFormat":"array"}', json, d.errorBody),
  posted('/druid/v2/sql', '{"query":null}', json, d.errorBody),
  posted('/druid/v2/sql', '{"query":5}', json, d.errorBody),
  posted('/druid/v2/sql', '{"query":"SELECT 1 AS x","other":1}'),
  posted('/druid/v2/sql', '{"query":"SELECT 1 AS x"', json, d.faults),
  posted('/druid/v2/sql', '{"query":"SELECT 1 AS x"} and more', json, d.strict),
  posted('/druid/v2/sql', '', json, d.faults),
  posted('/druid/v2/sql', '[]', json, d.errorBody),
  posted('/druid/v2/sql', 'null', json, d.faults),
  posted('/druid/v2/sql', 'SELECT 1 AS x', text, d.errorBody),
  posted('/druid/v2/sql', '{"query":"SELECT 1 AS x"}', text, d.errorBody),
  posted('/druid/v2/sql', '{"query":"SELECT 1 AS x"}', { 'content-type': 'application/json; charset=utf-8' }),
  posted('/druid/v2/sql/', '{"query":"SELECT 1 AS x"}'),
  posted(
    '/druid/v2/sql',
    '{"query":"SELECT 1 AS x"}',
    { 'content-type': 'application/json', accept: 'text/csv' },
    d.lenient,
  ),
  posted('/druid/v2/sql', 'query=SELECT+1', { 'content-type': 'application/x-www-form-urlencoded' }, d.errorBody),
]

export const sqlRequests: readonly Asked[] = [
  ...inFormats,
  ...layouts,
  ...parameters,
  ...contexts,
  ...values,
  ...tables,
  ...refused,
]
