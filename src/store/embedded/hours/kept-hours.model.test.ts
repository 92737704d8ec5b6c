// Rows expire day by day and their hours stay: the results from hours are compared with a model that keeps all rows.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { expectSame, rowsOf } from '../../../../test/support/expect-rows.ts'
import { expectGroups } from '../../../../test/support/model-aggregation.ts'
import { ModelStore } from '../../../../test/support/model-store.ts'
import { columnOf, type Draw, drawFrom, oneOf, replacing } from '../../../../test/support/random-rows.ts'
import { rounds } from '../../../../test/support/rounds.ts'
import { UsedMemory } from '../../../../test/support/used-memory.ts'
import type { AggregationPlan, StoreAggregate } from '../../../algebra/aggregation.ts'
import { parsePeriod } from '../../../druid-time/iso.ts'
import { periodGranularity } from '../../../druid-time/native-granularity.ts'
import { plainGranularity, timeBuckets } from '../../../druid-time/plain-granularity.ts'
import { Zone } from '../../../druid-time/zone.ts'
import { nodeDisk } from '../../../lib/node-disk.ts'
import { Pacer } from '../../../lib/pacer.ts'
import type { Value } from '../../../model/column.ts'
import type { EntityField } from '../../../model/entity.ts'
import {
  type AggregateName,
  type AggregatePlan,
  type AveragePlan,
  aggregateNames,
  needsSquares,
  type Plan,
  type PlotPlan,
  type Range,
} from '../../../model/plan.ts'
import type { RowBatch } from '../../../model/row-batch.ts'
import { rewriteFiles } from '../deletions/rewrite-files.ts'
import { EmbeddedStore } from '../embedded-store.ts'
import type { SealedFile } from '../reading/sealed-source.ts'
import { LocalFolder } from '../sealed/local-folder.ts'
import { chooseMerge } from '../sealing/choose-merge.ts'
import { sealRows } from '../sealing/sealer.ts'
import { type KeptRules, keepHours } from './keep-hours.ts'

const hourMs = 3_600_000
const dayMs = 24 * hourMs
const daysMax = 6
const time: EntityField = { name: 'D', type: 'timestamp', role: 'time' }
const tag: EntityField = { name: 'T', type: 'string', role: 'tag' }
const level: EntityField = { name: 'V', type: 'double', role: 'metric' }
const counter: EntityField = { name: 'C', type: 'double', role: 'metric' }
const long: EntityField = { name: 'N', type: 'long', role: 'metric' }
const quality: EntityField = { name: 'Q', type: 'long', role: 'quality' }
const metrics = [level, counter, long]
const nowMs = daysMax * dayMs

let directory: string
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'tidemark-kept-'))
})
afterAll(() => rmSync(directory, { recursive: true, force: true }))

interface Rules {
  readonly hasQuality: boolean
  readonly replaces: boolean
  readonly hasHuge: boolean
}

class History {
  store: EmbeddedStore
  readonly model = new ModelStore()
  readonly fields: readonly EntityField[]
  untilMs: number | null = null
  readonly #draw: Draw
  readonly #rules: Rules
  readonly #batches: RowBatch[] = []
  #folder: LocalFolder
  readonly #pacer = new Pacer({ sliceMs: 5, signal: new AbortController().signal })
  readonly #dayRowsMin: number
  #position = 0

  constructor(draw: Draw, rules: Rules) {
    this.#draw = draw
    this.#rules = rules
    this.fields = [time, tag, ...metrics, ...(rules.hasQuality ? [quality] : [])]
    this.store = new EmbeddedStore({ chunkRows: 64 }, 0)
    this.#folder = this.#newFolder(this.store)
    this.#dayRowsMin = oneOf(draw, [1, 30, 1000])
    if (rules.replaces) this.store.registry(1).columns.replaceRows()
  }

  get kept(): KeptRules {
    return { id: 1, fields: this.fields, hours: { retention: null, sinceMs: null } }
  }

  push(rows: readonly (readonly Value[])[]): void {
    const columns = this.fields.map(({ type }, field) =>
      columnOf(
        type,
        rows.map((row) => row[field] ?? null),
      ),
    )
    const positions = Float64Array.from(rows, () => this.#position++)
    const pushed: RowBatch = { entityId: 1, rows: rows.length, positions, fields: this.fields, columns }
    const batch = this.#rules.replaces ? replacing(this.#draw, pushed) : pushed
    this.store.write(batch)
    this.model.write(batch)
    this.#batches.push(batch)
  }

  async seal(): Promise<void> {
    const frozen = this.store.freeze(this.#batches.length)
    const options = {
      folder: this.#folder,
      dayRowsMin: this.#dayRowsMin,
      sinceMs: () => null,
      pacer: this.#pacer,
      reach: () => {},
    }
    this.store.switchFiles({ add: await sealRows(frozen, options), remove: [], frozen, gone: () => {} })
  }

  async merge(): Promise<void> {
    const remove = chooseMerge(this.store.files(1), { filesMin: 2, fileRowsMax: 5000, smallFileRows: 50 })
    if (remove === null) return
    const registry = this.store.registry(1).of(remove[0]!.info)
    const { files: add } = await rewriteFiles(remove, { ...this.#writing, registry, sinceMs: null })
    this.store.switchFiles({ add, remove, frozen: null, gone: () => {} })
  }

  /** Records the date before which rows expire. Hours are made of the rows sealed by then, at once or later. */
  async leave(untilMs: number): Promise<void> {
    this.untilMs = Math.max(untilMs, this.untilMs ?? untilMs)
  }

  async makeHours(): Promise<void> {
    const { untilMs } = this
    if (untilMs === null) return
    const remove = this.store.files(1).filter(({ info }) => info.kind !== 'hours' && info.firstMs < untilMs)
    if (remove.length === 0) return
    const registry = this.store.registry(1)
    const { files: add } = await keepHours(remove, { ...this.#writing, registry, kept: this.kept, untilMs })
    this.store.switchFiles({ add, remove, frozen: null, gone: () => {} })
  }

  restart(): void {
    const before = this.store
    const store = new EmbeddedStore({ chunkRows: 64 }, before.position)
    const { series } = before.registry(1)
    const folder = this.#newFolder(store)
    for (const { name } of series.tags) store.registry(1).series.addTag(name)
    for (let number = 0; number < series.count; number++) store.registry(1).series.restore(series.valuesOf(number))
    if (this.#rules.replaces) store.registry(1).columns.replaceRows()
    const add = before.files(1).map((file): SealedFile => folder.open(file.info))
    store.switchFiles({ add, remove: [], frozen: null, gone: () => {} })
    for (const batch of this.#batches.slice(before.position)) store.write(batch)
    this.store = store
    this.#folder = folder
  }

  asked<P extends Plan>(plan: P): P {
    return { ...plan, selection: { ...plan.selection, sinceMs: this.untilMs, hours: { sinceMs: null } } }
  }

  get #writing() {
    return {
      ...{ folder: this.#folder, dayRowsMin: this.#dayRowsMin, pacer: this.#pacer, reach: () => {} },
      ...{ isErased: () => false, remove: () => {} },
    }
  }

  #newFolder(store: EmbeddedStore): LocalFolder {
    return new LocalFolder({
      disk: nodeDisk,
      directory,
      registryOf: (entityId) => store.registry(entityId),
      pageRows: 8 + this.#draw(90),
      pageCacheBytes: 1 << 20,
      indexCacheBytes: 1 << 20,
      spares: new UsedMemory(),
      writing: { sharedPageRows: 4, groupRows: 300, hourRowsMin: this.#draw(3), tailRowsMin: this.#draw(4) },
    })
  }
}

/** Rows of two tags over some days, sorted by time, with some equal dates, nulls and counter resets. */
function rowsIn(draw: Draw, { hasQuality, hasHuge }: Rules): Value[][] {
  const rows = 60 + draw(200)
  const isByClock = draw(2) === 0
  const stepMs = Math.floor((daysMax * dayMs) / rows / 1000) * 1000
  return Array.from({ length: rows }, (_, row): Value[] => {
    const or = (value: Value): Value => (draw(20) === 0 ? null : value)
    const at = (draw(20) === 0 ? row - 1 : row) * stepMs
    return [
      Math.max(0, at) + (isByClock ? 0 : draw(stepMs / 1000) * 1000),
      oneOf(draw, ['a', 'a', 'b']),
      or(10 + draw(9000) / 100),
      or(((row % 40) * (1 + draw(2))) / 10),
      or(hasHuge && draw(9) === 0 ? 9_007_199_254_740_993n + BigInt(draw(5)) : draw(100)),
      ...(hasQuality ? [oneOf(draw, [null, 192, 192, 192, 0, 64])] : []),
    ]
  }).sort((left, right) => Number(left[0]) - Number(right[0]))
}

/** A range of whole hours, which may be open on either side. */
function randomRange(draw: Draw) {
  const hours = [draw(daysMax * 24 + 1), draw(daysMax * 24 + 1)].sort((a, b) => a - b)
  return {
    fromMs: draw(3) === 0 ? Number.NEGATIVE_INFINITY : hours[0]! * hourMs,
    toMs: draw(3) === 0 ? Number.POSITIVE_INFINITY : hours[1]! * hourMs + hourMs - 1,
  }
}

function randomGranularity(draw: Draw): AveragePlan['granularity'] {
  const zone = Zone.find(oneOf(draw, ['UTC', 'UTC', 'Europe/Madrid', 'America/New_York']))!
  const period = parsePeriod(oneOf(draw, ['PT1H', 'PT6H', 'P1D', 'P1M']))!
  return draw(5) === 0 ? { kind: 'all' } : plainGranularity(periodGranularity(period, zone, null)!)!
}

function selectionOf({ hasQuality }: Rules, asked: readonly EntityField[]) {
  return {
    ...{ entityId: 1, sinceMs: null, time, tags: [tag] as const, ids: null, prefixes: null },
    ...{ metrics: asked, fields: [], ...(hasQuality && { quality: { field: quality, words: ['good'] as const } }) },
  }
}

const someOf = (draw: Draw, of = metrics): readonly EntityField[] => {
  const some = of.filter(() => draw(2) === 0)
  return some.length > 0 ? some : [level]
}

function randomAverage(draw: Draw, rules: Rules): AveragePlan {
  return {
    kind: 'average',
    selection: selectionOf(rules, someOf(draw)),
    range: randomRange(draw),
    granularity: randomGranularity(draw),
    byTag: draw(2) === 0,
  }
}

function randomAggregate(draw: Draw, rules: Rules, names: readonly AggregateName[]): AggregatePlan {
  // Hours do not know the values between longs beyond 2^53, so a metric with such longs is left out.
  const asked = someOf(draw, rules.hasHuge ? [level, counter] : metrics)
  return {
    kind: 'aggregate',
    selection: selectionOf(rules, asked),
    range: randomRange(draw),
    granularity: randomGranularity(draw),
    values: {
      metrics: asked.map(() => ({
        shape: oneOf(draw, ['line', 'step'] as const),
        maxGap: draw(4) > 0 ? null : { years: 0, months: 0, weeks: 0, days: 0, ms: hourMs + draw(9 * hourMs) },
      })),
      shapeOfTag: draw(4) === 0 ? [['a', 'step']] : [],
      nowMs: nowMs + draw(3 * hourMs),
    },
    columns: asked.flatMap(({ name }, metric) =>
      names.map((aggregate) => ({ name: `${name}.${aggregate}`, metric, aggregate })),
    ),
    onlyKnown: draw(4) === 0,
    totalUnitMs: hourMs,
    counter: { reset: oneOf(draw, ['zero', 'skip'] as const), wrap: draw(4) === 0 ? 10 : null },
  }
}

function randomGroups(draw: Draw): AggregationPlan {
  const of = (field: EntityField): StoreAggregate[] => {
    const type = field.type === 'long' ? 'long' : 'double'
    return [
      { kind: 'values', field },
      { kind: 'sum', type, field },
      { kind: 'least', type, field },
      { kind: 'greatest', type, field },
    ]
  }
  return {
    ...{ entityId: 1, sinceMs: null, time, tags: [tag] as const, ranges: [randomRange(draw)], filter: null },
    ...{ computed: [], granularity: randomGranularity(draw), keys: draw(2) === 0 ? [tag] : [] },
    ...{
      aggregates: [{ kind: 'rows' }, ...someOf(draw).flatMap(of)],
      groupsMax: 100_000,
      unitsMax: 100_000,
      needsDays: true,
    },
  }
}

/** Hours cannot answer, for example, a counter that wraps and falls twice in an hour, where only some of the falls are due to the wrap. */
const isExpired = (error: unknown): boolean => (error as { code?: string }).code === 'rows_expired'

/** A plot whose parts begin and end on hours, so that hours have the items to plot. */
function randomPlot(draw: Draw, rules: Rules): PlotPlan {
  const points = 1 + draw(12)
  const partHours = 1 + draw(Math.floor((daysMax * 24) / points))
  const from = draw(daysMax * 24 - points * partHours + 1)
  const range = { fromMs: from * hourMs, toMs: (from + points * partHours) * hourMs }
  return { kind: 'plot', selection: selectionOf(rules, [oneOf(draw, metrics)]), range, points }
}

async function askPlot(draw: Draw, history: History, rules: Rules): Promise<void> {
  const plan = randomPlot(draw, rules)
  const { store, model, untilMs } = history
  // The range includes its end, but hours do not include the rows at that instant. Skips ranges where such a row has expired.
  const isOnEnd = model.rows.some(({ values }) => values['D'] === plan.range.toMs)
  if (isOnEnd && plan.range.toMs < (untilMs ?? 0)) return
  expectSame(plan, await rowsOf(store, history.asked(plan)), model.run(plan), 'small')
}

/** If parts cut hours, every plotted item must exist, and the bounds of all items from the first plotted one on must be plotted. */
async function askCutPlot(draw: Draw, history: History, rules: Rules): Promise<void> {
  const { store, model } = history
  const plan: PlotPlan = { ...randomPlot(draw, rules), range: randomRange(draw), points: 1 + draw(30) }
  const answer = await rowsOf(store, history.asked(plan)).catch((error: unknown) => {
    if (isExpired(error)) return null
    throw error
  })
  if (answer === null) return
  const every = model.run({ ...plan, points: 1_000_000 }).map((row) => row.slice(0, 3))
  const shown = new Set(every.map(String))
  expect(answer.map((row) => String(row.slice(0, 3))).filter((row) => !shown.has(row))).toEqual([])
  const fromMs = Number(answer[0]?.[0] ?? Number.POSITIVE_INFINITY)
  const bounds = (rows: readonly (readonly Value[])[]) => {
    const own = rows.filter(([ms]) => Number(ms) >= fromMs).map((row) => Number(row[2]))
    return [Math.min(...own), Math.max(...own)]
  }
  expect(bounds(answer)).toEqual(bounds(every))
}

const told = aggregateNames.filter((name) => !needsSquares(name) && name !== 'good')

/** The first and the last row of each UTC day that a range touches. For days whose rows have expired, the bounds of their hours. */
function daysOf({ model, untilMs }: History, { fromMs, toMs }: Range) {
  const dayOf = (ms: number): number => Math.floor(ms / dayMs)
  const times = model.rows.map(({ values }) => Number(values['D'])).sort((left, right) => left - right)
  const days = [...new Set(times.map(dayOf))].filter((day) => day >= dayOf(fromMs) && day <= dayOf(toMs))
  return days.map((day) => {
    const own = times.filter((ms) => dayOf(ms) === day)
    const [firstMs, lastMs] = [own[0]!, own.at(-1)!]
    if (firstMs >= (untilMs ?? 0)) return { firstMs, lastMs }
    return { firstMs: firstMs - (firstMs % hourMs), lastMs: lastMs - (lastMs % hourMs) + hourMs - 1 }
  })
}

async function ask(draw: Draw, history: History, rules: Rules): Promise<void> {
  const { store, model } = history
  const average = randomAverage(draw, rules)
  expectSame(average, await rowsOf(store, history.asked(average)), model.run(average), 'small')
  const plan = randomAggregate(draw, rules, told)
  const answer = await rowsOf(store, history.asked(plan)).catch((error: unknown) => {
    if (isExpired(error) && plan.counter.wrap !== null) return null
    throw error
  })
  if (answer !== null) expectSame(plan, answer, model.run(plan), 'small')
  await askPlot(draw, history, rules)
  await askCutPlot(draw, history, rules)
  const groups = randomGroups(draw)
  const { signal } = new AbortController()
  const kept = { ...groups, sinceMs: history.untilMs, hours: { sinceMs: null } }
  const found = await store.aggregate(kept, signal, timeBuckets(groups.granularity))
  expectGroups(groups, found!.rows, model.rows)
  expect(found!.days).toEqual(daysOf(history, groups.ranges[0]!))
}

/** Rows arrive in order, days expire, and no row arrives late. */
async function inOrder(
  seed: number,
  spoil: (history: History) => Promise<void> = async () => undefined,
): Promise<void> {
  const draw = drawFrom(seed)
  const rules = { hasQuality: draw(3) === 0, replaces: draw(3) === 0, hasHuge: draw(4) === 0 }
  const history = new History(draw, rules)
  const rows = rowsIn(draw, rules)
  for (let start = 0; start < rows.length; ) {
    const end = Math.min(rows.length, start + 1 + draw(60))
    history.push(rows.slice(start, end))
    start = end
    const oldestMs = start < rows.length ? Number(rows[start]![0]) : nowMs
    for (let steps = draw(4); steps > 0; steps--) {
      switch (draw(4)) {
        case 0:
          await history.seal()
          break
        case 1:
          await history.merge()
          break
        case 2:
          history.restart()
          break
        case 3:
          // Hours are made after all rows are sealed.
          await history.seal()
          await history.leave(Math.floor(oldestMs / dayMs) * dayMs - draw(2) * dayMs)
          if (draw(3) > 0) await history.makeHours()
      }
    }
    await spoil(history)
    for (let question = draw(3); question > 0; question--) await ask(draw, history, rules)
  }
  await history.seal()
  await history.makeHours()
  for (let question = 0; question < 6; question++) await ask(draw, history, rules)
}

test('hours give the same results as their expired rows', async () => {
  await fc.assert(
    fc.asyncProperty(fc.nat(), (seed) => inOrder(seed)),
    { numRuns: rounds(60) },
  )
})

test('counts, sums and means of longs and decimals stay equal to the last digit after their rows expire', async () => {
  const ofItems = ['mean', 'min', 'max', 'sum', 'count', 'first', 'last'] as const
  await fc.assert(
    fc.asyncProperty(fc.nat(), async (seed) => {
      const draw = drawFrom(seed)
      const rules = { hasQuality: draw(3) === 0, replaces: draw(3) === 0, hasHuge: false }
      const history = new History(draw, rules)
      history.push(rowsIn(draw, rules))
      await history.seal()
      const plans = [
        ...Array.from({ length: 4 }, () => randomAverage(draw, rules)),
        ...Array.from({ length: 4 }, () => randomAggregate(draw, rules, ofItems)),
      ]
      const answered = () => Promise.all(plans.map((plan) => rowsOf(history.store, history.asked(plan))))
      const before = await answered()
      for (let day = draw(daysMax); day <= daysMax; day += 1 + draw(2)) {
        await history.leave(day * dayMs)
        expect(await answered()).toEqual(before)
        await history.makeHours()
        if (draw(2) === 0) await history.merge()
        expect(await answered()).toEqual(before)
      }
    }),
    { numRuns: rounds(30) },
  )
})

/** Rows of three days, one every ten minutes; the first two days have expired. */
async function threeDays(): Promise<History> {
  const history = new History(drawFrom(1), { hasQuality: false, replaces: false, hasHuge: false })
  const rows = Array.from({ length: 3 * 144 }, (_, row): Value[] => [
    row * 600_000,
    'a',
    (row % 144) / 4,
    row,
    BigInt(row),
  ])
  history.push(rows)
  await history.seal()
  await history.leave(2 * dayMs)
  await history.makeHours()
  return history
}

const hourly = { kind: 'uniform', widthMs: hourMs, originMs: 0 } as const
const rulesOf = { hasQuality: false, replaces: false, hasHuge: false }

function aggregateOf(names: readonly AggregateName[], range: AggregatePlan['range']): AggregatePlan {
  const plan = randomAggregate(drawFrom(1), rulesOf, names)
  const columns = names.map((aggregate) => ({ name: `V.${aggregate}`, metric: 0, aggregate }))
  const values = {
    ...plan.values,
    metrics: [{ shape: 'line' as const, maxGap: null }],
    shapeOfTag: [],
    nowMs: 3 * dayMs,
  }
  const selection = { ...plan.selection, metrics: [level] }
  return {
    ...plan,
    selection,
    range,
    granularity: hourly,
    values,
    columns,
    onlyKnown: false,
    counter: { reset: 'zero', wrap: null },
  }
}

const always = { fromMs: Number.NEGATIVE_INFINITY, toMs: Number.POSITIVE_INFINITY }
const names = ['count', 'sum', 'min', 'max', 'covered', 'time_mean', 'total', 'rise', 'min_time'] as const

describe('a late row', () => {
  test.each(['in memory', 'sealed', 'made an hour of', 'and merged', 'and after a restart'])(
    '%s: changes sum, count and bounds of its hour, and makes its values over time unknown',
    async (state) => {
      const history = await threeDays()
      const lateMs = 30 * hourMs + 1
      history.push([[lateMs, 'a', 1000, 1, 1n]])
      if (state !== 'in memory') await history.seal()
      if (state !== 'in memory' && state !== 'sealed') await history.makeHours()
      if (state === 'and merged') await history.merge()
      if (state === 'and after a restart') history.restart()
      const plan = aggregateOf(names, always)
      const [answer, all] = [await rowsOf(history.store, history.asked(plan)), history.model.run(plan)]
      expect(answer).toHaveLength(all.length)
      for (const [place, row] of answer.entries()) {
        expect(row.slice(0, 6)).toEqual(all[place]!.slice(0, 6))
        const isLate = row[0] === 30 * hourMs
        if (isLate) expect(row.slice(6)).toEqual([0, null, null, null, null])
        // In the hours next to it, values that continue across the border are unknown too.
        else if (row[0] !== 29 * hourMs && row[0] !== 31 * hourMs) expectSame(plan, [row], [all[place]!], 'small')
      }
      const means = { ...randomAverage(drawFrom(1), rulesOf), range: always, granularity: hourly, byTag: true }
      expectSame(means, await rowsOf(history.store, history.asked(means)), history.model.run(means), 'small')
      const selection = selectionOf(rulesOf, [level])
      const plot: PlotPlan = { kind: 'plot', selection, range: { fromMs: 0, toMs: 3 * dayMs }, points: 72 }
      expectSame(plot, await rowsOf(history.store, history.asked(plot)), history.model.run(plot), 'small')
    },
  )

  test('of an hour without rows creates that hour', async () => {
    const history = await threeDays()
    history.push([[-5 * hourMs, 'b', 7, null, null]])
    await history.seal()
    await history.makeHours()
    const plan = aggregateOf(['count', 'sum'], { fromMs: -dayMs, toMs: -1 })
    expect((await rowsOf(history.store, history.asked(plan)))[0]).toEqual([-5 * hourMs, 'b', 1, 7])
  })
})

test('repeated expiry does not empty any hour', async () => {
  const history = await threeDays()
  const plan = aggregateOf(['count', 'sum'], always)
  const before = await rowsOf(history.store, history.asked(plan))
  for (let round = 0; round < 3; round++) {
    await history.makeHours()
    await history.merge()
    history.restart()
    await history.leave(2 * dayMs)
    expect(await rowsOf(history.store, history.asked(plan))).toEqual(before)
  }
  await history.leave(3 * dayMs)
  await history.makeHours()
  expect(await rowsOf(history.store, history.asked(plan))).toEqual(before)
})

describe('queries of expired rows', () => {
  const from = (fromMs: number, toMs = Number.POSITIVE_INFINITY) => ({ fromMs, toMs })
  const select = (range: AggregatePlan['range']): Plan => ({
    kind: 'select',
    selection: selectionOf(rulesOf, [level]),
    range,
  })
  const states = (range: AggregatePlan['range']): Plan => {
    const { columns: _, onlyKnown: __, totalUnitMs: ___, counter: ____, ...plan } = aggregateOf(names, range)
    return { ...plan, kind: 'states' }
  }
  const selection = selectionOf(rulesOf, [level])
  test.each<readonly [string, Plan]>([
    ['select', select(from(dayMs))],
    ['select with an open start', select({ ...always, toMs: dayMs })],
    ['latest', { kind: 'latest', selection, fromMs: dayMs }],
    ['last', { kind: 'last', selection, dateMs: 2 * dayMs, offset: 0 }],
    ['next', { kind: 'next', selection, dateMs: dayMs, offset: 0 }],
    ['snap', { kind: 'snap', selection, ticksMs: Float64Array.of(dayMs) }],
    [
      'snap whose range starts earlier',
      { kind: 'snap', selection, startMs: dayMs, ticksMs: Float64Array.of(40 * dayMs) },
    ],
    ['a plot by less than an hour', { kind: 'plot', selection, range: from(dayMs, 2 * dayMs), points: 25 }],
    ['a plot by less than an hour, with an open end', { kind: 'plot', selection, range: from(dayMs), points: 49 }],
    ['a plot that starts within an hour', { kind: 'plot', selection, range: from(dayMs + 1), points: 10 }],
    ['states', states(from(dayMs))],
    ['a start within an hour', aggregateOf(['count'], from(dayMs + 1))],
    ['an end within an hour', aggregateOf(['count'], from(dayMs, dayMs + 1))],
    [
      'buckets finer than hours',
      { ...aggregateOf(['count'], from(dayMs)), granularity: { ...hourly, widthMs: hourMs / 2 } },
    ],
    ['a standard deviation', aggregateOf(['stddev'], from(dayMs))],
    [
      'a maximum gap shorter than an hour',
      {
        ...aggregateOf(['covered'], from(dayMs)),
        values: {
          ...aggregateOf([], always).values,
          metrics: [{ shape: 'line', maxGap: { years: 0, months: 0, weeks: 0, days: 0, ms: 1 } }],
        },
      },
    ],
    [
      'dimensions',
      {
        ...aggregateOf(['count'], from(dayMs)),
        selection: { ...selection, fields: [{ name: 'X', type: 'string', role: 'dimension' }] },
      },
    ],
  ])('%s is refused with the date from which rows exist', async (_, plan) => {
    const { store, asked } = await threeDays().then((history) => ({ store: history.store, asked: history.asked(plan) }))
    await expect(rowsOf(store, asked)).rejects.toMatchObject({
      code: 'rows_expired',
      message: expect.stringContaining('1970-01-03T00:00:00.000Z'),
    })
  })

  test.each<readonly [string, Plan, number]>([
    ['select', select(always), 144],
    ['select of the remaining rows', select(from(2 * dayMs)), 144],
    ['a standard deviation', aggregateOf(['stddev'], always), 24],
    ['a count', aggregateOf(['count'], always), 72],
    ['a plot', { kind: 'plot', selection, range: always, points: 1 }, 3],
    ['a plot by hours', { kind: 'plot', selection, range: from(0, 3 * dayMs), points: 72 }, 144],
    ['a plot by less than an hour', { kind: 'plot', selection, range: always, points: 144 }, 144],
    ['an end on the hour', aggregateOf(['count'], from(dayMs, dayMs + hourMs)), 1],
  ])('%s starts at the first usable date', async (_, plan, rows) => {
    const history = await threeDays()
    expect(await rowsOf(history.store, history.asked(plan))).toHaveLength(rows)
  })
})

test('a plot of several metrics returns for each item the values that its hour stored', async () => {
  const history = new History(drawFrom(1), rulesOf)
  const minuteMs = 60_000
  history.push([
    [0, 'a', 1, 5, 1n],
    [5 * minuteMs, 'a', 3, 6, 2n],
    [10 * minuteMs, 'a', 9, 1, 3n],
    [15 * minuteMs, 'a', 9.5, 6, 4n],
    [20 * minuteMs, 'a', 5, 7, 5n],
  ])
  await history.seal()
  await history.leave(dayMs)
  const range = { fromMs: 0, toMs: hourMs }
  const plan: Plan = { kind: 'plot', selection: selectionOf(rulesOf, [level, counter]), range, points: 1 }
  const shown = [
    [0, 'a', 1, 5],
    [10 * minuteMs, 'a', null, 1],
    [15 * minuteMs, 'a', 9.5, null],
    [20 * minuteMs, 'a', 5, 7],
  ]
  expect(await rowsOf(history.store, history.asked(plan))).toEqual(shown)
  await history.makeHours()
  expect(await rowsOf(history.store, history.asked(plan))).toEqual(shown)
})

test('hours keep all digits of longs beyond 2^53', async () => {
  const history = new History(drawFrom(1), { ...rulesOf })
  const huge = 9_007_199_254_740_993n
  history.push([
    [0, 'a', 1, 1, huge],
    [1000, 'a', 1, 1, huge + 2n],
  ])
  await history.seal()
  await history.leave(dayMs)
  await history.makeHours()
  const columns = ['min', 'max', 'first', 'last'].map((aggregate) => ({
    name: `N.${aggregate}`,
    metric: 0,
    aggregate: aggregate as AggregateName,
  }))
  const plan = { ...aggregateOf([], always), columns, selection: selectionOf(rulesOf, [long]) }
  expect(await rowsOf(history.store, history.asked(plan))).toEqual([[0, 'a', huge, huge + 2n, huge, huge + 2n]])
  const plot: Plan = { kind: 'plot', selection: plan.selection, range: { fromMs: 0, toMs: hourMs }, points: 1 }
  expect(await rowsOf(history.store, history.asked(plot))).toEqual([
    [0, 'a', huge],
    [1000, 'a', huge + 2n],
  ])
})

test('the same check detects a lost file of hours', async () => {
  const found = await fc.check(
    fc.asyncProperty(fc.nat(), (seed) =>
      inOrder(seed, async ({ store }) => {
        const hours = store.files(1).filter(({ info }) => info.kind === 'hours')
        if (hours.length > 0) store.switchFiles({ add: [], remove: hours.slice(0, 1), frozen: null, gone: () => {} })
      }),
    ),
    { numRuns: 50, endOnFailure: true, seed: 7 },
  )
  expect(found.errorInstance).toMatchObject({ name: 'AssertionError' })
})
