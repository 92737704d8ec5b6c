// The output of each command for the service's responses.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import { closeServices, plantIngest, service, tidemark, unreachableUrl } from '../../test/support/cli.ts'

afterEach(closeServices)

const unreachable = await unreachableUrl()

test('prints tags one per line', async () => {
  const path = 'GET /consumer/data/entities/plant/tags?prefix=a'
  const { url } = await service({
    [`${path}&limit=3`]: () => [200, { Items: ['a', 'a\n'], NextToken: 'more' }],
    [`${path}&limit=1&NextToken=more`]: () => [200, { Items: ['a.b'], NextToken: 'more' }],
  })
  const { out, err } = await tidemark(url, ['tags', 'plant', '--prefix', 'a', '--limit', '3'])
  expect([out, err]).toEqual(['a\na\\u000a\na.b\n', 'There are more; --limit shows them.\n'])
})

test('prints metadata with every digit', async () => {
  const { url } = await service({
    'POST /consumer/metadata/tags': () => [200, '[{"id":"a","n":9007199254740993,"v":1.50}]'],
  })
  expect((await tidemark(url, ['metadata', 'get', 'tags', 'a'])).out).toBe(
    'id                 n     v\na   9007199254740993  1.50\n',
  )
  const json = await tidemark(url, ['metadata', 'get', 'tags', 'a', '--json'])
  expect(json.out).toBe('[{"id":"a","n":9007199254740993,"v":1.50}]\n')
})

test('prints the items of all pages as one table', async () => {
  const { url } = await service({
    'GET /admin/ingests': () => [200, { Items: [plantIngest], NextToken: 'more' }],
    'GET /admin/ingests?NextToken=more': () => [200, { Items: [{ ...plantIngest, alias: 'b' }], NextToken: null }],
    'GET /admin/ingests/plant/rejected/summary': () => [200, [{ code: 'wrong_type', field: 'V', count: 1 }]],
    'GET /admin/ingests/b/rejected/summary': () => [200, []],
  })
  expect((await tidemark(url, ['ingests', 'list'])).out).toMatchInlineSnapshot(`
    "ingest  state   entity  received  stored  rejected  to repair  pending  fields
    plant   active  plant         12      10         2          1        0  date:timestamp:time:D tag:string:tag:T value:double:metric:V
    b       active  plant         12      10         2          0        0  date:timestamp:time:D tag:string:tag:T value:double:metric:V
    "
  `)
})

test('prints rows as a table with every digit', async () => {
  const body = '[{"T":"a","n":9223372036854775807,"V":1.50},{"T":"b","n":null,"V":-1e-7}]'
  const { url } = await service({ 'POST /consumer/data/latest': () => [200, body] })
  expect((await tidemark(url, ['query', 'latest', '--entity', 'e'])).out).toMatchInlineSnapshot(`
    "T                    n      V
    a  9223372036854775807   1.50
    b                       -1e-7
    "
  `)
  expect((await tidemark(url, ['query', 'latest', '--entity', 'e', '--json'])).out).toBe(`${body}\n`)
})

test('prints the result of an SQL query', async () => {
  const { url, seen } = await service({ 'POST /consumer/data/sql-query': () => [200, '[{"n":3}]'] })
  expect((await tidemark(url, ['sql', 'SELECT COUNT(*) AS n FROM plant'])).out).toBe('n\n3\n')
  expect((await tidemark(url, ['sql', 'SELECT 3 AS n', '--json'])).out).toBe('[{"n":3}]\n')
  expect(seen[0]).toBe('POST /consumer/data/sql-query {"sql_query":"SELECT COUNT(*) AS n FROM plant"}')
})

test('reads SQL from standard input and from a file', async () => {
  const { url, seen } = await service({ 'POST /consumer/data/sql-query': () => [200, '[{"n":3}]'] })
  const folder = mkdtempSync(join(tmpdir(), 'tidemark-'))
  try {
    const file = join(folder, 'n.sql')
    writeFileSync(file, '\uFEFFSELECT 3 AS n -- three\n')
    expect((await tidemark(url, ['sql', '-'], 'SELECT 3\n')).out).toBe('n\n3\n')
    expect((await tidemark(url, ['sql', '--file', file])).out).toBe('n\n3\n')
    expect((await tidemark(url, ['sql', '--file', '-'], 'SELECT 4')).out).toBe('n\n3\n')
  } finally {
    rmSync(folder, { recursive: true })
  }
  expect(seen.map((request) => JSON.parse(request.slice(request.indexOf('{'))).sql_query)).toEqual([
    'SELECT 3\n',
    'SELECT 3 AS n -- three\n',
    'SELECT 4',
  ])
})

test.each([
  [['sql'], '', 'Give the query in quotes, or --file FILE, or - for standard input.'],
  [['sql', '-'], ' \n', 'Standard input holds no query.'],
  [['sql', 'SELECT 1', '--file', 'x.sql'], '', 'The query and --file exclude each other.'],
])('%j with %j on standard input is refused', async (command, stdin, words) => {
  const { url, seen } = await service({})
  const { code, err } = await tidemark(url, command, stdin)
  expect([code, err, seen]).toEqual([64, expect.stringContaining(words), []])
})

test('reads a native query from standard input', async () => {
  const { url, seen } = await service({ 'POST /consumer/data/druid-native-query': () => [200, '[{"n":3.0}]'] })
  const query = '{"queryType":"scan","limit":9007199254740993}'
  expect((await tidemark(url, ['native', '-'], query)).out).toBe('[{"n":3.0}]\n')
  expect(seen[0]).toBe(`POST /consumer/data/druid-native-query {"query_type":"scan","query_data":${query}}`)
  expect((await tidemark(url, ['native', '-'], '{}')).err).toContain('no "queryType"')
  expect((await tidemark(url, ['native', 'nowhere.json'])).err).toContain('cannot be read')
})

test('prints that there are no rows', async () => {
  const { url } = await service({ 'POST /consumer/data/latest': () => [200, []] })
  expect((await tidemark(url, ['query', 'latest', '--entity', 'e'])).out).toBe('No rows.\n')
})

test('prints the rights and subscriptions of its own key', async () => {
  const own = {
    subscriber: 's',
    rights: ['ingest'],
    subscriptions: [{ ingest: 'plant', suspended: false, valid: true }],
  }
  const { url } = await service({ 'GET /subscription': () => [200, own] })
  expect((await tidemark(url, ['subscriptions', 'mine'])).out).toMatchInlineSnapshot(`
    "subscriber s, rights ingest
    ingest  entity  from  until  suspended  valid
    plant                                   yes
    "
  `)
})

describe('listing commands', () => {
  const fields = [{ name: 'id', type: 'string', role: 'index' }]
  const entity = { entity: 'plant', ingests: ['plant'], fields, rows: 2, first_date: null, last_date: null }

  test.each<[argv: string[], asked: string, answer: unknown, out: string, err: string]>([
    [
      ['entities', 'list'],
      'GET /consumer/data/entities',
      [entity],
      'entity  ingests  rows  first  last  fields\nplant   plant       2               id:string:index\n',
      '',
    ],
    [
      ['entities', 'retentions'],
      'GET /admin/entities',
      { Items: [{ ...entity, duplicates: 'keep', retention: null }], NextToken: null },
      'entity  ingests  duplicates  retention  hours\nplant   plant    keep        none       none\n',
      '',
    ],
    [
      ['metadata', 'list'],
      'POST /consumer/metadata',
      [{ entity: 'tags', index_field: 'id', fields, items: 3 }],
      'table  index  items  fields\ntags   id         3  id:string:index\n',
      '',
    ],
    [
      ['metadata', 'items', 'tags', '--limit', '1'],
      'GET /consumer/metadata/tags?limit=1',
      { Items: [{ id: 'a', limits: { hi: 5 }, unit: null }], NextToken: 'more' },
      'id  limits    unit\na   {"hi":5}\n',
      'There are more; --limit shows them.\n',
    ],
    [
      ['metadata', 'get', 'tags', 'a', 'b'],
      'POST /consumer/metadata/tags',
      [{ id: 'a' }],
      'id\na\n',
      'Found items for 1 of 2 identifiers.\n',
    ],
  ])('%j', async (argv, asked, answer, out, err) => {
    const { url } = await service({ [asked]: () => [200, answer] })
    expect(await tidemark(url, argv)).toEqual({ code: 0, out, err })
  })

  test.each([
    [['metadata', 'items', 'tags', '--where', 'x'], '"x" is not a condition'],
    [['ingests', 'create', 'x', '--kind', 'other'], '"other" is not a known kind'],
  ])('%j is refused before any request is sent', async (argv, message) => {
    const { code, err } = await tidemark(unreachable, argv)
    expect(code).not.toBe(0)
    expect(err).toContain(message)
  })
})
