// Measures the series store in process, without HTTP or journal.
import type { EntityField } from '../src/model/entity.ts'
import { parseGranularity } from '../src/model/granularity.ts'
import type { Plan, Selection } from '../src/model/plan.ts'
import { EmbeddedStore } from '../src/store/embedded/embedded-store.ts'

const time: EntityField = { name: 'D', type: 'timestamp', role: 'time' }
const tag: EntityField = { name: 'T', type: 'string', role: 'tag' }
const value: EntityField = { name: 'V', type: 'double', role: 'metric' }
const limits = { resultRows: 10_000_000, buckets: 10_000_000, resultBytes: 2 ** 40 }
const tags = Array.from({ length: 580 }, (_, index) => `plant.${index % 7}.unit.${index}`)
const ticks = 8640
const batchRows = 1000
const startMs = Date.UTC(2026, 0, 1)
const dayMs = 86_400_000

interface Filled {
  readonly name: string
  /** How far one row of 97 lies behind. */
  readonly lateMs: number
  readonly replaces: boolean
}

/** In the last one, those rows are of a date that is there already. */
const filled: readonly Filled[] = [
  { name: 'rows in order', lateMs: 0, replaces: false },
  { name: 'one row of 97 late by ten minutes', lateMs: 600_000, replaces: false },
  { name: 'rows in order that replace older ones', lateMs: 0, replaces: true },
  { name: 'one row of 97 replaces the one before it', lateMs: 10_000, replaces: true },
]

function fill(store: EmbeddedStore, entityId: number, { lateMs, replaces }: Filled): number {
  let position = 0
  const begun = performance.now()
  const rows = tags.length * ticks
  for (let first = 0; first < rows; first += batchRows) {
    const length = Math.min(batchRows, rows - first)
    const times = new Float64Array(length)
    const codes = new Int32Array(length)
    const values = new Float64Array(length)
    const positions = new Float64Array(length)
    for (let row = 0; row < length; row++) {
      const place = first + row
      const tick = Math.floor(place / tags.length)
      times[row] = startMs + tick * 10_000 - (place % 97 === 0 ? lateMs : 0)
      codes[row] = place % tags.length
      values[row] = tick + codes[row] / 1000
      positions[row] = position++
    }
    store.write({
      entityId,
      rows: length,
      positions,
      fields: [time, tag, value],
      columns: [
        { type: 'timestamp', values: times },
        { type: 'string', codes, dictionary: tags },
        { type: 'double', values },
      ],
      ...(replaces ? { pushedNulls: [null, null, null] } : {}),
    })
  }
  return rows / (performance.now() - begun) / 1000
}

function selection(entityId: number, ids: readonly string[] | null): Selection {
  return { entityId, sinceMs: null, time, tags: [tag], ids, prefixes: null, metrics: [value], fields: [] }
}

async function rowsOf(store: EmbeddedStore, plan: Plan): Promise<number> {
  let rows = 0
  for await (const batch of store.run(plan, limits, new AbortController().signal)) rows += batch.rows
  return rows
}

async function measure(name: string, store: EmbeddedStore, plan: Plan, rounds: number): Promise<void> {
  const times: number[] = []
  let rows = 0
  for (let round = 0; round < rounds; round++) {
    const begun = performance.now()
    rows = await rowsOf(store, plan)
    times.push(performance.now() - begun)
  }
  const first = times[0]
  times.sort((left, right) => left - right)
  const p50 = times[Math.floor(times.length / 2)]
  console.log(
    `${name.padEnd(44)} ${String(rows).padStart(8)} rows  p50 ${p50.toFixed(3)} ms  first ${first.toFixed(3)} ms`,
  )
}

async function measureAll(store: EmbeddedStore, entityId: number): Promise<void> {
  const hour = parseGranularity('hour') ?? { kind: 'all' as const }
  const day = { fromMs: startMs, toMs: startMs + dayMs }
  const one = selection(entityId, [tags[300]])
  const ten = selection(entityId, tags.slice(100, 110))
  const all = selection(entityId, null)
  const ticksMs = Float64Array.from({ length: 24 }, (_, index) => startMs + index * 3_600_000)
  const average = { kind: 'average', range: day, granularity: hour, byTag: true } as const
  await measure('one tag, hourly mean', store, { ...average, selection: one }, 2000)
  await measure('ten tags, hourly mean', store, { ...average, selection: ten }, 300)
  await measure('all tags, hourly mean by tag', store, { ...average, selection: all }, 15)
  await measure('all rows pooled, hourly mean', store, { ...average, selection: all, byTag: false }, 15)
  await measure('latest of one tag', store, { kind: 'latest', selection: one, fromMs: -Infinity }, 2000)
  await measure('latest of all tags', store, { kind: 'latest', selection: all, fromMs: -Infinity }, 300)
  const dateMs = startMs + dayMs / 2
  await measure('last before noon, one tag', store, { kind: 'last', selection: one, dateMs, offset: 0 }, 2000)
  await measure('last before noon, all tags', store, { kind: 'last', selection: all, dateMs, offset: 0 }, 100)
  await measure('next after noon, one tag', store, { kind: 'next', selection: one, dateMs, offset: 0 }, 2000)
  await measure('snap hourly, one tag', store, { kind: 'snap', selection: one, ticksMs }, 1000)
  await measure('snap hourly, all tags', store, { kind: 'snap', selection: all, ticksMs }, 30)
  await measure('raw rows, one tag', store, { kind: 'select', selection: one, range: day }, 200)
  await measure('raw rows, ten tags', store, { kind: 'select', selection: ten, range: day }, 50)
  const hourRange = { fromMs: startMs, toMs: startMs + 3_600_000 }
  await measure('raw rows, all tags, one hour', store, { kind: 'select', selection: all, range: hourRange }, 20)
}

/** 5 M rows of 580 series, in several orders. */
export async function benchStore(): Promise<void> {
  const store = new EmbeddedStore()
  for (const [index, how] of filled.entries()) {
    const rate = fill(store, index + 1, how).toFixed(2)
    console.log(`\n${how.name}\nwritten: ${rate} M rows/s, ${(store.bytes / 2 ** 20).toFixed(0)} MiB`)
    await measureAll(store, index + 1)
  }
}
