import { describe, expect, test } from 'vitest'
import { Problem } from '../model/problem.ts'
import { queryKinds } from '../model/query-kind.ts'
import { queryRequests } from '../query/requests.ts'
import { callTool } from './call-tool.ts'
import { type Reading, tools } from './tools.ts'

const asked: string[] = []
const tagCount = 120_000
const allTags = Array.from({ length: tagCount }, (_, index) => `${index % 2 === 0 ? 'Boiler' : 'Pump'}.${index}.level`)

const reading: Reading = {
  entities: async () => [
    { entity: 'plant', ingests: [], time_field: 'D', fields: [], rows: 0, first_date: null, last_date: null },
  ],
  tags: async (entity, { prefix = '', limit = 1000, token = '0' } = {}) => {
    asked.push(`tags ${entity} ${prefix} ${limit} ${token}`)
    const from = Number(token)
    const Items = allTags.filter((tag) => tag.startsWith(prefix)).slice(from, from + limit)
    return { Items, NextToken: Items.length < limit ? null : String(from + limit) }
  },
  queryBytes: async function* (kind, request, format) {
    asked.push(`${kind} ${JSON.stringify(request)} ${format}`)
    if (request.entity === 'late') throw new Problem('query_timeout', 'The query took too long. Ask for less.')
    if (request.entity === 'broken') throw new TypeError('a secret of the house')
    const count = request.entity === 'empty' ? 0 : 250
    yield Buffer.from(`T,V\r\n${'a,1\r\n'.repeat(count)}`)
  },
  sqlBytes: async function* (text, format) {
    asked.push(`sql ${text} ${format}`)
    yield Buffer.from('n\r\n5\r\n')
  },
  metadata: async () => [{ entity: 'tags', type: 'metadata', index_field: 'tag', fields: [], items: 2 }],
  itemsText: async (table, parameters) => {
    asked.push(`items ${table} ${JSON.stringify(parameters)}`)
    return '{"Items":[{"tag":"a","unit":"kW","id":9007199254740993},{"tag":"b","unit":"°C","id":2}],"NextToken":null}'
  },
}

async function told(name: string, given: unknown): Promise<{ texts: string[]; isError: boolean }> {
  asked.length = 0
  const parts = { reading: () => reading, nowMs: () => 0, failure: () => 'Look into the log.' }
  const { content, isError = false } = await callTool(name, given, new AbortController().signal, parts)
  return { texts: content.map(({ text }) => text), isError }
}

describe('the result of a tool', () => {
  test.each<[name: string, given: unknown, note: string | RegExp, rows: number]>([
    ['list_entities', {}, '1 row, which is all. It is 1970-01-01T00:00:00.000Z now.', 1],
    ['find_tags', { entity: 'plant' }, /^Cut at max_rows, which may be 2000: this is the first 200 rows/, 200],
    ['find_tags', { entity: 'plant', prefix: 'Boiler.11998' }, '6 rows, which is all.', 6],
    ['find_tags', { entity: 'plant', words: ' 99998 BOILER  level' }, /^1 row, .* Only 100000 were searched/, 1],
    ['find_tags', { entity: 'plant', words: 'valve', prefix: 'Pump' }, /^No match/, 0],
    ['find_metadata', {}, '1 row, which is all.', 1],
    ['find_metadata', { table: 'tags', words: 'kw' }, '1 row, which is all.', 1],
    ['query', { kind: 'latest', entity: 'plant' }, /whose newest item is oldest come first/, 201],
    ['query', { kind: 'select', entity: 'plant' }, /newest are missing/, 201],
    ['list_entities', { random_string: 'dummy' }, '1 row, which is all. It is 1970-01-01T00:00:00.000Z now.', 1],
    ['query', { kind: 'latest', entity: 'plant', max_rows: 250, ids: null }, '250 rows, which is all.', 251],
    ['query', { kind: 'latest', entity: 'empty' }, /^No rows\. list_entities shows/, 0],
    ['sql', { sql_query: 'SELECT 5 AS n' }, '1 row, which is all.', 2],
  ])('%s %j ends with the note %s', async (name, given, note, rows) => {
    const { texts, isError } = await told(name, given)
    expect(isError).toBe(false)
    expect(texts.at(-1)).toMatch(note)
    expect(texts.length === 1 ? 0 : texts[0]!.split('\n').length).toBe(rows)
  })

  test('keeps every digit of metadata', async () => {
    expect((await told('find_metadata', { table: 'tags', prefix: 'a' })).texts[0]).toContain('9007199254740993')
    expect(asked).toEqual(['items tags [["tag[bw]","a"],["limit","201"]]'])
  })
})

describe('the request of a tool', () => {
  test("is the request of its query kind, without the tool's own arguments", async () => {
    await told('query', { kind: 'average', entity: 'plant', granularity: '1h', fill: null, max_rows: 3 })
    expect(asked).toEqual(['average {"entity":"plant","granularity":"1h"} csv'])
    await told('query', { kind: 'plot', entity: 'plant', ids: ['a', 'b'] })
    expect(asked).toEqual(['plot {"points":25,"entity":"plant","ids":["a","b"]} csv'])
    await told('query', { kind: 'plot', entity: 'plant', ids: 'a', points: '7', metric_name_field: '["V"]' })
    expect(asked).toEqual(['plot {"points":7,"entity":"plant","ids":["a"],"metric_name_field":["V"]} csv'])
  })

  test.each<[name: string, given: unknown, text: string]>([
    ['query', {}, 'kind'],
    ['query', { kind: 'mean', entity: 'plant' }, 'kind must be average or average-dimensions'],
    ['query', { kind: 'latest', entity: 'plant', granularity: '1h' }, 'granularity'],
    ['query', { kind: 'latest', entity: 'plant', ids: 5 }, 'ids must be a list'],
    ['find_metadata', { words: 'boiler' }, 'names the table to look through; there are: "tags"'],
    ['query', { kind: 'aggregate', entity: 'plant' }, 'aggregates is required'],
    ['query', { kind: 'latest', entity: 'plant', max_rows: 2001 }, 'max_rows must be at most 2000'],
    ['query', { kind: 'latest', entity: 'late' }, 'The query took too long. Ask for less. (query_timeout)'],
    ['query', { kind: 'latest', entity: 'broken' }, 'Look into the log.'],
    ['query', [], 'object'],
    ['sql', { query: 'SELECT 1' }, 'sql_query is required'],
    ['find_metadata', { table: 'tag' }, 'there is no metadata table "tag" that this key may read; there are: "tags"'],
    ['select', {}, 'There is no tool "select". The tools are list_entities, find_tags, find_metadata, query, sql.'],
  ])('%s %j is refused with a hint how to correct it', async (name, given, text) => {
    const { texts, isError } = await told(name, given)
    expect(isError).toBe(true)
    expect(texts.join()).toContain(text)
  })
})

test('the query tool accepts the properties of all kinds, and describes the kinds of each', () => {
  const { properties } = tools.find(({ name }) => name === 'query')!.inputSchema
  const taken = new Set(queryKinds.flatMap((kind) => Object.keys(queryRequests[kind].properties)))
  expect(new Set(Object.keys(properties))).toEqual(new Set(['kind', 'max_rows', ...taken]))
  expect(properties['points']).toMatchObject({ type: 'integer', description: expect.stringMatching(/^For plot: /) })
  expect(properties['fill']).toMatchObject({ type: 'string', enum: ['none', 'null', 'previous', 'linear'] })
  expect(JSON.stringify(tools)).not.toMatch(/counts as left out|exclusiveMinimum/)
})
