import type { RefusedCase } from './reason-cases.ts'

const any = 'SELECT COUNT(*) AS c0 FROM fuzz'

/** Druid refuses, and one machine answers. */
export const refusedThereCases: readonly RefusedCase[] = [
  ["Druid's planner fails", any, 'Query could not be planned. A possible reason is [x]'],
  ['a constant that is no number is null here', any, 'Expression [x] evaluates to an unsupported value [NaN]'],
  [
    'Druid cuts characters in half, which no text can hold',
    any,
    'a string that it creates contains half of a character',
  ],
  [
    'Druid does not count different values beside aggregates of texts and times',
    'SELECT COUNT(DISTINCT n) AS c0, ARRAY_AGG(s) AS c1 FROM fuzz',
    'Aggregation [ARRAY_AGG] does not support type [x]',
    any,
  ],
  ['Druid orders by no arrays', any, 'class java.util.ArrayList cannot be cast to class x'],
  ['Druid takes no array that is a constant null', any, 'Cannot handle literal [null:VARCHAR ARRAY]'],
  ['what is no Base64 is null here', "SELECT DECODE_BASE64_UTF8('x') AS c0", 'Illegal base64 character 20', any],
  [
    'JSON_MERGE takes objects alone in Druid',
    'SELECT JSON_MERGE(TRY_PARSE_JSON(j), TRY_PARSE_JSON(s)) AS c0 FROM fuzz',
    'Function[json_merge] bad string input',
    any,
  ],
  ['Druid folds no expression of a constant null', any, 'Unhandled exception made it to the top'],
  [
    'Druid divides before HAVING',
    'SELECT s AS k FROM fuzz GROUP BY 1 HAVING SUM(n) / COUNT(l) > 1',
    '/ by zero',
    'SELECT n / l AS k FROM fuzz',
  ],
  [
    'Druid fails to replace by null',
    "SELECT REPLACE('a', 'b', s) AS c0",
    'Function[replace] encountered unknown exception',
    any,
  ],
  ['Druid limits no texts by their natural order', any, 'class NaturalComparator'],
  ['a year beyond all times is null here', any, 'The query cannot be run: 292278994-08-17'],
  ['Druid fails to group by an array under a COUNT(DISTINCT)', any, 'Aggregator does not support ARRAY types'],
  [
    'Druid fails to group by an array of constants under a COUNT(DISTINCT)',
    'SELECT ARRAY[1, 2] AS k, COUNT(DISTINCT n) AS c0 FROM fuzz GROUP BY 1',
    'why',
    'SELECT ARRAY[1, 2] AS k, COUNT(n) AS c0 FROM fuzz GROUP BY 1',
  ],
  ['Druid fails to look for some arrays', any, 'Function[array_overlap] encountered unknown exception'],
  ['Druid takes no number for a text in some functions', any, "Cannot apply 'REVERSE' to arguments of type"],
  ['a constant text that is no time is null here', any, 'Illegal TIMESTAMP constant [x]'],
  ['Druid takes a name for an array or for a value, not for both', any, 'x used as both scalar and array variables'],
  ['Druid renames within the names of functions', any, "function 'v0bs' is not defined"],
  [
    'JSON_VALUE of a list is null here',
    "SELECT JSON_VALUE(TRY_PARSE_JSON(j), '$' RETURNING DOUBLE) AS c0 FROM fuzz",
    'cannot cast [ARRAY<LONG>] to [DOUBLE]',
    any,
  ],
]

/** A cluster responds with 413. */
export const tooLargeThereCases: readonly RefusedCase[] = [
  [
    'lists and texts of aggregates take at most 1,024 bytes on a cluster, unless more is allowed',
    any,
    'A list of ARRAY_AGG takes more than 1024 bytes',
  ],
  ['the buffers of the Druid under test hold few sketches', any, 'Not enough merge buffers'],
]

/** One machine refuses, and Druid answers. */
export const refusedHereCases: readonly RefusedCase[] = [
  [
    'Druid asks the operands of a quotient whether it is null, and does not divide',
    'SELECT n / l IS NULL AS c0 FROM fuzz',
    'The query cannot be run: a number is divided by zero',
    'SELECT n / l AS c0 FROM fuzz',
  ],
  [
    'Druid divides in those rows alone that the other conditions leave',
    "SELECT COUNT(*) AS c0 FROM fuzz WHERE T = 't1' AND n / l > 1",
    'The query cannot be run: a number is divided by zero',
    'SELECT COUNT(*) AS c0 FROM fuzz WHERE n / l > 1',
  ],
  [
    'Druid divides in those groups alone that LIMIT takes',
    'SELECT d AS k, SUM(n) / COUNT(m) AS c0 FROM fuzz GROUP BY 1 ORDER BY 1 LIMIT 3',
    'The query cannot be run: a number is divided by zero',
    'SELECT d AS k, SUM(n) / COUNT(m) AS c0 FROM fuzz GROUP BY 1 ORDER BY 1',
  ],
  [
    'UNNEST of keys of constant JSON beside a table is refused here',
    "SELECT x AS c0 FROM fuzz, UNNEST(JSON_KEYS(PARSE_JSON('{}'), '$')) AS u(x)",
    'this form of query is not supported',
    "SELECT x AS c0 FROM fuzz, UNNEST(ARRAY['a']) AS u(x)",
  ],
]
