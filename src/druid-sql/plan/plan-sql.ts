// Which queries of SQL the store answers from its own columns, and how. The query was translated before, so it is right; whatever is not known
// here for certain goes to the SQL engine.
// Tested by `test/druid-sql/planned.test.ts`.

import { askedRows, boundsOfWork, type StoreAggregate } from '../../algebra/aggregation.ts'
import { cellNode, fieldNode, type Scalar } from '../../algebra/scalar.ts'
import { type Period, parsePeriod } from '../../druid-time/iso.ts'
import { isUsable, periodGranularity } from '../../druid-time/native-granularity.ts'
import { plainGranularity } from '../../druid-time/plain-granularity.ts'
import { Zone } from '../../druid-time/zone.ts'
import type { Entity, EntityField } from '../../model/entity.ts'
import type { Granularity, ZonedGranularity } from '../../model/granularity.ts'
import { unitPeriod } from '../bind/periods.ts'
import { truncatedUnits } from '../functions/times.ts'
import { isBesideDifferentValues } from '../parse/different-values.ts'
import { parseUnit } from '../parse/parse-unit.ts'
import type { Expression, Query, Select, SelectItem } from '../parse/syntax.ts'
import type { SqlQuestion } from '../question.ts'
import type { CheckedSql } from '../translate.ts'
import { foldSubquery } from './fold-subquery.ts'
import { GroupValues } from './group-values.ts'
import { planSqlScan } from './plan-sql-scan.ts'
import { zoneConstant } from './read-constants.ts'
import { type PlannedWhere, plannedWhere } from './read-where.ts'
import type { PlannedOrder, PlannedSql, SqlPlan } from './sql-plan.ts'
import { TableExpressions } from './table-expressions.ts'

/** More is asked for than there are groups. */
const allOf = 2n ** 31n

/** Null where the SQL engine answers. */
export function planSql(
  { zone = Zone.utc }: Pick<SqlQuestion, 'zone'>,
  checked: CheckedSql,
  entity: Entity,
  nowMs: number,
): PlannedSql | null {
  if (checked.items.length > 0 || checked.readsCatalog) return null
  const columns = ['__time', ...entity.fields.filter(({ role }) => role !== 'time').map(({ name }) => name)]
  const query = foldSubquery(checked.query, columns)
  if (query?.body.kind !== 'select') return null
  const { body } = query
  const names = new TableExpressions(entity)
  const where = plannedWhere(body.where, names, { nowMs, zone })
  if (where === null) return null
  const scan = planSqlScan(query, body, entity, names, checked, where)
  if (scan !== null) return scan
  const items = body.items.filter((item) => item.kind === 'expression')
  if (items.length < body.items.length) return null
  return new SqlPlanner(query, body, items, entity, names, zone).plan(checked, where)
}

type NamedItem = Extract<SelectItem, { kind: 'expression' }>

interface Keys {
  readonly fields: readonly EntityField[]
  readonly granularity: Granularity | ZonedGranularity
  /** In the order of the groups: a field by its place, the bucket as -1. */
  readonly order: readonly number[]
}

class SqlPlanner {
  readonly #query: Query
  readonly #select: Select
  readonly #items: readonly NamedItem[]
  readonly #entity: Entity
  readonly #names: TableExpressions
  readonly #zone: Zone

  constructor(
    query: Query,
    select: Select,
    items: readonly NamedItem[],
    entity: Entity,
    names: TableExpressions,
    zone: Zone,
  ) {
    this.#query = query
    this.#select = select
    this.#items = items
    this.#entity = entity
    this.#names = names
    this.#zone = zone
  }

  plan(checked: CheckedSql, where: PlannedWhere): SqlPlan | null {
    const asked = askedRows(this.#entity, where)
    const keys = this.#keys()
    if (asked === null || keys === null) return null
    const finished = this.#finish(keys, checked)
    if (finished === null) return null
    const { aggregates, ...rest } = finished
    return {
      ...rest,
      aggregation: {
        ...asked,
        computed: this.#names.computed.all,
        granularity: keys.granularity,
        keys: keys.fields,
        aggregates,
        ...boundsOfWork(cellsOf(keys, finished)),
        needsDays: false,
      },
    }
  }

  #finish(keys: Keys, checked: CheckedSql) {
    const { having, distinct } = this.#select
    const values = new GroupValues(this.#names, keys.fields, (expression) => this.#isBucket(expression, keys))
    const outputs = this.#items.map(({ expression }) => values.value(expression))
    if (outputs.some((output, at) => output?.type !== checked.columns[at]!.type)) return null
    const known = outputs.filter((output) => output !== null)
    values.nameOutputs(new Map(known.map((output, at) => [checked.columns[at]!.name, output])))
    const condition = having === null ? null : values.condition(having)
    const order = this.#order(values, known, keys)
    if ((having !== null && condition === null) || order === null) return null
    // Without a group or an aggregate these would be rows.
    const isGrouped = this.#select.groupBy !== null || distinct || values.aggregates.length > 0
    if (!isGrouped || (distinct && values.aggregates.length > 0)) return null
    const { limit, offset } = this.#query
    return {
      aggregates: values.aggregates,
      fields: checked.columns.map(({ name, type }): EntityField => ({ name, type, role: 'dimension' })),
      outputs: known,
      steps: values.steps,
      isOneGroup: this.#select.groupBy === null && !distinct,
      having: condition,
      order,
      offset: offset === null ? 0 : Number(offset > allOf ? allOf : offset),
      limit: limit === null || limit > allOf ? null : Number(limit),
    }
  }

  /** What the query groups by. */
  #keys(): Keys | null {
    const { groupBy, distinct } = this.#select
    if (distinct && (groupBy !== null || this.#select.having !== null)) return null
    const fields: EntityField[] = []
    const order: number[] = []
    let granularity: Keys['granularity'] = { kind: 'all' }
    for (const expression of this.#groupedBy()) {
      const bucket = expression === null ? null : this.#bucket(expression)
      const field = expression === null ? null : this.#names.fieldOf(expression)
      if (bucket !== null) {
        if (granularity.kind !== 'all' && !isSameGranularity(granularity, bucket)) return null
        if (granularity.kind === 'all') order.push(-1)
        granularity = bucket
      } else if (field !== null) {
        if (fields.some(({ name }) => name === field.name)) continue
        order.push(fields.push(field) - 1)
      } else return null
    }
    return { fields, granularity, order }
  }

  /** Null is what is not known here. */
  #groupedBy(): readonly (Expression | null)[] {
    const { groupBy, distinct } = this.#select
    if (groupBy === null) return distinct ? this.#items.map(({ expression }) => expression) : []
    return groupBy.map((grouping) => {
      if (grouping.kind !== 'expression') return null
      const { expression } = grouping
      if (expression.kind === 'number') return this.#items[Number(expression.digits) - 1]?.expression ?? null
      if (expression.kind !== 'column' || this.#names.isTime(expression)) return expression
      // A column goes before what is named so.
      const isColumn = this.#entity.fields.some(({ name, role }) => name === expression.path.at(-1) && role !== 'time')
      if (isColumn) return expression
      return this.#items.find(({ alias }) => alias === expression.path[0])?.expression ?? null
    })
  }

  #isBucket(expression: Expression, { granularity }: Keys): boolean {
    if (granularity.kind === 'all') return false
    const bucket = this.#bucket(expression)
    return bucket !== null && isSameGranularity(bucket, granularity)
  }

  /** A floor of the time; null for anything else. */
  #bucket(expression: Expression): Keys['granularity'] | null {
    if (expression.kind !== 'call') return null
    const { name, operands, unit, unitPlace } = expression
    const [first, second, origin, zone] = operands
    if (name === 'FLOOR' && unit !== null && first !== undefined && this.#names.isTime(first)) {
      return granularityOf(unitPeriod(parseUnit(unit, unitPlace!)), this.#zone)
    }
    if (name === 'DATE_TRUNC' && first?.kind === 'text' && second !== undefined && this.#names.isTime(second)) {
      return granularityOf(truncatedUnits.get(first.value.toUpperCase()), this.#zone)
    }
    if (name !== 'TIME_FLOOR' || first === undefined || second?.kind !== 'text' || !this.#names.isTime(first))
      return null
    const named = zone === undefined ? this.#zone : zoneConstant(zone)
    if ((origin !== undefined && origin.kind !== 'null') || named === null) return null
    return granularityOf(parsePeriod(second.value) ?? undefined, named)
  }

  /** What is asked for, then the keys: as `bind-select.ts` orders the groups. */
  #order(values: GroupValues, outputs: readonly Scalar[], keys: Keys): readonly PlannedOrder[] | null {
    const asked: PlannedOrder[] = []
    for (const { expression, descending, nulls } of this.#query.orderBy) {
      const value = expression.kind === 'number' ? outputs[Number(expression.digits) - 1] : values.value(expression)
      if (value === undefined || value === null) return null
      const isFirst = nulls === null ? !descending : nulls === 'FIRST'
      asked.push({ value, isDescending: descending, nulls: isFirst ? 'first' : 'last' })
    }
    const [only, ...others] = asked
    if (only?.isDescending && others.length === 0 && this.#isTopN(only.value, keys))
      asked[0] = { ...only, nulls: 'first' }
    const rest = this.#select.distinct ? outputs : keys.order.map((key) => keyValue(key, keys.fields))
    return [...asked, ...rest.map((value): PlannedOrder => ({ value, isDescending: false, nulls: 'first' }))]
  }

  /** Where Druid makes a topN, which has null first. */
  #isTopN(value: Scalar, { order }: Keys): boolean {
    const { limit, offset, orderBy } = this.#query
    if (limit === null || limit === 0n || limit > 100_000n || offset !== null) return false
    const [key, ...others] = this.#select.distinct ? this.#items.map((_, at) => at) : order
    if (key === undefined || others.length > 0 || this.#select.having !== null || value.kind !== 'cell') return false
    if (isBesideDifferentValues(this.#select, orderBy[0]!)) return false
    return this.#select.distinct || value.at === keyCell(key)
  }
}

/** How many values a group comes to. Those in between take time, and no room. */
const cellsOf = (
  { fields }: Keys,
  {
    aggregates,
    outputs,
    order,
    steps,
  }: Pick<SqlPlan, 'outputs' | 'order' | 'steps'> & { readonly aggregates: readonly StoreAggregate[] },
): number => 1 + fields.length + aggregates.length + 2 * (outputs.length + order.length) + Math.floor(steps / 8)

const keyCell = (key: number): number => (key === -1 ? 0 : 1 + key)

const keyValue = (key: number, fields: readonly EntityField[]): Scalar =>
  cellNode(key === -1 ? 'timestamp' : fieldNode(fields[key]!).type, keyCell(key))

function granularityOf(period: Period | undefined, zone: Zone): Keys['granularity'] | null {
  const granularity = period === undefined ? null : periodGranularity(period, zone, null)
  return granularity === null || !isUsable(granularity) ? null : plainGranularity(granularity)
}

const isSameGranularity = (left: Keys['granularity'], right: Keys['granularity']): boolean =>
  JSON.stringify(left) === JSON.stringify(right)
