// The aggregates that a query asks for, each once, as SQL says them. Null is what the store does not know.
import type { NumberValue, PlannedType, PlannedValue } from '../../druid-values/planned-value.ts'
import type { StoreAggregate } from '../../model/aggregation.ts'
import type { RowFilter } from '../../model/row-condition.ts'
import type { Call, Expression } from '../parse/syntax.ts'
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
import { rowFilter, type TableNames } from './read-where.ts'

export class GroupAggregates {
  readonly all: StoreAggregate[] = []
  readonly #names: TableNames
  /** Where the first of them stands in the row of a group. */
  readonly #firstAt: number

  constructor(names: TableNames, firstAt: number) {
    this.#names = names
    this.#firstAt = firstAt
  }

  /** The value of an aggregate. */
  of(call: Call): PlannedValue | null {
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
    const known = this.all.findIndex((one) => keyOf(one) === key)
    return this.#firstAt + (known === -1 ? this.all.push(aggregate) - 1 : known)
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
