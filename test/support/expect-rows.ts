// Compares a store's results with the model's.
import { isDeepStrictEqual } from 'node:util'
import { expect } from 'vitest'
import { bucketsOfPlan } from '../../src/druid-time/plain-granularity.ts'
import { isOverTime, type OverTimePlan, outputFields, type Plan } from '../../src/model/plan.ts'
import type { SeriesQuerier } from '../../src/store/series-store.ts'
import { type ResultRow, resultRows } from './model-store.ts'

const limits = { resultRows: 1_000_000, buckets: 1_000_000, resultBytes: 2 ** 30 }

export async function rowsOf(store: SeriesQuerier, plan: Plan): Promise<ResultRow[]> {
  const rows: ResultRow[] = []
  const { signal } = new AbortController()
  for await (const batch of store.run(plan, limits, signal, bucketsOfPlan(plan))) rows.push(...resultRows([batch]))
  return rows
}

/** The size of the doubles that sums consist of: at sizes of 1e308 the model's own sums suffer from cancellation. */
export type Sizes = 'any' | 'small'

/** At that size a sum is accurate only to about 1e293, and the total of thousands of hours to a correspondingly larger error. */
const cancelled = { sum: 1e293, overTime: 1e297 }

export function expectSame(
  plan: Plan,
  actual: readonly ResultRow[],
  expected: readonly ResultRow[],
  sizes: Sizes = 'any',
): void {
  if (isOverTime(plan)) {
    expectSameOverTime(plan, actual, expected, sizes)
    return
  }
  if (plan.kind !== 'average') {
    expectEqual(digits(actual), digits(expected))
    return
  }
  const means = plan.selection.metrics.length
  expectEqual(digits(actual.map((row) => row.slice(0, -means))), digits(expected.map((row) => row.slice(0, -means))))
  actual.forEach((row, index) => {
    for (let metric = row.length - means; metric < row.length; metric++) {
      expectNear(row[metric], expected[index][metric], sizes === 'any' ? cancelled.sum : 1e-9)
    }
  })
}

/** Computed numbers may differ slightly; everything else must be equal. */
function expectSameOverTime(
  plan: OverTimePlan,
  actual: readonly ResultRow[],
  expected: readonly ResultRow[],
  sizes: Sizes,
): void {
  const isExact = outputFields(plan).map(({ type }) => type !== 'double')
  const exact = (rows: readonly ResultRow[]) => digits(rows.map((row) => row.filter((_, column) => isExact[column])))
  expectEqual(exact(actual), exact(expected))
  actual.forEach((row, index) => {
    row.forEach((value, column) => {
      if (!isExact[column]) expectNear(value, expected[index][column], sizes === 'any' ? cancelled.overTime : 1e-9)
    })
  })
}

/** Normalizes bigints and negative zeros to their digits, so that values that look the same to a caller compare as equal. */
function plain(rows: readonly ResultRow[]): unknown[] {
  return rows.map((row) => row.map((value) => (typeof value === 'bigint' ? String(value) : value === 0 ? 0 : value)))
}

function digits(rows: readonly ResultRow[]): unknown[] {
  return plain(rows.map((row) => row.map((value) => (Math.abs(Number(value)) >= 2 ** 53 ? String(value) : value))))
}

// An `expect` for each of thousands of values takes longer than the code under test, so it is called only on failure.
function expectEqual(actual: unknown, expected: unknown): void {
  if (!isDeepStrictEqual(actual, expected)) expect(actual).toEqual(expected)
}

function expectNear(actual: unknown, expected: unknown, within: number): void {
  if (!isNear(actual, expected, within)) expect(actual).toBe(expected)
}

function isNear(actual: unknown, expected: unknown, within: number): boolean {
  if (actual === null || expected === null) return actual === expected
  const difference = Math.abs(Number(actual) - Number(expected))
  return difference <= Math.max(Math.abs(Number(expected)) * 1e-9, within)
}
