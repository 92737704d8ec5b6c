import type { Range } from '../../../model/plan.ts'
import type { TableView } from '../head/table-view.ts'
import type { OpenFile } from './open-file.ts'

/** A part of a range, with whether several sources may have rows in it. */
export interface RangePart extends Range {
  readonly isShared: boolean
}

/** The dates between which each source has rows of a series. */
export function spansOf(
  series: number,
  { tables, files }: { readonly tables: readonly TableView[]; readonly files: readonly OpenFile[] },
): Range[] {
  const spans: Range[] = []
  for (const table of tables) {
    const firstMs = table.firstMs(series)
    if (!Number.isNaN(firstMs)) spans.push({ fromMs: firstMs, toMs: table.lastMs(series) })
  }
  for (const { reader } of files) {
    const place = reader.find(series)
    if (place !== -1) spans.push({ fromMs: reader.firstMs(place), toMs: reader.lastMs(place) })
  }
  return spans
}

/** Whether a range has dates from `fromMs` to `toMs`, both included. */
export function overlaps(range: Range, fromMs: number, toMs: number): boolean {
  return range.fromMs <= toMs && fromMs <= range.toMs
}

/** The ranges in which two or more of these spans of dates overlap, in order; spans include both ends. */
export function sharedDates(spans: readonly Range[]): Range[] {
  const shared: { fromMs: number; toMs: number }[] = []
  let endMs = Number.NEGATIVE_INFINITY
  for (const { fromMs, toMs } of spans.toSorted((left, right) => left.fromMs - right.fromMs)) {
    const last = shared.at(-1)
    const sharedEndMs = Math.min(toMs, endMs)
    if (last !== undefined && fromMs <= last.toMs) last.toMs = Math.max(last.toMs, sharedEndMs)
    else if (fromMs <= endMs) shared.push({ fromMs, toMs: sharedEndMs })
    endMs = Math.max(endMs, toMs)
  }
  return shared
}

/** Splits a range at the borders of shared dates. Dates are whole milliseconds. */
export function rangePartsOf({ fromMs, toMs }: Range, spans: readonly Range[]): readonly RangePart[] {
  const parts: RangePart[] = []
  let nextMs = fromMs
  for (const shared of sharedDates(spans)) {
    const sharedFromMs = Math.max(fromMs, shared.fromMs)
    const sharedToMs = Math.min(toMs, shared.toMs)
    if (sharedFromMs > sharedToMs) continue
    if (nextMs < sharedFromMs) parts.push({ fromMs: nextMs, toMs: sharedFromMs - 1, isShared: false })
    parts.push({ fromMs: sharedFromMs, toMs: sharedToMs, isShared: true })
    nextMs = sharedToMs + 1
  }
  if (nextMs <= toMs) parts.push({ fromMs: nextMs, toMs, isShared: false })
  return parts
}
