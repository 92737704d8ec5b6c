// Readers of live rows during random pushes, deletions, cuts and kills. Each must receive exactly the rows it requested, in the order in which they
// were stored, without those that are deleted.
import { expect } from 'vitest'
import { callOk, makeIngest } from './api.ts'
import { LiveReader } from './live-reader.ts'
import { drawFrom } from './random-rows.ts'
import { inScratchFolder } from './scratch-folder.ts'
import { adminKey, ServerProcess } from './server-process.ts'

export interface LiveRoundOptions {
  readonly steps: number
  /** The id from which a reader resumes. */
  readonly idOf?: (reader: LiveReader) => string | null
}

interface Row {
  readonly D: string
  readonly T: string
  readonly V: number
}

export interface Selection {
  readonly ids?: readonly string[]
  readonly start_date?: string
  readonly where?: { readonly metric: 'V'; readonly op: '<' | '>='; readonly value: number }
}

interface Deletion {
  readonly id: number
  readonly selection: Selection
  /** The number of rows pushed before. */
  readonly before: number
  /** The rows it hides, of those stored before. */
  readonly taken: ReadonlySet<Row>
  stands: boolean
}

/** The event that announces a deletion. */
export interface DeletionEvent {
  readonly id: number
  readonly selection: Readonly<Record<keyof Selection, unknown>>
  readonly undone?: true
}

interface Watcher {
  readonly reader: LiveReader
  readonly query: string
  readonly tags: readonly string[] | null
  /** The number of rows stored, and below of changes made, before the watcher connected. */
  readonly from: number
  readonly changesFrom: number
}

const tags = ['a', 'b', 'b.1', 'c']
const queries: readonly (readonly [query: string, passes: readonly string[] | null])[] = [
  ['entity=plant', null],
  ['entity=plant&ids=a', ['a']],
  ['entity=plant&prefixes=b', ['b', 'b.1']],
  ['entity=plant&ids=b,c&prefixes=c', ['c']],
]
/** Small enough that rows are constantly sealed, merged and trimmed from the journal. */
const environment = {
  TIDEMARK_STORE_HEAD_ROWS: '20',
  TIDEMARK_STORE_STEP_ROWS: '3',
}
const path = '/admin/entities/plant/deletions'

export function checkLive(seed: number, options: LiveRoundOptions): Promise<void> {
  return inScratchFolder('tidemark-live-', (dataDirectory) => checkIn(dataDirectory, seed, options))
}

export function selects({ ids, start_date, where }: Selection, { D, T, V }: Row): boolean {
  const meets = where === undefined || (where.op === '<' ? V < where.value : V >= where.value)
  return meets && (ids === undefined || ids.includes(T)) && (start_date === undefined || D >= start_date)
}

async function checkIn(
  dataDirectory: string,
  seed: number,
  { steps, idOf = ({ lastId }) => lastId }: LiveRoundOptions,
): Promise<void> {
  const draw = drawFrom(seed)
  let server = await ServerProcess.start({ dataDirectory, environment })
  const key = await makeIngest(server.url, adminKey, { alias: 'plant' })
  const other = await makeIngest(server.url, adminKey, { alias: 'other' })
  await makeIngest(server.url, adminKey, { alias: 'second', entity: 'plant' })
  const stored: Row[] = []
  /** Rows whose value is a string: they are rejected until they are fixed. `pushed` is the number of rows pushed up to this one. */
  let rejected: { readonly row: Row; readonly pushed: number }[] = []
  const deletions: Deletion[] = []
  /** The deletions and restorations to announce to readers. */
  const changes: { readonly id: number; readonly undone: boolean }[] = []
  const watchers: Watcher[] = []
  let value = 0
  const newRow = (T = tags[draw(tags.length)]!): Row => {
    // With late rows and repeated dates among them.
    const D = new Date(Date.UTC(2026, 0, 1, 0, 0, draw(5)) + draw(3) * 86_400_000).toISOString()
    return { D, T, V: ++value }
  }
  const push = async (areGood = false): Promise<void> => {
    const rows = Array.from({ length: 1 + draw(8) }, () => ({ row: newRow(), isGood: areGood || draw(4) > 0 }))
    const body = rows.map(({ row, isGood }) => (isGood ? row : { ...row, V: `${row.V}` }))
    await callOk(server.url, 'POST', `/ingests/plant/data?wait=${draw(2) === 0}`, { key, body })
    for (const { row, isGood } of rows) {
      if (isGood) stored.push(row)
      else rejected.push({ row, pushed: row.V })
    }
  }
  const newSelection = (): Selection => {
    const where = { metric: 'V', op: draw(2) === 0 ? '<' : '>=', value: value - draw(20) } as const
    const ids = [tags[draw(tags.length)]!]
    const start_date = new Date(Date.UTC(2026, 0, 1 + draw(3))).toISOString()
    return [{ ids }, { where }, { ids, start_date }, { ids, where }][draw(4)]!
  }
  const visible = async (): Promise<ReadonlySet<number>> => {
    const items = await callOk<Row[]>(server.url, 'POST', '/consumer/data/select', { body: { entity: 'plant' } })
    return new Set(items.map(({ V }) => V))
  }
  const isHidden = (row: Row): boolean => deletions.some(({ stands, taken }) => stands && taken.has(row))
  const remove = async (beside: () => Promise<void>): Promise<void> => {
    const selection = newSelection()
    const body = { ...selection, reason: 'wrong' }
    const before = value
    // Rows acknowledged during the deletion may count as pushed before or after it; a query shows which.
    const [{ id }] = await Promise.all([
      callOk<{ id: number }>(server.url, 'POST', path, { key: adminKey, body }),
      beside(),
    ])
    await settle()
    const seen = await visible()
    const taken = new Set(stored.filter((row) => selects(selection, row) && !seen.has(row.V)))
    deletions.push({ id, selection, before, taken, stands: true })
    changes.push({ id, undone: false })
    for (const row of stored) expect([row, seen.has(row.V)]).toEqual([row, !isHidden(row)])
  }
  const actions: readonly (() => Promise<unknown>)[] = [
    () => push(),
    () => push(),
    () => push(),
    async () => callOk(server.url, 'POST', '/ingests/other/data', { key: other, body: [newRow()] }),
    async () => {
      await settle()
      const body = { convert: { V: 'number' } }
      const request = ['POST', '/admin/ingests/plant/rejected/replay', { key: adminKey, body }] as const
      const answer = await callOk<{ stored: number }>(server.url, ...request)
      const isDeleted = ({ row, pushed }: (typeof rejected)[number]): boolean =>
        deletions.some(({ stands, before, selection }) => stands && pushed <= before && selects(selection, row))
      const passed = rejected.filter((one) => !isDeleted(one))
      expect(answer.stored).toBe(passed.length)
      stored.push(...passed.map(({ row }) => row))
      rejected = rejected.filter(isDeleted)
    },
    () => remove(async () => undefined),
    () => remove(() => push(true)),
    async () => {
      const standing = deletions.filter(({ stands }) => stands)
      const one = standing[draw(Math.max(1, standing.length))]
      if (one === undefined) return
      await callOk(server.url, 'DELETE', `${path}/${one.id}`, { key: adminKey })
      one.stands = false
      changes.push({ id: one.id, undone: true })
    },
    async () => {
      const [query, passes] = queries[draw(queries.length)]!
      const reader = new LiveReader()
      await settle()
      watchers.push({ reader, query, tags: passes, from: stored.length, changesFrom: changes.length })
      await reader.connect(server.url, query)
    },
    async () => {
      const watcher = watchers[draw(Math.max(1, watchers.length))]
      await watcher?.reader.cut()
    },
    async () => {
      const watcher = watchers[draw(Math.max(1, watchers.length))]
      await watcher?.reader.cut()
      await watcher?.reader.connect(server.url, watcher.query, idOf(watcher.reader))
    },
    async () => {
      if (draw(3) > 0) return
      await server.kill()
      server = await ServerProcess.start({ dataDirectory, environment })
      await ready()
    },
  ]
  const ready = async (): Promise<void> => {
    await expect.poll(async () => (await fetch(`${server.url}/readyz`)).status, { timeout: 30_000 }).toBe(200)
  }
  /** Waits until all pushed rows can be queried. */
  const settle = async (): Promise<void> => {
    await callOk(server.url, 'POST', '/ingests/other/data?wait=true', { key: other, body: [newRow()] })
  }
  /** Rows that were restored must be read again, so the reader's copy of them is not checked. */
  const isUncertain = (row: Row): boolean =>
    deletions.some(({ stands, selection }) => !stands && selects(selection, row))
  try {
    for (let step = 0; step < steps; step++) await actions[draw(actions.length)]!()
    const last = tags.map((tag) => newRow(tag))
    await callOk(server.url, 'POST', '/ingests/plant/data?wait=true', { key, body: last })
    stored.push(...last)
    for (const { reader, query } of watchers) await reader.connect(server.url, query, idOf(reader))
    for (const { reader, tags, from, changesFrom } of watchers) {
      const passes = (row: Row): boolean => !isUncertain(row) && (tags === null || tags.includes(row.T))
      const wanted = stored.slice(from).filter((row) => passes(row) && !isHidden(row))
      const copy = () => {
        const told = reader.receivedEvents.flatMap(([event, data]) =>
          event === 'deleted' ? [data as DeletionEvent] : [],
        )
        return {
          rows: copyOf(reader).filter((row) => !isUncertain(row)),
          changes: told.map(({ id, undone = false }) => ({ id, undone })),
        }
      }
      // The last rows arrive after everything else.
      const ends = last.filter(({ T }) => tags === null || tags.includes(T)).map(({ V }) => V)
      const values = (): readonly unknown[] => reader.rows.map((row) => (row as Row).V)
      await expect.poll(values, { timeout: 10_000 }).toEqual(expect.arrayContaining(ends))
      await reader.cut()
      expect(copy()).toEqual({ rows: wanted, changes: changes.slice(changesFrom) })
      expect(values()).toEqual([...new Set(values())])
      expect(reader.events).toEqual([])
    }
  } finally {
    for (const { reader } of watchers) await reader.cut()
    await server.kill()
  }
}

/** The rows of a reader that keeps a copy: received rows, without those that a later deletion selects. */
export function copyOf(reader: LiveReader): Row[] {
  let rows: Row[] = []
  for (const [event, data] of reader.receivedEvents) {
    if (event === 'row') rows.push(data as Row)
    else {
      const { selection, undone } = data as DeletionEvent
      const given = Object.entries(selection).filter(([, bound]) => bound !== null)
      if (undone !== true) rows = rows.filter((row) => !selects(Object.fromEntries(given), row))
    }
  }
  return rows
}
