// Operand and result types of SQL functions, where they matter to random queries.
import { catalogue as scalars } from '../../src/druid-sql/functions/catalogue.ts'

export type Kind =
  | 'text'
  | 'long'
  | 'double'
  | 'time'
  | 'truth'
  | 'array'
  | 'json'
  | 'any'
  | 'sketch'
  | 'quantiles'
  | 'period'
  | 'zone'
  | 'pattern'
  | 'regex'
  | 'path'
  | 'unit'
  | 'format'
  | 'count'
  | 'share'
  | 'address'
  | 'interval'

export const valueKinds = ['text', 'long', 'double', 'time', 'truth', 'array', 'json'] as const

/** Operand types of functions, where they matter; other functions get any operands. The last type applies to all further operands. */
export const operandKinds: ReadonlyMap<string, readonly Kind[]> = new Map<string, readonly Kind[]>([
  ...['TIME_FLOOR', 'TIME_CEIL'].map((name) => [name, ['time', 'period', 'time', 'zone']] as const),
  ['DATE_TRUNC', ['unit', 'time']],
  ['TIME_SHIFT', ['time', 'period', 'long', 'zone']],
  ['TIME_EXTRACT', ['time', 'unit', 'zone']],
  ['TIME_PARSE', ['text', 'pattern', 'zone']],
  ['TIME_FORMAT', ['time', 'pattern', 'zone']],
  ['TIME_IN_INTERVAL', ['time', 'interval']],
  ...['REGEXP_LIKE', 'REGEXP_EXTRACT', 'REGEXP_REPLACE'].map((name) => [name, ['text', 'regex', 'long']] as const),
  ...['REPEAT', 'LPAD', 'RPAD'].map((name) => [name, ['text', 'count', 'text']] as const),
  ['STRING_FORMAT', ['format', 'any']],
  ...['SUBSTRING', 'SUBSTR', 'LEFT', 'RIGHT'].map((name) => [name, ['text', 'long', 'long']] as const),
  ...['LOWER', 'UPPER', 'INITCAP', 'CONCAT', 'TRIM', 'REPLACE', 'REVERSE', 'STRPOS', 'CONTAINS_STRING'].map(
    (name) => [name, ['text']] as const,
  ),
  ...['ROUND', 'TRUNC', 'TRUNCATE'].map((name) => [name, ['double', 'long']] as const),
  ...['MOD', 'DIV', 'SAFE_DIVIDE', 'POWER', 'ATAN2', 'GREATEST', 'LEAST'].map((name) => [name, ['long']] as const),
  ...['JSON_VALUE', 'JSON_QUERY', 'JSON_KEYS'].map((name) => [name, ['json', 'path']] as const),
  ...['ARRAY_OFFSET', 'ARRAY_ORDINAL', 'ARRAY_SLICE'].map((name) => [name, ['array', 'long']] as const),
  ...['ARRAY_LENGTH', 'CARDINALITY', 'MV_LENGTH', 'ARRAY_CONCAT', 'ARRAY_CONTAINS', 'ARRAY_OVERLAP'].map(
    (name) => [name, ['array']] as const,
  ),
  ...['ARRAY_APPEND', 'ARRAY_OFFSET_OF', 'ARRAY_ORDINAL_OF', 'ARRAY_TO_STRING'].map(
    (name) => [name, ['array', 'any']] as const,
  ),
  ...['ARRAY_PREPEND', 'SCALAR_IN_ARRAY'].map((name) => [name, ['any', 'array']] as const),
  ...['IPV4_MATCH', 'IPV4_PARSE', 'IPV4_STRINGIFY'].map((name) => [name, ['text', 'address']] as const),
  ...['HLL_SKETCH_ESTIMATE', 'HLL_SKETCH_UNION', 'THETA_SKETCH_ESTIMATE', 'THETA_SKETCH_UNION'].map(
    (name) => [name, ['sketch']] as const,
  ),
  ...['THETA_SKETCH_INTERSECT', 'THETA_SKETCH_NOT'].map((name) => [name, ['sketch']] as const),
  ...['DS_GET_QUANTILE', 'DS_RANK'].map((name) => [name, ['quantiles', 'double']] as const),
  ...['APPROX_QUANTILE', 'APPROX_QUANTILE_DS'].map((name) => [name, ['double', 'share']] as const),
  ['APPROX_QUANTILE_FIXED_BUCKETS', ['double', 'share', 'long']],
  ...['LATEST_BY', 'EARLIEST_BY'].map((name) => [name, ['any', 'time']] as const),
  ...['STRING_AGG', 'LISTAGG'].map((name) => [name, ['text', 'text', 'long']] as const),
  ['ARRAY_CONCAT_AGG', ['array', 'long']],
  ['NTILE', ['long']],
  ...['LAG', 'LEAD'].map((name) => [name, ['any', 'long', 'any']] as const),
  ...['EXTRACT', 'TIMESTAMPADD', 'TIMESTAMPDIFF', 'YEAR', 'MONTH', 'DAYOFWEEK'].map(
    (name) => [name, ['time']] as const,
  ),
])

/** Functions by result type, where it matters; texts and numbers are interchangeable. */
export const results: ReadonlyMap<Kind, readonly string[]> = new Map<Kind, readonly string[]>([
  [
    'truth',
    [
      'REGEXP_LIKE',
      'CONTAINS_STRING',
      'ICONTAINS_STRING',
      'ARRAY_CONTAINS',
      'ARRAY_OVERLAP',
      'SCALAR_IN_ARRAY',
      'TIME_IN_INTERVAL',
      'IPV4_MATCH',
    ],
  ],
  [
    'time',
    [
      'TIME_FLOOR',
      'TIME_CEIL',
      'DATE_TRUNC',
      'TIME_SHIFT',
      'TIMESTAMPADD',
      'TIME_PARSE',
      'MILLIS_TO_TIMESTAMP',
      'CURRENT_TIMESTAMP',
      'CURRENT_DATE',
    ],
  ],
  ['array', ['ARRAY_APPEND', 'ARRAY_PREPEND', 'ARRAY_CONCAT', 'ARRAY_SLICE', 'STRING_TO_ARRAY', 'JSON_KEYS']],
  ['json', ['JSON_QUERY', 'JSON_OBJECT', 'JSON_MERGE', 'PARSE_JSON', 'TRY_PARSE_JSON']],
])
const special: ReadonlySet<string> = new Set([
  ...[...results.values()].flat(),
  'LOCALTIMESTAMP',
  'LOOKUP',
  'HLL_SKETCH_UNION',
  'THETA_SKETCH_UNION',
  'THETA_SKETCH_INTERSECT',
  'THETA_SKETCH_NOT',
])
/** Functions whose operand and result types do not matter. */
export const plain = [...scalars.keys()].filter((name) => !special.has(name))

export const castTypes = [
  'VARCHAR',
  'BIGINT',
  'DOUBLE',
  'BOOLEAN',
  'TIMESTAMP',
  'DATE',
  'DECIMAL(10,2)',
  'DECIMAL(99,99)',
  'VARCHAR(3)',
  'INTEGER',
  'VARCHAR ARRAY',
  'BIGINT ARRAY',
  'TINYINT',
]
export const castOf = {
  text: 'VARCHAR',
  long: 'BIGINT',
  double: 'DOUBLE',
  time: 'TIMESTAMP',
  truth: 'BOOLEAN',
  array: 'VARCHAR ARRAY',
  json: 'VARCHAR',
}
export const columnsOf: Readonly<Record<(typeof valueKinds)[number], readonly string[]>> = {
  text: ['T', 's'],
  long: ['l', 'b'],
  double: ['V'],
  time: ['__time', 'ts'],
  truth: [],
  array: [],
  json: [],
}
