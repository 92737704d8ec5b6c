// Plans the SQL queries that the store answers from its own columns, in one pass over the bound query. Anything that is not certain here is left to
// the SQL engine.
// Tested by `test/druid-sql/planned.test.ts`.
import { boundsOfWork, type StoreAggregate, selectedRows } from '../../algebra/aggregation.ts'
import type { GroupOrder } from '../../algebra/finish-groups.ts'
import { cellNode, fieldNode, type Scalar } from '../../algebra/scalar.ts'
import { isUsable, periodGranularity } from '../../druid-time/native-granularity.ts'
import { plainGranularity } from '../../druid-time/plain-granularity.ts'
import { Zone } from '../../druid-time/zone.ts'
import type { Entity, EntityField } from '../../model/entity.ts'
import type { Granularity, ZonedGranularity } from '../../model/granularity.ts'
import { areNullsFirst, endsFirst } from '../bind/order.ts'
import { type Bound, keyOf, optionsOf, type SelectNode } from '../bind/tree.ts'
import { floorTime } from '../functions/times.ts'
import type { SqlQuery } from '../sql-query.ts'
import { type CheckedSql, fieldsOf } from '../translate.ts'
import { planSqlScan } from './plan-sql-scan.ts'
import { GroupAggregates } from './read-aggregates.ts'
import { ScalarReader } from './read-scalar.ts'
import { type PlannedWhere, plannedWhere } from './read-where.ts'
import type { PlannedSql, SqlPlan } from './sql-plan.ts'
import { TableRows } from './table-rows.ts'
import { type TableSelect, tableSelect } from './table-select.ts'

/** Null where the SQL engine answers. */
export function planSql(
  { zone = Zone.utc }: Pick<SqlQuery, 'zone'>,
  checked: CheckedSql,
  entity: Entity,
  nowMs: number,
): PlannedSql | null {
  const asked = tableSelect(checked.rows)
  if (asked === null) return null
  const rows = new TableRows(entity, asked)
  const where = plannedWhere(asked.conditions, rows, { nowMs, zone })
  if (where === null) return null
  return planSqlScan(asked, entity, rows, checked, where) ?? planGroups(asked, entity, rows, checked, where)
}

/** The grouping of a query. */
interface Keys {
  readonly fields: readonly EntityField[]
  readonly granularity: Granularity | ZonedGranularity
  /** The cell of each key in the row of a group: the bucket, then the fields. */
  readonly cells: ReadonlyMap<string, Scalar>
}

function planGroups(
  { select, rows: window }: TableSelect,
  entity: Entity,
  rows: TableRows,
  checked: CheckedSql,
  where: PlannedWhere,
): SqlPlan | null {
  const asked = selectedRows(entity, where)
  const keys = keysOf(select, rows)
  if (asked === null || keys === null) return null
  const values = new GroupValues(rows, keys.cells, 1 + keys.fields.length)
  const outputs = select.outputs.map((output) => values.value(output)).filter((output) => output !== null)
  if (checked.columns.some(({ type }, at) => outputs[at]?.type !== type)) return null
  const having = select.having === null ? null : values.condition(select.having)
  const order = orderOf(select, values, outputs)
  if ((select.having !== null && having === null) || order === null) return null
  const { aggregates, steps } = values
  // Without a group or an aggregate the result would be plain rows.
  if (select.groups === null && select.distinct === aggregates.length > 0) return null
  return {
    fields: fieldsOf(checked.columns),
    outputs,
    steps,
    isOneGroup: select.groups === null && !select.distinct,
    having,
    order,
    aggregation: {
      computed: rows.computed.all,
      granularity: keys.granularity,
      keys: keys.fields,
      aggregates,
      needsDays: false,
      ...boundsOfWork(cellsOf(keys, aggregates, { outputs, order, steps })),
      ...asked,
    },
    ...window,
  }
}

/** Null where the store does not support the grouping. */
function keysOf({ groups, distinct, having, outputs }: SelectNode, rows: TableRows): Keys | null {
  if (groups?.areSets === true || (distinct && (groups !== null || having !== null))) return null
  const fields: EntityField[] = []
  const cells = new Map<string, Scalar>()
  let granularity: Keys['granularity'] = { kind: 'all' }
  for (const key of groups?.keys ?? (distinct ? outputs : [])) {
    const bucket = bucketOf(key, rows)
    const field = bucket === null ? rows.fieldOf(key) : null
    if (bucket !== null) {
      if (granularity.kind !== 'all' && !isSameGranularity(granularity, bucket)) return null
      granularity = bucket
      cells.set(keyOf(key), cellNode('timestamp', 0))
    } else if (field === null) return null
    else {
      const known = fields.findIndex(({ name }) => name === field.name)
      const at = known === -1 ? fields.push(field) - 1 : known
      cells.set(keyOf(key), cellNode(fieldNode(field).type, 1 + at))
    }
  }
  return { fields, granularity, cells }
}

/** The buckets of a key that is a floor of the time; null for any other key. */
function bucketOf(key: Bound, rows: TableRows): Keys['granularity'] | null {
  const resolved = key.kind === 'column' ? rows.resolve(key) : key
  const buckets = resolved === null ? undefined : optionsOf(resolved, floorTime)
  if (
    buckets === undefined ||
    resolved?.kind !== 'call' ||
    resolved.operands.length > 1 ||
    !rows.isTime(resolved.operands[0]!)
  )
    return null
  const granularity = periodGranularity(buckets.period, buckets.zone, null)
  return granularity === null || !isUsable(granularity) ? null : plainGranularity(granularity)
}

/** The order of groups from `bind-select.ts`. Its keys for infinite numbers are skipped: the store leaves such numbers to the SQL engine. */
function orderOf(
  { orderBy }: SelectNode,
  values: GroupValues,
  outputs: readonly Scalar[],
): readonly GroupOrder[] | null {
  const order: GroupOrder[] = []
  for (const one of orderBy) {
    const { key, descending } = one
    if (typeof key !== 'number' && endsFirst(key)) continue
    const value = typeof key === 'number' ? outputs[key - 1] : values.value(key)
    if (value === undefined || value === null) return null
    order.push({ value, isDescending: descending, nulls: areNullsFirst(one) ? 'first' : 'last' })
  }
  return order
}

/** The number of values of a group. Intermediate values take time, but no memory. */
const cellsOf = (
  { fields }: Keys,
  aggregates: readonly StoreAggregate[],
  { outputs, order, steps }: Pick<SqlPlan, 'outputs' | 'order' | 'steps'>,
): number => 1 + fields.length + aggregates.length + 2 * (outputs.length + order.length) + Math.floor(steps / 8)

const isSameGranularity = (left: Keys['granularity'], right: Keys['granularity']): boolean =>
  JSON.stringify(left) === JSON.stringify(right)

/** The values of a query's groups. */
class GroupValues {
  readonly #aggregates: GroupAggregates
  readonly #reader: ScalarReader

  /** `keys` are the cells of the keys in the row of a group; `firstAt` is the position of the first aggregate in it. */
  constructor(rows: TableRows, keys: ReadonlyMap<string, Scalar>, firstAt: number) {
    this.#aggregates = new GroupAggregates(rows, firstAt)
    this.#reader = new ScalarReader({
      leafOf: (node) => keys.get(keyOf(node)) ?? null,
      aggregateOf: (node) => this.#aggregates.of(node),
      resolve: () => null,
      dividesLongs: true,
    })
  }

  get aggregates(): GroupAggregates['all'] {
    return this.#aggregates.all
  }

  /** The number of values read. */
  get steps(): number {
    return this.#reader.steps
  }

  /** Null also for truth values, which are neither shown nor ordered by. */
  value(node: Bound): Scalar | null {
    const value = this.#reader.value(node)
    return value?.type === 'boolean' ? null : value
  }

  /** A condition of HAVING. */
  condition(node: Bound): Scalar | null {
    return this.#reader.condition(node)
  }
}
