// Readers of live rows at two processes of a cluster, through cuts, resumes at the other one and kills: each has exactly the rows that were stored.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { callWell, makeIngest } from '../support/api.ts'
import { clusterEnvironment, newClusterName, removeCluster } from '../support/cluster-under-test.ts'
import { LiveReader } from '../support/live-reader.ts'
import { drawFrom } from '../support/random-rows.ts'
import { adminKey, ServerProcess } from '../support/server-process.ts'
import { untilStatus } from './scenarios-over-http.ts'

interface Row {
  readonly D: string
  readonly T: string
  readonly V: number
}

interface Watcher {
  readonly reader: LiveReader
  readonly query: string
  readonly passes: (row: Row) => boolean
  /** How many rows were stored before it came. */
  readonly from: number
}

const isShort = process.env['TIDEMARK_CLUSTER_SHORT'] === '1'
const steps = isShort ? 80 : 400
const seed = Number(process.env['TIDEMARK_CRASH_SEED'] ?? Date.now() % 1_000_000)
const name = newClusterName()
const queries: readonly (readonly [query: string, passes: (row: Row) => boolean])[] = [
  ['', () => true],
  ['&ids=a', ({ T }) => T === 'a'],
  ['&prefixes=b', ({ T }) => T.startsWith('b')],
]
/** The rows of an entity lie in so many. */
const partitions = 2
const environment = {
  ...clusterEnvironment(name),
  TIDEMARK_INGEST_LANES: `${partitions}`,
  TIDEMARK_LIMITS_INGEST_WAIT_MS: '60000',
  TIDEMARK_KAFKA_SESSION_TIMEOUT_MS: '6000',
}
let dataDirectory: string
let servers: ServerProcess[]

const start = (): Promise<ServerProcess> => ServerProcess.start({ dataDirectory, environment })

beforeAll(async () => {
  dataDirectory = await mkdtemp(join(tmpdir(), 'tidemark-live-'))
  servers = [await start(), await start()]
})

afterAll(async () => {
  await Promise.all(servers.map((server) => server.stop()))
  await removeCluster(name)
  await rm(dataDirectory, { recursive: true, force: true })
})

type IdOf = (reader: LiveReader) => string | null

/** Of an entity of its own; the id that a reader goes on from is `idOf`. */
async function checkLive(entity: string, idOf: IdOf): Promise<void> {
  const draw = drawFrom(seed)
  const key = await makeIngest(servers[0]!.url, adminKey, { alias: entity })
  const path = `/ingests/${entity}/data`
  /** The process knows of the ingest. */
  const untilTaken = (server: number): Promise<unknown> =>
    untilStatus(200, 60_000, servers[server]!.url, 'POST', path, { key, body: [] })
  await untilTaken(1)
  const stored: Row[] = []
  /** By its value, when a row was stored: those of one replay at once. */
  const storedAt = new Map<number, number>()
  const note = (...rows: readonly Row[]): void => {
    for (const { V } of rows) storedAt.set(V, stored.length)
    stored.push(...rows)
  }
  let rejected: Row[] = []
  const watchers: Watcher[] = []
  let value = 0
  const url = (): string => servers[draw(2)]!.url
  const push = async (): Promise<void> => {
    const good: Row[] = []
    const body = Array.from({ length: 1 + draw(8) }, () => {
      const row = {
        D: new Date(Date.UTC(2026, 0, 1, 0, 0, draw(5))).toISOString(),
        T: ['a', 'b', 'b.1'][draw(3)]!,
        V: ++value,
      }
      const isGood = draw(5) > 0
      ;(isGood ? good : rejected).push(row)
      return isGood ? row : { ...row, V: `${row.V}` }
    })
    await callWell(url(), 'POST', `${path}?wait=true`, { key, body })
    for (const row of good) note(row)
  }
  const actions: readonly (() => Promise<unknown>)[] = [
    push,
    push,
    push,
    async () => {
      const body = { convert: { V: 'number' } }
      await callWell(url(), 'POST', `/admin/ingests/${entity}/rejected/replay`, { key: adminKey, body })
      note(...rejected)
      rejected = []
    },
    async () => {
      const [filter, passes] = queries[draw(queries.length)]!
      const query = `entity=${entity}${filter}`
      const reader = new LiveReader()
      await reader.connect(url(), query)
      watchers.push({ reader, query, passes, from: stored.length })
    },
    async () => watchers[draw(Math.max(1, watchers.length))]?.reader.cut(),
    async () => {
      const watcher = watchers[draw(Math.max(1, watchers.length))]
      await watcher?.reader.cut()
      await watcher?.reader.connect(url(), watcher.query, idOf(watcher.reader))
    },
    async () => {
      if (draw(8) > 0) return
      const killed = draw(2)
      await servers[killed]!.kill()
      servers[killed] = await start()
      await untilTaken(killed)
    },
  ]
  try {
    for (let step = 0; step < steps; step++) await actions[draw(actions.length)]!()
    for (const { reader, query } of watchers) await reader.connect(url(), query, idOf(reader))
    for (const { reader, passes, from } of watchers) {
      const wanted = stored.slice(from).filter(passes)
      await expect.poll(() => reader.rows.length, { timeout: 60_000 }).toBeGreaterThanOrEqual(wanted.length)
      await reader.cut()
      const rows = reader.rows as Row[]
      expect(byValue(rows)).toEqual(byValue(wanted))
      expect(longestFall(rows.map(({ V }) => storedAt.get(V)!))).toBeLessThanOrEqual(partitions)
      expect(reader.events).toEqual([])
    }
  } finally {
    for (const { reader } of watchers) await reader.cut()
  }
}

test(
  `each reader has the rows that it asked for, once, and those of a partition in order (TIDEMARK_CRASH_SEED=${seed})`,
  () => checkLive('plant', ({ lastId }) => lastId),
  600_000,
)

test('the same check finds a reader that goes on from an id one too early', async () => {
  await expect(checkLive('canary', ({ lastId, idBefore }) => idBefore ?? lastId)).rejects.toThrow(/expected/)
}, 600_000)

function byValue(rows: readonly Row[]): readonly Row[] {
  return rows.toSorted((one, other) => one.V - other.V)
}

/** How many numbers fall, in their order, at most: no more than there are rising lists that were mixed. */
function longestFall(numbers: readonly number[]): number {
  const falls: number[] = []
  for (const [index, number] of numbers.entries()) {
    const before = numbers.slice(0, index).map((earlier, at) => (earlier > number ? falls[at]! : 0))
    falls.push(1 + Math.max(0, ...before))
  }
  return Math.max(0, ...falls)
}
