// An assistant's requests over standard input and over HTTP: the same answers, each with the rights of its key.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { callOk, makeIngest, makeReader } from '../support/api.ts'
import { inheritedEnvironment } from '../support/inherited-environment.ts'
import { type RunningService, runService } from '../support/running-service.ts'
import { adminKey, programPath } from '../support/server-process.ts'

interface Message {
  readonly id?: number
  readonly result?: { readonly content?: readonly { readonly text: string }[]; readonly isError?: boolean }
}

let service: RunningService
let key: string
let assistant: ChildProcess
const waiting = new Map<number, (message: Message) => void>()

beforeAll(async () => {
  service = await runService({ 'access.consumption': 'key' })
  const fields = [
    { name: 'D', type: 'timestamp', role: 'time' },
    { name: 'T', type: 'string', role: 'tag' },
    { name: 'V', type: 'long', role: 'metric' },
  ]
  for (const alias of ['plant', 'secret']) {
    const writer = await makeIngest(service.url, adminKey, { alias, fields })
    const body = Array.from({ length: 300 }, (_, index) => ({
      D: new Date(Date.UTC(2026, 0, 1, 0, index)).toISOString(),
      T: index % 2 === 0 ? 'boiler, 1' : 'pump "2"\n',
      V: index,
    }))
    await callOk(service.url, 'POST', `/ingests/${alias}/data?wait=true`, { key: writer, body })
  }
  key = await makeReader(service.url, adminKey, ['plant'])
  assistant = spawn(process.execPath, [programPath, 'mcp'], {
    env: { ...inheritedEnvironment(), TIDEMARK_URL: service.url, TIDEMARK_KEY: key },
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  createInterface({ input: assistant.stdout! }).on('line', (line) => {
    const message: Message = JSON.parse(line)
    waiting.get(message.id!)?.(message)
  })
  const client = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'try', version: '1' } }
  await overLines('initialize', client)
}, 120_000)

afterAll(async () => {
  assistant?.kill()
  await service?.close()
})

function overLines(method: string, params: object): Promise<Message> {
  const id = waiting.size
  return new Promise((resolve) => {
    waiting.set(id, resolve)
    assistant.stdin!.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`)
  })
}

async function overHttp(method: string, params: object, path = '/mcp'): Promise<Message> {
  const headers = {
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    authorization: `Basic ${Buffer.from(`any:${key}`).toString('base64')}`,
  }
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
  const text = await (await fetch(`${service.url}${path}`, { method: 'POST', headers, body })).text()
  return JSON.parse(/^data: (.*)$/m.exec(text)?.[1] ?? text)
}

const hours = { entity: 'plant', granularity: 'hour', start_date: '2026-01-01', end_date: 'PT1H59M' }

test.each<[name: string, asked: object, text: string | RegExp]>([
  ['find_tags', { entity: 'plant', words: 'BOILER' }, 'boiler, 1\n1 row, which is all.'],
  ['find_metadata', {}, 'This key cannot read any metadata table.'],
  [
    'query',
    { kind: 'latest', entity: 'plant', ids: ['boiler, 1'] },
    /^D,T,V\n2026-01-01T04:58:00.000Z,"boiler, 1",298\n/,
  ],
  [
    'query',
    { kind: 'select', entity: 'plant', max_rows: 2 },
    /\n2026-01-01T00:01:00.000Z,"pump ""2""\n",1\nCut at max_rows/,
  ],
  ['query', { kind: 'aggregate', aggregates: ['max', 'count'], ...hours }, /,"boiler, 1",58,30\n/],
  ['query', { kind: 'average', ...hours }, /\n4 rows, which is all\.$/],
  ['query', { kind: 'average', ...hours, aggregates: ['max'] }, /^aggregates /],
  ['query', { kind: 'latest', entity: 'secret' }, /\(forbidden\)$/],
  ['sql', { sql_query: 'SELECT SUM(V) AS total FROM plant' }, 'total\n44850\n1 row, which is all.'],
  ['sql', { sql_query: 'SELECT * FROM secret' }, /secret/],
  ['sql', { sql_query: 'SELECT nothing FROM plant' }, /there are '__time', 'T', 'V'/],
])('%s %j', async (name, asked, text) => {
  const call = { name, arguments: asked }
  const { result } = await overLines('tools/call', call)
  expect(result?.content?.map((part) => part.text).join('\n')).toMatch(text)
  expect((await overHttp('tools/call', call)).result).toEqual(result)
})

test('list_entities returns only the entities that the key may read', async () => {
  const { result } = await overLines('tools/call', { name: 'list_entities', arguments: {} })
  expect(result?.content?.[0]?.text).toMatch(/^\{"entity":"plant",.*"rows":300,[^\n]*\}$/)
})

test('the tools are the same over standard input and over HTTP', async () => {
  const { result } = await overLines('tools/list', {})
  expect((await overHttp('tools/list', {})).result).toEqual(result)
  expect((await overHttp('tools/list', {}, '/mcp/')).result).toEqual(result)
})

test('the command exits when its input ends', async () => {
  assistant.stdin!.end()
  expect(await once(assistant, 'close')).toEqual([0, null])
})
