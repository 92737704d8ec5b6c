// Scans of random rows, in memory and in files, compared with a naive evaluation.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type AtRestParts, checkHistory, type SeenHistory } from '../../../../test/support/data-at-rest.ts'
import { smallLocalFolder } from '../../../../test/support/local-folder.ts'
import { randomMemoryFolder } from '../../../../test/support/memory-files.ts'
import type { ModelRow } from '../../../../test/support/model-store.ts'
import { passes, randomFilter } from '../../../../test/support/random-filters.ts'
import { columnOf, type Draw, drawFrom, oneOf } from '../../../../test/support/random-rows.ts'
import { rounds } from '../../../../test/support/rounds.ts'
import type { GroupValue } from '../../../algebra/aggregation.ts'
import type { ScannedRow, ScanPlan } from '../../../algebra/scan-plan.ts'
import { compareValues } from '../../../lib/value-order.ts'
import type { EntityField } from '../../../model/entity.ts'
import { EmbeddedStore } from '../embedded-store.ts'

const timeOf = (row: ModelRow): number => Number(row.values['D'])
const { signal } = new AbortController()

function randomScan(draw: Draw, { entity, sinceMs, model }: SeenHistory): ScanPlan {
  const times = model.rows.map(timeOf)
  const at = (): number => (times.length === 0 ? 0 : oneOf(draw, times) + oneOf(draw, [-1, 0, 0, 1, 3_600_000]))
  const [fromMs, toMs] = [at(), at()].sort((left, right) => left - right)
  const ranges =
    draw(2) === 0 ? [{ fromMs: Number.NEGATIVE_INFINITY, toMs: Number.POSITIVE_INFINITY }] : [{ fromMs, toMs }]
  if (draw(3) === 0 && ranges[0].toMs !== Number.POSITIVE_INFINITY)
    ranges.push({ fromMs: toMs + 1000, toMs: toMs + 10 ** 8 })
  const fields = [...entity.tags, ...entity.others]
  const [first, ...others] = entity.tags
  return {
    entityId: 1,
    sinceMs,
    time: entity.time,
    tags: [first, ...others],
    ranges,
    filter: draw(2) === 0 ? null : randomFilter(draw, fields),
    columns: draw(3) === 0 ? fields.filter(() => draw(2) === 0) : fields,
    isDescending: draw(2) === 0,
    limit: draw(4) === 0 ? null : 1 + draw(12),
    rowsMax: 1_000_000,
    unitsMax: 1e12,
  }
}

function expectedRows(plan: ScanPlan, all: readonly ModelRow[]): readonly ScannedRow[] {
  const rows = all.filter((row) => {
    const ms = timeOf(row)
    if (plan.sinceMs !== null && ms < plan.sinceMs) return false
    return (
      plan.ranges.some(({ fromMs, toMs }) => ms >= fromMs && ms <= toMs) &&
      (plan.filter === null || passes(plan.filter, row))
    )
  })
  const shown = rows.map((row) => [timeOf(row), ...plan.columns.map((field) => shownValue(row, field))])
  shown.sort((left, right) => {
    const byTime = plan.isDescending
      ? (right[0] as number) - (left[0] as number)
      : (left[0] as number) - (right[0] as number)
    if (byTime !== 0) return byTime
    for (let place = 1; place < left.length; place++) {
      const order = compareValues(left[place], right[place], { isDescending: false, nulls: 'first' })
      if (order !== 0) return order
    }
    return 0
  })
  return shown.slice(0, plan.limit ?? shown.length)
}

function shownValue({ values }: ModelRow, { name, type }: EntityField): GroupValue {
  const value = values[name] ?? null
  if (value === null) return null
  if (typeof value === 'boolean') return value ? 1n : 0n
  return type === 'long' ? BigInt(value) : value
}

/** Removes the signs of zeros: rows that differ only in them may be in any order. */
const unsigned = (rows: readonly ScannedRow[]): readonly ScannedRow[] =>
  rows.map((row) => row.map((value) => (value === 0 ? 0 : value)))

async function look(draw: Draw, seen: SeenHistory): Promise<void> {
  for (let question = 0; question < 4; question++) {
    const plan = randomScan(draw, seen)
    const found = await seen.store.scan(plan, signal)
    const rows = found && unsigned(found)
    // The store declines scans while any stored row may replace others.
    if (seen.replaces && rows === null) continue
    const expected = unsigned(expectedRows(plan, seen.model.rows))
    expect({ plan, rows }).toEqual({ plan, rows: expected })
  }
}

let directory: string
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'tidemark-scan-'))
})
afterAll(() => rmSync(directory, { recursive: true, force: true }))

test.each<Pick<AtRestParts, 'folder' | 'deletes'>>([
  { folder: randomMemoryFolder },
  { folder: (store, draw) => smallLocalFolder(directory, store, draw), deletes: true },
])('scans of random rows equal those of a naive evaluation, unless rows may replace others: %j', async (parts) => {
  await fc.assert(
    fc.asyncProperty(fc.nat(), fc.nat(), (seed, asked) => {
      const draw = drawFrom(asked)
      return checkHistory(seed, { ...parts, look: (seen) => look(draw, seen) })
    }),
    { numRuns: rounds(80) },
  )
})

const time: EntityField = { name: 'D', type: 'timestamp', role: 'time' }
const tag: EntityField = { name: 'T', type: 'string', role: 'tag' }
const value: EntityField = { name: 'V', type: 'long', role: 'metric' }

function filled(rows: number): { store: EmbeddedStore; plan: ScanPlan } {
  const store = new EmbeddedStore()
  const numbers = Array.from({ length: rows }, (_, row) => row)
  const columns = [
    columnOf(
      'timestamp',
      numbers.map((row) => Math.floor(row / 50)),
    ),
    columnOf(
      'string',
      numbers.map((row) => `tag${row % 50}`),
    ),
    columnOf('long', numbers),
  ]
  store.write({ entityId: 1, rows, positions: Float64Array.from(numbers), fields: [time, tag, value], columns })
  const plan: ScanPlan = {
    entityId: 1,
    sinceMs: null,
    time,
    tags: [tag],
    ranges: [{ fromMs: Number.NEGATIVE_INFINITY, toMs: Number.POSITIVE_INFINITY }],
    filter: null,
    columns: [tag, value],
    isDescending: true,
    limit: null,
    rowsMax: 100_000,
    unitsMax: 1e12,
  }
  return { store, plan }
}

test('a plan that needs more rows or work than it allows is declined', async () => {
  const { store, plan } = filled(100)
  expect((await store.scan(plan, signal))?.length).toBe(100)
  expect(await store.scan({ ...plan, rowsMax: 99 }, signal)).toBeNull()
  expect(await store.scan({ ...plan, unitsMax: 20 }, signal)).toBeNull()
})

test('a scan with too much text is declined, unless its limit discards enough of it', async () => {
  const store = new EmbeddedStore()
  const rows = 700
  const numbers = Array.from({ length: rows }, (_, row) => row)
  const long = 'x'.repeat(100_000)
  const text: EntityField = { name: 'S', type: 'string', role: 'dimension' }
  // Each series has a tenth of the times, oldest first.
  const columns = [
    columnOf('timestamp', numbers),
    columnOf(
      'string',
      numbers.map((row) => `tag${Math.floor(row / 70)}`),
    ),
    columnOf(
      'string',
      numbers.map((row) => `${row}${long}`),
    ),
  ]
  store.write({ entityId: 1, rows, positions: Float64Array.from(numbers), fields: [time, tag, text], columns })
  const plan: ScanPlan = { ...filled(1).plan, columns: [tag, text] }
  expect(await store.scan(plan, signal)).toBeNull()
  expect(await store.scan({ ...plan, limit: 690 }, signal)).toBeNull()
  const found = await store.scan({ ...plan, isDescending: false, limit: 2 }, signal)
  expect(found?.map(([ms]) => ms)).toEqual([0, 1])
  const newest = await store.scan({ ...plan, limit: 600 }, signal)
  expect(newest?.map(([ms]) => ms)).toEqual(numbers.slice(-600).toReversed())
  expect((await store.scan({ ...plan, columns: [tag] }, signal))?.length).toBe(rows)
})

test('a limited scan of many rows discards surplus rows and does not read older ones', async () => {
  const { store, plan } = filled(200_000)
  const asked = { ...plan, limit: 60, rowsMax: 5000, unitsMax: 200_000 }
  const found = await store.scan(asked, signal)
  const newest = Array.from({ length: 50 }, (_, place) => `tag${place}`).sort()
  expect(found?.map(([ms, name]) => [ms, name])).toEqual([
    ...newest.map((name) => [3999, name]),
    ...newest.slice(0, 10).map((name) => [3998, name]),
  ])
  expect(await store.scan({ ...asked, limit: null }, signal)).toBeNull()
})
