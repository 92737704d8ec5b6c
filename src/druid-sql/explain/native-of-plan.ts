// Writes the store's plan for an SQL query as the equivalent native query of Druid.
// Tested by `test/acceptance/druid-http.test.ts`.

import type { AggregationPlan, StoreAggregate } from '../../algebra/aggregation.ts'
import { druidExpression, druidType } from '../../algebra/druid-expression.ts'
import type { LiteralNode, Scalar } from '../../algebra/scalar.ts'
import type { EntityField } from '../../model/entity.ts'
import { granularityNames, type ZonedGranularity } from '../../model/granularity.ts'
import { formatInstant } from '../../model/instant.ts'
import type { SqlPlan } from '../plan/sql-plan.ts'

export interface NativeQuery {
  readonly query: object
  /** The name of each output of the plan in the native query. */
  readonly columns: readonly string[]
}

const eternity = { from: '-146136543-09-08T08:23:32.096Z', to: '146140482-04-24T15:36:27.903Z' }

/** A timeseries if nothing is grouped by, else a groupBy. `d0` and so on are its keys, `a0` its aggregates, `p0` values computed from them. */
export function nativeQuery(plan: SqlPlan, entityName: string): NativeQuery {
  const { aggregation, outputs, having, order, limit, offset } = plan
  const names = new ColumnNames(aggregation)
  const columns = outputs.map((output) => names.of(output))
  const ordered = order.map(({ value, isDescending }) => ({
    dimension: names.of(value),
    direction: isDescending ? 'descending' : 'ascending',
    dimensionOrder: { type: value.type === 'string' ? 'lexicographic' : 'numeric' },
  }))
  const nameOf = namesOfComputed(aggregation)
  const source = {
    dataSource: { type: 'table', name: entityName },
    intervals: { type: 'intervals', intervals: nativeIntervals(aggregation) },
    ...(aggregation.filter === null ? {} : { filter: nativeFilter(aggregation.filter, nameOf) }),
    granularity: { type: 'all' },
    ...virtualColumnsOf(aggregation, nameOf),
  }
  const made = {
    aggregations: aggregation.aggregates.map((aggregate, at) => aggregatorOf(aggregate, `a${at}`, nameOf)),
    postAggregations: names.postAggregations,
  }
  const bounds = { ...(limit === null ? {} : { limit }), ...(offset === 0 ? {} : { offset }) }
  const isOneRow = plan.isOneGroup && having === null && limit !== 0 && offset === 0
  if (isOneRow) return { query: { queryType: 'timeseries', ...source, ...made }, columns }
  const query = {
    queryType: 'groupBy',
    ...source,
    dimensions: dimensionsOf(aggregation, nameOf),
    ...made,
    ...(having === null ? {} : { having: { type: 'filter', filter: expression(names.textOf(having)) } }),
    limitSpec: { type: 'default', columns: ordered, ...bounds },
  }
  return { query, columns }
}

const expression = (text: string): object => ({ type: 'expression', expression: text })

class ColumnNames {
  readonly postAggregations: object[] = []
  readonly #cells: readonly string[]
  readonly #named = new Map<string, string>()

  constructor({ granularity, keys, aggregates }: AggregationPlan) {
    const before = granularity.kind === 'all' ? 0 : 1
    this.#cells = ['d0', ...keys.map((_, at) => `d${before + at}`), ...aggregates.map((_, at) => `a${at}`)]
  }

  textOf(value: Scalar): string {
    return druidExpression(value, (leaf) => (leaf.kind === 'cell' ? this.#cells[leaf.at]! : leaf.field.name))
  }

  /** A computed value becomes a post-aggregation, added only once. */
  of(value: Scalar): string {
    if (value.kind === 'cell') return this.#cells[value.at]!
    const text = this.textOf(value)
    const known = this.#named.get(text)
    if (known !== undefined) return known
    const name = `p${this.#named.size}`
    this.#named.set(text, name)
    this.postAggregations.push({ type: 'expression', name, expression: text, outputType: druidType(value.type) })
    return name
  }
}

/** The intervals of a plan. */
export function nativeIntervals({ ranges, sinceMs }: Pick<AggregationPlan, 'ranges' | 'sinceMs'>): readonly string[] {
  return ranges.map(({ fromMs, toMs }) => {
    const startMs = Math.max(fromMs, sinceMs ?? fromMs)
    const from = Number.isFinite(startMs) ? formatInstant(startMs) : eternity.from
    return `${from}/${Number.isFinite(toMs) ? formatInstant(Math.max(toMs + 1, startMs)) : eternity.to}`
  })
}

type NameOf = (field: Pick<EntityField, 'name'>) => string

/** A computed field is a virtual column in Druid; `v0` is the floor of the time. */
function namesOfComputed({ computed, granularity }: AggregationPlan): NameOf {
  const before = granularity.kind === 'all' ? 0 : 1
  const names = new Map(computed.map(({ field }, at) => [field.name, `v${before + at}`]))
  return ({ name }) => names.get(name) ?? name
}

function virtualColumnsOf({ granularity, computed }: AggregationPlan, nameOf: NameOf): object {
  const zone = granularity.kind === 'zoned' ? granularity.zone : 'UTC'
  const virtualColumns = computed.map(({ field, value }) => {
    return virtualColumn(nameOf(field), expressionOver(value, nameOf), druidType(value.type))
  })
  if (granularity.kind !== 'all') {
    const floor = `timestamp_floor("__time",${periodText(granularity)},'${zone}')`
    virtualColumns.unshift(virtualColumn('v0', floor, 'LONG'))
  }
  return virtualColumns.length === 0 ? {} : { virtualColumns }
}

export const virtualColumn = (name: string, text: string, outputType: string): object => {
  return { type: 'expression', name, expression: text, outputType }
}

function dimensionsOf({ granularity, keys }: AggregationPlan, nameOf: NameOf): readonly object[] {
  const bucket = granularity.kind === 'all' ? [] : [{ dimension: 'v0', outputType: 'LONG' }]
  const fields = keys.map((key) => ({ dimension: nameOf(key), outputType: key.type.toUpperCase() }))
  return [...bucket, ...fields].map((key, at) => ({ type: 'default', outputName: `d${at}`, ...key }))
}

const unitsMs = [
  ['P', 'D', 86_400_000],
  ['PT', 'H', 3_600_000],
  ['PT', 'M', 60_000],
] as const

/** The period and the origin of a floor. */
function periodText(granularity: AggregationPlan['granularity']): string {
  if (granularity.kind === 'zoned') return zonedText(granularity)
  if (granularity.kind === 'months') return `'P${granularity.months}M',null`
  if (granularity.kind !== 'uniform') throw new Error('the store has buckets of one width, or of months')
  const { widthMs, originMs } = granularity
  const { week } = granularityNames
  if (widthMs === week.widthMs && originMs === week.originMs) return "'P1W',null"
  const [before, unit, unitMs] = unitsMs.find(([, , ms]) => widthMs % ms === 0) ?? ['PT', 'S', 1000]
  return `'${before}${widthMs / unitMs}${unit}',${originMs === 0 ? 'null' : originMs}`
}

/** Buckets of several units start in 1970, even without an origin. */
function zonedText({ buckets }: ZonedGranularity): string {
  switch (buckets.kind) {
    case 'localTime':
      return periodText({ kind: 'uniform', widthMs: buckets.widthMs, originMs: 0 })
    case 'days':
      return periodText({ kind: 'uniform', widthMs: buckets.days * 86_400_000, originMs: buckets.originLocalMs })
    case 'months':
      return `'P${buckets.months}M',null`
    case 'walk':
      throw new Error('periods of several units are not planned')
  }
}

function aggregatorOf({ where, ...aggregate }: StoreAggregate, name: string, nameOf: NameOf): object {
  const aggregator = aggregatorOfAll(aggregate, name, nameOf)
  return where === undefined ? aggregator : { type: 'filtered', name, aggregator, filter: nativeFilter(where, nameOf) }
}

function aggregatorOfAll(aggregate: StoreAggregate, name: string, nameOf: NameOf): object {
  switch (aggregate.kind) {
    case 'rows':
      return { type: 'count', name }
    case 'values': {
      const filter = { type: 'not', field: { type: 'null', column: nameOf(aggregate.field) } }
      return { type: 'filtered', aggregator: { type: 'count', name }, filter }
    }
    case 'distinct': {
      const fields = [{ type: 'default', dimension: nameOf(aggregate.field), outputType: 'STRING' }]
      return { type: 'cardinality', name, fields, byRow: true, round: true }
    }
    case 'endTime':
      return { type: aggregate.end === 'newest' ? 'longMax' : 'longMin', name, fieldName: '__time' }
    case 'endValue': {
      const { field, end } = aggregate
      return { type: `${field.type}${end === 'newest' ? 'Last' : 'First'}`, name, fieldName: nameOf(field) }
    }
    default: {
      const { type, kind, field } = aggregate
      return { type: type + { sum: 'Sum', least: 'Min', greatest: 'Max' }[kind], name, fieldName: nameOf(field) }
    }
  }
}

/** An expression over fields. */
const expressionOver = (value: Scalar, nameOf: NameOf): string =>
  druidExpression(value, (leaf) => {
    if (leaf.kind === 'cell') throw new Error('rows have fields, not cells')
    return nameOf(leaf.field)
  })

/** A filter over fields and constants. */
export function nativeFilter(filter: Scalar, nameOf: NameOf): object {
  if (filter.kind === 'literal') return { type: String(filter.value) }
  if (filter.kind !== 'call') throw new Error('a filter is made of conditions')
  const { name, operands } = filter
  const [first, ...others] = operands
  switch (name) {
    case 'and':
    case 'or':
      return { type: name, fields: operands.map((operand) => nativeFilter(operand, nameOf)) }
    case 'not':
    case 'isTrue':
      return { type: name.toLowerCase(), field: nativeFilter(first!, nameOf) }
    default: {
      if (first?.kind !== 'field') throw new Error('a condition is of a field')
      return conditionOf(name, nameOf(first.field), first.type, others as readonly LiteralNode[])
    }
  }
}

const bounds: ReadonlyMap<string, (value: unknown) => object> = new Map<string, (value: unknown) => object>([
  ['<', (upper) => ({ upper, upperOpen: true })],
  ['<=', (upper) => ({ upper, upperOpen: false })],
  ['>', (lower) => ({ lower, lowerOpen: true })],
  ['>=', (lower) => ({ lower, lowerOpen: false })],
])

function conditionOf(name: string, column: string, type: Scalar['type'], constants: readonly LiteralNode[]): object {
  const values = constants.map(({ value }) => (typeof value === 'bigint' ? Number(value) : value))
  const matchValueType = type === 'string' || values.every(Number.isInteger) ? druidType(type) : 'DOUBLE'
  switch (name) {
    case 'isNull':
      return { type: 'null', column }
    case '=':
      return { type: 'equals', column, matchValueType, matchValue: values[0] }
    case '<>':
      return { type: 'not', field: { type: 'equals', column, matchValueType, matchValue: values[0] } }
    case 'in':
      return values.length === 1
        ? { type: 'equals', column, matchValueType, matchValue: values[0] }
        : { type: 'inType', column, matchValueType, values }
    case 'like':
      return { type: 'like', dimension: column, pattern: values[0], escape: values[1] ?? null }
    default:
      return { type: 'range', column, matchValueType, ...bounds.get(name)!(values[0]) }
  }
}
