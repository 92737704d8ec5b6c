// The aggregates of a query, each once, with the results that SQL defines. Null means that the store does not support it.

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
import type { AggregateNode, EngineAggregate } from '../bind/tree.ts'
import {
  countOf,
  countOfRows,
  type DistinctOptions,
  distinctValues,
  greatestOf,
  leastOf,
  meanOf,
  newestOf,
  oldestOf,
  sumOf,
} from '../functions/aggregates.ts'
import type { TableRows } from './table-rows.ts'

/** `CASE WHEN x THEN v ELSE 0 END`: one value for the rows that pass, and one for those that do not or for which x is unknown. */
interface SplitRows {
  readonly passes: Scalar
  readonly result: Scalar
  /** The value of the other rows; null where they have none. */
  readonly otherwise: Scalar | null
}

/** The filter of the rows (null for all rows), and that of the rows among them that pass a condition. */
interface SplitFilters {
  readonly where: Scalar | null
  readonly passed: Scalar
}

/** Aggregates for which a row without a value is the same as no row. */
type SplitName = 'count' | 'sum' | 'mean' | 'least' | 'greatest'

const splitNames: ReadonlyMap<number, SplitName> = new Map([
  [countOf.id, 'count'],
  [sumOf.id, 'sum'],
  [meanOf.id, 'mean'],
  [leastOf.id, 'least'],
  [greatestOf.id, 'greatest'],
])

/** The largest constants whose sums are exact, however many rows there are. */
const wholeMax = 2 ** 20

export class GroupAggregates {
  readonly all: StoreAggregate[] = []
  readonly #places = new Map<string, number>()
  readonly #rows: TableRows
  /** The position of the first aggregate in the row of a group. */
  readonly #firstAt: number

  constructor(rows: TableRows, firstAt: number) {
    this.#rows = rows
    this.#firstAt = firstAt
  }

  /** The value of an aggregate. */
  of(node: AggregateNode): Scalar | null {
    const { fn, operands, distinct, filter, over, orderBy } = node
    if ((distinct && fn.id !== countOf.id) || over !== null || orderBy.length > 0) return null
    const where = filter === null ? null : this.#rows.filterOf(filter)
    if (filter !== null && where === null) return null
    if (fn.id === countOfRows.id) return this.#cell('long', { kind: 'rows' }, where)
    const [operand] = operands
    if (operand === undefined) return null
    const name = splitNames.get(fn.id)
    const end = this.#endOf(node)
    if (this.#rows.isTime(operand)) {
      const ofTime = end ?? (name === 'greatest' ? 'newest' : name === 'least' ? 'oldest' : null)
      return ofTime && this.#cell('timestamp', { kind: 'endTime', end: ofTime }, where)
    }
    const value = this.#rows.valueOf(operand)
    if (value === null) return null
    const split = this.#split(value)
    // Distinct counts are exact here: see `src/druid-sql/functions/aggregates.ts`.
    const counted = distinct ? { skipsEmpty: false } : optionsOfAggregate(node, distinctValues)
    if (counted !== undefined) return this.#distinct(value, split, where, counted)
    if (end !== null) return this.#endValue(value, end, where)
    if (name === undefined) return null
    const ofSplit = split === null ? null : this.#ofSplit(name, split, where)
    return ofSplit ?? this.#ofColumn(name, value, where)
  }

  /** Whether the aggregate takes the newest or the oldest row by its own time; null if neither. */
  #endOf(node: AggregateNode): 'newest' | 'oldest' | null {
    const { fn, operands } = node
    const end = fn.id === newestOf.id ? 'newest' : fn.id === oldestOf.id ? 'oldest' : null
    return end !== null && !optionsOfAggregate(node, newestOf, oldestOf)!.isGiven && this.#rows.isTime(operands[1]!)
      ? end
      : null
  }

  /** Splits a CASE with one condition; null for any other value. */
  #split(value: Scalar): SplitRows | null {
    if (value.kind !== 'case' || value.branches.length > 1) return null
    const [{ when, result }] = value.branches as [{ when: Scalar; result: Scalar }]
    const passes = this.#rows.computed.filterOf(when)
    const otherwise = isNullLiteral(value.otherwise) ? null : value.otherwise
    return passes && { passes, result, otherwise }
  }

  /** The number of distinct values, of some rows only where a CASE has values for them alone. */
  #distinct(
    value: Scalar,
    found: SplitRows | null,
    where: Scalar | null,
    { skipsEmpty }: DistinctOptions,
  ): Scalar | null {
    const split = found?.otherwise === null ? found : null
    const field = this.#rows.computed.fieldOf(split === null ? value : split.result)
    if (field === null) return null
    const countsEmpty = !skipsEmpty || field.type !== 'string'
    const aggregate = { kind: 'distinct', field, countsEmpty } as const
    return this.#cell('long', aggregate, split === null ? where : both(where, split.passes))
  }

  /** An aggregate of a column. */
  #ofColumn(name: SplitName, value: Scalar, where: Scalar | null): Scalar | null {
    const field = this.#rows.computed.fieldOf(value)
    if (name === 'count' && field?.type === 'string') {
      return this.#cell('long', { kind: 'rows' }, both(where, not(isNull(fieldNode(field)))))
    }
    if (field === null || (field.type !== 'double' && field.type !== 'long')) return null
    const { type } = field
    switch (name) {
      case 'count':
        return this.#cell('long', { kind: 'values', field }, where)
      case 'sum':
        return this.#cell(type, { kind: 'sum', type, field }, where)
      case 'least':
        return this.#cell(type, { kind: 'least', type, field }, where)
      case 'greatest':
        return this.#cell(type, { kind: 'greatest', type, field }, where)
      case 'mean': {
        const sum = this.#cell('double', { kind: 'sum', type: 'double', field }, where)
        return call('double', '/', [sum, this.#cell('long', { kind: 'values', field }, where)])
      }
    }
  }

  /** An aggregate of the values of some rows. It is the same as with FILTER if the other rows have no value. */
  #ofSplit(name: SplitName, { passes, result, otherwise }: SplitRows, where: Scalar | null): Scalar | null {
    const passed = both(where, passes)
    if (otherwise === null && name === 'count' && result.kind === 'literal')
      return this.#cell('long', { kind: 'rows' }, passed)
    if (name === 'sum' || name === 'mean') {
      if (isWhole(result)) return this.#ofConstants(name, result, otherwise, { where, passed })
      if (otherwise !== null) return this.#ofValueOrZero(name, result, otherwise, { where, passed })
    }
    return otherwise === null ? this.#ofColumn(name, result, passed) : null
  }

  /** The sum or mean of constants over rows; null where no row has one. */
  #ofConstants(
    name: 'sum' | 'mean',
    constant: Scalar,
    otherwise: Scalar | null,
    { where, passed }: SplitFilters,
  ): Scalar | null {
    if (otherwise !== null && !isWhole(otherwise)) return null
    const type = name === 'mean' || constant.type === 'double' || otherwise?.type === 'double' ? 'double' : 'long'
    const passing = this.#cell('long', { kind: 'rows' }, passed)
    const all = otherwise === null ? passing : this.#cell('long', { kind: 'rows' }, where)
    const ofPassing = call(type, '*', [passing, constant])
    const others = call('long', '-', [all, passing])
    const sum = otherwise === null ? ofPassing : call(type, '+', [ofPassing, call(type, '*', [others, otherwise])])
    const none = call('boolean', '=', [all, literal('long', 0n)])
    const orNull = caseOf([{ when: none, result: nullLiteral }], sum)
    return name === 'sum' ? orNull : orNull && call('double', '/', [orNull, all])
  }

  /** The sum or mean of the rows that pass, where every other row counts as 0; null where all rows pass and none has a value. */
  #ofValueOrZero(name: 'sum' | 'mean', result: Scalar, zero: Scalar, { where, passed }: SplitFilters): Scalar | null {
    const field = this.#rows.computed.fieldOf(result)
    if (field === null || !isWhole(zero) || Number(zero.value) !== 0) return null
    if (field.type !== 'double' && field.type !== 'long') return null
    // Longs would be converted to doubles before they are added.
    if (field.type === 'long' && zero.type === 'double') return null
    const type = name === 'mean' ? 'double' : field.type
    const all = this.#cell('long', { kind: 'rows' }, where)
    const passing = this.#cell('long', { kind: 'rows' }, passed)
    const sum = this.#cell(type, { kind: 'sum', type, field }, passed)
    const areMore = call('boolean', 'and', [isNull(sum), call('boolean', '>', [all, passing])])
    const orZero = caseOf([{ when: areMore, result: literal(type, type === 'long' ? 0n : 0) }], sum)
    if (name === 'sum' || orZero === null) return orZero
    const values = this.#cell('long', { kind: 'values', field }, passed)
    return call('double', '/', [orZero, call('long', '+', [values, call('long', '-', [all, passing])])])
  }

  #endValue(value: Scalar, end: 'newest' | 'oldest', where: Scalar | null): Scalar | null {
    const field = this.#rows.computed.fieldOf(value)
    if (field === null || field.role === 'tag') return null
    return this.#cell(fieldNode(field).type, { kind: 'endValue', end, field }, where)
  }

  /** The cell of an aggregate in the row of a group. The same aggregate is added only once. */
  #cell(type: ScalarType, ofAll: StoreAggregate, where: Scalar | null): Scalar {
    const aggregate = where === null ? ofAll : { ...ofAll, where }
    const key = keyOf(aggregate)
    const place = this.#places.get(key) ?? this.all.push(aggregate) - 1
    this.#places.set(key, place)
    return cellNode(type, this.#firstAt + place)
  }
}

/** The options of a call of one of these aggregates. */
const optionsOfAggregate = <Options>(
  node: AggregateNode,
  ...fns: readonly EngineAggregate<Options>[]
): Options | undefined => (fns.some(({ id }) => id === node.fn.id) ? (node.options as Options) : undefined)

const both = (where: Scalar | null, filter: Scalar): Scalar => allOf([...(where === null ? [] : [where]), filter])!

/** Whether a value is a constant whole number from -`wholeMax` to `wholeMax`. */
function isWhole(value: Scalar): value is Extract<Scalar, { kind: 'literal' }> {
  if (value.kind !== 'literal' || (value.type !== 'long' && value.type !== 'double') || value.value === null)
    return false
  return Number.isInteger(Number(value.value)) && Math.abs(Number(value.value)) <= wholeMax
}
