// Aggregations computed in the simplest way.
import { expect } from 'vitest'
import type { AggregationPlan, EndAggregate, GroupValue, StoreAggregate } from '../../src/algebra/aggregation.ts'
import type { Value } from '../../src/model/column.ts'
import type { EntityField } from '../../src/model/entity.ts'
import { bucketOf, type ModelRow } from './model-store.ts'
import { passes } from './random-filters.ts'

export const timeOf = (row: ModelRow): number => Number(row.values['D'])

/** Checks that the groups of a plan, in any order, are those of these rows. */
export function expectGroups(
  plan: AggregationPlan,
  groups: readonly (readonly GroupValue[])[],
  rows: readonly ModelRow[],
): void {
  const order = (unordered: readonly (readonly GroupValue[])[]) =>
    unordered.toSorted((left, right) => (keyText(left, plan.keys.length) < keyText(right, plan.keys.length) ? -1 : 1))
  const actual = order(groups)
  const expected = order(expectedRows(plan, rows))
  expect(actual.map((row) => keyText(row, plan.keys.length))).toEqual(
    expected.map((row) => keyText(row, plan.keys.length)),
  )
  actual.forEach((row, index) => {
    row.forEach((value, place) => {
      if (!isNear(value, expected[index][place])) {
        expect({ plan, value, place }).toEqual({ plan, value: expected[index][place], place })
      }
    })
  })
}

function aggregated({ where, ...aggregate }: StoreAggregate, all: readonly ModelRow[]): GroupValue {
  const rows = where === undefined ? all : all.filter((row) => passes(where, row))
  if (aggregate.kind === 'rows') return BigInt(rows.length)
  if ('end' in aggregate) return atEnd(aggregate, rows)
  if (aggregate.kind === 'distinct') {
    const values = rows.map((row) => keyOf(row.values[aggregate.field.name] ?? null, aggregate.field.type))
    return BigInt(new Set(values.filter((value) => value !== null && (aggregate.countsEmpty || value !== ''))).size)
  }
  const values = rows.flatMap(({ values }) => values[aggregate.field.name] ?? []) as (number | bigint)[]
  if (aggregate.kind === 'values') return BigInt(values.length)
  if (values.length === 0) return null
  if (aggregate.type === 'long') {
    const longs = values.map((value) => BigInt(value))
    if (aggregate.kind === 'sum')
      return BigInt.asIntN(
        64,
        longs.reduce((sum, value) => sum + value, 0n),
      )
    const sorted = longs.toSorted((left, right) => (left < right ? -1 : left > right ? 1 : 0))
    return sorted.at(aggregate.kind === 'least' ? 0 : -1)!
  }
  const doubles = values.map(Number)
  if (aggregate.kind === 'sum') return doubles.reduce((sum, value) => sum + value * 2 ** -64, 0) * 2 ** 64
  return aggregate.kind === 'least' ? Math.min(...doubles) : Math.max(...doubles)
}

function atEnd(aggregate: EndAggregate, rows: readonly ModelRow[]): GroupValue {
  const order = rows.toSorted((left, right) => timeOf(left) - timeOf(right) || left.position - right.position)
  const row = order.at(aggregate.end === 'newest' ? -1 : 0)
  if (row === undefined) return null
  return aggregate.kind === 'endTime'
    ? timeOf(row)
    : keyOf(row.values[aggregate.field.name] ?? null, aggregate.field.type)
}

function expectedRows(plan: AggregationPlan, all: readonly ModelRow[]): GroupValue[][] {
  const groups = new Map<string, { key: GroupValue[]; rows: ModelRow[] }>()
  for (const row of all) {
    const ms = timeOf(row)
    if (plan.sinceMs !== null && ms < plan.sinceMs) continue
    if (!plan.ranges.some(({ fromMs, toMs }) => ms >= fromMs && ms <= toMs)) continue
    if (plan.filter !== null && !passes(plan.filter, row)) continue
    const bucket = bucketOf(plan.granularity, ms)
    const key = [bucket, ...plan.keys.map(({ name, type }) => keyOf(row.values[name] ?? null, type))]
    const text = key.map(plain).join('\0')
    const group = groups.get(text) ?? { key, rows: [] }
    group.rows.push(row)
    groups.set(text, group)
  }
  return [...groups.values()].map(({ key, rows }) => [...key, ...plan.aggregates.map((one) => aggregated(one, rows))])
}

const keyOf = (value: Value, type: EntityField['type']): GroupValue => {
  if (value === null || typeof value === 'boolean') return null
  return type === 'long' ? BigInt(value) : value
}

const plain = (value: GroupValue): string => `${typeof value} ${value === 0 ? 0 : String(value)}`

/** Sums of doubles differ by rounding errors; the model's own sums suffer from cancellation at sizes of 1e308. */
function isNear(actual: GroupValue, expected: GroupValue): boolean {
  if (typeof actual !== 'number' || typeof expected !== 'number') return actual === expected
  if (actual === expected) return true
  const difference = Math.abs(actual - expected)
  return difference <= Math.abs(expected) * 1e-9 || difference <= 1e293
}

const keyText = (row: readonly GroupValue[], keys: number): string =>
  row
    .slice(0, keys + 1)
    .map(plain)
    .join('\0')
