// The groups of an aggregation when rows have expired: from kept hours, and from the rows that remain.
import type { AggregationPlan, Groups, GroupValue, StoreAggregate } from '../../../algebra/aggregation.ts'
import { druidExpression } from '../../../algebra/druid-expression.ts'
import { fieldsOf, type Scalar } from '../../../algebra/scalar.ts'
import { isNumericField } from '../../../model/field.ts'
import type { Range } from '../../../model/plan.ts'
import { Problem } from '../../../model/problem.ts'
import { rowsExpired } from '../../../model/rows-expired.ts'
import { hourMetric, partColumn } from '../../hours/hour-row.ts'
import { requireRows } from '../../hours/needed-rows.ts'
import { areOfWholeHours } from '../../hours/whole-hours.ts'
import { timeBoundary } from '../druid-query.ts'
import type { DruidRun } from '../druid-run.ts'
import { valueRead } from '../druid-value.ts'
import { type GroupSource, groupsIn, slicesOf } from '../groups.ts'
import { isNull, type NativeAggregation, type NativeColumn, type NativeFilter, not } from '../native-query.ts'
import { hourSum } from './hour-columns.ts'
import { rowsColumn } from './hour-lines.ts'
import { type KeptHours, rangesOf, requireWholeHours } from './kept-hours.ts'

export type AggregationRun = Pick<DruidRun, 'pacer' | 'replacedBy' | 'buckets'> & { readonly kept: KeptHours }

/** Null where rows alone suffice. Throws Problem `rows_expired` when expired rows are needed. */
export async function aggregateOverHours(plan: AggregationPlan, run: AggregationRun): Promise<Groups | null> {
  const { kept } = run
  if (!isOfHours(plan, run)) {
    for (const range of plan.ranges) requireRows(kept, range)
    return null
  }
  const ranges = plan.ranges.map((range) => ({ range, parts: rangesOf(kept, range) }))
  if (ranges.every(({ parts }) => parts === null)) return null
  const groups = new JoinedGroups(plan, kept)
  for (const { range, parts } of ranges) {
    const ofRows = parts?.rows ?? { fromMs: Math.max(range.fromMs, kept.untilMs), toMs: range.toMs }
    await groups.add(await sourceOf(plan, ofRows, 'rows', run), run)
    if (parts !== null) await groups.add(await sourceOf(plan, parts.hours, 'hours', run), run)
  }
  return { rows: groups.all, days: [] }
}

/** Whether kept hours contain the result: the plan groups and filters by whole hours and tags only, and aggregates metrics. */
function isOfHours({ granularity, keys, filter, aggregates }: AggregationPlan, run: AggregationRun): boolean {
  const areTags = (condition: Scalar | null): boolean => fieldsOf(condition).every(({ role }) => role === 'tag')
  return (
    areOfWholeHours(granularity, run.buckets) &&
    // Where newer rows replace older ones, items are merged from rows separately.
    run.replacedBy === null &&
    keys.every(({ role }) => role === 'tag') &&
    areTags(filter) &&
    aggregates.every((aggregate) => isKept(aggregate) && areTags(aggregate.where ?? null))
  )
}

function isKept(aggregate: StoreAggregate): boolean {
  if (aggregate.kind === 'rows') return true
  if ('end' in aggregate || aggregate.kind === 'distinct') return false
  return aggregate.field.role === 'metric' && isNumericField(aggregate.field)
}

type Source = 'rows' | 'hours'

async function sourceOf(
  { granularity, filter, aggregates }: AggregationPlan,
  range: Range,
  of: Source,
  { kept, buckets }: AggregationRun,
): Promise<GroupSource & { readonly of: Source }> {
  const target = of === 'rows' ? kept.rows : kept.hours
  const bounds = await timeBoundary(target)
  const there =
    bounds === null
      ? { fromMs: 0, toMs: -1 }
      : { fromMs: Math.max(range.fromMs, bounds.minMs), toMs: Math.min(range.toMs, bounds.maxMs) }
  const bucketsMax = Number.POSITIVE_INFINITY
  if (of === 'hours') requireWholeHours(kept, granularity, buckets, there, bucketsMax)
  const parts = aggregates.map((aggregate, index) => partOf(aggregate, index, of))
  return {
    of,
    target,
    slices:
      there.fromMs > there.toMs
        ? []
        : await slicesOf(there, { granularity, buckets, bucketsMax, bounds: async () => bounds }),
    filter: filter === null ? null : filterOf(filter),
    columns: parts.flatMap(({ columns }) => columns),
    aggregations: parts.map(({ aggregation }) => aggregation),
    longs: aggregates.flatMap((aggregate, index) => (isOfLongs(aggregate) ? [index] : [])),
  }
}

const isOfLongs = (aggregate: StoreAggregate): boolean => 'type' in aggregate && aggregate.type === 'long'

const filterOf = (condition: Scalar): NativeFilter => ({
  type: 'expression',
  expression: druidExpression(condition, (leaf) => {
    if (leaf.kind !== 'field') throw new Error('a filter is a condition of fields')
    return leaf.field.name
  }),
})

interface Part {
  readonly columns: readonly NativeColumn[]
  readonly aggregation: NativeAggregation
}

function partOf(aggregate: StoreAggregate, index: number, of: Source): Part {
  const { columns, aggregation } = of === 'rows' ? partOfRows(aggregate, index) : partOfHours(aggregate, index)
  const { where } = aggregate
  if (where === undefined) return { columns, aggregation }
  return { columns, aggregation: { type: 'filtered', filter: filterOf(where), aggregator: aggregation } }
}

const functions = { sum: 'Sum', least: 'Min', greatest: 'Max' } as const

function partOfRows(aggregate: StoreAggregate, index: number): Part {
  const name = `:a${index}`
  const count = { type: 'count', name }
  switch (aggregate.kind) {
    case 'rows':
      return { columns: [], aggregation: count }
    case 'values':
      return {
        columns: [],
        aggregation: { type: 'filtered', filter: not(isNull(aggregate.field.name)), aggregator: count },
      }
    case 'sum':
    case 'least':
    case 'greatest': {
      const { type, kind, field } = aggregate
      return { columns: [], aggregation: { type: `${type}${functions[kind]}`, name, fieldName: field.name } }
    }
    default:
      throw new Error('hours keep nothing of it')
  }
}

function partOfHours(aggregate: StoreAggregate, index: number): Part {
  const name = `:a${index}`
  switch (aggregate.kind) {
    case 'rows':
      return { columns: [], aggregation: { type: 'longSum', name, fieldName: rowsColumn } }
    case 'values': {
      const fieldName = partColumn(hourMetric(aggregate.field), 'count').name
      return { columns: [], aggregation: { type: 'doubleSum', name, fieldName } }
    }
    case 'sum': {
      const metric = hourMetric(aggregate.field)
      if (aggregate.type === 'long')
        return { columns: [], aggregation: { type: 'longSum', name, fieldName: partColumn(metric, 'total').name } }
      const fieldName = `:h${index}`
      const column = { type: 'expression', name: fieldName, expression: hourSum(metric, false), outputType: 'DOUBLE' }
      return { columns: [column as NativeColumn], aggregation: { type: 'doubleSum', name, fieldName } }
    }
    case 'least':
    case 'greatest': {
      const { type, kind, field } = aggregate
      const fieldName = partColumn(hourMetric(field), kind).name
      return { columns: [], aggregation: { type: `${type}${functions[kind]}`, name, fieldName } }
    }
    default:
      throw new Error('hours keep nothing of it')
  }
}

/** The groups of several sources, merged by key. */
class JoinedGroups {
  readonly #plan: AggregationPlan
  readonly #kept: KeptHours
  readonly #groups = new Map<string, GroupValue[]>()

  constructor(plan: AggregationPlan, kept: KeptHours) {
    this.#plan = plan
    this.#kept = kept
  }

  get all(): readonly (readonly GroupValue[])[] {
    return [...this.#groups.values()]
  }

  async add(source: GroupSource & { readonly of: Source }, { pacer }: AggregationRun): Promise<void> {
    const { keys, aggregates, groupsMax } = this.#plan
    const first = 1 + keys.length
    for await (const rows of groupsIn(source, keys, groupsMax + 1, { pacer })) {
      for (const row of rows) {
        const own = row.slice(0, first).map((key) => (key === undefined ? null : (key as GroupValue)))
        const key = JSON.stringify(own)
        const values = aggregates.map((aggregate, index) => this.#value(aggregate, row[first + index], source.of))
        const known = this.#groups.get(key)
        if (known === undefined) this.#groups.set(key, [own[0] ?? 0, ...own.slice(1), ...values])
        else
          for (const [index, aggregate] of aggregates.entries())
            known[first + index] = joined(aggregate, known[first + index]!, values[index]!)
      }
      if (this.#groups.size > groupsMax) throw tooManyGroups(groupsMax)
    }
  }

  #value(aggregate: StoreAggregate, cell: unknown, of: Source): GroupValue {
    const { kind } = aggregate
    if (kind === 'rows' || kind === 'values') return BigInt(Number(cell ?? 0))
    const value = valueRead(cell, 'type' in aggregate ? aggregate.type : 'double') as GroupValue
    if (value === null) return null
    if (isOfLongs(aggregate)) return BigInt(value)
    if (of === 'hours' && kind === 'sum' && !Number.isFinite(value))
      throw rowsExpired(this.#kept, 'only the hours of earlier rows are kept, and a sum exceeds the range of doubles')
    return value
  }
}

function joined({ kind }: StoreAggregate, left: GroupValue, right: GroupValue): GroupValue {
  if (left === null || right === null) return left ?? right
  if (kind === 'least') return right < left ? right : left
  if (kind === 'greatest') return right > left ? right : left
  if (typeof left === 'bigint' && typeof right === 'bigint') return BigInt.asIntN(64, left + right)
  return Number(left) + Number(right)
}

function tooManyGroups(limit: number): Problem {
  return new Problem(
    'result_too_large',
    `The query has more than ${limit} groups, the most over hours of expired rows. Narrow the query to a shorter range of __time, or group by fewer columns.`,
  )
}
