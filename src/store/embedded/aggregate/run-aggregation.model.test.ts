// Aggregations of random rows, in memory and in files, compared with a naive evaluation.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type AtRestParts, checkHistory, randomZoned, type SeenHistory } from '../../../../test/support/data-at-rest.ts'
import { smallLocalFolder } from '../../../../test/support/local-folder.ts'
import { MemoryFolder, randomMemoryFolder } from '../../../../test/support/memory-files.ts'
import { expectGroups, timeOf } from '../../../../test/support/model-aggregation.ts'
import type { ModelRow } from '../../../../test/support/model-store.ts'
import { isNumber, randomFilter } from '../../../../test/support/random-filters.ts'
import { columnOf, type Draw, drawFrom, oneOf } from '../../../../test/support/random-rows.ts'
import { Beyond, randomComputed, withComputed } from '../../../../test/support/random-values.ts'
import { rounds } from '../../../../test/support/rounds.ts'
import type { AggregationPlan, GroupValue, StoreAggregate } from '../../../algebra/aggregation.ts'
import { timeBuckets } from '../../../druid-time/plain-granularity.ts'
import { Pacer } from '../../../lib/pacer.ts'
import type { EntityField } from '../../../model/entity.ts'
import { parseGranularity } from '../../../model/granularity.ts'
import { EmbeddedStore } from '../embedded-store.ts'
import { sealRows } from '../sealing/sealer.ts'

const granularities = ['all', 'all', 'hour', 'PT2H', 'day', 'month', 'minute', 'PT7S']
const groupsMax = 1_000_000

function randomAggregate(draw: Draw, fields: readonly EntityField[]): StoreAggregate {
  const aggregate = randomOfAll(draw, fields)
  return draw(4) === 0 ? { ...aggregate, where: randomFilter(draw, fields, 1) } : aggregate
}

function randomOfAll(draw: Draw, fields: readonly EntityField[]): StoreAggregate {
  if (draw(4) === 0) return randomEnd(draw, fields)
  const field = oneOf(draw, fields.filter(isNumber))
  const kind = oneOf(draw, ['rows', 'values', 'distinct', 'sum', 'least', 'greatest'] as const)
  if (kind === 'distinct') return randomDistinct(draw, fields)
  if (kind === 'rows') return { kind }
  if (kind === 'values') return { kind, field }
  return { kind, type: field.type === 'long' && draw(2) === 0 ? 'long' : 'double', field }
}

/** Sometimes all are of one kind, for which the store has a separate code path. */
function randomAggregates(draw: Draw, fields: readonly EntityField[]): readonly StoreAggregate[] {
  const randomOne = oneOf(draw, [randomEnd, randomDistinct, ...Array.from({ length: 4 }, () => randomAggregate)])
  return Array.from({ length: draw(4) }, () => randomOne(draw, fields))
}

function randomDistinct(draw: Draw, fields: readonly EntityField[]): StoreAggregate {
  const field = oneOf(
    draw,
    fields.filter((one) => isNumber(one) || one.type === 'string'),
  )
  return { kind: 'distinct', field, countsEmpty: field.type !== 'string' || draw(2) === 0 }
}

function randomEnd(draw: Draw, fields: readonly EntityField[]): StoreAggregate {
  const end = oneOf(draw, ['newest', 'oldest'] as const)
  if (draw(3) === 0) return { kind: 'endTime', end }
  const usable = fields.filter((field) => isNumber(field) || (field.type === 'string' && field.role !== 'tag'))
  return { kind: 'endValue', end, field: oneOf(draw, usable) }
}

function randomAggregation(draw: Draw, { entity, sinceMs, model }: SeenHistory): AggregationPlan {
  const times = model.rows.map(timeOf)
  const at = (): number => (times.length === 0 ? 0 : oneOf(draw, times) + oneOf(draw, [-1, 0, 0, 1, 3_600_000]))
  const ranges =
    draw(2) === 0
      ? [{ fromMs: Number.NEGATIVE_INFINITY, toMs: Number.POSITIVE_INFINITY }]
      : [[at(), at()].sort((left, right) => left - right)].map(([fromMs, toMs]) => ({ fromMs, toMs }))
  const cut = draw(3) === 0 ? at() : null
  const apart =
    cut === null
      ? ranges
      : [
          { ...ranges[0], toMs: Math.min(ranges[0].toMs, cut) },
          { ...ranges[0], fromMs: cut + 1000 },
        ].filter(({ fromMs, toMs }) => fromMs <= toMs)
  const computed = draw(2) === 0 ? [] : randomComputed(draw, [...entity.tags, ...entity.others])
  const fields = [...entity.tags, ...entity.others, ...computed.map(({ field }) => field)]
  const keys = fields.filter(
    (field) =>
      (field.role === 'tag' || field.role === 'dimension') && field.type !== 'boolean' && field.type !== 'timestamp',
  )
  const [first, ...others] = entity.tags
  return {
    entityId: 1,
    sinceMs,
    time: entity.time,
    tags: [first, ...others],
    ranges: apart,
    filter: draw(2) === 0 ? null : randomFilter(draw, fields),
    computed,
    granularity: draw(4) === 0 ? randomZoned(draw) : parseGranularity(oneOf(draw, granularities))!,
    keys: draw(3) === 0 ? [] : keys.filter(() => draw(3) === 0),
    aggregates: randomAggregates(draw, fields),
    groupsMax,
    unitsMax: 1e12,
    needsDays: draw(3) === 0,
  }
}

/** A plan that needs only tags, which the indexes of series answer. */
function randomOfTags(draw: Draw, seen: SeenHistory): AggregationPlan {
  const { tags } = seen.entity
  return {
    ...randomAggregation(draw, seen),
    filter: draw(2) === 0 ? null : randomFilter(draw, tags),
    granularity: { kind: 'all' },
    keys: tags.filter(() => draw(2) === 0),
    aggregates: Array.from({ length: draw(3) }, () => randomDistinct(draw, tags)),
  }
}

async function look(draw: Draw, seen: SeenHistory): Promise<void> {
  for (let question = 0; question < 6; question++) {
    const plan = question < 4 ? randomAggregation(draw, seen) : randomOfTags(draw, seen)
    const found = await seen.store.aggregate(plan, new AbortController().signal, timeBuckets(plan.granularity))
    const rows = modelRows(plan, seen.model.rows)
    if (found === null || rows === null) {
      // The value out of range may be in a row that the plan does not count.
      expect(rows).toBeNull()
      continue
    }
    expectGroups(plan, found.rows, rows)
    if (plan.needsDays) expect(found.days).toEqual(expectedDays(plan, seen.model.rows))
  }
}

/** Null if a value computed from a row is beyond what the store can compute. */
function modelRows({ computed }: AggregationPlan, rows: readonly ModelRow[]): readonly ModelRow[] | null {
  try {
    return withComputed(rows, computed)
  } catch (error) {
    if (error instanceof Beyond) return null
    throw error
  }
}

function expectedDays({ sinceMs, ranges }: AggregationPlan, rows: readonly ModelRow[]): unknown {
  const dayOf = (ms: number): number => Math.floor(ms / 86_400_000)
  const days = new Map<number, { firstMs: number; lastMs: number }>()
  for (const row of rows) {
    const ms = timeOf(row)
    if (sinceMs !== null && ms < sinceMs) continue
    const number = Math.floor(ms / 86_400_000)
    const day = days.get(number) ?? { firstMs: ms, lastMs: ms }
    days.set(number, { firstMs: Math.min(day.firstMs, ms), lastMs: Math.max(day.lastMs, ms) })
  }
  const isReached = ({ firstMs }: { firstMs: number }): boolean =>
    ranges.some(({ fromMs, toMs }) => dayOf(firstMs) >= dayOf(fromMs) && dayOf(firstMs) <= dayOf(toMs))
  return [...days.values()].filter(isReached).sort((left, right) => left.firstMs - right.firstMs)
}

let directory: string
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'tidemark-aggregation-'))
})
afterAll(() => rmSync(directory, { recursive: true, force: true }))

test.each<Pick<AtRestParts, 'folder' | 'deletes'>>([
  { folder: randomMemoryFolder },
  { folder: (store, draw) => smallLocalFolder(directory, store, draw), deletes: true },
])('groups of random rows equal those of a naive evaluation: %j', async (parts) => {
  await fc.assert(
    fc.asyncProperty(fc.nat(), fc.nat(), (seed, asked) => {
      const draw = drawFrom(asked)
      return checkHistory(seed, { ...parts, look: (seen) => look(draw, seen) })
    }),
    { numRuns: rounds(80) },
  )
})

test('a plan that needs more groups or work than it allows is declined', async () => {
  const store = new EmbeddedStore()
  const time: EntityField = { name: 'D', type: 'timestamp', role: 'time' }
  const tag: EntityField = { name: 'T', type: 'string', role: 'tag' }
  const columns = [columnOf('timestamp', [1, 2, 3]), columnOf('string', ['a', 'b', 'c'])]
  store.write({ entityId: 1, rows: 3, positions: Float64Array.of(0, 1, 2), fields: [time, tag], columns })
  const all = { fromMs: Number.NEGATIVE_INFINITY, toMs: Number.POSITIVE_INFINITY }
  const plan: AggregationPlan = {
    entityId: 1,
    sinceMs: null,
    time,
    tags: [tag],
    ranges: [all],
    filter: null,
    computed: [],
    granularity: { kind: 'all' },
    keys: [tag],
    aggregates: [{ kind: 'rows' }],
    groupsMax: 3,
    unitsMax: 1000,
    needsDays: false,
  }
  const { signal } = new AbortController()
  expect((await store.aggregate(plan, signal))?.rows.length).toBe(3)
  expect(await store.aggregate({ ...plan, groupsMax: 2 }, signal)).toBeNull()
  expect(await store.aggregate({ ...plan, unitsMax: 2 }, signal)).toBeNull()
})

test('reading rollups may exceed unitsMax as long as it costs much less than reading the rows', async () => {
  const store = new EmbeddedStore()
  const time: EntityField = { name: 'D', type: 'timestamp', role: 'time' }
  const tag: EntityField = { name: 'T', type: 'string', role: 'tag' }
  const value: EntityField = { name: 'V', type: 'double', role: 'metric' }
  const rows = 10_000
  const columns = [
    columnOf(
      'timestamp',
      Array.from({ length: rows }, (_, row) => Math.floor((row * 7_200_000) / rows)),
    ),
    columnOf(
      'string',
      Array.from({ length: rows }, (_, row) => `tag${row % 4}`),
    ),
    columnOf(
      'double',
      Array.from({ length: rows }, (_, row) => row),
    ),
  ]
  const positions = Float64Array.from({ length: rows }, (_, row) => row)
  store.write({ entityId: 1, rows, positions, fields: [time, tag, value], columns })
  const shape = { pageRows: 100, hasRollups: true, hasTails: true }
  const folder = new MemoryFolder((entityId) => store.registry(entityId), shape)
  const frozen = store.freeze(rows)
  const { signal } = new AbortController()
  const pacer = new Pacer({ sliceMs: 1000, signal })
  const add = await sealRows(frozen, { folder, dayRowsMin: 1, sinceMs: () => null, pacer, reach: () => undefined })
  store.switchFiles({ add, remove: [], frozen, gone: () => undefined })
  const plan: AggregationPlan = {
    entityId: 1,
    sinceMs: null,
    time,
    tags: [tag],
    ranges: [{ fromMs: Number.NEGATIVE_INFINITY, toMs: Number.POSITIVE_INFINITY }],
    filter: null,
    computed: [],
    granularity: { kind: 'uniform', widthMs: 3_600_000, originMs: 0 },
    keys: [tag],
    aggregates: [{ kind: 'sum', type: 'double', field: value }],
    groupsMax,
    unitsMax: 100,
    needsDays: false,
  }
  expect((await store.aggregate(plan, signal))?.rows.length).toBe(8)
  const minutes = { ...plan, granularity: { kind: 'uniform', widthMs: 60_000, originMs: 0 } } as const
  expect(await store.aggregate(minutes, signal)).toBeNull()
})

describe('aggregates of rows that replace older ones, in a file and in memory', () => {
  const time: EntityField = { name: 'D', type: 'timestamp', role: 'time' }
  const tag: EntityField = { name: 'T', type: 'string', role: 'tag' }
  const [v, w]: EntityField[] = ['V', 'W'].map((name) => ({ name, type: 'double', role: 'metric' }))
  const hour = 3_600_000
  /** Date, V and W of rows of one tag. The rows in memory begin at the date at which the file ends, and have W alone. */
  const sealed = [
    [hour, 1, 10],
    [2 * hour, 2, 20],
    [3 * hour, 3, 30],
  ]
  const fresh = [
    [3 * hour, null, 31],
    [4 * hour, null, 40],
  ]

  const aggregates: [string, StoreAggregate, GroupValue][] = [
    ['rows', { kind: 'rows' }, 4n],
    ['values', { kind: 'values', field: v }, 3n],
    ['different values', { kind: 'distinct', field: w, countsEmpty: true }, 4n],
    ['a sum of what is not replaced', { kind: 'sum', type: 'double', field: v }, 6],
    ['a sum of what is', { kind: 'sum', type: 'double', field: w }, 101],
    ['the greatest', { kind: 'greatest', type: 'double', field: w }, 40],
    ['the newest time', { kind: 'endTime', end: 'newest' }, 4 * hour],
    ['the newest value', { kind: 'endValue', end: 'newest', field: w }, 40],
  ]
  const upTo3: [string, StoreAggregate, GroupValue][] = [
    ['the newest value where it was not replaced', { kind: 'endValue', end: 'newest', field: v }, 3],
    ['the newest value where it was', { kind: 'endValue', end: 'newest', field: w }, 31],
  ]

  test.each([
    ...aggregates.map((one) => [...one, Number.POSITIVE_INFINITY] as const),
    ...upTo3.map((one) => [...one, 3 * hour] as const),
  ])('%s', async (_, aggregate, expected, toMs) => {
    const store = new EmbeddedStore()
    let position = 0
    const write = (rows: readonly (readonly (number | null)[])[]): void => {
      const columns = [
        columnOf(
          'timestamp',
          rows.map(([ms]) => ms),
        ),
        columnOf(
          'string',
          rows.map(() => 'a'),
        ),
        columnOf(
          'double',
          rows.map((row) => row[1]),
        ),
        columnOf(
          'double',
          rows.map((row) => row[2]),
        ),
      ]
      const positions = Float64Array.from(rows, () => position++)
      const pushedNulls = [null, null, null, null]
      store.write({ entityId: 1, rows: rows.length, positions, fields: [time, tag, v, w], columns, pushedNulls })
    }
    write(sealed)
    const folder = new MemoryFolder((entityId) => store.registry(entityId), {
      pageRows: 2,
      hasRollups: true,
      hasTails: true,
    })
    const frozen = store.freeze(sealed.length)
    const { signal } = new AbortController()
    const pacer = new Pacer({ sliceMs: 1000, signal })
    const add = await sealRows(frozen, { folder, dayRowsMin: 1, sinceMs: () => null, pacer, reach: () => undefined })
    store.switchFiles({ add, remove: [], frozen, gone: () => undefined })
    write(fresh)
    const plan: AggregationPlan = {
      entityId: 1,
      sinceMs: null,
      time,
      tags: [tag],
      ranges: [{ fromMs: Number.NEGATIVE_INFINITY, toMs }],
      filter: null,
      computed: [],
      granularity: { kind: 'all' },
      keys: [tag],
      aggregates: [aggregate],
      groupsMax,
      unitsMax: 1000,
      needsDays: true,
    }
    const found = await store.aggregate(plan, signal)
    expect(found?.rows).toEqual([[0, 'a', expected]])
    expect(found?.days).toEqual([{ firstMs: hour, lastMs: 4 * hour }])
    const withRows = await store.aggregate({ ...plan, aggregates: [aggregate, { kind: 'rows' }] }, signal)
    expect(withRows?.rows[0][2]).toEqual(expected)
  })
})
