// What questions need of rows that have left, of which hours alone are kept.
import type { DeletionSelection } from '../../model/deletion.ts'
import type { AveragePlan, OverTimePlan, Plan, Range } from '../../model/plan.ts'
import { rowsExpired } from '../../model/rows-expired.ts'
import { hourMs } from './whole-hours.ts'

/** `untilMs`: from then on there are rows. */
export interface Kept {
  readonly untilMs: number
}

const notOfHours =
  'of those before it there are hours alone, which answer averages, aggregates and plots of whole hours, not single items or parts of an hour. Ask for these, or let the range begin with this date'

/** Throws Problem `rows_expired` unless the rows of a range are there. A range that is open at its start begins with them. */
export function requireRows(kept: Kept | null, { fromMs, toMs }: Range, why = notOfHours): null {
  if (kept === null) return null
  const isThere = fromMs === Number.NEGATIVE_INFINITY ? toMs >= kept.untilMs : fromMs >= kept.untilMs
  if (isThere) return null
  throw rowsExpired(kept, why)
}

/** Of a range that hours answer, as far as there are no rows: whole hours. Null where there are rows of all of it. */
export function keptRange(kept: Kept, { fromMs, toMs }: Range): Range | null {
  if (fromMs >= kept.untilMs) return null
  const isWhole = (ms: number): boolean => ms % hourMs === 0
  if (fromMs === toMs)
    throw rowsExpired(kept, 'of those before it there are hours alone, and one instant is a part of an hour')
  // The instant of an end on a full hour is left out.
  const untilMs = toMs >= kept.untilMs ? kept.untilMs : isWhole(toMs) ? toMs : toMs + 1
  if (fromMs !== Number.NEGATIVE_INFINITY && !isWhole(fromMs))
    throw rowsExpired(kept, 'of those before it there are hours alone, so a range begins with a full hour of UTC')
  if (!isWhole(untilMs))
    throw rowsExpired(kept, 'of those before it there are hours alone, so a range ends with a full hour of UTC')
  return { fromMs, toMs: untilMs - 1 }
}

/** Of which dates a plan needs the rows. */
export function neededRange(plan: Exclude<Plan, OverTimePlan | AveragePlan>): Range {
  switch (plan.kind) {
    case 'select':
      return plan.range
    case 'latest':
      return { fromMs: plan.fromMs, toMs: Number.POSITIVE_INFINITY }
    case 'last':
      return { fromMs: Number.NEGATIVE_INFINITY, toMs: plan.dateMs - 1 }
    case 'next':
      return { fromMs: plan.dateMs + 1, toMs: Number.POSITIVE_INFINITY }
    case 'snap':
      return { fromMs: plan.ticksMs[0] ?? Number.POSITIVE_INFINITY, toMs: Number.POSITIVE_INFINITY }
  }
}

/**
 * A selection where hours are kept of the rows before a date: those that it has, whole ones. Throws Problem `rows_expired` where it needs rows
 * that have left.
 */
export function selectedHours(
  selection: DeletionSelection,
  untilMs: number,
): { readonly selection: DeletionSelection; readonly ofHours: DeletionSelection | null } {
  const range = {
    fromMs: selection.fromMs ?? Number.NEGATIVE_INFINITY,
    toMs: selection.toMs ?? Number.POSITIVE_INFINITY,
  }
  if (selection.where !== null) {
    requireRows({ untilMs }, range)
    return { selection: { ...selection, fromMs: Math.max(untilMs, range.fromMs) }, ofHours: null }
  }
  const kept = keptRange({ untilMs }, range)
  if (kept === null) return { selection, ofHours: null }
  // An hour lies at its start.
  const ofHours = { ...selection, toMs: kept.toMs + 1 - hourMs }
  return { selection: range.toMs < untilMs ? { ...selection, toMs: kept.toMs } : selection, ofHours }
}
