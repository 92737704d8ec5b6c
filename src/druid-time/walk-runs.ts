// Buckets of days combined with hours in a zone whose clocks change. They are walked from the origin; between two changes all have one length.
import { msPerDay } from '../model/instant.ts'
import { addPeriod, periodDays, periodTimeMs } from './iso.ts'
import type { NativeBuckets } from './native-granularity.ts'

/** Consecutive buckets of one length, from the start of the first. */
export interface WalkRun {
  readonly fromMs: number
  readonly widthMs: number
}

type Walk = NativeBuckets & { kind: 'walk' }

/** The runs of buckets that hold the instants of a range, in order. Not for periods with months, whose buckets vary in length. */
export function walkRuns(granularity: Walk, fromMs: number, untilMs: number): readonly WalkRun[] {
  return [...runsBefore(granularity, fromMs).reverse(), ...runsAfter(granularity, untilMs)]
}

/** A step crosses no clock change if its calendar days end before the next change. */
function runsAfter({ period, originMs, zone }: Walk, untilMs: number): WalkRun[] {
  const [daysMs, widthMs] = lengthsOf(period)
  const runs: WalkRun[] = []
  for (let at = originMs; at <= untilMs; ) {
    const steps = Math.ceil((zone.sameOffsetUntil(at, untilMs + daysMs + 1) - daysMs - at) / widthMs)
    const next = steps > 0 ? at + steps * widthMs : addPeriod(at, period, 1, zone)
    runs.push({ fromMs: at, widthMs: steps > 0 ? widthMs : next - at })
    at = next
  }
  return runs
}

/** Backwards from the origin; the last run is the earliest. */
function runsBefore({ period, originMs, zone }: Walk, fromMs: number): WalkRun[] {
  const [daysMs, widthMs] = lengthsOf(period)
  const changes = zone.changes(fromMs - daysMs, originMs).map((change) => change.fromMs)
  const runs: WalkRun[] = []
  for (let at = originMs; at > fromMs; ) {
    while (changes.length > 1 && changes.at(-1)! > at) changes.pop()
    const since = Math.max(changes.at(-1)!, fromMs - daysMs)
    const steps = Math.floor((at - daysMs - since) / widthMs) + 1
    const start = steps > 0 ? at - steps * widthMs : addPeriod(at, period, -1, zone)
    runs.push({ fromMs: start, widthMs: steps > 0 ? widthMs : at - start })
    at = start
  }
  return runs
}

function lengthsOf(period: Walk['period']): readonly [daysMs: number, widthMs: number] {
  const daysMs = periodDays(period) * msPerDay
  return [daysMs, daysMs + periodTimeMs(period)]
}
