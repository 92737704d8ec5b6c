// Copies one real service into another with `tidemark copy`, over HTTP.
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Readable } from 'node:stream'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { run } from '../../src/cli/run.ts'
import { callOk } from '../support/api.ts'
import { onCluster } from '../support/cluster-under-test.ts'
import { type RunningService, runService } from '../support/running-service.ts'
import { adminKey } from '../support/server-process.ts'

const admin = { key: adminKey }
const dayMs = 86_400_000
const startMs = Date.UTC(2026, 0, 1)

const plant = {
  alias: 'line',
  kind: 'series',
  entity: 'plant',
  fields: [
    { name: 'date', source: 'D', type: 'timestamp', role: 'time' },
    { name: 'id_tag', source: 'T', type: 'string', role: 'tag' },
    { name: 'site', source: 'S "quoted"', type: 'string', role: 'tag' },
    { name: 'unit', source: 'U', type: 'string', role: 'dimension' },
    { name: 'value', source: 'V', type: 'double', role: 'metric' },
    { name: 'count', source: 'N', type: 'long', role: 'metric' },
    { name: 'ok', source: 'B', type: 'boolean', role: 'metric' },
    { name: 'seen', source: 'at', type: 'timestamp', role: 'metric' },
    { name: 'text', source: 'X', type: 'string', role: 'metric' },
  ],
}
const tags = {
  alias: 'tags',
  kind: 'metadata',
  fields: [
    { name: 'id', source: 'ID', type: 'long', role: 'index' },
    { name: 'unit', source: 'U', type: 'string', role: 'attribute' },
    { name: 'more', source: 'M', type: 'json', role: 'attribute' },
  ],
}

/** The JSON of a row, written as text so that its numbers keep their digits. */
function plantRow(index: number): string {
  const date = new Date(startMs + (index % 3) * 40 * dayMs + Math.floor(index / 9) * 1000).toISOString()
  const parts = [`"D":"${date}"`, `"T":"t.${index % 2}"`, `"S \\"quoted\\"":"s"`]
  if (index % 4 !== 0) parts.push(`"U":"line\\nfeed ${index % 5} é"`)
  parts.push(`"V":${index % 7 === 0 ? 'null' : index / 3}`, `"N":${9_007_199_254_740_993n + BigInt(index)}`)
  if (index % 2 === 0) parts.push(`"B":${index % 4 === 0}`, `"at":"2026-05-05T05:05:05.005Z"`, '"X":"{\\"a\\":1}"')
  return `{${parts.join()}}`
}

let source: RunningService
let target: RunningService
let copier = ''

async function keyOf(url: string, name: string): Promise<string> {
  await callOk(url, 'POST', '/admin/subscribers', { ...admin, body: { name } })
  await callOk(url, 'PUT', `/admin/subscribers/${name}/subscriptions`, { ...admin, body: [{ ingest: '*' }] })
  const body = { rights: ['admin', 'ingest'] }
  return (await callOk<{ key: string }>(url, 'POST', `/admin/subscribers/${name}/keys`, { ...admin, body })).key
}

function push(key: string, alias: string, text: string): Promise<{ stored: number }> {
  return callOk(source.url, 'POST', `/ingests/${alias}/data?wait=true`, { key, text })
}

beforeAll(async () => {
  source = await runService({ 'limits.resultRows': '40' })
  target = await runService()
  copier = await keyOf(target.url, 'copier')
  const pusher = await keyOf(source.url, 'line-3')
  const steady = { alias: 'steady', kind: 'series', duplicates: 'replace' }
  for (const body of [plant, tags, steady]) await callOk(source.url, 'POST', '/admin/ingests', { ...admin, body })
  await push(pusher, 'line', `[${Array.from({ length: 300 }, (_, index) => plantRow(index)).join()}]`)
  // Rows with the same date, whose order must be kept.
  await push(
    pusher,
    'line',
    `[${[3, 1, 2].map((value) => `{"D":"2026-02-01","T":"same","S \\"quoted\\"":"s","V":${value}}`)}]`,
  )
  await push(
    pusher,
    'steady',
    '[{"D":"2025-12-31","T":"a","V":1},{"D":"2025-12-31","T":"a","V":2},{"D":"2026-01-01","T":"a","V":3}]',
  )
  await push(
    pusher,
    'tags',
    '[{"ID":9007199254740993,"U":"K","M":{"a":[1,{"b":" x "}]}},{"ID":-1,"M":12345678901234567890}]',
  )
  const blocked = { state: 'blocked', reason: 'moved' }
  await callOk(source.url, 'PATCH', '/admin/ingests/steady', { ...admin, body: blocked })
  await callOk(source.url, 'PATCH', '/admin/entities/plant', { ...admin, body: { retention: 'P90Y' } })
})
afterAll(async () => {
  await source?.close()
  await target?.close()
})

interface Ran {
  readonly code: number
  readonly out: string
  readonly err: string
}

async function copy(argv: readonly string[], key = copier, url = target.url, sourceUrl = source.url): Promise<Ran> {
  const printed = { out: '', err: '' }
  const output = (name: 'out' | 'err') => ({
    write: (text: string | Uint8Array) => {
      printed[name] += Buffer.from(text).toString()
      return true
    },
    once: () => {},
  })
  const code = await run(['copy', sourceUrl, ...argv], {
    environment: { TIDEMARK_URL: url, TIDEMARK_KEY: key, TIDEMARK_SOURCE_KEY: adminKey },
    stdin: Readable.from([]),
    stdout: output('out'),
    stderr: output('err'),
    mainPath: '',
    nowMs: Date.now,
    sleep: (ms) => new Promise((resolve) => setTimeout(resolve, Math.min(ms, 20))),
  })
  return { code, ...printed }
}

/** A proxy in front of the target that loses the response to the second push and refuses later pushes. */
async function interrupting(): Promise<{ url: string; server: Server }> {
  let pushes = 0
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const { 'content-type': type, 'idempotency-key': idempotencyKey } = request.headers
    const isPush = request.url?.endsWith('/data') === true
    if (isPush && ++pushes > 2) return void response.writeHead(400).end()
    const answer = await fetch(target.url + request.url, {
      method: request.method ?? 'GET',
      headers: {
        authorization: `Bearer ${copier}`,
        ...(type === undefined ? {} : { 'content-type': type }),
        ...(isPush ? { 'idempotency-key': String(idempotencyKey) } : {}),
      },
      ...(chunks.length === 0 ? {} : { body: Buffer.concat(chunks) }),
    })
    if (pushes === 2 && isPush) return void request.socket.destroy()
    response.writeHead(answer.status).end(await answer.text())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, server }
}

/** All rows as text, read in windows that fit the source's small limit. */
async function rowsOf(url: string, entity: string): Promise<string[]> {
  const rows: string[] = []
  const fields = entity === 'plant' ? ['site', 'unit'] : []
  for (const day of ['2025-12-31', '2026-01-01', '2026-02-01', '2026-02-10', '2026-03-22']) {
    for (let second = 0; second < 40; second += 10) {
      const fromMs = Date.parse(day) + second * 1000
      const end_date = new Date(fromMs + 9_999).toISOString()
      const body = JSON.stringify({ entity, fields, start_date: new Date(fromMs).toISOString(), end_date })
      const headers = { 'content-type': 'application/json', accept: 'application/x-ndjson' }
      const answer = await fetch(`${url}/consumer/data/select`, { method: 'POST', headers, body })
      if (!answer.ok) throw new Error(await answer.text())
      rows.push(...(await answer.text()).split('\n').filter((line) => line !== ''))
    }
  }
  return rows
}

const itemsOf = async (url: string) => (await fetch(`${url}/consumer/metadata/tags`)).text()

describe('tidemark copy', () => {
  test.each([
    ['a key without the right to push', [], adminKey, 'may not push to', 1],
    ['an unknown key', [], 'nobody', 'The target does not know the key', 1],
    ['an unknown entity', ['--entity', 'nowhere'], undefined, 'The source has no entity nowhere', 1],
    ['an invalid date', ['--from', 'yesterday'], undefined, '--from must be a date', 64],
  ])('rejects %s', async (_name, argv, key, message, exitCode) => {
    const { code, err } = await copy(argv, key ?? copier)
    expect(err).toContain(message)
    expect(code).toBe(exitCode)
    expect((await callOk<{ Items: unknown[] }>(target.url, 'GET', '/admin/ingests', admin)).Items).toEqual([])
  })

  test('refuses a target whose definitions differ, and names the difference', async () => {
    const other = await runService()
    try {
      const body = {
        ...plant,
        fields: plant.fields.map((field) => (field.name === 'count' ? { ...field, type: 'double' } : field)),
      }
      await callOk(other.url, 'POST', '/admin/ingests', { ...admin, body })
      const { code, err } = await copy([], adminKey, other.url)
      expect(err).toContain('line: the type of the field count is long at the source and double at the target')
      expect(code).toBe(1)
    } finally {
      await other.close()
    }
  })

  test('warns before it starts about rows without a tag, which the target will reject', async () => {
    const other = await runService()
    const young = await runService()
    try {
      const key = await keyOf(other.url, 'pusher')
      const filler = await keyOf(young.url, 'copier')
      await callOk(other.url, 'POST', '/admin/ingests', { ...admin, body: { alias: 'pumps', kind: 'series' } })
      const pushed = (text: string): Promise<unknown> =>
        callOk(other.url, 'POST', '/ingests/pumps/data?wait=true', { key, text })
      await pushed('[{"D":"2026-01-01","T":"a","V":1},{"D":"2026-01-02","T":"b","V":2}]')
      const site = { add_fields: [{ name: 'site', type: 'string', role: 'tag' }] }
      await callOk(other.url, 'PATCH', '/admin/ingests/pumps', { ...admin, body: site })
      await pushed('[{"D":"2026-01-03","T":"a","site":"x","V":3}]')
      const { code, out, err } = await copy(['--json'], filler, young.url, other.url)
      expect(err).toMatch(
        /^pumps: 2 rows have no site, the last of them at 2026-01-02T00:00:00\.000Z: .*will reject them \(missing_tag\)/,
      )
      expect(code).toBe(1)
      expect(JSON.parse(out)).toMatchObject({ copied: [{ name: 'pumps', copied: 3, rejected: 2, targetAfter: 1 }] })
    } finally {
      await other.close()
      await young.close()
    }
  })

  test('copies only the definitions with --definitions-only', async () => {
    const { code, out, err } = await copy(['--definitions-only'], adminKey)
    expect({ code, err }).toEqual({ code: 0, err: '' })
    expect(out).toContain('ingests created: line, steady, tags')
    expect(out).toContain('tidemark keys create line-3 --rights admin,ingest')
    const steady = await callOk(target.url, 'GET', '/admin/ingests/steady', admin)
    expect(steady).toMatchObject({ state: 'blocked', reason: 'moved', duplicates: 'replace' })
    const entity = { entity: 'plant', retention: 'P90Y' }
    expect(await callOk(target.url, 'GET', '/admin/entities', admin)).toMatchObject({ Items: [entity, {}] })
    const subscriptions = await callOk(target.url, 'GET', '/admin/subscribers/line-3/subscriptions', admin)
    expect(subscriptions).toMatchObject({ Items: [{ ingest: '*' }] })
  })

  test('retries an interrupted push, then fails', async () => {
    const { url, server } = await interrupting()
    try {
      const { code, err } = await copy(['--entity', 'plant', '--concurrency', '1'], copier, url)
      expect(err).toContain('Trying again')
      expect(code).toBe(1)
    } finally {
      server.closeAllConnections()
      server.close()
    }
  })

  test('resumes an interrupted copy, and copies only the rows in the range of dates', async () => {
    const { code, out } = await copy(['--entity', 'plant', '--to', '2026-02-10', '--json'])
    expect(code).toBe(0)
    // On a cluster, the rows of the interrupted copy may not be counted yet.
    const targetBefore = onCluster ? expect.any(Number) : 103
    expect(JSON.parse(out)).toMatchObject({ copied: [{ copied: 103, targetBefore, targetAfter: 103 }] })
  })

  test('copies everything, digit for digit, and nothing twice', async () => {
    const { code, out, err } = await copy(['--json'])
    expect(err).toContain('plant: the target has 103 rows already')
    expect(code).toBe(0)
    expect(JSON.parse(out)).toMatchObject({
      created: [],
      copied: [
        { name: 'plant', ingest: 'line', copied: 303, sourceAfter: 303, targetAfter: 303 },
        { name: 'steady', copied: 2, sourceAfter: 2, targetAfter: 2 },
        { name: 'tags', copied: 2, sourceAfter: 2, targetAfter: 2 },
      ],
    })
    for (const entity of ['plant', 'steady'])
      expect(await rowsOf(target.url, entity)).toEqual(await rowsOf(source.url, entity))
    expect(await rowsOf(target.url, 'plant')).toHaveLength(303)
    expect(await itemsOf(target.url)).toBe(await itemsOf(source.url))
    const steady = await callOk(target.url, 'GET', '/admin/ingests/steady', admin)
    expect(steady).toMatchObject({ state: 'blocked', reason: 'moved' })
  })

  test('stores nothing when it runs again, and reports that', async () => {
    const { code, out } = await copy(['--concurrency', '1'])
    expect(code).toBe(0)
    expect(out).toContain('plant: the target had 303 rows before; it has 303 now, the source has 303.')
  })

  test('creates an open ingest with its settings and the fields that rows added', async () => {
    const open = { alias: 'open', kind: 'series', unknown: 'add', lines: { tag: '{measurement}.{field}' } }
    await callOk(source.url, 'POST', '/admin/ingests', { ...admin, body: open })
    const pusher = await keyOf(source.url, 'open-sender')
    await push(pusher, 'open', '[{"D":"2026-01-01","T":"a","V":1,"humidity":40.5}]')
    expect((await copy(['--entity', 'open'])).code).toBe(0)
    const made = (url: string) => callOk<Record<string, unknown>>(url, 'GET', '/admin/ingests/open', admin)
    const { unknown, lines, fields } = await made(target.url)
    expect({ unknown, lines }).toEqual({ unknown: open.unknown, lines: open.lines })
    const ofRow = { name: 'humidity', source: 'humidity', type: 'double', role: 'metric' }
    expect(fields).toContainEqual(ofRow)
    expect((await made(source.url))['fields']).toContainEqual({ ...ofRow, added: 'by_row' })
    expect(await rowsOf(target.url, 'open')).toEqual(await rowsOf(source.url, 'open'))
  })

  test('copies items of every quality, and rows of one date and tag in the order in which they were pushed', async () => {
    const fields = [
      { name: 'D', type: 'timestamp', role: 'time' },
      { name: 'T', type: 'string', role: 'tag' },
      { name: 'V', type: 'double', role: 'metric' },
      { name: 'd', type: 'string', role: 'dimension' },
      { name: 'Q', type: 'long', role: 'quality', coding: 'opcua' },
    ]
    await callOk(source.url, 'POST', '/admin/ingests', { ...admin, body: { alias: 'graded', kind: 'series', fields } })
    const pusher = await keyOf(source.url, 'graded-sender')
    const rows = [
      { D: '2026-01-01', T: 'a', V: 1, d: 'z', Q: 5 },
      { D: '2026-01-01', T: 'a', V: 2, d: 'b' },
      { D: '2026-01-01', T: 'a', V: 3, d: 'y', Q: 2_147_483_648 },
      { D: '2026-01-03', T: 'a', V: 4, d: 'y', Q: 2_147_483_648 },
    ]
    await push(pusher, 'graded', JSON.stringify(rows))
    const { code, out } = await copy(['--entity', 'graded', '--json'])
    expect(JSON.parse(out)).toMatchObject({ copied: [{ copied: 4, sourceAfter: 4, targetAfter: 4 }] })
    expect(code).toBe(0)
    const query = (url: string, kind: string, request: object) =>
      callOk(url, 'POST', `/consumer/data/${kind}`, { key: adminKey, body: { entity: 'graded', ...request } })
    const all = { quality: ['good', 'uncertain', 'bad'] }
    expect(await query(target.url, 'latest', {})).toEqual([{ D: '2026-01-01T00:00:00.000Z', T: 'a', V: 2 }])
    for (const request of [{}, { fields: ['d'] }, all, { ...all, fields: ['d'] }])
      expect(await query(target.url, 'select', request)).toEqual(await query(source.url, 'select', request))
    expect(await query(target.url, 'select', all)).toHaveLength(4)
  })
})
