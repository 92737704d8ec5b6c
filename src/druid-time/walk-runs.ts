// Buckets of days together with hours, of a zone whose clocks change: walked from the origin, and all as long as each other between two changes.
import { msPerDay } from '../model/instant.ts'
import { addPeriod, periodDays, periodTimeMs } from './iso.ts'
import type { NativeBuckets } from './native-granularity.ts'

/** Buckets of one length that follow each other, from the start of the first. */
export interface WalkRun {
  readonly fromMs: number
  readonly widthMs: number
}

type Walk = NativeBuckets & { kind: 'walk' }

/** The runs of buckets that hold the instants between two, in order. Not of periods with months, whose buckets are of many lengths. */
export function walkRuns(granularity: Walk, fromMs: number, untilMs: number): readonly WalkRun[] {
  return [...runsBefore(granularity, fromMs).reverse(), ...runsAfter(granularity, untilMs)]
}

/** A step crosses no change where its days, which are the calendar's, end before the next one. */
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

/** From the origin backwards; the last is the earliest. */
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
