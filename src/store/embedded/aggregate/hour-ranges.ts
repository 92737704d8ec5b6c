// Comparisons of numbers that a filter has, held against the bounds that hours of rollups have: whether all rows of an hour pass, or none.
import {
  allOf,
  conjuncts,
  type FieldNode,
  fieldsOf,
  isNumeric,
  type LiteralNode,
  type Scalar,
} from '../../../algebra/scalar.ts'
import { type ComparisonOperator, isMetBy, negated } from '../../../lib/comparison-operator.ts'
import type { BoundedRollups, HourBounds, HourSums } from '../reading/sealed-source.ts'
import type { FieldAccessor } from '../run/field-accessor.ts'

/** Of the rows of an hour: all pass, none does, or they have to be looked at. */
export type HourVerdict = 'all' | 'none' | 'some'

interface FilterParts {
  /** Conditions that all have to hold, each of comparisons of columns of numbers. */
  readonly ranges: readonly Scalar[]
  /** What else has to hold; null where there is nothing. */
  readonly others: Scalar | null
}

/** A filter as conditions that hours may be held against, and the rest of it. */
export function partsOfFilter(
  filter: Scalar | null,
  accessorOf: (name: string) => FieldAccessor,
  isComputed: (name: string) => boolean,
): FilterParts {
  const isPlain = ({ name }: { readonly name: string }): boolean =>
    accessorOf(name).kind === 'column' && !isComputed(name)
  const isRange = (part: Scalar): boolean => isOfNumbers(part) && fieldsOf(part).every(isPlain)
  const parts = conjuncts(filter)
  return { ranges: parts.filter(isRange), others: allOf(parts.filter((part) => !isRange(part))) }
}

/** Whether a condition is made of comparisons of numbers alone. */
function isOfNumbers(condition: Scalar): boolean {
  if (condition.kind !== 'call') return false
  const { name, operands } = condition
  if (name === 'and' || name === 'or' || name === 'not') return operands.every(isOfNumbers)
  return (name in negated || name === 'isNull') && operands[0].kind === 'field' && isNumeric(operands[0])
}

/** What rollups say of a column, hour by hour. */
interface BoundedHours {
  readonly sums: HourSums | null
  readonly bounds: HourBounds | null
}

/** By the names of columns. */
export type ColumnBounds = ReadonlyMap<string, BoundedHours>

/** Where it is not known how many rows an hour has. */
export const unknownRows = 0

export class HourRanges {
  readonly #ranges: readonly Scalar[]
  readonly #columns: ReadonlyMap<string, number>

  constructor(ranges: readonly Scalar[], accessorOf: (name: string) => FieldAccessor) {
    this.#ranges = ranges
    this.#columns = new Map(
      ranges.flatMap(fieldsOf).map(({ name }) => {
        const accessor = accessorOf(name)
        return [name, accessor.kind === 'column' ? accessor.index : -1]
      }),
    )
  }

  columnsOf(rollups: BoundedRollups): ColumnBounds {
    const columns = new Map<string, BoundedHours>()
    for (const [name, index] of this.#columns)
      columns.set(name, { sums: rollups.column(index), bounds: rollups.bounds(index) })
    return columns
  }

  /** Of an hour of `rows` rows; `unknownRows` says less. */
  verdict(columns: ColumnBounds, hour: number, rows: number): HourVerdict {
    return together(
      this.#ranges.map((range) => verdictOf(range, true, columns, hour, rows)),
      'none',
      'all',
    )
  }
}

/** Which rows of an hour a condition is `wanted` of, true or false. */
function verdictOf(range: Scalar, wanted: boolean, columns: ColumnBounds, hour: number, rows: number): HourVerdict {
  if (range.kind !== 'call') throw new Error('a range is made of comparisons')
  const { name, operands } = range
  if (name === 'not') return verdictOf(operands[0], !wanted, columns, hour, rows)
  if (name === 'and' || name === 'or') {
    if (wanted && name === 'or' && isNullOf(operands[0])) return orNull(operands, columns, hour, rows)
    const verdicts = operands.map((part) => verdictOf(part, wanted, columns, hour, rows))
    return (name === 'and') === wanted ? together(verdicts, 'none', 'all') : together(verdicts, 'all', 'none')
  }
  if (name === 'isNull') return verdictOfNull(range, wanted, columns, hour, rows)
  const operator = name as ComparisonOperator
  const [{ field }, { value }] = operands as readonly [FieldNode, LiteralNode]
  return verdictOfColumn(wanted ? operator : negated[operator], Number(value), columns.get(field.name)!, hour, rows)
}

const isNullOf = (condition: Scalar): boolean => condition.kind === 'call' && condition.name === 'isNull'

function countOf(condition: Scalar, columns: ColumnBounds, hour: number): number {
  const [{ name }] = fieldsOf(condition)
  return columns.get(name)!.sums?.counts[hour] ?? 0
}

function verdictOfNull(
  condition: Scalar,
  wanted: boolean,
  columns: ColumnBounds,
  hour: number,
  rows: number,
): HourVerdict {
  const count = countOf(condition, columns, hour)
  if (count === 0) return wanted ? 'all' : 'none'
  if (count === rows) return wanted ? 'none' : 'all'
  return 'some'
}

/** Whether all parts are of one field: found out once, since each hour asks. */
const areOfOneField = new WeakMap<readonly Scalar[], boolean>()

function isOfOneField(parts: readonly Scalar[]): boolean {
  const known = areOfOneField.get(parts)
  if (known !== undefined) return known
  const isOfOne = new Set(parts.flatMap(fieldsOf).map(({ name }) => name)).size === 1
  areOfOneField.set(parts, isOfOne)
  return isOfOne
}

/** A null, or what else a condition takes: where all that are no nulls pass, it does not matter how many nulls there are. */
function orNull(parts: readonly Scalar[], columns: ColumnBounds, hour: number, rows: number): HourVerdict {
  const isNull = verdictOfNull(parts[0], true, columns, hour, rows)
  if (isNull === 'all') return 'all'
  const known = isOfOneField(parts) ? countOf(parts[0], columns, hour) : rows
  const verdicts = parts.slice(1).map((part) => verdictOf(part, true, columns, hour, known))
  if (verdicts.includes('all')) return 'all'
  return isNull === 'none' && verdicts.every((verdict) => verdict === 'none') ? 'none' : 'some'
}

/** `decides` where one of them is it, `rest` where all are that. */
function together(verdicts: readonly HourVerdict[], decides: HourVerdict, rest: HourVerdict): HourVerdict {
  if (verdicts.includes(decides)) return decides
  return verdicts.every((verdict) => verdict === rest) ? rest : 'some'
}

/** A null passes no comparison, nor what is not so. */
function verdictOfColumn(
  operator: ComparisonOperator,
  constant: number,
  { sums, bounds }: BoundedHours,
  hour: number,
  rows: number,
): HourVerdict {
  if (sums === null || sums.counts[hour] === 0) return 'none'
  if (bounds === null) return 'some'
  if (!mayMeet(operator, bounds.least[hour], bounds.greatest[hour], constant)) return 'none'
  const mayFail = mayMeet(negated[operator], bounds.least[hour], bounds.greatest[hour], constant)
  return !mayFail && sums.counts[hour] === rows ? 'all' : 'some'
}

/** Whether a value between two others, which are there, may meet a comparison. */
function mayMeet(operator: ComparisonOperator, least: number, greatest: number, constant: number): boolean {
  if (operator === '=') return least <= constant && constant <= greatest
  if (operator === '<>') return least !== constant || greatest !== constant
  return isMetBy(operator, least - constant) || isMetBy(operator, greatest - constant)
}
