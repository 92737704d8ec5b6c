// Readers of live rows at two processes of a cluster, through deletions, cuts, resumes at the other process and kills: each receives exactly the stored
// rows, without deleted ones, and each deletion and restoration is announced between the rows before and after it.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { call, callOk, makeIngest } from '../support/api.ts'
import { clusterEnvironment, newClusterName, removeCluster } from '../support/cluster-under-test.ts'
import { LiveReader } from '../support/live-reader.ts'
import { copyOf, type DeletionEvent, type Selection, selects } from '../support/live-rounds.ts'
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
  /** The number of rows stored, and below of changes to deletions made, before the watcher connected. */
  readonly from: number
  readonly changesFrom: number
}

interface Deletion {
  readonly id: number
  readonly selection: Selection
  /** The value of the last row pushed before. */
  readonly before: number
  /** The rows that it hides. */
  readonly taken: Set<Row>
  stands: boolean
}

const isShort = process.env['TIDEMARK_CLUSTER_SHORT'] === '1'
const steps = isShort ? 80 : 400
const seed = Number(process.env['TIDEMARK_TEST_SEED'] ?? Date.now() % 1_000_000)
const name = newClusterName()
const queries: readonly (readonly [query: string, passes: (row: Row) => boolean])[] = [
  ['', () => true],
  ['&ids=a', ({ T }) => T === 'a'],
  ['&prefixes=b', ({ T }) => T.startsWith('b')],
]
/** The number of partitions for the rows of an entity. */
const partitions = 2
const environment = {
  ...clusterEnvironment(name),
  TIDEMARK_INGEST_LANES: `${partitions}`,
  TIDEMARK_LIMITS_INGEST_WAIT_MS: '240000',
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

/** Checks readers of a new entity; `idOf` is the id from which a reader resumes. */
async function checkLive(entity: string, idOf: IdOf): Promise<void> {
  const draw = drawFrom(seed)
  const key = await makeIngest(servers[0]!.url, adminKey, { alias: entity })
  const path = `/ingests/${entity}/data`
  /** Waits until the process knows the ingest. */
  const untilTaken = (server: number): Promise<unknown> =>
    untilStatus(200, 60_000, servers[server]!.url, 'POST', path, { key, body: [] })
  await untilTaken(1)
  const stored: Row[] = []
  /** The number of rows stored before each, by its value; the rows of one replay share it. */
  const storedAt = new Map<number, number>()
  const note = (...rows: readonly Row[]): void => {
    for (const { V } of rows) storedAt.set(V, stored.length)
    stored.push(...rows)
  }
  /** `pushed` is the number of rows pushed up to this one. */
  let rejected: { readonly row: Row; readonly pushed: number }[] = []
  const deletions: Deletion[] = []
  const changes: { readonly id: number; readonly undone: boolean }[] = []
  const watchers: Watcher[] = []
  let value = 0
  const newRow = (T = ['a', 'b', 'b.1'][draw(3)]!): Row => {
    return { D: new Date(Date.UTC(2026, 0, 1, 0, 0, draw(5))).toISOString(), T, V: ++value }
  }
  const url = (): string => servers[draw(2)]!.url
  const pushRows = async (rows: readonly Row[], isGood: (row: Row) => boolean, server = url()): Promise<void> => {
    const body = rows.map((row) => (isGood(row) ? row : { ...row, V: `${row.V}` }))
    await callOk(server, 'POST', `${path}?wait=true`, { key, body })
    for (const row of rows) {
      if (isGood(row)) note(row)
      else rejected.push({ row, pushed: row.V })
    }
  }
  const push = (): Promise<void> => {
    const good = new Set<Row>()
    const rows = Array.from({ length: 1 + draw(8) }, () => newRow())
    for (const row of rows) if (draw(5) > 0) good.add(row)
    return pushRows(rows, (row) => good.has(row))
  }
  const deletionsPath = `/admin/entities/${entity}/deletions`
  const newSelection = (): Selection => {
    const where = { metric: 'V', op: draw(2) === 0 ? '<' : '>=', value: value - draw(20) } as const
    const ids = [['a', 'b', 'b.1'][draw(3)]!]
    const start_date = new Date(Date.UTC(2026, 0, 1, 0, 0, draw(5))).toISOString()
    return [{ ids, start_date }, { where }, { ids, where }][draw(3)]!
  }
  const isHidden = (row: Row): boolean => deletions.some(({ stands, taken }) => stands && taken.has(row))
  /** The rows visible at a process that has responded to a deletion. */
  const visible = async (server: string): Promise<ReadonlySet<number>> => {
    const items = await callOk<Row[]>(server, 'POST', '/consumer/data/select', { body: { entity } })
    return new Set(items.map(({ V }) => V))
  }
  const noteDeletion = async (server: string, id: number, asked: Pick<Deletion, 'selection' | 'before'>) => {
    const seen = await visible(server)
    const taken = new Set(stored.filter((row) => selects(asked.selection, row) && !seen.has(row.V)))
    deletions.push({ id, ...asked, taken, stands: true })
    changes.push({ id, undone: false })
    for (const row of stored) expect([row, seen.has(row.V)]).toEqual([row, !isHidden(row)])
  }
  const remove = async (beside: () => Promise<void>): Promise<void> => {
    const [server, selection, before] = [url(), newSelection(), value]
    const body = { ...selection, reason: 'wrong' }
    // Rows acknowledged during the deletion may count as pushed before or after it; a query shows which.
    const made = callOk<{ id: number }>(server, 'POST', deletionsPath, { key: adminKey, body })
    const [{ id }] = await Promise.all([made, beside()])
    await noteDeletion(server, id, { selection, before })
  }
  const takeBack = async (): Promise<void> => {
    const one = deletions[draw(Math.max(1, deletions.length))]
    if (one?.stands !== true) return
    await callOk(url(), 'DELETE', `${deletionsPath}/${one.id}`, { key: adminKey })
    one.stands = false
    changes.push({ id: one.id, undone: true })
  }
  const kill = async (killed: number): Promise<void> => {
    await servers[killed]!.kill()
    servers[killed] = await start()
    await untilTaken(killed)
  }
  /** The deletion is either made, or leaves no trace. */
  const removeAndKill = async (): Promise<void> => {
    const [killed, selection, before] = [draw(2), newSelection(), value]
    const body = { ...selection, reason: 'wrong' }
    const made = call(servers[killed]!.url, 'POST', deletionsPath, { key: adminKey, body }).catch(() => null)
    await Promise.all([
      pushRows([newRow('b')], () => true, servers[1 - killed]!.url),
      made,
      sleep(draw(300)).then(() => kill(killed)),
    ])
    const { Items } = await callOk<{ Items: { id: number }[] }>(servers[killed]!.url, 'GET', deletionsPath, {
      key: adminKey,
    })
    const id = Items.map((one) => one.id).find((found) => deletions.every((known) => known.id !== found))
    if (id !== undefined) await noteDeletion(servers[killed]!.url, id, { selection, before })
  }
  const actions: readonly (() => Promise<unknown>)[] = [
    push,
    push,
    push,
    async () => {
      const body = { convert: { V: 'number' } }
      await callOk(url(), 'POST', `/admin/ingests/${entity}/rejected/replay`, { key: adminKey, body })
      note(...rejected.map(({ row }) => row))
      for (const { row, pushed } of rejected) {
        for (const { selection, before, taken } of deletions)
          if (pushed <= before && selects(selection, row)) taken.add(row)
      }
      rejected = []
    },
    async () => {
      const [filter, passes] = queries[draw(queries.length)]!
      const query = `entity=${entity}${filter}`
      const reader = new LiveReader()
      await reader.connect(url(), query)
      watchers.push({ reader, query, passes, from: stored.length, changesFrom: changes.length })
    },
    async () => watchers[draw(Math.max(1, watchers.length))]?.reader.cut(),
    async () => {
      const watcher = watchers[draw(Math.max(1, watchers.length))]
      await watcher?.reader.cut()
      await watcher?.reader.connect(url(), watcher.query, idOf(watcher.reader))
    },
    () => remove(async () => undefined),
    () => remove(() => pushRows([newRow(), newRow()], () => true)),
    takeBack,
    async () => (draw(8) > 0 ? undefined : kill(draw(2))),
    async () => (draw(8) > 0 ? undefined : removeAndKill()),
  ]
  /** Rows that were restored must be read again, so the reader's copy of them is not checked. */
  const isUncertain = (row: Row): boolean =>
    deletions.some(({ stands, selection }) => !stands && selects(selection, row))
  const hasOf = ({ reader }: Watcher) => ({
    rows: byValue((copyOf(reader) as Row[]).filter((row) => !isUncertain(row))),
    changes: reader.receivedEvents.flatMap(([event, data]) => {
      const { id, undone = false } = data as DeletionEvent
      return event === 'deleted' ? [{ id, undone }] : []
    }),
  })
  try {
    for (let step = 0; step < steps; step++) await actions[draw(actions.length)]!()
    // In each partition they come after everything else.
    for (let batch = 0; batch < 2 * partitions; batch++) await pushRows(['a', 'b', 'b.1'].map(newRow), () => true)
    for (const { reader, query } of watchers) await reader.connect(url(), query, idOf(reader))
    for (const watcher of watchers) {
      const { reader, passes, from, changesFrom } = watcher
      const rows = stored.slice(from).filter((row) => passes(row) && !isUncertain(row) && !isHidden(row))
      const wanted = { rows: byValue(rows), changes: changes.slice(changesFrom) }
      await expect.poll(() => hasOf(watcher), { timeout: 60_000 }).toEqual(wanted)
      await reader.cut()
      expect(hasOf(watcher)).toEqual(wanted)
      const values = (reader.rows as Row[]).map(({ V }) => V)
      expect(values).toEqual([...new Set(values)])
      expect(longestFall(values.map((one) => storedAt.get(one)!))).toBeLessThanOrEqual(partitions)
      expect(reader.events).toEqual([])
    }
  } finally {
    for (const { reader } of watchers) await reader.cut()
  }
}

test(
  `each reader receives its rows once, in order per partition, and deletions in place (TIDEMARK_TEST_SEED=${seed})`,
  () => checkLive('plant', ({ lastId }) => lastId),
  1_200_000,
)

test('canary: a reader that resumes from an id one too early is detected', async () => {
  await expect(checkLive('canary', ({ lastId, idBefore }) => idBefore ?? lastId)).rejects.toThrow(/expected/)
}, 1_200_000)

function byValue(rows: readonly Row[]): readonly Row[] {
  return rows.toSorted((one, other) => one.V - other.V)
}

/** The length of the longest falling subsequence: at most the number of rising lists that were mixed. */
function longestFall(numbers: readonly number[]): number {
  const falls: number[] = []
  for (const [index, number] of numbers.entries()) {
    const before = numbers.slice(0, index).map((earlier, at) => (earlier > number ? falls[at]! : 0))
    falls.push(1 + Math.max(0, ...before))
  }
  return Math.max(0, ...falls)
}
