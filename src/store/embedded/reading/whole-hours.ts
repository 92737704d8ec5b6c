import type { Range } from '../../../model/plan.ts'
import { hourMs } from '../../hours/whole-hours.ts'

/**
 * The most hours of all series together that are read as rows, each hour series by series. With more, all rows are read in one pass:
 * otherwise a few numbers too large to be summed would cause a million series to be searched for each hour.
 */
export const partsMax = 4

/** Whole UTC hours, `toMs` excluded; empty when both are the same. */
export interface HourRange {
  readonly fromMs: number
  readonly toMs: number
}

/**
 * The hours whose rows of a series are all in the range, for a series with rows from `firstMs` to `lastMs`. An hour that the range cuts is
 * included when the part outside has no row.
 */
export function wholeHours({ fromMs, toMs }: Range, firstMs: number, lastMs: number): HourRange {
  const from = fromMs <= firstMs ? Math.floor(firstMs / hourMs) : Math.ceil(fromMs / hourMs)
  const to = toMs >= lastMs ? Math.floor(lastMs / hourMs) + 1 : Math.floor((Math.floor(toMs) + 1) / hourMs)
  return { fromMs: from * hourMs, toMs: Math.max(from, to) * hourMs }
}
