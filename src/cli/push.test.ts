import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterAll, afterEach, expect, test } from 'vitest'
import { type Answers, closeServices, plantIngest, service, tidemark, unreachableUrl } from '../../test/support/cli.ts'

const folder = mkdtempSync(join(tmpdir(), 'tidemark-'))
afterAll(() => rmSync(folder, { recursive: true }))
afterEach(closeServices)

const unreachable = await unreachableUrl()

/** A service with the ingest `plant`, which stores all rows; with `rejecting`, all but the first of each push. */
function plant(rejecting: boolean): Answers {
  const answers: Answers = {
    'GET /ingests/plant': () => [200, { ...plantIngest, unknown: 'reject', lines: null }],
    'POST /ingests/plant/data': (body) => {
      const rows = body.startsWith('[') ? JSON.parse(body).length : body.trimEnd().split('\n').length
      const rejected = rejecting ? 1 : 0
      const errors = rejecting ? [{ index: 0, field: 'V', code: 'wrong_type', message: 'no number' }] : []
      const receipt = { batch: 'b', rows, stored: rows - rejected, rejected, pending: 0, replaced: 0, errors }
      answers['GET /ingests/plant/batches/b'] = () => [200, receipt]
      return [200, { batch: 'b', rows }]
    },
  }
  return answers
}

const pushes = (seen: readonly string[]): string[] =>
  seen
    .filter((request) => request.startsWith('POST'))
    .map((request) => request.slice('POST /ingests/plant/data '.length))

test.each<[string, string | Uint8Array, string[], string[]]>([
  ['a.csv', 'D,T,V\n2026-01-01 08:00,7,1.50\n', [], ['{"D":"2026-01-01 08:00","T":"7","V":1.50}\n']],
  [
    'taxi.csv.gz',
    gzipSync('timestamp,value\n2014-07-01 00:00:00,10844\n'),
    ['--map', 'timestamp=D,value=V', '--set', 'T=@filename'],
    ['{"D":"2014-07-01 00:00:00","V":10844,"T":"taxi"}\n'],
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

test('pushes from standard input, and reports a rejected row', async () => {
  const { url } = await service(plant(true))
  const { code, out } = await tidemark(
    url,
    ['push', 'plant', '-', '--format', 'csv'],
    'D,T,V\n2026-01-01,a,x\n2026-01-01,b,1\n',
  )
  expect(code).toBe(2)
  // The rate depends on the number of sleeps, which is not tested.
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

test.each(['GET /ingests/plant', 'GET /admin/ingests/plant'])(
  'converts cells to the field types returned by %s',
  async (asked) => {
    const fields = [
      { name: 'tag', source: 'T', type: 'string', role: 'tag' },
      { name: 'limits', source: 'limits', type: 'json', role: 'attribute' },
    ]
    const { url, seen } = await service({
      ...plant(false),
      'GET /ingests/plant': () => [403, { code: 'forbidden', detail: 'no', retryable: false }],
      [asked]: () => [200, { ...plantIngest, fields }],
    })
    const csv = 'T,V,n,limits\n7,7,7,"{""hi"": 1.50,\n""lo"": 9007199254740993}"\n'
    await tidemark(url, ['push', 'plant', '-', '--format', 'csv', '--types', 'n=string', '--as-is'], csv)
    expect(pushes(seen)).toEqual(['{"T":"7","V":7,"n":"7","limits":{"hi": 1.50, "lo": 9007199254740993}}\n'])
  },
)

test('an error names the line of the file that is not JSON', async () => {
  const refusal = { code: 'invalid_json', detail: 'Line 2 is not JSON: it ends.', retryable: false }
  const bad = (body: string): [number, unknown] =>
    body.includes('x') ? [400, refusal] : [200, { batch: 'b', rows: 2 }]
  const receipt = { batch: 'b', rows: 2, stored: 2, rejected: 0, pending: 0, replaced: 0, errors: [] }
  const { url } = await service({
    ...plant(false),
    'POST /ingests/plant/data': bad,
    'GET /ingests/plant/batches/b': () => [200, receipt],
  })
  const options = ['--format', 'ndjson', '--batch-rows', '2', '--concurrency', '1']
  const { err } = await tidemark(url, ['push', 'plant', '-', ...options], '1\n2\n\n3\nx\n')
  expect(err).toContain(
    'Line 5 of the file (row 4) is not JSON: it ends. No row of such a request is stored: correct or remove that line',
  )
})

test('a refused push reports the first row not acknowledged, and whether others were sent', async () => {
  const blocked = { code: 'ingest_blocked', detail: 'The ingest is blocked: audit.', retryable: false }
  const { url } = await service({ ...plant(false), 'POST /ingests/plant/data': () => [423, blocked] })
  const { code, err } = await tidemark(url, ['push', 'plant', '-', '--format', 'ndjson'], '{}\n')
  expect(code).toBe(1)
  expect(err).toBe(
    'tidemark: row 1 was not acknowledged: The ingest is blocked: audit.\ntidemark: No other row was sent.\n',
  )
})

test('retries a broken connection with the same idempotency key; each request has its own', async () => {
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
  const { code, out } = await tidemark(`http://127.0.0.1:${(breaking.address() as AddressInfo).port}`, argv, '{}\n{}\n')
  breaking.closeAllConnections()
  breaking.close()
  expect([code, out]).toEqual([0, expect.stringContaining('stored    2')])
  expect(keys).toEqual([keys[0], keys[0], expect.stringMatching(/^[0-9a-f-]{36}$/)])
  expect(keys[2]).not.toBe(keys[0])
})

test.each([
  ['ndjson', [], '{}\n'],
  ['ndjson', ['--dry-run'], '{}\n'],
  ['csv', [], 'D,T,V\n'],
])('waits for an unreachable service for as long as --retry-seconds says: %s %j', async (format, options, file) => {
  const argv = ['push', 'plant', '-', '--format', format, ...options, '--retry-seconds']
  const [atOnce, later] = [
    await tidemark(unreachable, [...argv, '0'], file),
    await tidemark(unreachable, [...argv, '1'], file),
  ]
  for (const { code, out, err } of [atOnce, later]) {
    expect([code, out]).toEqual([1, ''])
    expect(err).toContain('Start it with "tidemark serve", or give its address with --url')
    expect(err.endsWith(' No row was sent.\n')).toBe(true)
  }
  expect(atOnce.err).not.toContain('Trying again')
  expect(later.err).toContain('Trying again for up to 1 s (--retry-seconds); Ctrl-C ends it.\n')
})

test('reports rows older than the retention of the entity', async () => {
  const { url } = await service({
    'GET /ingests/plant': () => [200, { ...plantIngest, kept_from: '2026-01-02T00:00:00.000Z' }],
    'POST /ingests/plant/data': () => [200, { batch: 'b', rows: 4 }],
    'GET /ingests/plant/batches/b': () => [
      200,
      { batch: 'b', rows: 4, stored: 4, rejected: 0, pending: 0, replaced: 0, errors: [] },
    ],
  })
  const rows = '{"D":"2026-01-01T23:59:59Z"}\n{"D":1767225600000}\n{"D":"2026-01-02"}\n{"T":"a"}\n'
  const argv = ['push', 'plant', '-', '--format', 'ndjson']
  const { code, out } = await tidemark(url, argv, rows)
  expect(code).toBe(0)
  expect(out).toContain(
    '2 rows are older than 2026-01-02T00:00:00.000Z, the start of the retention of plant: such rows are stored, but queries do not return them.\n',
  )
  expect(JSON.parse((await tidemark(url, [...argv, '--json'], rows)).out)).toMatchObject({ older_than_kept: 2 })
})

test.each([
  [
    [],
    ' and push again, or rename the rejected rows, with an admin key: tidemark rejected replay plant --batch b --rename tag=T,time=D --dry-run\n',
  ],
  [['--dry-run'], '.\n'],
])('for unknown fields, prints the fields of the ingest and proposes renames: %j', async (options, wayOut) => {
  const fault = { index: 0, field: 'time', code: 'unknown_field', message: 'no such field' }
  const counts = { rows: 1, stored: 0, rejected: 1, errors: [fault] }
  const { url } = await service({
    'GET /ingests/plant': () => [200, { ...plantIngest, unknown: 'reject', lines: null }],
    'POST /ingests/plant/data': () => [200, { batch: 'b', rows: 1 }],
    'GET /ingests/plant/batches/b': () => [200, { batch: 'b', pending: 0, replaced: 0, ...counts }],
    'POST /ingests/plant/check': () => [200, counts],
  })
  const argv = ['push', 'plant', '-', '--format', 'ndjson', ...options]
  const { code, out } = await tidemark(url, argv, '{"tag":"a","V":1,"time":"2026-01-01T08:00:00Z"}\n')
  expect(code).toBe(2)
  expect(out).toContain(
    `The fields of plant are D, T, V. By its first row, the file may need the names tag=T,time=D: rename them there${wayOut}`,
  )
})

test.each([
  [[], 'json'],
  [['--dry-run'], 'json'],
  [['--json'], 'json'],
  [['--dry-run', '--json'], 'json'],
  [['--types', 'D=guess'], 'csv'],
  [['--types', 'D=guess', '--dry-run'], 'csv'],
])('warns of times in seconds that are read as milliseconds: %j with %s', async (options, format) => {
  const counts = { rows: 1, stored: 1, rejected: 0, errors: [] }
  const { url } = await service(Object.assign(plant(false), { 'POST /ingests/plant/check': () => [200, counts] }))
  const argv = ['push', 'plant', '-', '--format', format, ...options]
  const text = format === 'csv' ? 'D,T,V\n1767225600,a,1\n' : '{"D":1767225600,"T":"a","V":1}'
  const { code, out, err } = await tidemark(url, argv, text)
  expect(code).toBe(0)
  // With --json, standard output contains only JSON.
  if (options.includes('--json')) expect(JSON.parse(out)).toMatchObject({ stored: 1 })
  expect(options.includes('--json') ? err : out).toContain(
    'D of the first row, 1767225600, is read as milliseconds: 1970-01-21T10:53:45.600Z. As seconds it is 2026-01-01T00:00:00.000Z: if that is meant, write milliseconds or ISO 8601.\n',
  )
})

test.each([
  [[], 'ns', true],
  [['--dry-run'], 'ns', true],
  [['--precision', 's'], 's', false],
  [['--precision', 's', '--dry-run'], 's', false],
])('warns of line protocol times in a unit other than the precision: %j', async (options, unit, isReported) => {
  const counts = { rows: 1, stored: 1, rejected: 0, errors: [] }
  const { url } = await service({
    'GET /ingests/plant': () => [200, { ...plantIngest, unknown: 'reject', lines: null }],
    [`POST /write?db=plant&precision=${unit}`]: () => [204, '', { 'tidemark-batch': 'b' }],
    'GET /ingests/plant/batches/b': () => [200, { batch: 'b', pending: 0, replaced: 0, ...counts }],
    [`POST /ingests/plant/check?precision=${unit}`]: () => [200, counts],
  })
  const argv = ['push', 'plant', '-', '--format', 'lp', ...options]
  const { code, out, err } = await tidemark(url, argv, 'm,T=a V=1 1767225600\n')
  expect([code, err]).toEqual([0, ''])
  const hint =
    'The first time in the file, 1767225600, is read as nanoseconds: 1970-01-01T00:00:01.767Z. As seconds it is 2026-01-01T00:00:00.000Z: if that is right, give --precision s.\n'
  expect(out.includes(hint)).toBe(isReported)
  expect(out.includes('is read as')).toBe(isReported)
})

test('options for CSV are refused for other formats', async () => {
  const { code, err } = await tidemark(unreachable, ['push', 'plant', '-', '--format', 'json', '--map', 'a=b'], '{}')
  expect(code).toBe(64)
  expect(err).toContain('--map is only for CSV')
})

test.each([
  ['csv', 'D,T,V\n', []],
  ['ndjson', '{}\n', ['--skip-rows', '7']],
])('reports that a %s file has no rows to send', async (format, content, options) => {
  const { url, seen } = await service(plant(false))
  const { code, out } = await tidemark(url, ['push', 'plant', '-', '--format', format, ...options], content)
  expect([code, pushes(seen)]).toEqual([0, []])
  expect(out).toContain('No row was sent: the file has none, or --skip-rows skips all of them.\n')
})

test('prints a failure met by several requests once', async () => {
  const failed = new Set<string>()
  const { url, seen } = await service({
    ...plant(false),
    'POST /ingests/plant/data': (body) => {
      if (failed.has(body)) return [200, { batch: 'b', rows: 1 }]
      failed.add(body)
      return [503, { code: 'overloaded', detail: 'Later.', retryable: true }, { 'retry-after': '60' }]
    },
    'GET /ingests/plant/batches/b': () => [
      200,
      { batch: 'b', rows: 1, stored: 1, rejected: 0, pending: 0, replaced: 0, errors: [] },
    ],
  })
  const argv = ['push', 'plant', '-', '--format', 'ndjson', '--batch-rows', '1', '--concurrency', '4']
  const { code, err } = await tidemark(url, argv, '1\n2\n3\n4\n')
  expect(code).toBe(0)
  expect(pushes(seen).toSorted()).toEqual(['1\n', '1\n', '2\n', '2\n', '3\n', '3\n', '4\n', '4\n'])
  expect(err.match(/Later\./g)).toHaveLength(1)
})
