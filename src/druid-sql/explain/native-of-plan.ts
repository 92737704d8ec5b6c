// What the store does for a query of SQL, as the native query of Druid that means the same.
// Tested by `test/acceptance/druid-http.test.ts`.

import type { PlannedValue } from '../../druid-values/planned-value.ts'
import type { AggregationPlan, StoreAggregate } from '../../model/aggregation.ts'
import type { EntityField } from '../../model/entity.ts'
import { granularityNames, type ZonedGranularity } from '../../model/granularity.ts'
import { formatInstant } from '../../model/instant.ts'
import type { RowFilter, ValueBounds } from '../../model/row-condition.ts'
import type { SqlPlan } from '../plan/sql-plan.ts'
import { outputType, ValueTexts } from './expression-of-planned.ts'
import { expressionOfValue, nativeType } from './expression-of-value.ts'

export interface NativeQuery {
  readonly query: object
  /** The name that each output of the plan has there. */
  readonly columns: readonly string[]
}

const eternity = { from: '-146136543-09-08T08:23:32.096Z', to: '146140482-04-24T15:36:27.903Z' }

/** A timeseries where nothing is grouped by, else a groupBy: `d0` and so on are its keys, `a0` its aggregates, `p0` what is worked out of them. */
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
    ...(having === null ? {} : { having: { type: 'filter', filter: expression(names.texts.condition(having)) } }),
    limitSpec: { type: 'default', columns: ordered, ...bounds },
  }
  return { query, columns }
}

const expression = (text: string): object => ({ type: 'expression', expression: text })

class ColumnNames {
  readonly postAggregations: object[] = []
  readonly texts: ValueTexts
  readonly #cells: readonly string[]
  readonly #named = new Map<string, string>()

  constructor({ granularity, keys, aggregates }: AggregationPlan) {
    const before = granularity.kind === 'all' ? 0 : 1
    this.#cells = ['d0', ...keys.map((_, at) => `d${before + at}`), ...aggregates.map((_, at) => `a${at}`)]
    this.texts = new ValueTexts(this.#cells)
  }

  /** What is worked out becomes a post-aggregation, once. */
  of(value: PlannedValue): string {
    if (value.kind === 'cell') return this.#cells[value.at]!
    const text = this.texts.value(value)
    const known = this.#named.get(text)
    if (known !== undefined) return known
    const name = `p${this.#named.size}`
    this.#named.set(text, name)
    this.postAggregations.push({ type: 'expression', name, expression: text, outputType: outputType(value) })
    return name
  }
}

/** The times of a plan. */
export function nativeIntervals({ ranges, sinceMs }: Pick<AggregationPlan, 'ranges' | 'sinceMs'>): readonly string[] {
  return ranges.map(({ fromMs, toMs }) => {
    const startMs = Math.max(fromMs, sinceMs ?? fromMs)
    const from = Number.isFinite(startMs) ? formatInstant(startMs) : eternity.from
    return `${from}/${Number.isFinite(toMs) ? formatInstant(Math.max(toMs + 1, startMs)) : eternity.to}`
  })
}

type NameOf = (field: Pick<EntityField, 'name'>) => string

/** A computed field is a virtual column of Druid's: `v0` is the floor of the time. */
function namesOfComputed({ computed, granularity }: AggregationPlan): NameOf {
  const before = granularity.kind === 'all' ? 0 : 1
  const names = new Map(computed.map(({ field }, at) => [field.name, `v${before + at}`]))
  return ({ name }) => names.get(name) ?? name
}

function virtualColumnsOf({ granularity, computed }: AggregationPlan, nameOf: NameOf): object {
  const zone = granularity.kind === 'zoned' ? granularity.zone : 'UTC'
  const virtualColumns = computed.map(({ field, value }) => {
    return virtualColumn(nameOf(field), expressionOfValue(value, nameOf), nativeType(value))
  })
  if (granularity.kind !== 'all') {
    const floor = `timestamp_floor("__time",${periodText(granularity)},'${zone}')`
    virtualColumns.unshift(virtualColumn('v0', floor, 'LONG'))
  }
  return virtualColumns.length === 0 ? {} : { virtualColumns }
}

const virtualColumn = (name: string, text: string, outputType: string): object => {
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

/** Buckets of several units begin in 1970, without an origin too. */
function zonedText({ buckets }: ZonedGranularity): string {
  switch (buckets.kind) {
    case 'localTime':
      return periodText({ kind: 'uniform', widthMs: buckets.widthMs, originMs: 0 })
    case 'days':
      return periodText({ kind: 'uniform', widthMs: buckets.days * 86_400_000, originMs: buckets.originLocalMs })
    case 'months':
      return `'P${buckets.months}M',null`
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

export function nativeFilter(filter: RowFilter, nameOf: NameOf): object {
  switch (filter.kind) {
    case 'and':
    case 'or':
      return { type: filter.kind, fields: filter.filters.map((one) => nativeFilter(one, nameOf)) }
    case 'constant':
      return { type: String(filter.value) }
    default: {
      const field = conditionOf(filter, nameOf)
      return filter.isNegated ? { type: 'not', field } : field
    }
  }
}

function conditionOf(filter: Extract<RowFilter, { field: unknown }>, nameOf: NameOf): object {
  const column = nameOf(filter.field)
  const number = filter.field.type === 'long' ? 'LONG' : 'DOUBLE'
  switch (filter.kind) {
    case 'null':
      return { type: 'null', column }
    case 'texts':
      return equalsOne(column, 'STRING', filter.values)
    case 'numbers':
      return equalsOne(column, filter.values.every(Number.isInteger) ? number : 'DOUBLE', filter.values)
    case 'like':
      return { type: 'like', dimension: column, pattern: filter.pattern, escape: filter.escapedBy }
    case 'textRange':
      return rangeOf(column, 'STRING', filter)
    case 'numberRange': {
      const isWhole = [filter.lower, filter.upper].every((bound) => bound === null || Number.isInteger(bound))
      return rangeOf(column, isWhole ? number : 'DOUBLE', filter)
    }
  }
}

function equalsOne(column: string, matchValueType: string, values: readonly (string | number)[]): object {
  return values.length === 1
    ? { type: 'equals', column, matchValueType, matchValue: values[0] }
    : { type: 'inType', column, matchValueType, values }
}

function rangeOf(column: string, matchValueType: string, bounds: ValueBounds<string | number>): object {
  const { lower, upper, isLowerOpen: lowerOpen, isUpperOpen: upperOpen } = bounds
  return {
    type: 'range',
    column,
    matchValueType,
    ...(lower === null ? {} : { lower, lowerOpen }),
    ...(upper === null ? {} : { upper, upperOpen }),
  }
}
