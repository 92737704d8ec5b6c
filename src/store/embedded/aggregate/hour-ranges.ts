// Compares the number conditions of a filter with the bounds of hourly rollups, to find hours whose rows all pass or all fail.
import {
  allOf,
  conjuncts,
  type FieldNode,
  fieldsOf,
  isNumeric,
  type LiteralNode,
  type Scalar,
} from '../../../algebra/scalar.ts'
import { type ComparisonOperator, negated, satisfies } from '../../../lib/comparison-operator.ts'
import type { BoundedRollups, HourBounds, HourSums } from '../reading/sealed-source.ts'
import type { FieldAccessor } from '../run/field-accessor.ts'

/** The rows of an hour: all pass, none passes, or they must be read. */
export type HourVerdict = 'all' | 'none' | 'some'

interface FilterParts {
  /** Conditions that must all be true. Each consists of comparisons of number columns. */
  readonly ranges: readonly Scalar[]
  /** The remaining condition; null if there is none. */
  readonly others: Scalar | null
}

/** Splits a filter into the conditions that hours can be tested against, and the rest. */
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

/** Whether a condition consists only of comparisons of numbers. */
function isOfNumbers(condition: Scalar): boolean {
  if (condition.kind !== 'call') return false
  const { name, operands } = condition
  if (name === 'and' || name === 'or' || name === 'not') return operands.every(isOfNumbers)
  return (name in negated || name === 'isNull') && operands[0].kind === 'field' && isNumeric(operands[0])
}

/** The hourly rollups of a column. */
interface BoundedHours {
  readonly sums: HourSums | null
  readonly bounds: HourBounds | null
}

/** Keyed by column name. */
export type ColumnBounds = ReadonlyMap<string, BoundedHours>

/** Used where the number of rows of an hour is not known. */
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

  /** The verdict on an hour of `rows` rows. With `unknownRows` it is `some` more often. */
  verdict(columns: ColumnBounds, hour: number, rows: number): HourVerdict {
    return together(
      this.#ranges.map((range) => verdictOf(range, true, columns, hour, rows)),
      'none',
      'all',
    )
  }
}

/** For which rows of an hour a condition has the value `wanted`, true or false. */
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

/** Whether all parts name one field. Cached, since the test runs for each hour. */
const areOfOneField = new WeakMap<readonly Scalar[], boolean>()

function isOfOneField(parts: readonly Scalar[]): boolean {
  const known = areOfOneField.get(parts)
  if (known !== undefined) return known
  const isOfOne = new Set(parts.flatMap(fieldsOf).map(({ name }) => name)).size === 1
  areOfOneField.set(parts, isOfOne)
  return isOfOne
}

/** `IS NULL OR` other conditions: if all values that are not null pass, the number of nulls does not matter. */
function orNull(parts: readonly Scalar[], columns: ColumnBounds, hour: number, rows: number): HourVerdict {
  const isNull = verdictOfNull(parts[0], true, columns, hour, rows)
  if (isNull === 'all') return 'all'
  const known = isOfOneField(parts) ? countOf(parts[0], columns, hour) : rows
  const verdicts = parts.slice(1).map((part) => verdictOf(part, true, columns, hour, known))
  if (verdicts.includes('all')) return 'all'
  return isNull === 'none' && verdicts.every((verdict) => verdict === 'none') ? 'none' : 'some'
}

/** Returns `decides` if any verdict is that, and `rest` if all are that. */
function together(verdicts: readonly HourVerdict[], decides: HourVerdict, rest: HourVerdict): HourVerdict {
  if (verdicts.includes(decides)) return decides
  return verdicts.every((verdict) => verdict === rest) ? rest : 'some'
}

/** A null passes neither a comparison nor its negation. */
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

/** Whether some value between two bounds may pass a comparison. Both bounds occur among the values. */
function mayMeet(operator: ComparisonOperator, least: number, greatest: number, constant: number): boolean {
  if (operator === '=') return least <= constant && constant <= greatest
  if (operator === '<>') return least !== constant || greatest !== constant
  return satisfies(operator, least - constant) || satisfies(operator, greatest - constant)
}
