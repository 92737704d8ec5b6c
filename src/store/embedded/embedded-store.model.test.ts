import fc from 'fast-check'
import { expect, test } from 'vitest'
import { ModelStore, type ResultRow, resultRows } from '../../../test/support/model-store.ts'
import { drawFrom, randomBatches, randomEntity, randomPlan } from '../../../test/support/random-rows.ts'
import type { Plan } from '../../model/plan.ts'
import type { ResultBatch } from '../series-store.ts'
import { EmbeddedStore } from './embedded-store.ts'

const limits = { resultRows: 1_000_000, buckets: 1_000_000, resultBytes: 2 ** 30 }

async function rowsOf(store: EmbeddedStore, plan: Plan): Promise<ResultRow[]> {
  const batches: ResultBatch[] = []
  for await (const batch of store.run(plan, limits, new AbortController().signal)) batches.push(batch)
  return resultRows(batches)
}

/** Bigints and negative zeros as their digits, so that what is the same to a caller is the same here. */
function plain(rows: readonly ResultRow[]): unknown[] {
  return rows.map((row) => row.map((value) => (typeof value === 'bigint' ? String(value) : value === 0 ? 0 : value)))
}

function expectSame(plan: Plan, actual: readonly ResultRow[], expected: readonly ResultRow[]): void {
  if (plan.kind !== 'average') {
    expect(digits(actual)).toEqual(digits(expected))
    return
  }
  const means = plan.selection.metrics.length
  expect(digits(actual.map((row) => row.slice(0, -means)))).toEqual(digits(expected.map((row) => row.slice(0, -means))))
  actual.forEach((row, index) => {
    for (let metric = row.length - means; metric < row.length; metric++) {
      expectNear(row[metric], expected[index][metric])
    }
  })
}

function digits(rows: readonly ResultRow[]): unknown[] {
  return plain(rows.map((row) => row.map((value) => (Math.abs(Number(value)) >= 2 ** 53 ? String(value) : value))))
}

/** The model's own sums cancel at sizes of 1e308, where only about 1e293 can be told apart. */
function expectNear(actual: unknown, expected: unknown): void {
  if (actual === null || expected === null) {
    expect(actual).toBe(expected)
    return
  }
  const difference = Math.abs(Number(actual) - Number(expected))
  expect(difference <= Math.abs(Number(expected)) * 1e-9 || difference <= 1e293).toBe(true)
}

test.each([8, 64, 4096])(
  'answers random plans as the model does, with generations of %i rows',
  async (generationRows) => {
    await fc.assert(
      fc.asyncProperty(fc.nat(), async (seed) => {
        const draw = drawFrom(seed)
        const entity = randomEntity(draw)
        const spanMs = [4, 60_000, 100 * 86_400_000][draw(3)]
        const store = new EmbeddedStore({ generationRows })
        const model = new ModelStore()
        for (const batch of randomBatches(draw, entity, spanMs)) {
          store.write(batch)
          model.write(batch)
          for (let question = draw(6); question > 0; question--) {
            const plan = randomPlan(draw, entity, spanMs)
            expectSame(plan, await rowsOf(store, plan), model.run(plan))
          }
          expect(await store.statistics(1)).toEqual(model.statistics(1))
        }
      }),
      { numRuns: 150 },
    )
  },
)
