// One caller requests more than there is; the queries of others are served meanwhile, and the engine's process stays within its bounds.
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { call, makeReader } from '../support/api.ts'
import { onCluster } from '../support/cluster-under-test.ts'
import { EngineMemory } from '../support/engine-memory.ts'
import { type RunningService, runService } from '../support/running-service.ts'
import { adminKey } from '../support/server-process.ts'
import { makeWorst, type WorstQuery, worstQueries, worstRows } from '../support/worst-queries.ts'

const mebibyte = 2 ** 20
const bounds = { memoryBytes: 256 * mebibyte, workingBytes: 512 * mebibyte }
/** The memory growth allowed between two checks by the process. */
const overshoot = 1.25

/** The time that the demanding caller waits, including its turn among the running queries. */
const patienceMs = 8000

let service: RunningService
let badKey: string
let goodKey: string
let memory: EngineMemory
beforeAll(async () => {
  service = await runService({
    'access.consumption': 'key',
    'limits.runningQueries': '6',
    'limits.runningSqlQueries': '4',
    'sql.memoryBytes': String(bounds.memoryBytes),
    'sql.workingBytes': String(bounds.workingBytes),
    'sql.cancelMs': '200',
  })
  await makeWorst(service.url)
  badKey = await makeReader(service.url, adminKey, ['*'], 'bad')
  goodKey = await makeReader(service.url, adminKey, ['*'], 'good')
  memory = new EngineMemory()
})
afterAll(async () => {
  memory?.stop()
  await service?.close()
})

const sqlQuery = '/consumer/data/sql-query'
const counted = { key: '', body: { sql_query: "SELECT COUNT(*) AS n FROM worst WHERE T LIKE 'tag1%'" } }

/** Queries as another caller until `until` resolves; all must succeed. */
async function neighbour(until: Promise<unknown>): Promise<number> {
  let isOver = false
  void until.then(() => {
    isOver = true
  })
  let answered = 0
  for (; !isOver; answered++) {
    const sql = await call(service.url, 'POST', sqlQuery, { ...counted, key: goodKey })
    expect(sql).toEqual({ status: 200, body: [{ n: (worstRows / 100) * 11 }] })
    const latest = { key: goodKey, body: { entity: 'worst', ids: ['tag7'] } }
    expect((await call(service.url, 'POST', '/consumer/data/latest', latest)).status).toBe(200)
    await sleep(20)
  }
  return answered
}

test.skipIf(onCluster)(
  'expensive queries of one caller do not fail those of others, and memory stays bounded',
  async () => {
    await neighbour(Promise.resolve())
    const asking = Promise.all(
      worstQueries.map(async (query) => ({ name: query.name, outcome: await outcomeOf(query) })),
    )
    expect(await neighbour(asking)).toBeGreaterThan(3)
    const refused = (await asking).filter(
      ({ outcome }) => !/^(?:200 |400 invalid_request|413 result_too_large|left)$/.test(outcome),
    )
    expect(refused).toEqual([])
    expect(memory.takePeakBytes()).toBeLessThan((bounds.memoryBytes + bounds.workingBytes) * overshoot)
  },
  120_000,
)

/** The result for a caller that disconnects after a while. */
async function outcomeOf({ path, body }: WorstQuery): Promise<string> {
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${badKey}` }
  const init = { method: 'POST', headers, body: JSON.stringify(body), signal: AbortSignal.timeout(patienceMs) }
  try {
    const response = await fetch(service.url + path, init)
    const { code } = (await response.json()) as { code?: string }
    return `${response.status} ${code ?? ''}`
  } catch {
    return 'left'
  }
}
