// Syntax of other dialects of SQL, with what to write in Druid's. It is used only for error messages: what is accepted is decided elsewhere.
// In the advice, x is a number and s a text.

/** Words with which no query starts, and advice. */
export const otherStatements: ReadonlyMap<string, string> = new Map([
  ['SHOW', 'write SELECT TABLE_NAME FROM INFORMATION_SCHEMA.TABLES'],
  ['DESCRIBE', "write SELECT COLUMN_NAME, DATA_TYPE FROM INFORMATION_SCHEMA.COLUMNS WHERE TABLE_NAME = 'plant'"],
  ['FROM', 'write SELECT * FROM ...'],
  ['PIVOT', "write SELECT SUM(x) FILTER (WHERE s = 'a') AS a, and so on for each column"],
  ['EXPLAIN', 'write EXPLAIN PLAN FOR SELECT ... on the paths of Druid, and SELECT ... here'],
  ['INSERT', 'SQL does not write rows: push them to an ingest'],
])

/**
 * Sequences of words and symbols in other dialects, and advice. A text in a sequence matches any text, a number any number, and `_` any token: it is
 * there if the parser fails only at the token after the words.
 */
export const otherClauses: readonly (readonly [wrong: string, advice: string])[] = [
  ['DISTINCT ON (', 'write LATEST(x) in SELECT, for the newest value, and GROUP BY the columns'],
  ['QUALIFY', 'put the query into a subquery and filter it by WHERE'],
  ['PIVOT ( _', "write SUM(x) FILTER (WHERE s = 'a') AS a, and so on for each column"],
  ['SAMPLE BY', "write GROUP BY TIME_FLOOR(__time, 'PT1H')"],
  ['LATEST ON', 'write LATEST(x) in SELECT, and GROUP BY the tag'],
  ['LATEST BY', 'write LATEST(x) in SELECT, and GROUP BY the tag'],
  ['FILL (', 'remove it: a bucket without rows has no row'],
  ['GROUP BY ALL', 'name the columns, or use their numbers, as in GROUP BY 1, 2'],
  ['ORDER BY ALL', 'name the columns, or use their numbers, as in ORDER BY 1, 2'],
  ['TOP 10', 'write LIMIT 10 at the end of the query'],
  ['* EXCLUDE', 'name the columns that you want'],
  ['NOT ILIKE', "write LOWER(s) NOT LIKE 'a%'"],
  ['ILIKE _', "write LOWER(s) LIKE 'a%', or ICONTAINS_STRING(s, 'a')"],
  ['SIMILAR TO', "write REGEXP_LIKE(s, 'a.*')"],
  ['RLIKE _', "write REGEXP_LIKE(s, 'a.*')"],
  ['REGEXP _', "write REGEXP_LIKE(s, 'a.*')"],
  ['GLOB _', "write s LIKE 'a%', or REGEXP_LIKE(s, 'a.*')"],
  [
    'AT TIME ZONE',
    "write TIME_FORMAT(__time, 'yyyy-MM-dd HH:mm', 'Europe/Madrid'), or TIME_FLOOR(__time, 'P1D', NULL, 'Europe/Madrid')",
  ],
  ['::', 'write CAST(x AS BIGINT)'],
  ['==', 'write ='],
  ['->', "write JSON_VALUE(x, '$.name')"],
  ['[', 'write a name in double quotes, and an array as ARRAY[1, 2]'],
]

/** Characters that have a meaning in other dialects, and advice. */
export const otherCharacters: ReadonlyMap<string, string> = new Map([
  ['`', 'write a name in double quotes'],
  ['~', "write REGEXP_LIKE(s, 'a.*')"],
  ['!', "write NOT or <>, and NOT REGEXP_LIKE(s, 'a.*') for !~"],
  ['&', 'write AND'],
  ['^', 'write POWER(x, 2)'],
])

/** `1h`: a duration in the notation of other dialects. */
export const otherLength = /^\d+(?:ns|us|µs|u|ms|s|m|h|d|w|mo|y)$/i
export const lengthAdvice = "write a length of time as INTERVAL '1' HOUR, or as a period: TIME_FLOOR(__time, 'PT1H')"

const quantile = 'APPROX_QUANTILE_DS(x, 0.5)'
const change = 'x - LAG(x) OVER (PARTITION BY T ORDER BY __time)'
const changePerSecond = `(${change}) / TIMESTAMPDIFF(SECOND, LAG(__time) OVER (PARTITION BY T ORDER BY __time), __time)`
const read = "TIME_PARSE(s, 'yyyy-MM-dd HH:mm')"
const written = "TIME_FORMAT(__time, 'yyyy-MM-dd HH:mm')"
const between = 'TIMESTAMPDIFF(HOUR, __time, CURRENT_TIMESTAMP)'
const shifted = 'TIMESTAMPADD(HOUR, 1, __time)'
const choice = 'CASE WHEN x > 1 THEN 1 ELSE 0 END'

const functions: readonly (readonly [names: string, write: string])[] = [
  ['TIME_BUCKET TIME_BUCKET_GAPFILL DATE_BIN TIME', "TIME_FLOOR(__time, 'PT1H')"],
  ['DATE', "TIME_FLOOR(__time, 'P1D')"],
  ['NOW GETDATE SYSDATE SYSTIMESTAMP', 'CURRENT_TIMESTAMP'],
  ['TODAY CURDATE', 'CURRENT_DATE'],
  ['DATE_PART DATEPART', 'EXTRACT(HOUR FROM __time)'],
  ['DAY', 'DAYOFMONTH(__time)'],
  ['TO_CHAR STRFTIME DATE_FORMAT', written],
  ['TO_DATE STRPTIME STR_TO_DATE', read],
  ['TO_TIMESTAMP', `${read}, or MILLIS_TO_TIMESTAMP(x * 1000)`],
  ['FROM_UNIXTIME', 'MILLIS_TO_TIMESTAMP(x * 1000)'],
  ['EPOCH UNIX_TIMESTAMP', 'EXTRACT(EPOCH FROM __time)'],
  ['EPOCH_MS', 'TIMESTAMP_TO_MILLIS(__time)'],
  ['DATE_DIFF DATEDIFF AGE', between],
  ['DATE_ADD DATEADD DATE_SUB', shifted],
  ['FIRST', 'EARLIEST(x)'],
  ['LAST', 'LATEST(x)'],
  ['ARG_MAX MAX_BY', 'LATEST_BY(x, __time)'],
  ['ARG_MIN MIN_BY', 'EARLIEST_BY(x, __time)'],
  [
    'MEDIAN QUANTILE QUANTILE_CONT QUANTILE_DISC PERCENTILE PERCENTILE_CONT PERCENTILE_DISC APPROX_PERCENTILE',
    quantile,
  ],
  ['MEAN', 'AVG(x)'],
  ['STDEV', 'STDDEV(x)'],
  ['VAR', 'VARIANCE(x)'],
  ['SPREAD', 'MAX(x) - MIN(x)'],
  ['DIFFERENCE NON_NEGATIVE_DIFFERENCE DELTA', change],
  ['DERIVATIVE NON_NEGATIVE_DERIVATIVE RATE', changePerSecond],
  ['MOVING_AVERAGE', 'AVG(x) OVER (PARTITION BY T ORDER BY __time ROWS 5 PRECEDING)'],
  ['TIME_WEIGHT TIMEWEIGHTEDAVG TIME_WEIGHTED_AVERAGE TWA', 'TIME_WEIGHTED_AVG(x, __time)'],
  ['INCREASE DELTASUM COUNTER_AGG', 'COUNTER_RISE(x, __time)'],
  ['CUMULATIVE_SUM', 'SUM(x) OVER (PARTITION BY T ORDER BY __time)'],
  ['COUNT_DISTINCT APPROX_DISTINCT', 'COUNT(DISTINCT s)'],
  ['GROUP_CONCAT', "STRING_AGG(s, ',')"],
  ['LIST', 'ARRAY_AGG(s)'],
  ['IF IIF', choice],
  ['ISNULL', 'COALESCE(x, 0)'],
  ['LOG', 'LN(x), or LOG10(x)'],
  ['SIGN', 'CASE WHEN x > 0 THEN 1 WHEN x < 0 THEN -1 ELSE 0 END'],
  ['LEN', 'LENGTH(s)'],
  ['UCASE', 'UPPER(s)'],
  ['LCASE', 'LOWER(s)'],
  ['INSTR', "STRPOS(s, 'a')"],
  ['CONTAINS', "CONTAINS_STRING(s, 'a')"],
  ['STARTS_WITH STARTSWITH', "s LIKE 'a%'"],
  ['ENDS_WITH ENDSWITH', "s LIKE '%a'"],
  ['REGEXP_MATCH REGEXP_MATCHES', "REGEXP_LIKE(s, 'a.*')"],
  ['SPLIT_PART', "ARRAY_OFFSET(STRING_TO_ARRAY(s, ','), 0)"],
  ['CONCAT_WS', "s || ',' || s"],
  ['JSON_EXTRACT JSON_EXTRACT_STRING', "JSON_VALUE(s, '$.name')"],
]

/** What to write instead of functions of other dialects, by their names in upper case. */
export const otherFunctions: ReadonlyMap<string, string> = new Map(
  functions.flatMap(([names, write]) => names.split(' ').map((name) => [name, write] as const)),
)
