// Tests for every reader of series: random plans must give the model's results, and the scenarios and errors at the limits the documented ones.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { bucketsOfPlan } from '../../src/druid-time/plain-granularity.ts'
import { compareCodePoints } from '../../src/lib/compare-code-points.ts'
import type { Entity } from '../../src/model/entity.ts'
import type { Duplicates } from '../../src/model/ingest.ts'
import type { Plan, PlanLimits } from '../../src/model/plan.ts'
import { Problem } from '../../src/model/problem.ts'
import type { RowBatch } from '../../src/model/row-batch.ts'
import type { SeriesQuerier } from '../../src/store/series-store.ts'
import { expectSame, rowsOf } from '../support/expect-rows.ts'
import { ModelStore } from '../support/model-store.ts'
import {
  drawFrom,
  type RandomEntity,
  randomBatches,
  randomEntity,
  randomOverTimePlan,
  randomPlan,
  replacing,
} from '../support/random-rows.ts'
import { parseScenario } from '../support/scenario.ts'
import { runCheck, worldOf, written } from '../support/scenario-world.ts'

const never = new AbortController().signal

/** Entities and all of their rows. */
export interface StoreWorld {
  readonly entities: readonly Entity[]
  readonly batches: readonly RowBatch[]
}

export interface StoreUnderTest {
  /** Loads the worlds; resolves with a querier for each. */
  load(worlds: readonly StoreWorld[]): Promise<readonly SeriesQuerier[]>
  close(): Promise<void>
}

export interface StoreContractCases {
  readonly seed: number
  /** The number of random worlds, and of plans run in each. */
  readonly worlds: number
  readonly plans: number
  /** The number of kinds of entity in the worlds. */
  readonly entities: number
  /** Whether tags are found by current items, rather than by rows that newer ones may have replaced. */
  readonly seesReplaced: boolean
  /** The durations of the worlds. */
  readonly spansMs: readonly number[]
}

const scenarioFolder = join(import.meta.dirname, '../scenarios')
const roomy: PlanLimits = { resultRows: 1_000_000, buckets: 1_000_000, resultBytes: 2 ** 30 }

export function seriesStoreContract(name: string, open: () => StoreUnderTest, cases: StoreContractCases): void {
  describe(`series of ${name}`, () => {
    const scenarios = readdirSync(scenarioFolder)
      .filter((file) => file.endsWith('.scenario'))
      .map((file) => ({ file, checks: parseScenario(readFileSync(join(scenarioFolder, file), 'utf8')) }))
    const checks = scenarios.flatMap(({ file, checks }) =>
      checks.map((check) => ({ check, title: `${file} ${check.title}` })),
    )
    const random = Array.from({ length: cases.worlds }, (_, index) => randomWorld(cases, index))
    const readerOf = new Map<object, SeriesQuerier>()
    let store: StoreUnderTest

    beforeAll(async () => {
      store = open()
      const keys = [...checks.map(({ check }) => check), ...random]
      const readers = await store.load([...checks.map(({ check }) => worldOf(check)), ...random])
      for (const [index, reader] of readers.entries()) readerOf.set(keys[index]!, reader)
    }, 300_000)
    afterAll(() => store.close(), 60_000)

    test.each(checks.map(({ title, check }) => [title, check] as const))('%s', async (_, check) => {
      const { answered, expected } = await runCheck(check, written(readerIn(readerOf, check)))
      expect(answered).toBe(expected)
    })

    test.each(random.map((world) => [world.seed, world.duplicates, world] as const))(
      'random plans, seed %i, duplicates: %s',
      async (_, __, world) => {
        const reader = readerIn(readerOf, world)
        for (const plan of world.plans) await checkPlan(reader, world, plan)
        const hasTags = world.duplicates === 'keep' || cases.seesReplaced
        for (const plan of hasTags ? world.plans : []) await checkTags(reader, world, plan)
        expect(await reader.statistics(1, null, never)).toEqual(world.model.statistics(1))
        expect(await reader.statistics(1, 0, never)).toEqual(world.model.statistics(1, 0))
      },
      60_000,
    )

    test('a result with more rows than the limit is an error', async () => {
      const { plans, model, ...world } = random.find(({ duplicates }) => duplicates === 'keep')!
      const reader = readerIn(readerOf, random.find(({ seed }) => seed === world.seed)!)
      for (const plan of plans) {
        const rows = model.run(plan).length
        if (rows < 2) continue
        const refused = drain(reader, plan, { ...roomy, resultRows: rows - 1 }).catch((error: unknown) => error)
        expect(await refused).toBeInstanceOf(Problem)
        expect(await refused).toMatchObject({ code: 'result_too_large' })
        await expect(drain(reader, plan, { ...roomy, resultRows: rows })).resolves.toBe(rows)
      }
    }, 60_000)

    test('means of more buckets than the limit are an error', async () => {
      let refusals = 0
      for (const world of random.filter(({ duplicates }) => duplicates === 'keep')) {
        for (const plan of world.plans) {
          // Other numbers are counted where empty buckets are filled, and in the local time of a zone.
          if (plan.kind !== 'average' || plan.fill !== undefined) continue
          if (plan.granularity.kind === 'all' || plan.granularity.kind === 'zoned' || refusals === 20) continue
          const buckets = new Set(world.model.run(plan).map(([startMs]) => startMs)).size
          if (buckets < 2) continue
          const refused = drain(reader(world), plan, { ...roomy, buckets: buckets - 1 }).catch(
            (error: unknown) => error,
          )
          expect(await refused).toBeInstanceOf(Problem)
          expect(await refused).toMatchObject({ code: 'too_many_buckets' })
          await expect(drain(reader(world), plan, { ...roomy, buckets })).resolves.toBeGreaterThan(0)
          refusals++
        }
      }
      expect(refusals).toBeGreaterThan(0)
    }, 60_000)

    test('an entity without rows is empty', async () => {
      const [world] = random
      const selection = { ...world!.plans[0]!.selection, entityId: 99 }
      const range = { fromMs: Number.NEGATIVE_INFINITY, toMs: Number.POSITIVE_INFINITY }
      const reader = readerIn(readerOf, world!)
      expect(await drain(reader, { kind: 'select', selection, range }, roomy)).toBe(0)
      expect(await drain(reader, { kind: 'latest', selection, fromMs: 0 }, roomy)).toBe(0)
      expect(await reader.statistics(99, null, never)).toEqual({ rows: 0, firstMs: null, lastMs: null })
    })

    test('a query whose caller aborts it ends with the reason', async () => {
      const [world] = random
      const reason = new Error('gone')
      const run = reader(world!).run(
        world!.plans[0]!,
        roomy,
        AbortSignal.abort(reason),
        bucketsOfPlan(world!.plans[0]!),
      )
      await expect(run[Symbol.asyncIterator]().next()).rejects.toBe(reason)
    })

    const reader = (world: RandomWorld): SeriesQuerier => readerIn(readerOf, world)
  })
}

function readerIn(readers: ReadonlyMap<object, SeriesQuerier>, key: object): SeriesQuerier {
  const reader = readers.get(key)
  if (reader === undefined) throw new Error('the world was not loaded')
  return reader
}

async function drain(reader: SeriesQuerier, plan: Plan, limits: PlanLimits): Promise<number> {
  let rows = 0
  for await (const batch of reader.run(plan, limits, new AbortController().signal, bucketsOfPlan(plan)))
    rows += batch.rows
  return rows
}

interface RandomWorld extends StoreWorld {
  readonly seed: number
  readonly duplicates: Duplicates
  readonly model: ModelStore
  readonly plans: readonly Plan[]
}

function randomWorld({ seed: first, plans, entities, spansMs }: StoreContractCases, index: number): RandomWorld {
  const seed = first + index
  const draw = drawFrom(seed)
  const entity = randomEntity(drawFrom(seed % entities))
  const spanMs = spansMs[draw(spansMs.length)]!
  const duplicates = draw(3) === 0 ? 'replace' : 'keep'
  const pushed = randomBatches(draw, entity, spanMs)
  const batches = duplicates === 'replace' ? pushed.map((batch) => replacing(draw, batch)) : pushed
  const model = new ModelStore()
  for (const batch of batches) model.write(batch)
  const asked: Plan[] = Array.from({ length: plans }, () => randomPlan(draw, entity, spanMs))
  for (let index = 0; index * 2 < plans; index++) asked.push(randomOverTimePlan(draw, entity, spanMs))
  return { seed, duplicates, entities: [entityOf(entity, duplicates)], batches, model, plans: asked }
}

function entityOf({ time, tags, others }: RandomEntity, duplicates: Duplicates): Entity {
  const fields = [time, ...tags, ...others]
  return { id: 1, name: 'plant', fields, duplicates, ingests: [], retention: null, sinceMs: null }
}

/** Checks the tags of the items in the plan's selection, page by page. */
async function checkTags(reader: SeriesQuerier, { model }: RandomWorld, plan: Plan): Promise<void> {
  const latest = model.run({
    kind: 'latest',
    selection: { ...plan.selection, fields: [] },
    fromMs: Number.NEGATIVE_INFINITY,
  })
  const expected = new Set(latest.flatMap(([, tag]) => (typeof tag === 'string' ? [tag] : [])))
  const tags: string[] = []
  for (let more = true; more; ) {
    const after = tags.at(-1) ?? null
    const page = await reader.tags({ selection: plan.selection, after, limit: 3, bytesMax: 1000 }, never)
    tags.push(...page.tags)
    more = page.more
  }
  expect(tags).toEqual([...expected].sort(compareCodePoints))
}

async function checkPlan(reader: SeriesQuerier, { model }: RandomWorld, plan: Plan): Promise<void> {
  try {
    expectSame(plan, await rowsOf(reader, plan), model.run(plan))
  } catch (error) {
    throw new Error(`it is another answer to ${JSON.stringify(plan)}`, { cause: error })
  }
}
