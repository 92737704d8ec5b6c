import type { AggregationPlan, Groups, GroupValue, SelectedRows, TimeBuckets } from '../../../algebra/aggregation.ts'
import type { ComputedField } from '../../../algebra/computed-fields.ts'
import { conjuncts, fieldsOf, type Scalar } from '../../../algebra/scalar.ts'
import type { Pacer } from '../../../lib/pacer.ts'
import type { EntityField } from '../../../model/entity.ts'
import type { PlanLimits, Selection } from '../../../model/plan.ts'
import { requireRows } from '../../hours/needed-rows.ts'
import type { FieldAccessor } from '../run/field-accessor.ts'
import { type EntitySnapshot, preparePlan } from '../run/plan-run.ts'
import type { RunMemory } from '../run/run-memory.ts'
import { collectEnds, needsOnlyEnds } from './collect-ends.ts'
import { collectGroups } from './collect-groups.ts'
import { collectSeries, needsOnlySeries } from './collect-series.ts'
import { ComputedColumns } from './computed-columns.ts'
import { dayRows } from './day-rows.ts'
import { columnOf, columnsOf, type Fields, type Grouping, type GroupLimits } from './grouping.ts'
import { NeedsSqlEngine } from './needs-sql-engine.ts'

/** The groups of an aggregation; null where that takes more work than the plan allows. */
export async function runAggregation(
  plan: AggregationPlan,
  snapshot: EntitySnapshot,
  pacer: Pacer,
  memory: RunMemory,
  buckets: TimeBuckets | null,
): Promise<Groups | null> {
  const computed = usedFields(plan)
  const used = ownFields(plan, computed, snapshot)
  const run = await preparePlan(snapshot, selectionOf(plan, used), noLimits, pacer, memory)
  const own = new Map(used.map(({ name }, place) => [name, run.fields[place]]))
  const columns = computed.length === 0 ? null : new ComputedColumns(computed, own)
  const accessorOf = (name: string): FieldAccessor => columns?.accessor(name) ?? own.get(name)!
  const fields: Fields = {
    accessorOf,
    computed: columns,
    computedValueOf: (name) => computed.find(({ field }) => field.name === name)?.value ?? null,
    columns: columnsOf(plan, accessorOf),
    numbers: used.filter(isNumber).map(({ name }) => columnOf(accessorOf(name))),
    buckets,
  }
  const limits: GroupLimits = {
    groups: plan.groupsMax,
    buckets: Number.POSITIVE_INFINITY,
    passed: () => new NeedsSqlEngine(),
  }
  const grouping: Grouping = { countsItems: false, isOfGood: false, limits, ...plan }
  try {
    const collect = collectorOf(grouping, fields)
    // The collector of groups checks on its own whether it needs rows.
    if (collect !== collectGroups) for (const range of plan.ranges) requireRows(run.hours, range)
    const groups = await collect(grouping, run, fields)
    const rows: GroupValue[][] = []
    for (let group = 0; group < groups.length; group++) {
      rows.push(groups.row(group))
      if (pacer.spend(4 * cellsOf(plan))) await pacer.rest()
    }
    return { rows, days: plan.needsDays ? await dayRows(snapshot, plan, run, pacer) : [] }
  } catch (error) {
    if (error instanceof NeedsSqlEngine) return null
    throw error
  }
}

/** The cheapest collector for a plan. */
function collectorOf(plan: Grouping, fields: Fields): typeof collectGroups {
  if (needsOnlySeries(plan, fields)) return collectSeries
  return needsOnlyEnds(plan, fields) ? collectEnds : collectGroups
}

const cellsOf = ({ keys, aggregates }: AggregationPlan): number => 1 + keys.length + aggregates.length

/** Aggregations are bounded by their groups instead. */
export const noLimits: PlanLimits = {
  resultRows: Number.POSITIVE_INFINITY,
  buckets: Number.POSITIVE_INFINITY,
  resultBytes: Number.POSITIVE_INFINITY,
}

/** The fields that a plan names; a field may occur several times. */
function namedFields({ keys, aggregates, filter }: AggregationPlan): readonly EntityField[] {
  const ofAggregates = aggregates.flatMap((aggregate) => [
    ...('field' in aggregate ? [aggregate.field] : []),
    ...fieldsOf(aggregate.where ?? null),
  ])
  return [...keys, ...ofAggregates, ...fieldsOf(filter)]
}

/** The computed fields that a plan uses, each after the fields that it is computed from. */
function usedFields(plan: AggregationPlan): readonly ComputedField[] {
  const wanted = new Set(namedFields(plan).map(({ name }) => name))
  const used = plan.computed.toReversed().filter(({ field, value }) => {
    const isWanted = wanted.has(field.name)
    if (isWanted) for (const { name } of fieldsOf(value)) wanted.add(name)
    return isWanted
  })
  return used.reverse()
}

const isNumber = ({ type }: Pick<EntityField, 'type'>): boolean => type === 'double' || type === 'long'

/** The fields of the entity that a plan uses, each once. Where possible a column of numbers is among them, to count rows with. */
function ownFields(
  plan: AggregationPlan,
  computed: readonly ComputedField[],
  { registry }: EntitySnapshot,
): readonly EntityField[] {
  const named = [...namedFields(plan), ...computed.flatMap(({ value }) => fieldsOf(value))]
  const fields = new Map(named.map((field) => [field.name, field]))
  for (const { field } of computed) fields.delete(field.name)
  if (![...fields.values()].some(isNumber)) {
    const numbers = registry.columns.all.find((column) => isNumber(column) && !column.name.endsWith('@'))
    if (numbers !== undefined) {
      const { name, type } = numbers
      fields.set(name, { name, type, role: 'metric' })
    }
  }
  return [...fields.values()]
}

/** Where the filter lists values of the first tag, only the series with these values are selected. */
export function selectionOf(
  { entityId, sinceMs, hours, time, tags, filter }: SelectedRows,
  fields: readonly EntityField[],
): Selection {
  const [first] = tags
  const kept = hours === undefined ? {} : { hours }
  const ids =
    conjuncts(filter)
      .map((part) => valuesOf(part, first))
      .find((values) => values !== null) ?? null
  return { entityId, sinceMs, ...kept, time, tags: [first], ids, prefixes: null, metrics: [], fields }
}

/** The values of a field that a condition allows; null where it does not list them. */
function valuesOf(condition: Scalar, { name }: EntityField): readonly string[] | null {
  if (condition.kind !== 'call' || (condition.name !== '=' && condition.name !== 'in')) return null
  const [of, ...constants] = condition.operands
  if (of.kind !== 'field' || of.field.name !== name) return null
  return constants.flatMap((constant) => (constant.kind === 'literal' ? [String(constant.value)] : []))
}
