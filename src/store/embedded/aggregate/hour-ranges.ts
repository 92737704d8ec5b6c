// Bounds of numbers that a filter has, held against the bounds that hours of rollups have: whether all rows of an hour pass, or none.
import type { AggregationPlan } from '../../../model/aggregation.ts'
import type { RowFilter } from '../../../model/row-condition.ts'
import type { HourBounds, HourSums, SeriesRollups } from '../reading/sealed-source.ts'
import type { FieldAccessor } from '../run/field-accessor.ts'

type NumberRange = Extract<RowFilter, { kind: 'numberRange' }>

/** Of the rows of an hour: all pass, none does, or they have to be looked at. */
export type HourVerdict = 'all' | 'none' | 'some'

interface FilterParts {
  /** Conditions that all have to hold, each a range of a column of numbers. */
  readonly ranges: readonly NumberRange[]
  /** What else has to hold; null where there is nothing. */
  readonly others: RowFilter | null
}

/** A filter as ranges that hours may be held against, and the rest of it. */
export function partsOfFilter(
  { filter }: Pick<AggregationPlan, 'filter'>,
  accessorOf: (name: string) => FieldAccessor,
  isComputed: (name: string) => boolean,
): FilterParts {
  if (filter === null) return { ranges: [], others: null }
  const parts = filter.kind === 'and' ? filter.filters : [filter]
  const isRange = (part: RowFilter): part is NumberRange =>
    part.kind === 'numberRange' && accessorOf(part.field.name).kind === 'column' && !isComputed(part.field.name)
  const others = parts.filter((part) => !isRange(part))
  return { ranges: parts.filter(isRange), others: others.length === 0 ? null : { kind: 'and', filters: others } }
}

/** What rollups say of the column of a range, hour by hour. */
export interface BoundedHours {
  readonly sums: HourSums | null
  readonly bounds: HourBounds | null
}

export class HourRanges {
  readonly #ranges: readonly NumberRange[]
  readonly #columns: readonly number[]

  constructor(ranges: readonly NumberRange[], accessorOf: (name: string) => FieldAccessor) {
    this.#ranges = ranges
    this.#columns = ranges.map(({ field }) => {
      const accessor = accessorOf(field.name)
      return accessor.kind === 'column' ? accessor.index : -1
    })
  }

  /** By range. */
  columnsOf(rollups: SeriesRollups): BoundedHours[] {
    return this.#columns.map((index) => ({ sums: rollups.column(index), bounds: rollups.bounds(index) }))
  }

  /** Of an hour of `rows` rows. */
  verdict(columns: readonly BoundedHours[], hour: number, rows: number): HourVerdict {
    let verdict: HourVerdict = 'all'
    for (let place = 0; place < columns.length; place++) {
      const one = verdictOf(this.#ranges[place], columns[place], hour, rows)
      if (one === 'none') return one
      if (one === 'some') verdict = one
    }
    return verdict
  }
}

/** A null passes neither a range nor what is outside of it. */
function verdictOf(range: NumberRange, { sums, bounds }: BoundedHours, hour: number, rows: number): HourVerdict {
  if (sums === null || sums.counts[hour] === 0) return 'none'
  if (bounds === null) return 'some'
  const least = bounds.least[hour]
  const greatest = bounds.greatest[hour]
  const isWithin = !isBelow(range, least) && !isAbove(range, greatest)
  const isOutside = isBelow(range, greatest) || isAbove(range, least)
  if (range.isNegated ? isWithin : isOutside) return 'none'
  const wouldPass = range.isNegated ? isOutside : isWithin
  return wouldPass && sums.counts[hour] === rows ? 'all' : 'some'
}

function isBelow({ lower, isLowerOpen }: NumberRange, value: number): boolean {
  return lower !== null && (value < lower || (isLowerOpen && value === lower))
}

function isAbove({ upper, isUpperOpen }: NumberRange, value: number): boolean {
  return upper !== null && (value > upper || (isUpperOpen && value === upper))
}
