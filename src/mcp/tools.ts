// The tools of an assistant. Each only reads, with the rights of the caller.
import Type, { type Static, type TObject, type TSchema } from 'typebox'
import type { MetadataDescription } from '../client/answers.ts'
import type { TidemarkClient } from '../client/client.ts'
import { itemsOfPage } from '../client/item-page.ts'
import type { DataQueryRequest } from '../client/request-options.ts'
import { checkOf } from '../http/validation.ts'
import { formatInstant } from '../model/instant.ts'
import { invalidRequest, type Problem } from '../model/problem.ts'
import { type QueryKind, queryKinds } from '../model/query-kind.ts'
import { queryRequests } from '../query/requests.ts'
import { type Bounded, csvRecords, firstLines, rowsDefault, rowsMax, textBytesMax } from './bounded-text.ts'
import { kindsText, queryProperties } from './query-tool.ts'

/** The source of an assistant's data: a client of the service, or the service itself. */
export type Reading = Pick<TidemarkClient, 'entities' | 'tags' | 'queryBytes' | 'sqlBytes' | 'metadata' | 'itemsText'>

export interface Tool {
  readonly name: string
  readonly title: string
  readonly description: string
  readonly inputSchema: TObject
  /** Throws Problem `invalid_request`, and the errors of the reading. */
  readonly answer: (asked: unknown, reading: Reading, nowMs: number) => Promise<ToolAnswer>
}

/** Rows, one per line, and a note about them. */
interface ToolAnswer {
  readonly rows: string
  readonly note: string
}

const max_rows = Type.Optional(
  Type.Integer({
    minimum: 1,
    maximum: rowsMax,
    description: `The most rows to answer. Default: ${rowsDefault}. An answer also ends at ${textBytesMax} bytes.`,
  }),
)

const words = (of: string) =>
  Type.Optional(
    Type.String({ maxLength: 200, description: `Only ${of} with all these words, separated by spaces, in any case.` }),
  )

interface ToolParts<Schema extends TObject> extends Omit<Tool, 'inputSchema' | 'answer'> {
  readonly inputSchema: Schema
  readonly answer: (asked: Static<Schema>, reading: Reading, nowMs: number) => Promise<ToolAnswer>
}

function tool<Schema extends TObject>({ answer, ...parts }: ToolParts<Schema>): Tool {
  const check = checked(parts.inputSchema)
  return { ...parts, answer: async (asked, reading, nowMs) => answer(check(asked), reading, nowMs) }
}

/** Throws Problem `invalid_request`. The check is compiled on first use. */
function checked<Schema extends TSchema>(schema: Schema): (asked: unknown) => Static<Schema> {
  let check: ReturnType<typeof checkOf<Schema>> | undefined
  return (asked) => {
    check ??= checkOf(schema)
    const result = check(asked)
    if ('error' in result) throw result.error
    return result.value
  }
}

/** The first rows and a note about them; `advice` says how to request less. */
function rowsWithNote({ lines, cutBy }: Bounded, { headLines = 0, none = 'No rows.', advice = '' }): ToolAnswer {
  const count = Math.max(0, lines.length - headLines)
  const rows = count === 0 ? '' : lines.join('\n')
  const counted = count === 1 ? '1 row' : `${count} rows`
  if (cutBy === null) return { rows, note: count === 0 ? none : `${counted}, which is all.` }
  const bound = cutBy === 'rows' ? `max_rows, which may be ${rowsMax}` : `the ${textBytesMax} bytes of an answer`
  return { rows, note: `Cut at ${bound}: this is the first ${counted}, and there are more. ${advice}` }
}

/** The most tags or items to search. */
const searchedMax = 100_000
const pageItems = 10_000

interface Search {
  readonly words: string | undefined
  readonly rows: number
  readonly page: (
    limit: number,
    token: string | undefined,
  ) => Promise<{ readonly items: readonly string[]; readonly token: string | null }>
}

/** Searches page after page for texts that contain all the words. */
async function search({ words: text, rows, page }: Search): Promise<ToolAnswer> {
  const wanted = [...new Set((text ?? '').toLowerCase().split(/\s+/))]
  const isWanted = (item: string): boolean => {
    const lower = item.toLowerCase()
    return wanted.every((word) => lower.includes(word))
  }
  const limit = text === undefined ? rows + 1 : pageItems
  let lookedAt = 0
  async function* found(): AsyncGenerator<string> {
    for (let token: string | null | undefined; token !== null && lookedAt < searchedMax; ) {
      const answer = await page(limit, token)
      for (const item of answer.items) if (isWanted(item)) yield item
      lookedAt += answer.items.length
      token = answer.token
    }
  }
  const none = 'No match. Try fewer words, or another spelling.'
  const answer = rowsWithNote(await firstLines(found(), { rows }), {
    none,
    advice: 'Use a longer prefix or more words.',
  })
  if (lookedAt < searchedMax) return answer
  return { ...answer, note: `${answer.note} Only ${searchedMax} were searched: use a prefix, or sql.` }
}

const listEntities = tool({
  name: 'list_entities',
  title: 'List entities',
  description:
    'The entities that can be queried, one JSON object a line: fields (one of role time, tags that name the series, dimensions, metrics that hold the values), how many rows, and from when to when. Start here. It also reports the current time.',
  // Some clients send a property although the schema has none.
  inputSchema: Type.Object({}),
  answer: async (_asked, reading, nowMs) => {
    const lines = (await reading.entities()).map((entity) => JSON.stringify(entity))
    const advice = 'Request one entity by its name, or query INFORMATION_SCHEMA.COLUMNS with sql.'
    const none = 'This key cannot read any entity. The operator subscribes its subscriber to entities.'
    const answer = rowsWithNote(await firstLines(lines, { rows: rowsMax }), { none, advice })
    return { ...answer, note: `${answer.note} It is ${formatInstant(nowMs)} now.` }
  },
})

const findTags = tool({
  name: 'find_tags',
  title: 'Find tags',
  description:
    'The tags of an entity that have items, one a line, as `ids` of query accepts them. Metadata often says what a tag measures: find_metadata.',
  inputSchema: Type.Object(
    {
      entity: Type.String({ description: 'The entity; list_entities lists them.' }),
      words: words('tags'),
      prefix: Type.Optional(Type.String({ description: 'Only tags that begin with this text; case-sensitive.' })),
      id_name_field: Type.Optional(
        Type.String({ description: 'The tag field to list, if the entity has several; by default the first.' }),
      ),
      max_rows,
    },
    { additionalProperties: false },
  ),
  answer: async ({ entity, words: wanted, max_rows: rows = rowsDefault, ...filters }, reading) => {
    const page: Search['page'] = async (limit, token) => {
      const request = { ...filters, limit, ...(token === undefined ? {} : { token }) }
      const { Items, NextToken } = await reading.tags(entity, request)
      return { items: Items, token: NextToken }
    }
    return search({ words: wanted, rows, page })
  },
})

function noTable(table: string | null, tables: readonly MetadataDescription[]): Problem {
  const names = tables.map(({ entity }) => JSON.stringify(entity)).join(', ')
  return invalidRequest(
    'table',
    `${table === null ? 'names the table to look through' : `there is no metadata table ${JSON.stringify(table)} that this key may read`}; there are: ${names || 'none'}`,
  )
}

const findMetadata = tool({
  name: 'find_metadata',
  title: 'Find metadata',
  description:
    'Items of the metadata tables: names, descriptions, units and places of tags, say. Without a table: the tables, with their fields. With one: its items, one JSON object a line. In sql it is the table metadata.<table>, which can be joined with an entity.',
  inputSchema: Type.Object(
    {
      table: Type.Optional(Type.String({ description: 'The table; if omitted, the tables are listed.' })),
      words: words('items'),
      prefix: Type.Optional(
        Type.String({ description: 'Only items whose index field begins with this text; case-sensitive.' }),
      ),
      max_rows,
    },
    { additionalProperties: false },
  ),
  answer: async ({ table, words: wanted, prefix, max_rows: rows = rowsDefault }, reading) => {
    const tables = await reading.metadata()
    if (table === undefined && (wanted ?? prefix) !== undefined) throw noTable(null, tables)
    if (table === undefined) {
      const none = 'This key cannot read any metadata table.'
      return rowsWithNote(
        await firstLines(
          tables.map((one) => JSON.stringify(one)),
          { rows },
        ),
        { none },
      )
    }
    const described = tables.find(({ entity }) => entity === table)
    if (described === undefined) throw noTable(table, tables)
    const conditions = prefix === undefined ? [] : [[`${described.index_field}[bw]`, prefix] as const]
    const page: Search['page'] = async (limit, token) => {
      const next = token === undefined ? [] : [['NextToken', token] as const]
      return itemsOfPage(await reading.itemsText(table, [...conditions, ['limit', String(limit)], ...next]))
    }
    return search({ words: wanted, rows, page })
  },
})

const timesText =
  'Dates are ISO 8601, in UTC without a zone; answers are in UTC. A duration as start_date counts back from end_date, or from now: PT24H.'

const checkKind = new Map<QueryKind, (asked: unknown) => unknown>(
  queryKinds.map((kind) => [kind, checked<TSchema>(queryRequests[kind])]),
)

/** The number of points for this number of rows: each point is up to four rows per tag. The kind's own default suits a chart for people. */
function pointsFor(rows: number, asked: object): number {
  const ids: unknown = Reflect.get(asked, 'ids')
  return Math.max(1, Math.floor(rows / 4 / (Array.isArray(ids) && ids.length > 0 ? ids.length : 1)))
}

const query = tool({
  name: 'query',
  title: 'Query values',
  description: `Values over time as CSV. Choose the kind:\n${kindsText}\n${timesText} Name the tags in ids (find_tags finds them). For joins, conditions on values, or rankings use sql.`,
  inputSchema: Type.Object(
    {
      kind: Type.Enum([...queryKinds], { type: 'string', description: 'The kind of query.' }),
      ...(queryProperties as { readonly entity: ReturnType<typeof Type.String> }),
      max_rows,
    },
    { additionalProperties: false, required: ['kind', 'entity'] },
  ),
  answer: async ({ kind, max_rows: rows = rowsDefault, ...asked }, reading) => {
    const check = checkKind.get(kind)!
    const request = check(kind === 'plot' ? { points: pointsFor(rows, asked), ...asked } : asked) as DataQueryRequest
    const records = csvRecords(reading.queryBytes(kind, request, 'csv'))
    return rowsWithNote(await firstLines(records, { rows, headLines: 1 }), {
      headLines: 1,
      none: 'No rows. list_entities shows the dates of the oldest and newest rows, find_tags how tags are written. Means and aggregates need numbers: use states for booleans and strings.',
      advice:
        kind === 'latest'
          ? 'The tags whose newest item is oldest come first. Name ids or prefixes, or a date: PT15M shows those with an item since.'
          : 'Rows come in the order of time, so the newest are missing. Narrow the query: a shorter range, fewer ids, metrics or points, a coarser granularity, or average, aggregate or plot instead of select.',
    })
  },
})

const sql = tool({
  name: 'sql',
  title: 'Query by SQL',
  description: `One query in Apache Druid's dialect of SQL, answered as CSV. Each entity is a table; its time is the column __time. Time: TIME_FLOOR(__time, 'PT1H'), __time >= TIMESTAMP '2026-01-01 00:00:00', CURRENT_TIMESTAMP - INTERVAL '1' DAY; days are those of UTC unless a zone is named: TIME_FLOOR(__time, 'P1D', NULL, 'Europe/Madrid'). Aggregates: COUNT, SUM, AVG, MIN, MAX, EARLIEST(V), LATEST(V), APPROX_QUANTILE_DS(V, 0.9), TIME_WEIGHTED_AVG(V, __time), INTEGRAL(V, __time), COUNTER_RISE(V, __time), each with FILTER (WHERE ...). Names with other characters stand in double quotes, texts in single ones. Aggregate, and name a range of __time: rows are many. For plain values over time query is easier.`,
  inputSchema: Type.Object(
    { sql_query: Type.String({ description: 'The query, one SELECT.' }), max_rows },
    { additionalProperties: false },
  ),
  answer: async ({ sql_query, max_rows: rows = rowsDefault }, reading) => {
    const records = csvRecords(reading.sqlBytes(sql_query, 'csv'))
    return rowsWithNote(await firstLines(records, { rows, headLines: 1 }), {
      headLines: 1,
      advice: 'Aggregate with GROUP BY, choose with WHERE, or take the first by ORDER BY and LIMIT.',
    })
  },
})

export const tools: readonly Tool[] = [listEntities, findTags, findMetadata, query, sql]

export const instructions =
  'Tidemark holds time series: values of tags (sensors, counters, states) over time, in entities. Begin with list_entities, find tags with find_tags and find_metadata, then use query; use sql for what query cannot do. All tools only read. Long answers are cut, and say so: aggregate in the query rather than afterwards.'
