import fc from 'fast-check'
import { expect, test } from 'vitest'
import { ModelStore, resultRows } from '../../../../test/support/model-store.ts'
import { columnOf, drawFrom, randomBatches, randomEntity } from '../../../../test/support/random-rows.ts'
import { WatchedPacer } from '../../../../test/support/watched-pacer.ts'
import type { EntityField } from '../../../model/entity.ts'
import type { Selection, SnapPlan } from '../../../model/plan.ts'
import { EmbeddedStore } from '../embedded-store.ts'

const time: EntityField = { name: 'D', type: 'timestamp', role: 'time' }
const tag: EntityField = { name: 'T', type: 'string', role: 'tag' }
const value: EntityField = { name: 'V', type: 'double', role: 'metric' }
const always = { entityId: 1, sinceMs: null, ids: null, prefixes: null, fields: [] }

async function rowsOf(store: EmbeddedStore, plan: SnapPlan, resultRows: number): Promise<number> {
  let rows = 0
  const limits = { resultRows, buckets: 1_000_000, resultBytes: 2 ** 30 }
  for await (const batch of store.run(plan, limits, new AbortController().signal)) rows += batch.rows
  return rows
}

test('a snap at the row limit is answered; above it, it is refused with its number of rows', async () => {
  await fc.assert(
    fc.asyncProperty(fc.nat(), async (seed) => {
      const draw = drawFrom(seed)
      const entity = randomEntity(draw)
      const spanMs = [4, 60_000, 100 * 86_400_000][draw(3)]!
      const store = new EmbeddedStore({ chunkRows: 64 })
      const model = new ModelStore()
      for (const batch of randomBatches(draw, entity, spanMs)) {
        store.write(batch)
        model.write(batch)
      }
      const ticksMs = Float64Array.from(new Set(Array.from({ length: 2 + draw(60) }, () => draw(spanMs * 2)))).sort()
      const sinceMs = draw(3) === 0 ? draw(spanMs) : null
      const metrics = entity.others.filter(({ role }) => role === 'metric')
      const selection: Selection = {
        ...always,
        sinceMs,
        time: entity.time,
        tags: draw(2) === 0 ? [entity.tags[0]!] : [entity.tags[0]!, ...entity.tags.slice(1)],
        metrics,
      }
      const plan: SnapPlan = { kind: 'snap', selection, ticksMs }
      const expected = model.run(plan)
      const limits = { resultRows: expected.length, buckets: 1000, resultBytes: 2 ** 30 }
      const answer: unknown[] = []
      for await (const batch of store.run(plan, limits, new AbortController().signal))
        answer.push(...resultRows([batch]).map(String))
      expect(answer).toEqual(expected.map(String))
      if (expected.length < 1) return
      const refused = rowsOf(store, plan, expected.length - 1)
      await expect(refused).rejects.toThrow(`would have ${expected.length} rows`)
    }),
    { numRuns: 200 },
  )
})

const tags = 500
const rowsOfTag = 20
const ticks = 100_000

/** `tags` tags with one row per second each. The ticks are one second apart and begin with the rows. */
function manyTags(pacers: WatchedPacer[]): EmbeddedStore {
  const store = new EmbeddedStore({
    newPacer: (options) => {
      const pacer = new WatchedPacer(options)
      pacers.push(pacer)
      return pacer
    },
  })
  const rows = tags * rowsOfTag
  const place = Array.from({ length: rows }, (_, row) => row)
  const columns = [
    columnOf(
      'timestamp',
      place.map((row) => Math.floor(row / tags) * 1000),
    ),
    columnOf(
      'string',
      place.map((row) => `tag${row % tags}`),
    ),
    columnOf('double', place),
  ]
  store.write({ entityId: 1, rows, positions: Float64Array.from(place), fields: [time, tag, value], columns })
  return store
}

const asked = (count: number, firstMs: number): SnapPlan => ({
  kind: 'snap',
  selection: { ...always, time, tags: [tag], metrics: [value] },
  ticksMs: Float64Array.from({ length: count }, (_, tick) => firstMs + tick * 1000),
})

test('refusing an oversized snap costs work per tag, not per tick', async () => {
  const pacers: WatchedPacer[] = []
  const store = manyTags(pacers)
  await expect(rowsOf(store, asked(ticks, 0), 1_000_000)).rejects.toThrow(`would have ${tags * ticks} rows`)
  expect(pacers[0]!.spent).toBeLessThan(tags * 100)
})

test.each<[string, SnapPlan, number]>([
  ['many ticks with a state of every tag', asked(2000, 0), tags * 2000],
  ['many ticks, of which only the last has states', asked(ticks, -(ticks - 1) * 1000), tags],
  ['ticks that all have the same states', asked(1000, 1_000_000), tags * 1000],
])('%s: no step is long, and the total work is in proportion to the answer', async (_, plan, rows) => {
  const pacers: WatchedPacer[] = []
  expect(await rowsOf(manyTags(pacers), plan, 1_000_000)).toBe(rows)
  expect(pacers[0]!.stepMax).toBeLessThanOrEqual(65_536)
  expect(pacers[0]!.spent).toBeLessThan(10 * rows + 40 * tags * rowsOfTag + 2 * ticks)
})
