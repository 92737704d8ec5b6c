// Tidemark's differences from a real Druid over HTTP. Each is a line of docs/guides/tools.md, word for word; the table's requests name those that they show.

import type { TestedEngine } from '../support/running-service.ts'

export type Part = 'status' | 'headers' | 'body' | 'canceling'

export interface Difference {
  /** The guide's wording. */
  readonly says: string
  /** The parts of a response that it may change; all others are equal. */
  readonly in: readonly Part[]
  /** Removes the difference from a body, after which both bodies are equal. */
  readonly evened?: (body: string) => string
  /** The only engine that has this difference; both where it is missing. */
  readonly onlyOn?: TestedEngine
}

const all = ['status', 'headers', 'body'] as const

/** Parses JSON, keeping whole numbers with many digits as texts. */
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

/** Merges the events of all blocks into the first block. */
function oneBlock(body: string): string {
  const blocks = parsed(withoutSegments(body)) as Block[]
  return JSON.stringify({ ...blocks[0], events: blocks.flatMap(({ events }) => events) })
}

const memberOrder =
  "On one machine, the members of native results are in the order of the query, and the names at `/druid/v2/datasources/{name}` in the order of the fields. Druid's order is that of a hash table, and so is that of native results on a cluster."
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
    says: 'Any fault of a query or a body is a 400 that explains it. Druid often answers with a 500, as an HTML page or without a category: for a body that is not JSON, parameters of another type, a division by zero, and most faults of native queries.',
    in: all,
  },
  errorBody: {
    says: "Every error has Druid's complete body, with `errorCode`, `persona` and `category`. Druid sends only `error` for a wrong property, a legacy name for a wrong context (`Query context parse failed`), and no body for an unknown method, path or Content-Type. The message and `context` are Tidemark's own; `context.code` is its [code](../errors.md).",
    in: ['headers', 'body'],
  },
  unknownSource: {
    says: "An unknown data source is a 400 in a native query and a 404 at `/druid/v2/datasources/{name}`; Druid's answer is empty.",
    in: all,
  },
  unknownId: {
    says: '`DELETE /druid/v2/{id}` is a 404 if no query runs under the id; Druid always answers 202.',
    in: all,
  },
  sameNames: { says: 'Two columns with the same name are a 400.', in: all },
  strict: {
    says: 'Refused with a 400, and accepted by Druid: `header` as a text (`"true"`), an unknown time zone (Druid takes UTC), text after the JSON of the body.',
    in: all,
  },
  lenient: {
    says: 'Accepted, and refused by Druid: a semicolon at the end, ids that are numbers, any `Accept`, parameter types in small letters, parameter values as texts (`"42"` as a BIGINT) and a selected DATE parameter.',
    in: all,
  },
  noTimeout: {
    says: "A `timeout` of 0 means no timeout of the query's own. In Druid 33's SQL such a query times out at once.",
    in: all,
  },
  sqlId: {
    says: 'The `queryId` in the context also names an SQL query without `sqlQueryId`; Druid makes up an id.',
    in: ['headers'],
  },
  context: {
    says: 'Other context parameters are ignored: with `sqlStringifyArrays: false`, for example, arrays are still texts, and `timestampResultField` adds no field.',
    in: ['body'],
  },
  mediaTypes: {
    says: "Lines are `text/plain` and CSV is `text/csv`, as in Druid's documentation. Druid 33 labels everything `application/json`.",
    in: ['headers'],
  },
  sqlTypes: {
    says: "`typesHeader` and `sqlTypesHeader` have LONG and BIGINT for Druid's INTEGER, DOUBLE for DECIMAL and FLOAT, VARCHAR for CHAR and NULL.",
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
  /** A cluster forwards the rows of a scan as Druid writes them. */
  escapesOfScans: {
    says: escapes,
    in: ['body'],
    evened: unescaped,
    onlyOn: 'embedded',
  },
  noNumber: {
    says: 'NaN and infinities are null ([SQL](../druid-sql.md#where-the-answers-differ)); Druid writes `"Infinity"` and `"NaN"`.',
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
    says: 'The ids of segments have no version. A scan ordered by time has blocks of `batchSize` rows without an id; Druid makes a block for each row.',
    in: ['body'],
    evened: withoutSegments,
  },
  blocks: {
    says: 'The ids of segments have no version. A scan ordered by time has blocks of `batchSize` rows without an id; Druid makes a block for each row.',
    in: ['body'],
    evened: oneBlock,
  },
  fresh: {
    says: 'On a cluster the id in a segmentMetadata is `merged`, and the least value of a column ignores nulls until Druid has published the rows.',
    in: ['body'],
    evened: (body) => withoutSegments(body).replaceAll('"minValue":"007"', '"minValue":null'),
    onlyOn: 'cluster',
  },
  analysis: {
    says: 'In a segmentMetadata, size, aggregators, granularity, roll-up and timestamp format are 0 or null.',
    in: ['body'],
  },
  pretty: {
    says: '`?pretty` is ignored.',
    in: ['body'],
    evened: (body) => JSON.stringify(parsed(body)),
  },
  sourceOptions: {
    says: '`/druid/v2/datasources/{name}` lists all fields, with or without `?interval` and `?full`. Druid lists the columns in segments of the last week or of the interval. `.../dimensions` and `.../metrics` do not exist.',
    in: all,
  },
  status: { says: '`/status` lists no modules and no memory.', in: ['body'] },
  schemas: {
    says: 'INFORMATION_SCHEMA has no schemas `lookup`, `sys` and `view`, no signatures of functions, and no character sets and collations.',
    in: ['body'],
  },
  explain: {
    says: "`EXPLAIN PLAN FOR` has Druid's columns with less content: see [above](#explain-plan-for).",
    in: ['body'],
  },
} satisfies Readonly<Record<string, Difference>>
