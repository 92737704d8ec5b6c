// Druid's native queries as people write them: every query type, over tables, unions, joins, inline rows and nested queries.
import { seededRandom } from '../support/random.ts'
import { type Grammar, type Piece, piecesOf, Writer } from './grammar.ts'
import { expressions } from './native-expressions.ts'
import { parts } from './native-parts.ts'
import type { Shrinking } from './shrink.ts'

const head = '<rows>(?,"filter":<filter>?),"virtualColumns":<virtualColumns>'
const aggregations =
  '"aggregations":[<longAggregator:a0>,<doubleAggregator:a1>(?,<otherAggregator:a2>?)](?,"postAggregations":[<post:p0>]?)'
const pairs = '"aggregations":[<longAggregator:a0>,<doubleAggregator:a1>,<pair>'
const scanned = '"dataSource":<table>,"intervals":<intervals>'
const asked = (type: string, rest: string): string =>
  `{"query_type":"${type}","query_data":{"queryType":"${type}",${head},${rest}}}`
/** A query over the entity whose parts the store may answer without the SQL engine. */
const plainly = (type: string, rest: string): string =>
  asked(type, rest)
    .replace('<virtualColumns>', '<plainColumns>')
    .replace('(?,"filter":<filter>?)', '(?,"filter":<boardFilter>?)')
    .replace('<rows>', '"dataSource":"fuzz","intervals":<intervals>')
const plainAggregations =
  '"aggregations":[{"type":"count","name":"a0"},<boardAggregator:a1>(?,<boardAggregator:a2>?)](?,"postAggregations":[<boardPost:p0>]?)'
const byArray = (more: string): string =>
  asked(
    'groupBy',
    `"granularity":"all","dimensions":[{"type":"default","dimension":"v2","outputName":"d0","outputType":"<arrayType>"}(?,<dimension:d1>?)],${aggregations}${more}`,
  )
    .replace('<virtualColumns>', '[{"type":"expression","name":"v2","expression":<arrayColumn>}]')
    .replace('<rows>', '"dataSource":"fuzz","intervals":<intervals>')
const overNothing = (type: string, rest: string): string =>
  asked(type, rest).replace('(?,"filter":<filter>?)', ',"filter":<nothing>')
const plainGrouping = '"granularity":<granularity>,"dimensions":[<boardDimension:d0>(?,<boardDimension:d1>?)]'
const grouping = '"granularity":<granularity>,"dimensions":[<dimension:d0>(?,<dimension:d1>?)]'

/** Inline rows around 1970. Druid reads a time with few digits as a smaller number. */
const before1970 =
  '{"type":"inline","columnNames":["__time","T","s","n","d"],"columnTypes":["LONG","STRING","STRING","LONG","DOUBLE"],"rows":[[-310478400000,"t1","a",1,1.5],[-2500000001,"t2",null,2,null],[2500000001,"t1","b",null,-0.5]]}'

const queries: Grammar = {
  // Over rows that do not come from a table, Druid accepts only one interval and cannot order by time.
  rows: ['"dataSource":<tables>,"intervals":<intervals>', '"dataSource":<source>,"intervals":<interval>'],
  scannedRows: [scanned, '"dataSource":<source>,"intervals":<interval>'],
  interval: [
    '"2020-01-01/2030-01-01"',
    '["2026-01-01/2026-01-03"]',
    '{"type":"intervals","intervals":["2026-01-02/P1D"]}',
    '"2026-01-01T10:00:00Z/2026-01-01T11:00:00Z"',
    '"2026-01-01T10:12:00Z/2026-01-02T00:30:00Z"',
    '"2028-01-01/2028-01-03"',
  ],
  intervals: ['<interval>', '["2026-01-01T06:00:00Z/P1D","2026-01-03/2026-01-04"]'],
  noTime: ['[]', '["2026-01-02/2026-01-02"]', '["2026-01-02/PT0S","2026-01-03/2026-01-03"]'],
  hours: [
    '"six_hour"',
    '{"type":"period","period":"PT7H"}',
    '{"type":"period","period":"PT12H","timeZone":"Europe/Madrid"}',
  ],
  table: ['"fuzz"', '{"type":"table","name":"fuzz"}'],
  tables: ['<table>', '{"type":"union","dataSources":["fuzz","fuzz"]}'],
  granularity: [
    '"all"',
    ...['day', 'hour', 'week', 'month', 'quarter', 'year', 'six_hour', 'eight_hour', 'thirty_minute'].map(
      (name) => `"${name}"`,
    ),
    '{"type":"period","period":"P1D","timeZone":"Europe/Madrid"}',
    '{"type":"period","period":"PT7H","origin":"2026-01-01T01:00:00Z"}',
    '{"type":"period","period":"P2W"}',
    '{"type":"duration","duration":7200000}',
    '{"type":"duration","duration":86400000,"origin":"2026-01-01T05:00:00Z"}',
  ],
  source: [
    '<table>',
    '{"type":"query","query":{"queryType":"scan","dataSource":"fuzz","intervals":<intervals>,"columns":["__time","T","s","j","n","l","b","ts","d","V","c","m"](?,"filter":<filter>?)}}',
    '{"type":"query","query":{"queryType":"groupBy","dataSource":"fuzz","intervals":<intervals>,"granularity":"day","dimensions":["T","s"],"aggregations":[{"type":"longSum","name":"n","fieldName":"n"},{"type":"doubleMax","name":"d","fieldName":"d"},{"type":"longMax","name":"l","fieldName":"l"}]}}',
    '{"type":"join","left":"fuzz","right":{"type":"inline","columnNames":["k","w"],"columnTypes":["STRING","LONG"],"rows":[["a",1],["10",2],["t1",3]]},"rightPrefix":"r.","condition":"<joinText> == \\"r.k\\"","joinType":"<joinType>"}',
    '{"type":"join","left":"fuzz","right":{"type":"query","query":{"queryType":"groupBy","dataSource":"fuzz","intervals":"2020/2030","granularity":"all","dimensions":["T"],"aggregations":[{"type":"count","name":"c"}]}},"rightPrefix":"r.","condition":"T == \\"r.T\\"","joinType":"<joinType>"}',
    '{"type":"inline","columnNames":["__time","T","s","n","d"],"columnTypes":["LONG","STRING","STRING","LONG","DOUBLE"],"rows":[[1767225600000,"t1","a",1,1.5],[1767312000000,"t2",null,2,null],[1767312000001,"t1","b",null,-0.5]]}',
  ],
  scanned: ['"<texts1>"', '"<numbers1>"', '"<texts1>","<numbers1>"'],
  joinText: ['s', 'T'],
  joinType: ['INNER', 'LEFT'],
  virtualColumns: [
    '[]',
    '[{"type":"expression","name":"v0","expression":"<xtext!>","outputType":"STRING"},{"type":"expression","name":"v1","expression":"<xlong!>","outputType":"LONG"}]',
    '[{"type":"expression","name":"v0","expression":"<texts1>","outputType":"STRING"},{"type":"expression","name":"v1","expression":"<computed>","outputType":"<numberType>"}]',
    '[{"type":"expression","name":"v1","expression":"timestamp_floor(__time, <xperiod!>)","outputType":"LONG"}]',
  ],
  // Values that the store computes from each row.
  computed: [
    '<numbers1> + <numbers1>',
    '<numbers1> * 1.8 + 32',
    '<longs1> % 3',
    '<numbers1> - 1',
    '<numbers1> / 2',
    '-(<numbers1>)',
    '<numbers1> * <numbers1>',
  ],
  numberType: ['LONG', 'DOUBLE'],
  plainColumns: [
    '[]',
    '[{"type":"expression","name":"v0","expression":"<texts1>","outputType":"STRING"},{"type":"expression","name":"v1","expression":"<computed>","outputType":"<numberType>"}]',
    '[{"type":"expression","name":"v1","expression":"timestamp_floor(__time, <xperiod!>)","outputType":"LONG"}]',
  ],
  arrayColumn: [
    '"<xtexts!>","outputType":"ARRAY<STRING>"',
    '"<xlongs!>","outputType":"ARRAY<LONG>"',
    '"array(<texts1>, <texts1>)","outputType":"ARRAY<STRING>"',
    '"array(<longs1>, <longs1>)","outputType":"ARRAY<LONG>"',
    '"string_to_array(s, \\",\\")","outputType":"ARRAY<STRING>"'.replaceAll('\\"', "'"),
  ],
  arrayType: ['ARRAY<STRING>', 'ARRAY<LONG>', 'STRING'],
  scanColumns: [
    '[{"type":"expression","name":"v0","expression":"<xtext!>","outputType":"STRING"}]',
    '[{"type":"expression","name":"v0","expression":"<xlong!>","outputType":"LONG"},{"type":"expression","name":"v1","expression":"<xdouble!>","outputType":"DOUBLE"}]',
    '[{"type":"expression","name":"v0","expression":"<xtruth!>","outputType":"LONG"}]',
    '[{"type":"expression","name":"v0","expression":"<xtexts!>","outputType":"ARRAY<STRING>"},{"type":"expression","name":"v1","expression":"<xlongs!>","outputType":"ARRAY<LONG>"}]',
    '[{"type":"expression","name":"v0","expression":"<xvalue!>"}]',
    '[{"type":"expression","name":"v0","expression":"<xjson!>","outputType":"COMPLEX<<jsonName>>"}]',
  ],
  jsonName: ['json'],
  resultFormat: ['"list"', '"compactedList"'],
  context: [
    '{"skipEmptyBuckets":true}',
    '{"grandTotal":true}',
    '{"serializeDateTimeAsLong":true}',
    '{"resultAsArray":true}',
    '{"sortByDimsFirst":true}',
  ],
  searchOrder: ['"lexicographic"', '"numeric"', '"alphanumeric"', '"strlen"'],
  direction: ['"ascending"', '"descending"'],
  metric: [
    '"a0"',
    '{"type":"numeric","metric":"a1"}',
    '{"type":"inverted","metric":"a0"}',
    '{"type":"inverted","metric":{"type":"dimension","ordering":"lexicographic"}}',
    '{"type":"dimension","ordering":<searchOrder>(?,"previousStop":"a"?)}',
    '{"type":"lexicographic"(?,"previousStop":"b"?)}',
    '{"type":"alphaNumeric"}',
  ],
  query: [
    asked('scan', '"columns":["__time","s","v0","v1"],"resultFormat":<resultFormat>')
      .replace('<virtualColumns>', '<scanColumns>')
      .replace('<rows>', '<scannedRows>'),
    asked('scan', '"columns":["__time","v0"],"order":<direction>(?,"limit":3?)(?,"offset":2?)')
      .replace('<virtualColumns>', '<scanColumns>')
      .replace('<rows>', scanned),
    asked('scan', '"columns":["v2"],"filter":<arrayFilter>')
      .replace('(?,"filter":<filter>?)', '')
      .replace('<rows>', scanned)
      .replace(
        '<virtualColumns>',
        '[{"type":"expression","name":"v2","expression":"<xtexts!>","outputType":"ARRAY<STRING>"}]',
      ),
    asked('timeseries', `"granularity":<granularity>,${aggregations}(?,"descending":true?)(?,"context":<context>?)`),
    asked('timeseries', `"granularity":<granularity>,${pairs}(?,"limit":3?)`),
    asked(
      'topN',
      `"granularity":<granularity>,"dimension":<dimension:d0>,"threshold":3,"metric":<metric>,${aggregations}`,
    ),
    asked('topN', `"granularity":"all","dimension":<dimension:d0>,"threshold":1000,"metric":"a0",${pairs}`),
    asked('groupBy', `${grouping},${aggregations}(?,"having":<having>?)(?,"context":<context>?)`),
    asked('groupBy', `${grouping},${pairs}`),
    asked(
      'groupBy',
      `${grouping},${aggregations},"limitSpec":{"type":"default","limit":4(?,"offset":1?),"columns":[<orderBy>(?,"d0"?)]}`,
    ),
    asked(
      'groupBy',
      `"granularity":"all","dimensions":[<dimension:d0>,<dimension:d1>],"subtotalsSpec":[["d0","d1"],["d0"],[]],"aggregations":[<longAggregator:a0>,{"type":"grouping","name":"g","groupings":["d0","d1"]}]`,
    ),
    asked(
      'groupBy',
      '"granularity":<granularity>,"dimensions":[<dimension:d0>],"subtotalsSpec":[["d0"],[],[]],"aggregations":[<longAggregator:a0>](?,"limitSpec":{"type":"default","limit":7}?)',
    ),
    asked('timeseries', `"granularity":<granularity>,${aggregations}(?,"context":<context>?)`).replace(
      '<rows>',
      '"dataSource":"fuzz","intervals":<noTime>',
    ),
    asked('groupBy', '"granularity":<hours>,"dimensions":[],"aggregations":[{"type":"count","name":"a0"}]')
      .replace('<rows>', `"dataSource":${before1970},"intervals":"1960-01-01/1980-01-01"`)
      .replace('<virtualColumns>', '[]'),
    plainly(
      'timeseries',
      `"granularity":<granularity>,${plainAggregations}(?,"descending":true?)(?,"context":<context>?)`,
    ),
    plainly(
      'topN',
      `"granularity":<granularity>,"dimension":<boardDimension:d0>,"threshold":3,"metric":<metric>,${plainAggregations}`,
    ),
    plainly('groupBy', `${plainGrouping},${plainAggregations}(?,"having":<having>?)(?,"context":<context>?)`),
    plainly(
      'groupBy',
      `${plainGrouping},${plainAggregations},"limitSpec":{"type":"default","limit":4(?,"offset":1?),"columns":[<orderBy>,"d0"]}`,
    ),
    plainly('scan', '"columns":["__time","T",<scanned>](?,"order":<direction>?)(?,"limit":3?)(?,"offset":2?)').replace(
      '<plainColumns>',
      '[]',
    ),
    byArray('(?,"having":<having>?)'),
    byArray(',"limitSpec":{"type":"default","limit":4(?,"offset":1?),"columns":["d0"]}'),
    byArray(',"limitSpec":{"type":"default","limit":3,"columns":[{"dimension":"a0","direction":<direction>},"d0"]}'),
    byArray(',"limitSpec":{"type":"default","limit":3}'),
    overNothing(
      'timeseries',
      `"granularity":<granularity>,${aggregations}(?,"descending":true?)(?,"context":<context>?)`,
    ),
    overNothing(
      'topN',
      `"granularity":"all","dimension":<dimension:d0>,"threshold":3,"metric":<metric>,${aggregations}`,
    ),
    overNothing('groupBy', `${grouping},${aggregations}(?,"having":<having>?)(?,"context":<context>?)`),
    overNothing('groupBy', `"granularity":<granularity>,"dimensions":[],${aggregations}(?,"having":<having>?)`),
    asked('groupBy', `"granularity":<granularity>,"dimensions":[],${aggregations}(?,"having":<having>?)`),
    asked('search', '"query":<search>(?,"searchDimensions":["s","T"]?)(?,"sort":{"type":<searchOrder>}?)(?,"limit":3?)')
      .replace(',"virtualColumns":<virtualColumns>', '')
      .replace('<rows>', scanned),
    '{"query_type":"timeBoundary","query_data":{"queryType":"timeBoundary","dataSource":"fuzz"(?,"bound":"maxTime"?)(?,"filter":<filter>?)}}',
    '{"query_type":"segmentMetadata","query_data":{"queryType":"segmentMetadata","dataSource":"fuzz","intervals":"2020/2030","merge":true,"analysisTypes":["cardinality","minmax","interval"]}}',
    '{"query_type":"dataSourceMetadata","query_data":{"queryType":"dataSourceMetadata","dataSource":"fuzz"}}',
  ],
  orderBy: [
    '{"dimension":"a0","direction":<direction>}',
    '{"dimension":"d0","direction":<direction>(?,"dimensionOrder":<ordering>?)}',
    '{"dimension":"a1","direction":<direction>,"dimensionOrder":"numeric"}',
  ],
}

const all: Grammar = { ...expressions, ...parts, ...queries }
const writer = new Writer(all)

const turns = [
  'query',
  'source',
  'tables',
  'intervals',
  'granularity',
  'filter',
  'extraction',
  'timeExtraction',
  'dimension',
  'having',
  'post',
].concat(
  [
    'plainColumns',
    'computed',
    'arrayColumn',
    'nothing',
    'pair',
    'longAggregator',
    'doubleAggregator',
    'otherAggregator',
    'metric',
    'search',
    'context',
  ],
  ['xtext', 'xlong', 'xdouble', 'xtime', 'xtruth', 'xtexts', 'xlongs', 'xjson'],
)
export const nativeRules: readonly { readonly kind: string; readonly rule: string }[] = turns.flatMap((kind) =>
  all[kind]!.map((rule) => ({ kind, rule })),
)

const outputTypes = new Map([
  ['xtruth', 'LONG'],
  ['xlong', 'LONG'],
  ['xtime', 'LONG'],
  ['xtext', 'STRING'],
  ['xdouble', 'DOUBLE'],
  ['xtexts', 'ARRAY<STRING>'],
  ['xlongs', 'ARRAY<LONG>'],
])

/** Each expression of a query, selected alone in a scan. */
function alone(piece: Piece): readonly Piece[] {
  return piecesOf(piece, new Set(outputTypes.keys())).map((part) => ({
    kind: 'query',
    rule: 'scan',
    parts: [
      '{"query_type":"scan","query_data":{"queryType":"scan","dataSource":"fuzz","intervals":"2020/2030","columns":["v0"],"virtualColumns":[{"type":"expression","name":"v0","expression":"',
      { piece: part, named: null, label: null, inJson: true },
      `","outputType":"${outputTypes.get(part.kind)}"}]}}`,
    ],
  }))
}

/** The query with this number: the same for the same seed. */
export function nativeOf(number: number, seed: number): Shrinking & { readonly piece: Piece } {
  const random = seededRandom(seed * 1_000_003 + number)
  const turn = number % 2 === 0 ? (nativeRules[(number / 2) % nativeRules.length] ?? null) : null
  return { piece: writer.makeWith(turn, 'query', 4 + random.below(3), random), plainest: writer.plainest, alone }
}
