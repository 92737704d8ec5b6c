import type { Range } from '../../../model/plan.ts'
import { hourMs } from '../../hours/whole-hours.ts'

/**
 * Hours of all series together that are read as rows at most, each of them series by series. Where there are more, all rows are read at
 * once: else a few numbers too large to be added up would have a million series looked at for each hour.
 */
export const partsMax = 4

/** From one whole UTC hour up to another, which is not in it; nothing when they are the same. */
export interface HourRange {
  readonly fromMs: number
  readonly toMs: number
}

/**
 * The hours of which the range holds every row of a series whose rows lie within `firstMs` and `lastMs`: an hour that the range cuts is
 * whole all the same where the cut part holds no row.
 */
export function wholeHours({ fromMs, toMs }: Range, firstMs: number, lastMs: number): HourRange {
  const from = fromMs <= firstMs ? Math.floor(firstMs / hourMs) : Math.ceil(fromMs / hourMs)
  const to = toMs >= lastMs ? Math.floor(lastMs / hourMs) + 1 : Math.floor((Math.floor(toMs) + 1) / hourMs)
  return { fromMs: from * hourMs, toMs: Math.max(from, to) * hourMs }
}
