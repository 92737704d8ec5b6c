// The aggregates that a query asks for, each once, as SQL says them. Null is what the store does not know.

import type { StoreAggregate } from '../../algebra/aggregation.ts'
import type { ScalarType } from '../../algebra/functions.ts'
import {
  allOf,
  call,
  caseOf,
  cellNode,
  fieldNode,
  isNull,
  isNullLiteral,
  keyOf,
  literal,
  not,
  nullLiteral,
  type Scalar,
} from '../../algebra/scalar.ts'
import type { Call } from '../parse/syntax.ts'
import { type DistinctValues, distinctCounts } from './distinct-counts.ts'
import type { TableExpressions } from './table-expressions.ts'

/** `CASE WHEN x THEN v ELSE 0 END`: one value for the rows that pass, and one for those that do not, or may not. */
interface SplitRows {
  readonly passes: Scalar
  readonly result: Scalar
  /** Null where they have none. */
  readonly otherwise: Scalar | null
}

/** Of rows, and of those of them that pass a condition. */
interface SplitFilters {
  readonly where: Scalar | null
  readonly passed: Scalar
}

/** What says the same of no value as of no row. */
const splitNames: ReadonlySet<string> = new Set(['COUNT', 'SUM', 'AVG', 'MIN', 'MAX'])

/** Whose sums are exact, however many rows there are. */
const wholeMax = 2 ** 20

export class GroupAggregates {
  readonly all: StoreAggregate[] = []
  readonly #names: TableExpressions
  /** Where the first of them stands in the row of a group. */
  readonly #firstAt: number

  constructor(names: TableExpressions, firstAt: number) {
    this.#names = names
    this.#firstAt = firstAt
  }

  /** The value of an aggregate. */
  of({ name, operands, star, distinct, filter, over, orderBy }: Call): Scalar | null {
    if ((distinct && name !== 'COUNT') || over !== null || orderBy.length > 0) return null
    const where = filter === null ? null : this.#names.filterOf(filter)
    if (filter !== null && where === null) return null
    if (star) return name === 'COUNT' ? this.#cell('long', { kind: 'rows' }, where) : null
    const [operand, ...more] = operands
    if (operand === undefined || more.length > 0) return null
    if (this.#names.isTime(operand)) return this.#endTime(name, where)
    const value = this.#names.valueOf(operand)
    if (value === null) return null
    const split = this.#split(value)
    const counted = distinct ? 'values' : distinctCounts.get(name)
    if (counted !== undefined) return this.#distinct(value, split, where, counted)
    const ofSplit = split === null ? null : this.#ofSplit(name, split, where)
    return ofSplit ?? this.#end(name, value, where) ?? this.#ofColumn(name, value, where)
  }

  /** A CASE of one condition; null for other values. */
  #split(value: Scalar): SplitRows | null {
    if (value.kind !== 'case' || value.branches.length > 1) return null
    const [{ when, result }] = value.branches as [{ when: Scalar; result: Scalar }]
    const passes = this.#names.computed.filterOf(when)
    const otherwise = isNullLiteral(value.otherwise) ? null : value.otherwise
    return passes && { passes, result, otherwise }
  }

  /** How many different values there are; those of some rows where a CASE has them alone. */
  #distinct(value: Scalar, found: SplitRows | null, where: Scalar | null, counted: DistinctValues): Scalar | null {
    const split = found?.otherwise === null ? found : null
    const field = this.#names.computed.fieldOf(split === null ? value : split.result)
    if (field === null) return null
    const countsEmpty = counted === 'values' || field.type !== 'string'
    const aggregate = { kind: 'distinct', field, countsEmpty } as const
    return this.#cell('long', aggregate, split === null ? where : both(where, split.passes))
  }

  /** An aggregate of a column. */
  #ofColumn(name: string, value: Scalar, where: Scalar | null): Scalar | null {
    const field = this.#names.computed.fieldOf(value)
    if (name === 'COUNT' && field?.type === 'string') {
      return this.#cell('long', { kind: 'rows' }, both(where, not(isNull(fieldNode(field)))))
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
        const sum = this.#cell('double', { kind: 'sum', type: 'double', field }, where)
        return call('double', '/', [sum, this.#cell('long', { kind: 'values', field }, where)])
      }
      default:
        return null
    }
  }

  /** An aggregate of what some rows have: FILTER in other words, where the others have nothing. */
  #ofSplit(name: string, { passes, result, otherwise }: SplitRows, where: Scalar | null): Scalar | null {
    const passed = both(where, passes)
    if (otherwise === null && name === 'COUNT' && result.kind === 'literal')
      return this.#cell('long', { kind: 'rows' }, passed)
    if (name === 'SUM' || name === 'AVG') {
      if (isWhole(result)) return this.#ofConstants(name, result, otherwise, { where, passed })
      if (otherwise !== null) return this.#ofValueOrZero(name, result, otherwise, { where, passed })
    }
    return otherwise === null && splitNames.has(name) ? this.#ofColumn(name, result, passed) : null
  }

  /** What constants of rows add up to: null where no row has any. */
  #ofConstants(
    name: 'SUM' | 'AVG',
    constant: Scalar,
    otherwise: Scalar | null,
    { where, passed }: SplitFilters,
  ): Scalar | null {
    if (otherwise !== null && !isWhole(otherwise)) return null
    const type = name === 'AVG' || constant.type === 'double' || otherwise?.type === 'double' ? 'double' : 'long'
    const passing = this.#cell('long', { kind: 'rows' }, passed)
    const all = otherwise === null ? passing : this.#cell('long', { kind: 'rows' }, where)
    const ofPassing = call(type, '*', [passing, constant])
    const others = call('long', '-', [all, passing])
    const sum = otherwise === null ? ofPassing : call(type, '+', [ofPassing, call(type, '*', [others, otherwise])])
    const none = call('boolean', '=', [all, literal('long', 0n)])
    const orNull = caseOf([{ when: none, result: nullLiteral }], sum)
    return name === 'SUM' ? orNull : orNull && call('double', '/', [orNull, all])
  }

  /** The sum of the rows that pass, where each other row counts as 0; null where all pass and none has a value. */
  #ofValueOrZero(name: 'SUM' | 'AVG', result: Scalar, zero: Scalar, { where, passed }: SplitFilters): Scalar | null {
    const field = this.#names.computed.fieldOf(result)
    if (field === null || !isWhole(zero) || Number(zero.value) !== 0) return null
    if (field.type !== 'double' && field.type !== 'long') return null
    // Longs would become doubles before they are added.
    if (field.type === 'long' && zero.type === 'double') return null
    const type = name === 'AVG' ? 'double' : field.type
    const all = this.#cell('long', { kind: 'rows' }, where)
    const passing = this.#cell('long', { kind: 'rows' }, passed)
    const sum = this.#cell(type, { kind: 'sum', type, field }, passed)
    const areMore = call('boolean', 'and', [isNull(sum), call('boolean', '>', [all, passing])])
    const orZero = caseOf([{ when: areMore, result: literal(type, type === 'long' ? 0n : 0) }], sum)
    if (name === 'SUM' || orZero === null) return orZero
    const values = this.#cell('long', { kind: 'values', field }, passed)
    return call('double', '/', [orZero, call('long', '+', [values, call('long', '-', [all, passing])])])
  }

  #endTime(name: string, where: Scalar | null): Scalar | null {
    const end = ({ MAX: 'newest', MIN: 'oldest', LATEST: 'newest', EARLIEST: 'oldest' } as const)[name]
    return end === undefined ? null : this.#cell('timestamp', { kind: 'endTime', end }, where)
  }

  /** What goes by the newest or the oldest row. */
  #end(name: string, value: Scalar, where: Scalar | null): Scalar | null {
    const end = ({ LATEST: 'newest', EARLIEST: 'oldest' } as const)[name]
    const field = end === undefined ? null : this.#names.computed.fieldOf(value)
    if (field === null || end === undefined || field.role === 'tag') return null
    return this.#cell(fieldNode(field).type, { kind: 'endValue', end, field }, where)
  }

  /** Where it stands in the row of a group; what was asked for already is there once. */
  #cell(type: ScalarType, ofAll: StoreAggregate, where: Scalar | null): Scalar {
    const aggregate = where === null ? ofAll : { ...ofAll, where }
    const key = keyOf(aggregate)
    const known = this.all.findIndex((one) => keyOf(one) === key)
    return cellNode(type, this.#firstAt + (known === -1 ? this.all.push(aggregate) - 1 : known))
  }
}

const both = (where: Scalar | null, filter: Scalar): Scalar => allOf([...(where === null ? [] : [where]), filter])!

/** A whole number that is not large. */
function isWhole(value: Scalar): value is Extract<Scalar, { kind: 'literal' }> {
  if (value.kind !== 'literal' || (value.type !== 'long' && value.type !== 'double') || value.value === null)
    return false
  return Number.isInteger(Number(value.value)) && Math.abs(Number(value.value)) <= wholeMax
}
