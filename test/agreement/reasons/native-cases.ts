import type { AnsweredCase, ChangedCase } from './reason-cases.ts'

/** A groupBy with one virtual column, computed by the expression. */
const computing = (expression: string): string =>
  `{"queryType":"groupBy","virtualColumns":[{"type":"expression","name":"v0","expression":"${expression}"}]}`

const aggregating = (aggregator: string, source = '"fuzz"'): string =>
  `{"queryType":"timeseries","dataSource":${source},"aggregations":[{"type":"${aggregator}"}]}`

const filtering = (filter: string, source = '"fuzz"'): string =>
  `{"queryType":"scan","dataSource":${source},"filter":{"type":${filter}}}`

const innerScan = '{"type":"query","query":{"queryType":"scan","dataSource":"fuzz"}}'
const unionOfItself = '{"type":"union","dataSources":["fuzz","fuzz"]}'

export const nativeCases: readonly ChangedCase[] = [
  [
    'a search in alphanumeric order counts values that differ by case as one in Druid, a segment at a time',
    '{"queryType":"search","dataSource":"fuzz","sort":{"type":"alphanumeric"}}',
    /alphanumeric/,
    /search/,
  ],
  [
    'alphanumeric orders put values that differ by case alone in any order in Druid',
    '{"queryType":"topN","dimension":"s","metric":{"type":"alphaNumeric"}}',
    /alphaNumeric/,
    /topN/,
  ],
  [
    'alphanumeric orders put values that differ by case alone in any order in Druid',
    '{"queryType":"topN","dimension":"s","metric":{"type":"dimension","ordering":"alphanumeric"}}',
    /alphanumeric/,
    /topN/,
  ],
  [
    'a groupBy over a union that is ordered does not put the groups of its tables together in Druid',
    `{"queryType":"groupBy","dataSource":${unionOfItself},"limitSpec":{"type":"default"}}`,
    /union/,
    /limitSpec/,
  ],
  [
    'of zeros of two signs the least is the negative one in Druid',
    aggregating('doubleMin","name":"a0","expression":"n * 0.0'),
    /\* 0\.0/,
    /doubleMin/,
    ['[{"c0":0.0}]', '[{"c0":"-Infinity"}]'],
  ],
  ["'any' takes a value that is not null here", aggregating('longAny","name":"a0'), /longAny/, /aggregations/],
  ["'any' takes a value that is not null here", aggregating('stringAny","name":"a0'), /stringAny/, /aggregations/],
  [
    'first and last over rows of an inner query pass over null texts in Druid, and take any of the rows of one time',
    aggregating('stringLast","name":"a0', innerScan),
    /stringLast/,
    /scan/,
  ],
  [
    'a mean of parts of the rows goes wrong beside nulls in Druid',
    aggregating('doubleMean","name":"a0'),
    /doubleMean/,
    /aggregations/,
  ],
  [
    'sums of doubles beyond 2^53 depend on the order of their rows',
    aggregating('doubleSum","name":"a0","fieldName":"l'),
    /"l"/,
    /doubleSum/,
  ],
  [
    'sums of doubles beyond 2^53 depend on the order of their rows',
    aggregating('doubleMean","name":"a0","fieldName":"m'),
    /"m"/,
    /timeseries/,
  ],
  [
    'sums of doubles beyond 2^53 depend on the order of their rows',
    `${computing('l')}${aggregating('doubleSum","name":"a0","fieldName":"v0')}`,
    /"l"/,
    /doubleSum/,
  ],
  [
    'a cardinality over an inner scan or a union counts the empty text in Druid',
    aggregating('cardinality","name":"a0","fields":["s"],"round":"true', unionOfItself),
    /cardinality/,
    /union/,
  ],
  [
    'a cardinality over an inner scan or a union counts the empty text in Druid',
    aggregating('cardinality","name":"a0","fields":["s"],"round":"true', innerScan),
    /cardinality/,
    /scan/,
  ],
  [
    'a negative zero is not equal to 0 in a filter of Druid',
    `${filtering('"selector","dimension":"v0","value":"0"')}${computing('d * -1')}`,
    /\bd \*/,
    /selector/,
  ],
  [
    'bounds of longs go by way of doubles in Druid',
    filtering('"range","column":"l","lower":9007199254740993'),
    /9007199254740993/,
    /range/,
  ],
  [
    'a sum that passes all doubles on its way is no number in Druid',
    aggregating('doubleSum","fieldName":"V'),
    /"V"/,
    /doubleSum/,
  ],
  ['a cluster keeps no sign of a zero', filtering('"null","column":"d"},"grouped":{"dimension":"V"'), /"V"/, /"null"/],
  ['a cluster keeps no sign of a zero', computing('V * 2'), /^(?!.*1\.0).*V/, /groupBy/],
  [
    'isfalse of a bound over a join is unknown for null in Druid, and not of it is true',
    filtering('"isfalse","field":{"type":"bound"}', '{"type":"join"}'),
    /isfalse/,
    /join/,
  ],
  [
    'what is in no interval holds for a column that is not there in Druid',
    filtering('"not","field":{"type":"interval","dimension":"ts","intervals":["2026-01-02/2026-01-03"]}'),
    /interval/,
    /"not"/,
  ],
  [
    'isfalse of a lookup holds for what Druid finds in no key of it',
    filtering('"isfalse","field":{"type":"selector","extractionFn":{"type":"lookup"}}'),
    /isfalse/,
    /lookup/,
  ],
  [
    'a text that is no number finds null in what is computed without an outputType, where Druid looks at one row after another',
    `${filtering('"selector","dimension":"v0","value":"x"')}${computing('n + 1')}`,
    /^(?!.*outputType)/,
    /selector/,
  ],
  [
    'filters of what a virtual column computes of doubles look at whole numbers over an inner scan in Druid',
    `${filtering('"equals","column":"v0","matchValueType":"DOUBLE"', innerScan)}${computing('d + 1')}`,
    /\bd \+/,
    /equals/,
  ],
  [
    'JSON with more behind it is none here, and what comes first in Druid',
    computing("json_value(try_parse_json(concat(n, ' B')), '$')"),
    /concat/,
    /json_value/,
  ],
  [
    'a floor by several hours begins on the hour in Druid in zones east whose minutes changed since 1970',
    computing("timestamp_floor(__time, 'PT12H', null, 'Asia/Kathmandu')"),
    /Kathmandu/,
    /timestamp_floor/,
  ],
  [
    'a floor or ceil to several hours gives the next bucket before 1970 in Druid',
    computing("timestamp_ceil(ts, 'PT6H')"),
    /\bts\b/,
    /timestamp_ceil/,
  ],
  [
    "'true' in an array of texts is 1 as a LONG in Druid",
    computing("cast(mv_to_array(s), 'ARRAY<LONG>')"),
    /\(s\)/,
    /cast/,
  ],
  [
    'characters beyond U+FFFF are two to Druid where texts are cut, counted and filled',
    computing("strpos(lower(s), 'a')"),
    /\(s\)/,
    /strpos/,
  ],
  [
    'characters beyond U+FFFF are two to Druid where texts are cut, counted and filled',
    computing("lpad(T, 5, '\u{1f600}')"),
    /\u{1f600}/u,
    /lpad/,
  ],
  [
    'substring, left and right cut no character in two here',
    '{"queryType":"topN","dimension":{"extractionFn":{"type":"substring","index":1,"length":2}}}',
    /substring/,
    /topN/,
  ],
  [
    'no array is one of a null to mv_harmonize_nulls here',
    computing('mv_harmonize_nulls(array(s))'),
    /harmonize/,
    /groupBy/,
  ],
  [
    'functions of doubles end in other digits, and in other bits',
    computing('bitwiseConvertDoubleToLongBits(exp(d))'),
    /bitwise/,
    /exp/,
  ],
  ['a text in place of a number is 0 or null to functions of Druid', computing('div(s, 2) + n'), /\bs\b/, /div/],
  [
    'arrays of nulls alone are of numbers in Druid, a row at a time',
    computing('array_append(array(s, T), c)'),
    /array\(s/,
    /append/,
  ],
  [
    'an address with a range or spaces behind it is one to Druid',
    computing("ipv4_parse(format('%s-%d', s, n))"),
    /s-%d/,
    /ipv4/,
  ],
  [
    'each row of an if has a type of its own in Druid',
    computing("if(n > 1, timestamp_extract(__time, 'CENTURY'), n)"),
    /CENTURY/,
    /\bif\(/,
  ],
]

const scanned = (type: string, value: string): string =>
  `[{"rowSignature":[{"name":"v0"${type === '' ? '' : `,"type":"${type}"`}}],"events":[[${value}]]}]`

const groupsOf = (...events: readonly (readonly [order: number, value: number])[]): string =>
  JSON.stringify(
    events.map(([d0, a0]) => ({ version: 'v1', timestamp: '2026-01-01T00:00:00.000Z', event: { d0, a0 } })),
  )

export const nativeAnsweredCases: readonly AnsweredCase[] = [
  [
    'Druid cuts any of the groups that tie at a limit',
    '{"queryType":"groupBy","limitSpec":{"type":"default","limit":3,"columns":["d0"]}}',
    groupsOf([0, 1], [1, 2], [2, 3]),
    groupsOf([0, 4], [1, 2], [2, 5]),
    groupsOf([0, 4], [1, 7], [2, 5]),
  ],
  [
    'a scan of an inner query does not tell the types of all columns in Druid',
    '{"queryType":"scan","dataSource":{"type":"query"}}',
    scanned('LONG', '1'),
    scanned('', '1'),
    scanned('LONG', '2'),
  ],
  [
    'an expression that is always null has the type of what it could be, and none or FLOAT in Druid',
    '{"queryType":"scan","dataSource":"fuzz"}',
    scanned('LONG', 'null'),
    scanned('FLOAT', 'null'),
    scanned('LONG', '1'),
  ],
  [
    'a virtual column of inline rows without an outputType may be a FLOAT in Druid',
    '{"queryType":"scan","dataSource":{"type":"inline"}}',
    scanned('LONG', '1'),
    scanned('FLOAT', '1'),
    scanned('LONG', '2'),
  ],
  [
    'a topN writes a bucket that lies in two segments in UTC in Druid, in whichever zone it is asked for',
    '{"queryType":"topN","granularity":{"type":"period","timeZone":"Europe/Madrid"}}',
    '[{"timestamp":"2026-01-01T00:00:00.000+01:00","result":[]}]',
    '[{"timestamp":"2025-12-31T23:00:00.000Z","result":[]}]',
    '[{"timestamp":"2026-01-01T00:00:00.000+01:00","result":[1]}]',
  ],
  [
    'with skipEmptyBuckets one bucket is at the time of the first segment of which a row passes in Druid',
    '{"queryType":"timeseries","granularity":"all","context":{"skipEmptyBuckets":true}}',
    '[{"timestamp":"2026-01-01T00:00:00.000Z","result":{}}]',
    '[{"timestamp":"2026-01-02T00:00:00.000Z","result":{}}]',
    '[{"timestamp":"2026-01-01T00:00:00.000Z","result":{"a0":1}}]',
  ],
  [
    'no time here is before the year -271821, as the eternity of Druid is',
    '{"queryType":"timeseries","intervals":["-146136543-09-08T08:23:32.096Z/146140482-04-24T15:36:27.903Z"]}',
    '[{"timestamp":"-271821-04-20T00:00:00.000Z","result":{"a0":1}}]',
    '[{"timestamp":"-146136543-09-08T08:23:32.096Z","result":{"a0":1}}]',
    '[{"timestamp":"-271821-04-20T00:00:00.000Z","result":{"a0":2}}]',
  ],
  [
    'rows of an inner groupBy are in no order',
    '{"queryType":"scan","dataSource":{"type":"query","query":{"queryType":"groupBy"}}}',
    '[{"events":[[1],[2]]}]',
    '[{"events":[[2],[1]]}]',
    '[{"events":[[2],[3]]}]',
  ],
  [
    'what is no number is left out of the least and the greatest here',
    aggregating('doubleMax","name":"a0'),
    '[{"a0":1}]',
    '[{"a0":"NaN"}]',
    '[{"a0":2}]',
  ],
  [
    'a cluster keeps no sign of a zero',
    aggregating('doubleFirst","name":"a0","fieldName":"V'),
    '[{"a0":"Infinity"}]',
    '[{"a0":"-Infinity"}]',
    '[{"a0":1}]',
  ],
  [
    'sketches are estimates in Druid, and exact here',
    '{"aggregations":[{"type":"count","name":"a0"},{"type":"cardinality","name":"a1","fields":["s"]}]}',
    '[{"a0":20,"a1":20}]',
    '[{"a0":20,"a1":21}]',
    '[{"a0":21,"a1":20}]',
  ],
]
