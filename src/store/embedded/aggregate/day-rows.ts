import type { AggregationPlan, DayRows } from '../../../algebra/aggregation.ts'
import type { Pacer } from '../../../lib/pacer.ts'
import { msPerDay } from '../../../model/instant.ts'
import type { Range } from '../../../model/plan.ts'
import { hourMs } from '../../hours/whole-hours.ts'
import { firstAtOrAfter, type RowSlice } from '../head/chunk.ts'
import type { SealedFile } from '../reading/sealed-source.ts'
import type { EntitySnapshot, PlanRun } from '../run/plan-run.ts'

const all = [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY] as const
const dayOf = (ms: number): number => Math.floor(ms / msPerDay)

/** UTC days, by their day number. */
class Days {
  readonly #days = new Map<number, { firstMs: number; lastMs: number }>()

  /** Adds a range that lies within one day. */
  take({ firstMs, lastMs }: DayRows): void {
    const day = this.#days.get(dayOf(firstMs))
    if (day === undefined) {
      this.#days.set(dayOf(firstMs), { firstMs, lastMs })
      return
    }
    if (firstMs < day.firstMs) day.firstMs = firstMs
    if (lastMs > day.lastMs) day.lastMs = lastMs
  }

  /** Adds rows that are ordered by time. */
  takeRows({ chunk: { times }, start, end }: RowSlice): void {
    for (let row = start; row < end; ) {
      const nextMs = (dayOf(times[row]) + 1) * msPerDay
      const next = times[end - 1] < nextMs ? end : firstAtOrAfter(times, row, end, nextMs)
      this.take({ firstMs: times[row], lastMs: times[next - 1] })
      row = next
    }
  }

  /** Oldest first. */
  inOrder(): DayRows[] {
    return [...this.#days.values()].sort((left, right) => left.firstMs - right.firstMs)
  }
}

/** The days of files that span several days. Files never change. */
const daysOfFiles = new WeakMap<SealedFile, readonly DayRows[]>()

/** Widens a day whose rows have expired to whole hours, since only its hours are kept. */
const ofHours = ({ firstMs, lastMs }: DayRows): DayRows => ({
  firstMs: Math.floor(firstMs / hourMs) * hourMs,
  lastMs: (Math.floor(lastMs / hourMs) + 1) * hourMs - 1,
})

/** The UTC days that have rows and overlap the ranges of a plan. A day whose rows have all expired counts only if its hours are kept. */
export async function dayRows(
  { tables, files, hours }: EntitySnapshot,
  { ranges }: Pick<AggregationPlan, 'ranges'>,
  { hours: kept, sinceMs }: Pick<PlanRun, 'hours' | 'sinceMs'>,
  pacer: Pacer,
): Promise<readonly DayRows[]> {
  const days = new Days()
  // A day that a range overlaps is returned whole.
  const isReached = ({ firstMs, lastMs }: DayRows): boolean =>
    ranges.some(({ fromMs, toMs }: Range) => dayOf(firstMs) <= dayOf(toMs) && dayOf(lastMs) >= dayOf(fromMs))
  for (const file of kept === null ? files : [...files, ...hours]) {
    const { firstMs, lastMs } = file.info
    if (!isReached(file.info)) continue
    if (dayOf(firstMs) === dayOf(lastMs)) days.take(file.info)
    else for (const day of await daysOf(file, pacer)) days.take(day)
  }
  for (const { table, view } of tables) {
    if (!isReached(table)) continue
    for (const series of table.series.values.subarray(0, table.series.length)) {
      const prepared = view.prepare(series, pacer)
      if (prepared !== null) await prepared
      for (const slice of view.run(series, ...all)) days.takeRows(slice)
      if (pacer.spend(16)) await pacer.rest()
    }
  }
  return days
    .inOrder()
    .map((day) => (kept !== null && day.firstMs < kept.untilMs ? ofHours(day) : day))
    .filter((day) => isReached(day) && day.lastMs >= (kept?.sinceMs ?? sinceMs))
}

async function daysOf(file: SealedFile, pacer: Pacer): Promise<readonly DayRows[]> {
  const known = daysOfFiles.get(file)
  if (known !== undefined) return known
  const days = new Days()
  const reader = file.open([], 'once')
  for (let place = 0; place < reader.length; place++) {
    const prepared = reader.prepare(place, pacer)
    if (prepared !== null) await prepared
    for (const slice of reader.forward(place, ...all)) {
      days.takeRows(slice)
      if (pacer.spend(slice.end - slice.start)) await pacer.rest()
    }
  }
  const found = days.inOrder()
  daysOfFiles.set(file, found)
  return found
}
