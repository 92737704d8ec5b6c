import type { DeletionSelection } from '../../model/deletion.ts'
import { keptRange, requireRows } from './needed-rows.ts'
import { hourMs } from './whole-hours.ts'

/**
 * Splits a selection at the date before which only hours are kept: into its rows and its hours, which must be whole. Throws Problem `rows_expired`
 * where it needs expired rows.
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
  // The date of an hour is its start.
  const ofHours = { ...selection, toMs: kept.toMs + 1 - hourMs }
  return { selection: range.toMs < untilMs ? { ...selection, toMs: kept.toMs } : selection, ofHours }
}
