import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { type Answers, closeServices, service, tidemark } from '../../test/support/cli.ts'
import { packageVersion } from '../lib/package-version.ts'

let folder = ''
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'tidemark-'))
})
afterAll(() => rmSync(folder, { recursive: true }))
afterEach(closeServices)

let nowhere = ''
/** An address that was free a moment ago. */
beforeAll(async () => {
  nowhere = (await service({})).url
  closeServices()
})

describe('help and usage', () => {
  test.each([
    [['--help'], 'tidemark push plant readings.csv'],
    [['serve', '--help'], 'TIDEMARK_ADMIN_KEY'],
    [['serve', '--help'], '--limits-...'],
    [['serve', '--help-all'], '--limits-result-rows <value>'],
    [['push', '--help'], '--set T=@filename'],
    [['query', 'average', '--help'], 'tidemark query average --entity plant'],
    [['ingests', 'create', '--help'], 'name:type:role'],
    [['copy', '--help'], 'tidemark copy http://old:8080 --url http://cluster:8080'],
    [['--version'], packageVersion],
  ])('%j', async (argv, part) => {
    const { code, out } = await tidemark(nowhere, argv)
    expect(code).toBe(0)
    expect(out).toContain(part)
  })

  test('the help of serve is short', async () => {
    const { out } = await tidemark(nowhere, ['serve', '--help'])
    expect(out.split('\n').length).toBeLessThan(60)
    expect(out).not.toContain('--limits-result-rows <value>')
  })

  test.each([
    [['ingest'], "unknown command 'ingest'"],
    [['ingests', 'create'], "missing required argument 'alias'"],
    [['query', 'latest'], "required option '--entity <name>' not specified"],
    [['query', 'latest', '--entity', 'e', '--granularity', 'hour'], "unknown option '--granularity'"],
    [['query', 'last', '--entity', 'e', '--offset', '-1'], 'must be a whole number from 0'],
    [['push', 'p', 'f.csv', '--format', 'xml'], 'Allowed choices are csv, ndjson, json'],
  ])('%j is a wrong use', async (argv, part) => {
    const { code, err } = await tidemark(nowhere, argv)
    expect(code).toBe(64)
    expect(err).toContain(part)
  })
})

describe('failures are one line that says what to do', () => {
  test.each<[string, string | null, string[], string]>([
    ['no service', null, ['query', 'entities'], 'Start the service with "tidemark serve"'],
    ['no address', 'ftp://x', ['query', 'entities'], '"ftp://x" is no address of a service'],
    ['no field', null, ['ingests', 'create', 'p', '--field', 'V'], '"V" is no field. Write name:type:role'],
    [
      'no type',
      null,
      ['ingests', 'create', 'p', '--field', 'V:float:metric'],
      '"float" is no type. There are: timestamp,',
    ],
    ['no right', null, ['keys', 'create', 's', '--rights', 'read'], '"read" is not a right'],
    ['no subscription', null, ['subscriptions', 'set', 's'], 'with --ingest and --entity, or give --none'],
    ['no file', null, ['push', 'p', 'missing.csv'], 'There is no file "missing.csv"'],
  ])('%s', async (_, url, argv, part) => {
    const { code, out, err } = await tidemark(url ?? nowhere, argv)
    expect({ code, out }).toEqual({ code: 1, out: '' })
    expect(err).toMatch(/^tidemark: .*\n$/)
    expect(err).toContain(part)
  })

  test('what the service says, with a hint for a missing key', async () => {
    const { url } = await service({})
    const { code, err } = await tidemark(url, ['ingests', 'list'], '', '')
    expect(code).toBe(1)
    expect(err).toBe(
      'tidemark: Not without a key. (403 forbidden) Give a key with --key or TIDEMARK_KEY. "tidemark keys create --help" says how to create one.\n',
    )
    const refused = 'tidemark: Not without a key. (403 forbidden)\n'
    expect((await tidemark(url, ['ingests', 'list'])).err).toBe(refused)
    expect((await tidemark(url, ['ingests', 'list', '--key', 'k'], '', '')).err).toBe(refused)
  })

  test('--debug shows the place', async () => {
    expect((await tidemark('x:', ['query', 'entities', '--debug'])).err).toContain('    at ')
  })
})

const ingest = {
  alias: 'plant',
  kind: 'series',
  entity: 'plant',
  state: 'active',
  fields: [
    { name: 'date', source: 'D', type: 'timestamp', role: 'time' },
    { name: 'tag', source: 'T', type: 'string', role: 'tag' },
    { name: 'value', source: 'V', type: 'double', role: 'metric' },
  ],
  counters: { received: 12, stored: 10, rejected: 2, pending: 0 },
}

describe('requests', () => {
  test.each<[string[], string]>([
    [['ingests', 'create', 'plant'], 'POST /admin/ingests {"alias":"plant","kind":"series"}'],
    [
      [
        'ingests',
        'create',
        'plant',
        '--entity',
        'e',
        '--field',
        'd:timestamp:time:D,t:string:tag',
        '--field',
        'v:double:metric',
      ],
      'POST /admin/ingests {"alias":"plant","kind":"series","entity":"e","fields":[{"name":"d","type":"timestamp","role":"time","source":"D"},{"name":"t","type":"string","role":"tag"},{"name":"v","type":"double","role":"metric"}]}',
    ],
    [
      ['ingests', 'block', 'plant', '--reason', 'audit'],
      'PATCH /admin/ingests/plant {"state":"blocked","reason":"audit"}',
    ],
    [
      ['ingests', 'create', 'tags', '--kind', 'metadata', '--field', 'id:string:index,limits:json:attribute'],
      'POST /admin/ingests {"alias":"tags","kind":"metadata","fields":[{"name":"id","type":"string","role":"index"},{"name":"limits","type":"json","role":"attribute"}]}',
    ],
    [['entities', 'retain', 'plant', 'P90D', '--yes'], 'PATCH /admin/entities/plant {"retention":"P90D"}'],
    [['entities', 'retain', 'plant', 'none'], 'PATCH /admin/entities/plant {"retention":null}'],
    [['entities', 'retentions'], 'GET /admin/entities'],
    [
      ['metadata', 'items', 'tags', '--where', 'id[be]=a,b', '--where', 'id[bw]=a=', '--limit', '5'],
      'GET /consumer/metadata/tags?id%5Bbe%5D=a%2Cb&id%5Bbw%5D=a%3D&limit=5',
    ],
    [['metadata', 'delete', 'tags', 'a/b'], 'DELETE /admin/metadata/tags/items/a%2Fb'],
    [['ingests', 'unblock', 'plant'], 'PATCH /admin/ingests/plant {"state":"active"}'],
    [
      ['keys', 'create', 's', '--rights', 'ingest,consume'],
      'POST /admin/subscribers/s/keys {"rights":["ingest","consume"]}',
    ],
    [['keys', 'revoke', 'k1', '--yes'], 'DELETE /admin/keys/k1'],
    [['subscribers', 'create', 's'], 'POST /admin/subscribers {"name":"s"}'],
    [['subscribers', 'delete', 's', '--yes'], 'DELETE /admin/subscribers/s'],
    [
      ['subscriptions', 'set', 's', '--ingest', 'a,b', '--entity', '*', '--until', '2027-01-01', '--suspended'],
      'PUT /admin/subscribers/s/subscriptions [{"ingest":"a","until":"2027-01-01","suspended":true},{"ingest":"b","until":"2027-01-01","suspended":true},{"entity":"*","until":"2027-01-01","suspended":true}]',
    ],
    [['subscriptions', 'set', 's', '--none'], 'PUT /admin/subscribers/s/subscriptions []'],
    [
      [
        'query',
        'average',
        '--json',
        '--entity',
        'e',
        '--ids',
        'a,b',
        '--metrics',
        'V',
        '--start',
        'P1D',
        '--end',
        '2026-01-02',
        '--granularity',
        'hour',
      ],
      'POST /consumer/data/average {"entity":"e","ids":["a","b"],"metric_name_field":["V"],"granularity":"hour","start_date":"P1D","end_date":"2026-01-02"}',
    ],
    [
      [
        'query',
        'last',
        '--json',
        '--entity',
        'e',
        '--prefixes',
        'a',
        '--id-name',
        'T',
        '--date',
        '2026-01-01',
        '--offset',
        '0',
        '--fields',
        'u',
      ],
      'POST /consumer/data/last {"entity":"e","prefixes":["a"],"id_name_field":"T","fields":["u"],"date":"2026-01-01","offset":0}',
    ],
    [
      ['rejected', 'list', 'plant', '--code', 'wrong_type', '--limit', '5', '--json'],
      'GET /admin/ingests/plant/rejected?code=wrong_type&limit=6',
    ],
    [['rejected', 'export', 'plant', '--code', 'wrong_type'], 'GET /admin/ingests/plant/rejected?code=wrong_type'],
    [['rejected', 'discard', 'plant', '7', '9'], 'DELETE /admin/ingests/plant/rejected {"ids":["7","9"]}'],
    [['rejected', 'discard', 'plant', '--all'], 'DELETE /admin/ingests/plant/rejected {}'],
  ])('%j', async (argv, expected) => {
    const answer = { ...ingest, Items: [], NextToken: null }
    const asked = expected.split(' ').slice(0, 2).join(' ')
    const { url, seen } = await service({ [asked]: () => [200, answer] })
    expect((await tidemark(url, argv)).code).toBe(0)
    expect(seen).toEqual([expected])
  })
})

describe('answers', () => {
  test('rejected rows are exported line by line, of all pages', async () => {
    const row = (id: string): object => ({
      id,
      batch: 'b',
      index: 0,
      row: '{"D":\n1}',
      field: 'D',
      code: 'c',
      message: 'm',
    })
    const { url } = await service({
      'GET /admin/ingests/plant/rejected': () => [200, { Items: [row('1'), row('2')], NextToken: 'more' }],
      'GET /admin/ingests/plant/rejected?NextToken=more': () => [200, { Items: [row('3')], NextToken: null }],
    })
    const { code, out } = await tidemark(url, ['rejected', 'export', 'plant'])
    expect([code, out]).toEqual([0, ['1', '2', '3'].map((id) => `${JSON.stringify(row(id))}\n`).join('')])
  })

  test.each([[[]], [['7', '--all']]])('discarding %j asks what is meant', async (words) => {
    const { code, err } = await tidemark(nowhere, ['rejected', 'discard', 'plant', ...words])
    expect([code, err]).toEqual([1, expect.stringContaining('Give the ids of the rows to discard')])
  })

  test('says how many rows are discarded', async () => {
    const { url } = await service({ 'DELETE /admin/ingests/plant/rejected': () => [200, { discarded: 1 }] })
    expect((await tidemark(url, ['rejected', 'discard', 'plant', '7'])).out).toBe('1 row is discarded.\n')
  })

  test('rejected rows are shown with their ids, counted from 1, below their summary', async () => {
    const kind = { code: 'wrong_type', field: 'V', count: 2, first: 'then', last: 'now', example: '7' }
    const row = { id: '7', batch: 'b', index: 0, row: '{"V":"x"}', field: 'V', code: 'wrong_type', message: 'no' }
    const { url, seen } = await service({
      'GET /ingests/plant/rejected/summary': () => [200, [kind]],
      'GET /ingests/plant/rejected?limit=21': () => [200, { Items: [], NextToken: 'more' }],
      'GET /ingests/plant/rejected?limit=21&NextToken=more': () => {
        return [200, { Items: [{ ...row, received: 'now' }], NextToken: null }]
      },
    })
    expect((await tidemark(url, ['rejected', 'plant', '--mine'])).out).toMatchInlineSnapshot(`
      "rows  code        field  first  last
         2  wrong_type  V      then   now

      id  received  row  field  code        message  text
      7   now         1  V      wrong_type  no       {"V":"x"}
      "
    `)
    expect(seen).toHaveLength(3)
  })

  test.each([
    ['discard', 'DELETE /ingests/plant/rejected', { discarded: 1 }],
    ['replay', 'POST /admin/ingests/plant/rejected/replay', { replayed: 1, stored: 1, rejected: 0 }],
  ])('%s of the rows that a filter lets in', async (what, asked, answer) => {
    const mine = what === 'discard' ? ['--mine'] : []
    const list = `GET ${what === 'discard' ? '' : '/admin'}/ingests/plant/rejected?code=wrong_type&field=V&limit=10000`
    const { url, seen } = await service({
      [list]: () => [200, { Items: [{ id: '7' }], NextToken: 'more' }],
      [`${list}&NextToken=more`]: () => [200, { Items: [{ id: '9' }], NextToken: null }],
      [asked]: () => [200, answer],
    })
    const { code } = await tidemark(url, ['rejected', what, 'plant', '--code', 'wrong_type', '--field', 'V', ...mine])
    expect(code).toBe(0)
    expect(seen.filter((request) => !request.startsWith('GET'))).toEqual([
      `${asked} {"ids":["7"]}`,
      `${asked} {"ids":["9"]}`,
    ])
  })

  test('tags are printed one a line', async () => {
    const path = 'GET /consumer/data/entities/plant/tags?prefix=a'
    const { url } = await service({
      [`${path}&limit=3`]: () => [200, { Items: ['a', 'a\n'], NextToken: 'more' }],
      [`${path}&limit=1&NextToken=more`]: () => [200, { Items: ['a.b'], NextToken: 'more' }],
    })
    const { out, err } = await tidemark(url, ['tags', 'plant', '--prefix', 'a', '--limit', '3'])
    expect([out, err]).toEqual(['a\na\\u000a\na.b\n', 'There are more; --limit shows them.\n'])
  })

  test('metadata keeps every digit', async () => {
    const { url } = await service({
      'POST /consumer/metadata/tags': () => [200, '[{"id":"a","n":9007199254740993,"v":1.50}]'],
    })
    expect((await tidemark(url, ['metadata', 'get', 'tags', 'a'])).out).toBe(
      'id                 n     v\na   9007199254740993  1.50\n',
    )
    const json = await tidemark(url, ['metadata', 'get', 'tags', 'a', '--json'])
    expect(json.out).toBe('[{"id":"a","n":9007199254740993,"v":1.50}]\n')
  })

  test('lists are tables, of all pages', async () => {
    const { url } = await service({
      'GET /admin/ingests': () => [200, { Items: [ingest], NextToken: 'more' }],
      'GET /admin/ingests?NextToken=more': () => [200, { Items: [{ ...ingest, alias: 'b' }], NextToken: null }],
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

  test('rows are a table with every digit', async () => {
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

  test('a query in SQL', async () => {
    const { url, seen } = await service({ 'POST /consumer/data/sql-query': () => [200, '[{"n":3}]'] })
    expect((await tidemark(url, ['sql', 'SELECT COUNT(*) AS n FROM plant'])).out).toBe('n\n3\n')
    expect((await tidemark(url, ['sql', 'SELECT 3 AS n', '--json'])).out).toBe('[{"n":3}]\n')
    expect(seen[0]).toBe('POST /consumer/data/sql-query {"sql_query":"SELECT COUNT(*) AS n FROM plant"}')
  })

  test('a native query from standard input', async () => {
    const { url, seen } = await service({ 'POST /consumer/data/druid-native-query': () => [200, '[{"n":3.0}]'] })
    const query = '{"queryType":"scan","limit":9007199254740993}'
    expect((await tidemark(url, ['native', '-'], query)).out).toBe('[{"n":3.0}]\n')
    expect(seen[0]).toBe(`POST /consumer/data/druid-native-query {"query_type":"scan","query_data":${query}}`)
    expect((await tidemark(url, ['native', '-'], '{}')).err).toContain('no "queryType"')
    expect((await tidemark(url, ['native', 'nowhere.json'])).err).toContain('cannot be read')
  })

  test('no rows', async () => {
    const { url } = await service({ 'POST /consumer/data/latest': () => [200, []] })
    expect((await tidemark(url, ['query', 'latest', '--entity', 'e'])).out).toBe('No rows.\n')
  })

  test('what the own key may do', async () => {
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
})

/** A service with the ingest `plant`, which stores every row but the first of each push where `rejecting`. */
function plant(rejecting: boolean): Answers {
  const answers: Answers = {
    'GET /ingests/plant': () => [200, { ...ingest, unknown: 'reject', lines: null }],
    'POST /ingests/plant/data': (body) => {
      const rows = body.startsWith('[') ? JSON.parse(body).length : body.trimEnd().split('\n').length
      const rejected = rejecting ? 1 : 0
      const errors = rejecting ? [{ index: 0, field: 'V', code: 'wrong_type', message: 'no number' }] : []
      const receipt = { batch: 'b', rows, stored: rows - rejected, rejected, pending: 0, errors }
      answers['GET /ingests/plant/batches/b'] = () => [200, receipt]
      return [200, { batch: 'b', rows }]
    },
  }
  return answers
}

describe('push', () => {
  const pushes = (seen: readonly string[]): string[] =>
    seen
      .filter((request) => request.startsWith('POST'))
      .map((request) => request.slice('POST /ingests/plant/data '.length))

  test.each<[string, string | Uint8Array, string[], string[]]>([
    ['a.csv', 'D,T,V\n2026-01-01 08:00,7,1.50\n', [], ['{"D":"2026-01-01T08:00","T":"7","V":1.50}\n']],
    [
      'taxi.csv.gz',
      gzipSync('timestamp,value\n2014-07-01 00:00:00,10844\n'),
      ['--map', 'timestamp=D,value=V', '--set', 'T=@filename'],
      ['{"D":"2014-07-01T00:00:00","V":10844,"T":"taxi"}\n'],
    ],
    ['b.ndjson', '{"V":1.0}\n\n{"V":90071992547409931}\n', [], ['{"V":1.0}\n{"V":90071992547409931}\n']],
    ['c.json', '[{"V":1.0},\n {"V":90071992547409931}]', [], ['[{"V":1.0},{"V":90071992547409931}]']],
    ['d.json', '{"V":1.0}', [], ['[{"V":1.0}]']],
    ['e.ndjson', '1\n2\n3\n', ['--batch-rows', '2', '--concurrency', '1'], ['1\n2\n', '3\n']],
    ['f.ndjson', '1\n2\n3\n', ['--skip-rows', '1'], ['2\n3\n']],
    ['g.json', '[]', [], []],
  ])('%s', async (name, content, options, bodies) => {
    const path = join(folder, name)
    writeFileSync(path, content)
    const { url, seen } = await service(plant(false))
    const { code, err } = await tidemark(url, ['push', 'plant', path, ...options])
    expect({ code, err }).toEqual({ code: 0, err: '' })
    expect(pushes(seen)).toEqual(bodies)
  })

  test('from standard input, with the report of a rejected row', async () => {
    const { url } = await service(plant(true))
    const { code, out } = await tidemark(
      url,
      ['push', 'plant', '-', '--format', 'csv'],
      'D,T,V\n2026-01-01,a,x\n2026-01-01,b,1\n',
    )
    expect(code).toBe(2)
    // How many sleeps it took is not told.
    expect(out.replace(/\([\d,]+ rows\/s\)/, '(2 rows/s)')).toMatchInlineSnapshot(`
      "received  2
      stored    1
      rejected  1
      in 0.0 s (2 rows/s)
      row 1: no number (wrong_type)
      batch b: 1 rejected
      The rejected rows are kept. With the same key: tidemark rejected list plant --mine --batch b
      "
    `)
  })

  test.each(['GET /ingests/plant', 'GET /admin/ingests/plant'])('with the types that %s tells', async (asked) => {
    const fields = [
      { name: 'tag', source: 'T', type: 'string', role: 'tag' },
      { name: 'limits', source: 'limits', type: 'json', role: 'attribute' },
    ]
    const { url, seen } = await service({
      ...plant(false),
      'GET /ingests/plant': () => [403, { code: 'forbidden', detail: 'no', retryable: false }],
      [asked]: () => [200, { ...ingest, fields }],
    })
    const csv = 'T,V,n,limits\n7,7,7,"{""hi"": 1.50,\n""lo"": 9007199254740993}"\n'
    await tidemark(url, ['push', 'plant', '-', '--format', 'csv', '--types', 'n=string'], csv)
    expect(pushes(seen)).toEqual(['{"T":"7","V":7,"n":"7","limits":{"hi": 1.50, "lo": 9007199254740993}}\n'])
  })

  test('names the row of the file that is no JSON', async () => {
    const refusal = { code: 'invalid_json', detail: 'Line 2 is not JSON: it ends.', retryable: false }
    const bad = (body: string): [number, unknown] =>
      body.includes('x') ? [400, refusal] : [200, { batch: 'b', rows: 2 }]
    const receipt = { batch: 'b', rows: 2, stored: 2, rejected: 0, pending: 0, errors: [] }
    const { url } = await service({
      ...plant(false),
      'POST /ingests/plant/data': bad,
      'GET /ingests/plant/batches/b': () => [200, receipt],
    })
    const options = ['--format', 'ndjson', '--batch-rows', '2', '--concurrency', '1']
    const { err } = await tidemark(url, ['push', 'plant', '-', ...options], '1\n2\n3\nx\n')
    expect(err).toContain('Row 4 of the file is not JSON')
  })

  test('a refused push says how to go on', async () => {
    const blocked = { code: 'ingest_blocked', detail: 'The ingest is blocked: audit.', retryable: false }
    const { url } = await service({ ...plant(false), 'POST /ingests/plant/data': () => [423, blocked] })
    const { code, err } = await tidemark(url, ['push', 'plant', '-', '--format', 'ndjson'], '{}\n')
    expect(code).toBe(1)
    expect(err).toBe(
      'tidemark: row 1 was not acknowledged: The ingest is blocked: audit.\ntidemark: No other row was sent.\n',
    )
  })

  test('a broken connection is tried again, with the same key; each request has its own', async () => {
    const keys: unknown[] = []
    const { url } = await service(plant(false))
    const breaking = createServer(async (request, response) => {
      const chunks: Buffer[] = []
      for await (const chunk of request) chunks.push(chunk)
      const isPush = request.method === 'POST'
      if (isPush) keys.push(request.headers['idempotency-key'])
      if (isPush && keys.length === 1) return request.socket.destroy()
      const answer = await fetch(url + request.url, {
        method: request.method!,
        ...(isPush ? { body: Buffer.concat(chunks) } : {}),
      })
      return response.writeHead(answer.status).end(await answer.text())
    })
    await new Promise<void>((resolve) => breaking.listen(0, '127.0.0.1', resolve))
    const argv = ['push', 'plant', '-', '--format', 'ndjson', '--batch-rows', '1', '--concurrency', '1']
    const { code, out } = await tidemark(
      `http://127.0.0.1:${(breaking.address() as AddressInfo).port}`,
      argv,
      '{}\n{}\n',
    )
    breaking.closeAllConnections()
    breaking.close()
    expect([code, out]).toEqual([0, expect.stringContaining('stored    2')])
    expect(keys).toEqual([keys[0], keys[0], expect.stringMatching(/^[0-9a-f-]{36}$/)])
    expect(keys[2]).not.toBe(keys[0])
  })

  test('a service that is not there is not waited for', async () => {
    const { code, err } = await tidemark(nowhere, ['push', 'plant', '-', '--format', 'ndjson'], '{}\n')
    expect(code).toBe(1)
    expect(err).toContain('Start the service with "tidemark serve"')
  })

  test('options for CSV do nothing silently elsewhere', async () => {
    const { code, err } = await tidemark(nowhere, ['push', 'plant', '-', '--format', 'json', '--map', 'a=b'], '{}')
    expect(code).toBe(1)
    expect(err).toContain('--map is for CSV')
  })
})

describe('lists', () => {
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
      'entity  ingests  duplicates  retention\nplant   plant    keep        none\n',
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
    [['ingests', 'create', 'x', '--kind', 'other'], '"other" is no kind'],
  ])('%j is refused before anything is asked', async (argv, message) => {
    const { code, err } = await tidemark(nowhere, argv)
    expect(code).not.toBe(0)
    expect(err).toContain(message)
  })
})
