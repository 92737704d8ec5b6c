import type { Pacer } from '../../../lib/pacer.ts'
import type {
  AggregationPlan,
  AskedRows,
  Groups,
  GroupValue,
  RowFilter,
  TimeBuckets,
} from '../../../model/aggregation.ts'
import type { EntityField } from '../../../model/entity.ts'
import type { PlanLimits, Selection } from '../../../model/plan.ts'
import { type EntitySnapshot, preparePlan } from '../run/plan-run.ts'
import type { RunMemory } from '../run/run-memory.ts'
import { collectEnds, isOfEnds } from './collect-ends.ts'
import { collectGroups, type Fields } from './collect-groups.ts'
import { collectSeries, isOfSeries } from './collect-series.ts'
import { dayRows } from './day-rows.ts'
import { TooMuchToDo } from './too-much-to-do.ts'

/**
 * The groups of an aggregation; null where another way has to answer: newer rows replace older ones, or there is more to do than the plan
 * allows.
 */
export async function runAggregation(
  plan: AggregationPlan,
  snapshot: EntitySnapshot,
  pacer: Pacer,
  memory: RunMemory,
  buckets: TimeBuckets | null,
): Promise<Groups | null> {
  const used = usedFields(plan, snapshot)
  const run = await preparePlan(snapshot, selectionOf(plan, used), noLimits, pacer, memory)
  if (run.replaces) return null
  const readers = new Map(used.map(({ name }, place) => [name, run.fields[place]]))
  const columnOf = (name: string): number => {
    const reader = readers.get(name)
    return reader?.kind === 'column' ? reader.index : -1
  }
  const fields: Fields = {
    readerOf: (name) => readers.get(name)!,
    columns: plan.aggregates.map((aggregate) => ('field' in aggregate ? columnOf(aggregate.field.name) : -1)),
    numbers: used.filter(({ type }) => type === 'double' || type === 'long').map(({ name }) => columnOf(name)),
    buckets,
    seriesCount: snapshot.registry.series.count,
    tableSpans: snapshot.tables.map(({ table }) => ({ fromMs: table.firstMs, toMs: table.lastMs })),
  }
  try {
    const groups = await collectorOf(plan, fields)(plan, run, fields)
    const rows: GroupValue[][] = []
    for (let group = 0; group < groups.length; group++) {
      rows.push(groups.row(group))
      if (pacer.spend(4 * cellsOf(plan))) await pacer.rest()
    }
    return { rows, days: plan.needsDays ? await dayRows(snapshot, plan, pacer) : [] }
  } catch (error) {
    if (error instanceof TooMuchToDo) return null
    throw error
  }
}

/** The cheapest way to the groups. */
function collectorOf(plan: AggregationPlan, fields: Fields): typeof collectGroups {
  if (isOfSeries(plan, fields)) return collectSeries
  return isOfEnds(plan, fields) ? collectEnds : collectGroups
}

const cellsOf = ({ keys, aggregates }: AggregationPlan): number => 1 + keys.length + aggregates.length

/** What a plan bounds by its groups. */
export const noLimits: PlanLimits = {
  resultRows: Number.POSITIVE_INFINITY,
  buckets: Number.POSITIVE_INFINITY,
  resultBytes: Number.POSITIVE_INFINITY,
}

/** Each field once; where rows are counted, a column of numbers is among them. */
function usedFields({ keys, aggregates, filter }: AggregationPlan, { registry }: EntitySnapshot): EntityField[] {
  const fields = new Map<string, EntityField>()
  const use = (field: EntityField): void => {
    fields.set(field.name, field)
  }
  for (const key of keys) use(key)
  for (const aggregate of aggregates) {
    if ('field' in aggregate) use(aggregate.field)
    if (aggregate.where !== undefined) filteredBy(aggregate.where).forEach(use)
  }
  if (filter !== null) filteredBy(filter).forEach(use)
  const isNumber = ({ type }: Pick<EntityField, 'type'>): boolean => type === 'double' || type === 'long'
  if (![...fields.values()].some(isNumber)) {
    const numbers = registry.columns.all.find((column) => isNumber(column) && !column.name.endsWith('@'))
    if (numbers !== undefined) use({ name: numbers.name, type: numbers.type, role: 'metric' })
  }
  return [...fields.values()]
}

/** The fields of a filter. */
export function filteredBy(filter: RowFilter): readonly EntityField[] {
  if (filter.kind === 'constant') return []
  return 'filters' in filter ? filter.filters.flatMap(filteredBy) : [filter.field]
}

/** Where the filter names values of the first tag, only their series are looked at. */
export function selectionOf({ entityId, sinceMs, time, tags, filter }: AskedRows, fields: EntityField[]): Selection {
  const [first] = tags
  const parts = filter === null ? [] : filter.kind === 'and' ? filter.filters : [filter]
  const named = parts.find((part) => part.kind === 'texts' && !part.isNegated && part.field.name === first.name)
  const ids = named?.kind === 'texts' ? named.values : null
  return { entityId, sinceMs, time, tags: [first], ids, prefixes: null, metrics: [], fields }
}
