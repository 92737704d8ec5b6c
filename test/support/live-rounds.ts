// Readers of live rows beside random pushes, cuts and kills: each must have exactly the rows that it asked for, in the order in which they were stored.
import { expect } from 'vitest'
import { callWell, makeIngest } from './api.ts'
import { LiveReader } from './live-reader.ts'
import { drawFrom } from './random-rows.ts'
import { inScratchFolder } from './scratch-folder.ts'
import { adminKey, ServerProcess } from './server-process.ts'

export interface LiveRoundOptions {
  readonly steps: number
  /** The id that a reader goes on from. */
  readonly idOf?: (reader: LiveReader) => string | null
}

interface Row {
  readonly D: string
  readonly T: string
  readonly V: number | null
}

interface Watcher {
  readonly reader: LiveReader
  readonly query: string
  readonly tags: readonly string[] | null
  /** How many rows were stored before it came. */
  readonly from: number
}

const tags = ['a', 'b', 'b.1', 'c']
const queries: readonly (readonly [query: string, passes: readonly string[] | null])[] = [
  ['entity=plant', null],
  ['entity=plant&ids=a', ['a']],
  ['entity=plant&prefixes=b', ['b', 'b.1']],
  ['entity=plant&ids=b,c&prefixes=c', ['c']],
]
/** Small enough that rows are sealed, merged and trimmed from the journal all the time. */
const environment = {
  TIDEMARK_STORE_HEAD_ROWS: '20',
  TIDEMARK_STORE_STEP_ROWS: '3',
}

export function checkLive(seed: number, options: LiveRoundOptions): Promise<void> {
  return inScratchFolder('tidemark-live-', (dataDirectory) => checkIn(dataDirectory, seed, options))
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
  /** Rows whose value is a text: they are rejected until they are mended. */
  let rejected: Row[] = []
  const watchers: Watcher[] = []
  let value = 0
  const row = (): Row => {
    // Late ones and repeated dates among them.
    const D = new Date(Date.UTC(2026, 0, 1, 0, 0, draw(5)) + draw(3) * 86_400_000).toISOString()
    return { D, T: tags[draw(tags.length)]!, V: ++value }
  }
  const push = async (): Promise<void> => {
    const rows = Array.from({ length: 1 + draw(8) }, () => ({ row: row(), isGood: draw(4) > 0 }))
    const body = rows.map(({ row, isGood }) => (isGood ? row : { ...row, V: `${row.V}` }))
    await callWell(server.url, 'POST', `/ingests/plant/data?wait=${draw(2) === 0}`, { key, body })
    for (const { row, isGood } of rows) (isGood ? stored : rejected).push(row)
  }
  const actions: readonly (() => Promise<unknown>)[] = [
    push,
    push,
    push,
    async () => callWell(server.url, 'POST', '/ingests/other/data', { key: other, body: [row()] }),
    async () => {
      await settle()
      const body = { convert: { V: 'number' } }
      await callWell(server.url, 'POST', '/admin/ingests/plant/rejected/replay', { key: adminKey, body })
      stored.push(...rejected)
      rejected = []
    },
    async () => {
      const [query, passes] = queries[draw(queries.length)]!
      const reader = new LiveReader()
      await settle()
      watchers.push({ reader, query, tags: passes, from: stored.length })
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
  /** All that was pushed can be queried. */
  const settle = async (): Promise<void> => {
    await callWell(server.url, 'POST', '/ingests/other/data?wait=true', { key: other, body: [row()] })
  }
  try {
    for (let step = 0; step < steps; step++) await actions[draw(actions.length)]!()
    await settle()
    for (const { reader, query } of watchers) await reader.connect(server.url, query, idOf(reader))
    for (const { reader, tags, from } of watchers) {
      const wanted = stored.slice(from).filter(({ T }) => tags === null || tags.includes(T))
      await expect.poll(() => reader.rows.length, { timeout: 10_000 }).toBeGreaterThanOrEqual(wanted.length)
      await reader.cut()
      expect(reader.rows).toEqual(wanted)
      expect(reader.events).toEqual([])
    }
  } finally {
    for (const { reader } of watchers) await reader.cut()
    await server.kill()
  }
}
