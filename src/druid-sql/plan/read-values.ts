// The values of groups as SQL says them: keys, aggregates, and arithmetic over both. Null is what the store does not know.
import type { StoreAggregate } from '../../model/aggregation.ts'
import type { EntityField } from '../../model/entity.ts'
import type { RowFilter } from '../../model/row-condition.ts'
import type { Expression } from '../parse/syntax.ts'
import { type DistinctValues, distinctCounts } from './distinct-counts.ts'
import {
  both,
  isConstant,
  type SplitFilters,
  type SplitRows,
  splitNames,
  splitRows,
  type WholeConstant,
  wholeConstant,
} from './read-case.ts'
import { numberConstant } from './read-constants.ts'
import { rowFilter, type TableNames } from './read-where.ts'
import { type PlannedCondition, type PlannedType, type PlannedValue, plannedType } from './sql-plan.ts'

type Call = Extract<Expression, { kind: 'call' }>

/** More are rounded in another way by the SQL engine. */
const roundedPlacesMax = 12n

/** What the groups of a query are made of. */
export class GroupValues {
  readonly aggregates: StoreAggregate[] = []
  readonly #names: TableNames
  readonly #keys: readonly EntityField[]
  readonly #isBucket: (expression: Expression) => boolean
  /** What an output is named, in HAVING and ORDER BY. */
  #named: ReadonlyMap<string, PlannedValue> = new Map()

  constructor(names: TableNames, keys: readonly EntityField[], isBucket: (expression: Expression) => boolean) {
    this.#names = names
    this.#keys = keys
    this.#isBucket = isBucket
  }

  /** From now on outputs go by their names. */
  nameOutputs(named: ReadonlyMap<string, PlannedValue>): void {
    this.#named = named
  }

  /** A value of a group. */
  value(expression: Expression): PlannedValue | null {
    if (expression.kind === 'column' && expression.path.length === 1) {
      const named = this.#named.get(expression.path[0]!)
      if (named !== undefined) return named
    }
    if (this.#isBucket(expression)) return { kind: 'cell', type: 'timestamp', at: 0 }
    const constant = numberConstant(expression)
    if (constant !== null) return { kind: 'constant', ...constant }
    const key = this.#key(expression)
    if (key !== null) return key
    switch (expression.kind) {
      case 'arithmetic':
        return this.#arithmetic(expression)
      case 'negate': {
        const operand = this.value(expression.operand)
        return operand === null || !isNumber(operand) ? null : { kind: 'negated', type: operand.type, operand }
      }
      case 'call':
        return expression.name === 'ROUND' ? this.#rounded(expression) : this.#aggregate(expression)
      default:
        return null
    }
  }

  /** A condition of HAVING. */
  condition(expression: Expression): PlannedCondition | null {
    switch (expression.kind) {
      case 'logical': {
        const conditions = expression.items.map((item) => this.condition(item))
        if (conditions.some((one) => one === null)) return null
        const kind = expression.operator === 'AND' ? 'and' : 'or'
        return { kind, conditions: conditions.filter((one) => one !== null) }
      }
      case 'not': {
        const condition = this.condition(expression.operand)
        return condition === null ? null : { kind: 'not', condition }
      }
      case 'is': {
        const value = expression.what === 'NULL' ? this.value(expression.operand) : null
        return value === null ? null : { kind: 'null', value, isNegated: expression.negated }
      }
      case 'comparison':
        return this.#compared(expression.operator, expression.left, expression.right)
      case 'between': {
        if (expression.symmetric) return null
        const above = this.#compared('>=', expression.operand, expression.low)
        const below = this.#compared('<=', expression.operand, expression.high)
        if (above === null || below === null) return null
        const within: PlannedCondition = { kind: 'and', conditions: [above, below] }
        return expression.negated ? { kind: 'not', condition: within } : within
      }
      default:
        return null
    }
  }

  /** What rows are grouped by. */
  #key(expression: Expression): PlannedValue | null {
    if (this.#keys.length === 0) return null
    const field = this.#names.fieldOf(expression)
    const at = this.#keys.findIndex(({ name }) => name === field?.name)
    return at === -1 ? null : { kind: 'cell', type: plannedType(this.#keys[at]!), at: 1 + at }
  }

  #compared(
    operator: Extract<PlannedCondition, { kind: 'compare' }>['operator'],
    leftExpression: Expression,
    rightExpression: Expression,
  ): PlannedCondition | null {
    const left = this.value(leftExpression)
    const right = this.value(rightExpression)
    if (left === null || right === null || !isNumber(left) || !isNumber(right)) return null
    return { kind: 'compare', operator, left, right }
  }

  #arithmetic({ operator, left, right }: Extract<Expression, { kind: 'arithmetic' }>): PlannedValue | null {
    if (operator === '||' || operator === '%') return null
    const [a, b] = [this.value(left), this.value(right)]
    if (a === null || b === null || !isNumber(a) || !isNumber(b)) return null
    // Constants alone have rules of their own.
    if (a.kind === 'constant' && b.kind === 'constant') return null
    const type = a.type === 'double' || b.type === 'double' ? 'double' : 'long'
    return { kind: 'arithmetic', type, operator, left: a, right: b }
  }

  #rounded({ operands: [operand, digits, ...more] }: Call): PlannedValue | null {
    const value = operand === undefined ? null : this.value(operand)
    const places = digits === undefined ? { type: 'long', value: 0n } : numberConstant(digits)
    if (value === null || !isNumber(value) || places?.type !== 'long' || more.length > 0) return null
    // Constants alone have rules of their own.
    if (places.value < 0n || places.value > roundedPlacesMax || value.kind === 'constant') return null
    if (value.type === 'long') return value
    return { kind: 'rounded', type: 'double', operand: value, places: Number(places.value) }
  }

  #aggregate(call: Call): PlannedValue | null {
    const { name, operands, star, distinct, filter, over, orderBy } = call
    if ((distinct && name !== 'COUNT') || over !== null || orderBy.length > 0) return null
    const where = filter === null ? null : rowFilter(filter, this.#names, false)
    if (filter !== null && where === null) return null
    if (star) return name === 'COUNT' ? this.#cell('long', { kind: 'rows' }, where) : null
    const [operand, ...more] = operands
    if (operand === undefined || more.length > 0) return null
    const counted = distinct ? 'values' : distinctCounts.get(name)
    if (counted !== undefined) return this.#distinct(operand, where, counted)
    const split = splitRows(operand, this.#names)
    const ofSplit = split === null ? null : this.#ofSplit(name, split, where)
    if (ofSplit !== null) return ofSplit
    const end = this.#end(name, operand, where)
    return end ?? this.#ofColumn(name, operand, where)
  }

  /** How many different values there are; those of some rows where a CASE has them alone. */
  #distinct(operand: Expression, where: RowFilter | null, counted: DistinctValues): PlannedValue | null {
    const found = splitRows(operand, this.#names)
    const split = found?.otherwise === null ? found : null
    const field = this.#names.fieldOf(split === null ? operand : split.result)
    if (field === null) return null
    const countsEmpty = counted === 'values' || field.type !== 'string'
    return this.#cell(
      'long',
      { kind: 'distinct', field, countsEmpty },
      split === null ? where : both(where, split.passes),
    )
  }

  /** An aggregate of a column. */
  #ofColumn(name: string, operand: Expression, where: RowFilter | null): PlannedValue | null {
    const field = this.#names.fieldOf(operand)
    if (name === 'COUNT' && field?.type === 'string') {
      return this.#cell('long', { kind: 'rows' }, both(where, { kind: 'null', field, isNegated: true }))
    }
    if (field === null || (field.type !== 'double' && field.type !== 'long')) return null
    const { type } = field
    switch (name) {
      case 'COUNT':
        return this.#cell('long', { kind: 'values', field }, where)
      case 'SUM':
        return this.#cell(type, { kind: 'sum', type, field }, where)
      case 'MIN':
        return this.#cell(type, { kind: 'least', type, field }, where)
      case 'MAX':
        return this.#cell(type, { kind: 'greatest', type, field }, where)
      case 'AVG': {
        const sumAt = this.#add({ kind: 'sum', type: 'double', field }, where)
        return { kind: 'mean', type: 'double', sumAt, countAt: this.#add({ kind: 'values', field }, where) }
      }
      default:
        return null
    }
  }

  /** An aggregate of what some rows have: FILTER in other words, where the others have nothing. */
  #ofSplit(name: string, { passes, result, otherwise }: SplitRows, where: RowFilter | null): PlannedValue | null {
    const passed = both(where, passes)
    if (otherwise === null && name === 'COUNT' && isConstant(result))
      return this.#cell('long', { kind: 'rows' }, passed)
    if (name === 'SUM' || name === 'AVG') {
      const constant = wholeConstant(result)
      if (constant !== null) return this.#ofConstants(name, constant, otherwise, { where, passed })
      if (otherwise !== null) return this.#ofValueOrZero(name, result, otherwise, { where, passed })
    }
    return otherwise === null && splitNames.has(name) ? this.#ofColumn(name, result, passed) : null
  }

  #ofConstants(
    name: 'SUM' | 'AVG',
    constant: WholeConstant,
    otherwise: Expression | null,
    { where, passed }: SplitFilters,
  ): PlannedValue | null {
    const other = otherwise === null ? null : wholeConstant(otherwise)
    if (otherwise !== null && other === null) return null
    const isDouble = name === 'AVG' || constant.type === 'double' || other?.type === 'double'
    const passedAt = this.#add({ kind: 'rows' }, passed)
    const allAt = other === null ? passedAt : this.#add({ kind: 'rows' }, where)
    const type = isDouble ? 'double' : 'long'
    const amounts = { passed: constant.value, others: other?.value ?? null }
    const sum: PlannedValue = { kind: 'constants', type, allAt, passedAt, ...amounts }
    if (name === 'SUM') return sum
    return divided(sum, { kind: 'cell', type: 'long', at: allAt })
  }

  #ofValueOrZero(
    name: 'SUM' | 'AVG',
    result: Expression,
    otherwise: Expression,
    { where, passed }: SplitFilters,
  ): PlannedValue | null {
    const field = this.#names.fieldOf(result)
    const zero = wholeConstant(otherwise)
    if (field === null || zero?.value !== 0 || (field.type !== 'double' && field.type !== 'long')) return null
    // Longs would become doubles before they are added.
    if (field.type === 'long' && zero.type === 'double') return null
    const type = name === 'AVG' ? 'double' : field.type
    const allAt = this.#add({ kind: 'rows' }, where)
    const passedAt = this.#add({ kind: 'rows' }, passed)
    const sum: PlannedValue = {
      kind: 'sumOrZero',
      type,
      sumAt: this.#add({ kind: 'sum', type, field }, passed),
      allAt,
      passedAt,
    }
    if (name === 'SUM') return sum
    const cell = (at: number): NumberValue => ({ kind: 'cell', type: 'long', at })
    const values = cell(this.#add({ kind: 'values', field }, passed))
    const others = arithmetic('long', '-', cell(allAt), cell(passedAt))
    return divided(sum, arithmetic('long', '+', values, others))
  }

  /** What goes by the newest or the oldest row. */
  #end(name: string, operand: Expression, where: RowFilter | null): PlannedValue | null {
    if (this.#names.isTime(operand)) {
      const end = ({ MAX: 'newest', MIN: 'oldest', LATEST: 'newest', EARLIEST: 'oldest' } as const)[name]
      return end === undefined ? null : this.#cell('timestamp', { kind: 'endTime', end }, where)
    }
    const field = this.#names.fieldOf(operand)
    const end = ({ LATEST: 'newest', EARLIEST: 'oldest' } as const)[name]
    if (field === null || field.role === 'tag' || end === undefined || field.type === 'json') return null
    if (field.type !== 'string' && field.type !== 'long' && field.type !== 'double') return null
    return this.#cell(field.type, { kind: 'endValue', end, field }, where)
  }

  #cell(type: PlannedType, aggregate: StoreAggregate, where: RowFilter | null): PlannedValue {
    return { kind: 'cell', type, at: this.#add(aggregate, where) }
  }

  /** Where it stands in the row of a group; what was asked for already is there once. */
  #add(ofAll: StoreAggregate, where: RowFilter | null): number {
    const aggregate = where === null ? ofAll : { ...ofAll, where }
    const key = keyOf(aggregate)
    const known = this.aggregates.findIndex((one) => keyOf(one) === key)
    return 1 + this.#keys.length + (known === -1 ? this.aggregates.push(aggregate) - 1 : known)
  }
}

const arithmetic = (
  type: 'long' | 'double',
  operator: '+' | '-' | '/',
  left: PlannedValue,
  right: PlannedValue,
): PlannedValue => ({ kind: 'arithmetic', type, operator, left, right })

const divided = (sum: PlannedValue, count: PlannedValue): PlannedValue => arithmetic('double', '/', sum, count)

const keyOf = (aggregate: StoreAggregate): string => JSON.stringify(aggregate)

type NumberValue = PlannedValue & { readonly type: 'long' | 'double' }

function isNumber(value: PlannedValue): value is NumberValue {
  return value.type === 'long' || value.type === 'double'
}
