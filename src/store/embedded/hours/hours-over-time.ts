import type { Range } from '../../../model/plan.ts'
import type { HourRow } from '../../hours/hour-row.ts'
import type { HoursOverTime } from '../../hours/kept-over-time.ts'
import type { PlanRun } from '../run/plan-run.ts'
import type { KeptHours } from './kept-hours.ts'

/** The kept hours of a run in the form that plans over time read; null if there are none. */
export function hoursOverTime(run: PlanRun): HoursOverTime | null {
  const { hours, metrics, selected } = run
  if (hours === null) return null
  // Only metrics of numbers have hours.
  const places = metrics.map((accessor) =>
    accessor.kind === 'column' ? hours.metrics.findIndex(({ index }) => index === accessor.index) : -1,
  )
  return {
    untilMs: hours.untilMs,
    isOneSeriesPerFunction: selected.bounds.length - 1 === selected.series.length,
    of: (series, range) => read(series, range, hours, places, run),
  }
}

async function* read(
  series: number,
  range: Range,
  hours: KeptHours,
  places: readonly number[],
  { pacer }: PlanRun,
): AsyncGenerator<Pick<HourRow, 'hourMs' | 'metrics'>> {
  const prepared = hours.rows?.prepare(series, pacer) ?? null
  if (prepared !== null) await prepared
  for (const { hourMs, metrics } of hours.of(series, range)) {
    yield { hourMs, metrics: places.map((place) => metrics[place] ?? null) }
    if (pacer.spend(16 * (1 + places.length))) await pacer.rest()
  }
}
