// The same rows in a real Druid, loaded by a batch task, and in a Tidemark with each engine: one machine, and a cluster in front of the same Druid.
import { addresses } from '../cluster/addresses.ts'
import { callOk, makeIngest } from '../support/api.ts'
import { type RunningService, runService, type TestedEngine } from '../support/running-service.ts'
import { adminKey } from '../support/server-process.ts'
import type { Answer } from './compare.ts'
import { entity, type HttpRequest } from './request.ts'

const fields = [
  { name: 'D', type: 'timestamp', role: 'time' },
  { name: 'T', type: 'string', role: 'tag' },
  { name: 'unit', type: 'string', role: 'dimension' },
  { name: 'n', type: 'long', role: 'dimension' },
  { name: 'V', type: 'double', role: 'metric' },
] as const

/** Sorted by time, with distinct times; doubles whose sum does not depend on the order; texts that formats must quote. */
const rows = [
  '"D":"2026-01-01T00:00:00.000Z","T":"a","unit":"bar","n":1,"V":1.5',
  '"D":"2026-01-01T06:30:00.000Z","T":"b","unit":"say \\"bar\\"","n":2,"V":-2.25',
  '"D":"2026-01-01T12:00:00.001Z","T":"a","unit":"m³, été","n":null,"V":10',
  '"D":"2026-01-01T23:59:59.999Z","T":"c","unit":null,"n":9007199254740993,"V":0.125',
  '"D":"2026-01-02T00:00:00.000Z","T":"b","unit":"\u{1f600}</b>\\n","n":-7,"V":null',
  '"D":"2026-01-02T05:00:00.000Z","T":"a","unit":"it\'s ","n":10,"V":1e10',
  '"D":"2026-01-02T11:00:00.000Z","T":"c","unit":"bar","n":2,"V":0.0009765625',
  '"D":"2026-01-03T01:00:00.000Z","T":"b","unit":"007","n":100,"V":-0.5',
  '"D":"2026-01-03T02:00:00.000Z","T":"a","unit":"x,y","n":5,"V":3',
  '"D":"2026-01-03T20:00:00.000Z","T":"c","unit":"A\\tB\\\\","n":0,"V":42',
].map((row) => `{${row}}`)

export interface BothServers {
  tidemark(engine: TestedEngine, request: HttpRequest): Promise<Answer>
  druid(request: HttpRequest): Promise<Answer>
  close(): Promise<void>
}

export async function bothServers(): Promise<BothServers> {
  const [embedded, cluster] = await Promise.all([startTidemark('embedded'), startTidemark('cluster'), loadDruid()])
  const services = { embedded, cluster }
  return {
    tidemark: (engine, request) => ask(services[engine].url, request),
    druid: async (request) => withoutOthers(request, await ask(addresses.druidBroker, request)),
    close: async () => {
      await Promise.all([embedded.close(), cluster.close(), dropFromDruid()])
    },
  }
}

async function startTidemark(engine: TestedEngine): Promise<RunningService> {
  const service = await runService({}, { engine })
  const key = await makeIngest(service.url, adminKey, { alias: entity, fields })
  await callOk(service.url, 'POST', `/ingests/${entity}/data?wait=true`, { key, text: `[${rows.join()}]` })
  return service
}

/** Long enough for a busy machine; a test that hangs fails after it. */
const waitMs = 240_000

async function until(what: string, isSo: () => Promise<boolean>): Promise<void> {
  const deadline = Date.now() + waitMs
  while (!(await isSo())) {
    if (Date.now() > deadline) throw new Error(`${what}: not so after ${waitMs} ms`)
    await new Promise((resolve) => setTimeout(resolve, 500))
  }
}

async function loadDruid(): Promise<void> {
  await dropFromDruid()
  const { druidOverlord } = addresses
  const path = '/druid/indexer/v1/task'
  const { task } = await callOk<{ task: string }>(druidOverlord, 'POST', path, { body: batchTask() })
  await until(`the task ${task} is done`, async () => {
    const url = `${path}/${task}/status`
    const { status } = await callOk<{ status: { statusCode: string } }>(druidOverlord, 'GET', url)
    if (status.statusCode === 'FAILED') throw new Error(`Druid's task failed: ${JSON.stringify(status)}`)
    return status.statusCode === 'SUCCESS'
  })
  await until('all rows can be queried', async () => (await rowsInDruid()) === rows.length)
}

/** Also deletes the rows of earlier runs. */
async function dropFromDruid(): Promise<void> {
  await callOk(addresses.druidOverlord, 'DELETE', `/druid/coordinator/v1/datasources/${entity}`)
  await until('the data source is gone', async () => (await rowsInDruid()) === 0)
}

async function rowsInDruid(): Promise<number> {
  const query = `SELECT num_rows FROM sys.segments WHERE datasource = '${entity}' AND is_available = 1`
  const found = await callOk<{ num_rows: number }[]>(addresses.druidBroker, 'POST', '/druid/v2/sql', {
    body: { query },
  })
  return found.reduce((sum, segment) => sum + segment.num_rows, 0)
}

function batchTask(): object {
  const dimensions = fields
    .filter(({ role }) => role === 'tag' || role === 'dimension')
    .map(({ name, type }) => ({ type, name }))
  return {
    type: 'index_parallel',
    spec: {
      dataSchema: {
        dataSource: entity,
        timestampSpec: { column: 'D', format: 'auto' },
        dimensionsSpec: { dimensions },
        metricsSpec: [{ type: 'doubleSum', name: 'V', fieldName: 'V' }],
        granularitySpec: { segmentGranularity: 'DAY', queryGranularity: 'NONE', rollup: false },
      },
      ioConfig: {
        type: 'index_parallel',
        inputSource: { type: 'inline', data: rows.join('\n') },
        inputFormat: { type: 'json' },
      },
      tuningConfig: { type: 'index_parallel' },
    },
  }
}

/** The delays before a running query is canceled, tried in turn: Druid ignores a cancellation that arrives during planning. */
const cancelAfterMs = [1000, 5000, 15_000]

async function ask(url: string, request: HttpRequest): Promise<Answer> {
  const { canceledBy } = request
  if (canceledBy === undefined) return send(url, request)
  let answer: Answer | null = null
  for (const ms of cancelAfterMs) {
    const asked = send(url, request)
    await new Promise((resolve) => setTimeout(resolve, ms))
    const { status } = await send(url, { method: 'DELETE', path: canceledBy, headers: {}, body: null })
    answer = { ...(await asked), cancelStatus: status }
    if (!answer.text.includes('"Query timeout"')) return answer
  }
  return answer!
}

/** Removes the data sources of other tests in the same Druid from an answer. */
function withoutOthers({ path }: HttpRequest, answer: Answer): Answer {
  if (!/^\/druid\/v2\/datasources\/?$/.test(path)) return answer
  const names: string[] = JSON.parse(answer.text)
  return { ...answer, text: JSON.stringify(names.filter((name) => name === entity)) }
}

async function send(url: string, { method, path, headers, body }: HttpRequest): Promise<Answer> {
  const response = await fetch(url + path, { method, headers, body })
  return { status: response.status, headers: response.headers, text: await response.text(), cancelStatus: null }
}
