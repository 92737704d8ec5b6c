// What sets Tidemark apart from a real Druid over HTTP. Each is a line of docs/guides/tools.md, word for word; a row of the table names those that it shows.

import type { TestedEngine } from '../support/running-service.ts'

export type Part = 'status' | 'headers' | 'body' | 'canceling'

export interface Difference {
  /** As the guide tells it. */
  readonly says: string
  /** What of an answer it may change; all else is the same. */
  readonly in: readonly Part[]
  /** Takes the difference out of a body: then both are the same. */
  readonly evened?: (body: string) => string
  /** With the other engine there is no such difference. */
  readonly onlyOn?: TestedEngine
}

const all = ['status', 'headers', 'body'] as const

/** With whole numbers of many digits as texts, on both sides. */
function parsed(body: string): unknown {
  return JSON.parse(body.replaceAll(/(?<=[[:,])-?\d{16,}(?=[,\]}])/g, '"$&"'))
}

function sortedKeys(_name: string, value: unknown): unknown {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return value
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
}

const withoutSegments = (body: string): string =>
  body.replaceAll(/"(segmentId|id)":(?:"(?:(?:plant|inline)_[^"]*|merged)"|null)/g, '"$1":null')

interface Block {
  readonly events: readonly unknown[]
}

/** The events of all blocks, one after the other, with what else the first block tells. */
function oneBlock(body: string): string {
  const blocks = parsed(withoutSegments(body)) as Block[]
  return JSON.stringify({ ...blocks[0], events: blocks.flatMap(({ events }) => events) })
}

const memberOrder =
  "The members of native results stand in the order of the query on one machine, and the names at `/druid/v2/datasources/{name}` in that of the fields. Druid's stand in the order of a hash table, and so do a cluster's native results."
const evenedOrder = (body: string): string =>
  JSON.stringify(parsed(body), sortedKeys).replace('"unit","T"', '"T","unit"')

const escapes =
  'JSON holds characters beyond U+FFFF as they are; Druid escapes them (`\\ud83d\\ude00`), also in scans on a cluster.'
const unescaped = (body: string): string => body.replaceAll(/\\uD83D\\uDE00/g, '\u{1f600}')

export const differences = {
  statuses: {
    says: 'A query that takes too long or is canceled is a 503, as at all other endpoints ([errors](../errors.md)); Druid has 504 and 500.',
    in: ['status'],
  },
  faults: {
    says: 'Whatever is wrong with a query or a body is a 400 that says what. Druid often answers with a 500, as a page of HTML or without a category: a body that is no JSON, parameters of another type, a whole number divided by zero, most of what can be wrong with a native query.',
    in: all,
  },
  errorBody: {
    says: "Every error has the whole of Druid's body, with `errorCode`, `persona` and `category`. Druid has `error` alone where a property is wrong, names of old where the context is (`Query context parse failed`), and no body for a method, path or Content-Type that is not there. The message and `context` are Tidemark's own; `context.code` is its [code](../errors.md).",
    in: ['headers', 'body'],
  },
  unknownSource: {
    says: 'An unknown data source of a native query is a 400, and `/druid/v2/datasources/{name}` of one a 404, where Druid answers with nothing.',
    in: all,
  },
  unknownId: {
    says: "`DELETE /druid/v2/{id}` is a 404 where no query runs under the id, and Druid's a 202 whatever the id.",
    in: all,
  },
  sameNames: { says: 'Two columns of one name are a 400.', in: all },
  strict: {
    says: 'Refused here with a 400, and taken by Druid: `header` as a text (`"true"`), a time zone that there is not (it takes UTC), more text behind the JSON of the body.',
    in: all,
  },
  lenient: {
    says: 'Taken here, and refused by Druid: a semicolon at the end, ids that are numbers, any `Accept`, and of parameters types in small letters, values as texts (`"42"` as a BIGINT) and a DATE that is selected.',
    in: all,
  },
  noTimeout: {
    says: "A `timeout` of 0 is none of the query's own. SQL of Druid 33 takes it for a time that is over.",
    in: all,
  },
  sqlId: {
    says: 'The `queryId` of its context names an SQL query too, where there is no `sqlQueryId`; Druid makes up an id.',
    in: ['headers'],
  },
  context: {
    says: 'What else a context says is passed over: with `sqlStringifyArrays: false`, say, arrays are texts all the same, and `timestampResultField` adds no field.',
    in: ['body'],
  },
  mediaTypes: {
    says: "Lines are `text/plain` and CSV is `text/csv`, as Druid's documentation has it. Druid 33 calls everything `application/json`.",
    in: ['headers'],
  },
  sqlTypes: {
    says: "`typesHeader` and `sqlTypesHeader` have one type for all of a kind: LONG and BIGINT for Druid's INTEGER, DOUBLE for its DECIMAL and FLOAT, VARCHAR for its CHAR and NULL.",
    in: ['body'],
    evened: (body) =>
      body
        .replaceAll('"INTEGER"', '"BIGINT"')
        .replaceAll(/"(?:DECIMAL|FLOAT)"/g, '"DOUBLE"')
        .replaceAll(/"(?:CHAR|NULL)"/g, '"VARCHAR"'),
  },
  escapes: {
    says: escapes,
    in: ['body'],
    evened: unescaped,
  },
  /** On a cluster the rows of a scan are passed on as Druid writes them. */
  escapesOfScans: {
    says: escapes,
    in: ['body'],
    evened: unescaped,
    onlyOn: 'embedded',
  },
  noNumber: {
    says: 'What is no number is null ([SQL](../druid-sql.md#where-the-answers-differ)); Druid writes `"Infinity"` and `"NaN"`.',
    in: ['body'],
    evened: (body) => body.replaceAll('"Infinity"', 'null'),
  },
  memberOrder: {
    says: memberOrder,
    in: ['body'],
    evened: evenedOrder,
    onlyOn: 'embedded',
  },
  nameOrder: {
    says: memberOrder,
    in: ['body'],
    evened: evenedOrder,
  },
  segments: {
    says: "The ids of segments have no version. A scan in the order of time has blocks of `batchSize` rows without an id, and Druid's a block for each row.",
    in: ['body'],
    evened: withoutSegments,
  },
  blocks: {
    says: "The ids of segments have no version. A scan in the order of time has blocks of `batchSize` rows without an id, and Druid's a block for each row.",
    in: ['body'],
    evened: oneBlock,
  },
  fresh: {
    says: 'On a cluster a segmentMetadata calls what it tells of `merged`, and the least value of a column passes over nulls as long as Druid has not published the rows.',
    in: ['body'],
    evened: (body) => withoutSegments(body).replaceAll('"minValue":"007"', '"minValue":null'),
    onlyOn: 'cluster',
  },
  analysis: {
    says: 'A segmentMetadata tells no size, aggregators, granularity, roll-up or form of time stamps: they are 0 or null.',
    in: ['body'],
  },
  pretty: {
    says: '`?pretty` is passed over.',
    in: ['body'],
    evened: (body) => JSON.stringify(parsed(body)),
  },
  sourceOptions: {
    says: "`/druid/v2/datasources/{name}` names all fields, with or without `?interval` and `?full`. Druid names the columns of the last week's segments, or of the interval's. There is no `.../dimensions` and `.../metrics` below it.",
    in: all,
  },
  status: { says: '`/status` lists no modules and no memory.', in: ['body'] },
  schemas: {
    says: 'INFORMATION_SCHEMA has no schemas `lookup`, `sys` and `view`, no signatures of functions, and no character sets and collations.',
    in: ['body'],
  },
  explain: {
    says: "`EXPLAIN PLAN FOR` has Druid's columns, and tells less: see [above](#explain-plan-for).",
    in: ['body'],
  },
} satisfies Readonly<Record<string, Difference>>
