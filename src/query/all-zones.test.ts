// At each change of each zone since 1900, a request's buckets and dates match ICU's clocks.
import { expect, test } from 'vitest'
import { seededRandom } from '../../test/support/random.ts'
import { rounds } from '../../test/support/rounds.ts'
import { cutsOf } from '../druid-time/cuts.ts'
import { timeBuckets } from '../druid-time/plain-granularity.ts'
import { runtimeOffsets } from '../druid-time/runtime-zone.ts'
import { Zone } from '../druid-time/zone.ts'
import { addMonths } from '../model/duration.ts'
import type { Entity } from '../model/entity.ts'
import { formatInstant, msPerDay } from '../model/instant.ts'
import type { AveragePlan } from '../model/plan.ts'
import { planQuery } from './plan-query.ts'

const entity: Entity = {
  id: 1,
  name: 'plant',
  fields: [
    { name: 'D', type: 'timestamp', role: 'time' },
    { name: 'T', type: 'string', role: 'tag' },
    { name: 'V', type: 'double', role: 'metric' },
  ],
  duplicates: 'keep',
  ingests: ['plant'],
  retention: null,
  sinceMs: null,
}
const context = { entity, nowMs: 0, bucketsMax: 100 }

const [fromMs, untilMs] = [Date.UTC(1900, 0, 1), Date.UTC(2038, 0, 1)]
const always =
  'Pacific/Apia Australia/Lord_Howe America/Havana America/Sao_Paulo Asia/Kathmandu America/Toronto Europe/Dublin'

const random = seededRandom(Number(process.env['TIDEMARK_TEST_SEED'] ?? 7))

/** A random selection of `count` items; the callers select all of them with TIDEMARK_TEST_ROUNDS=5. */
function drawn<Item>(all: readonly Item[], count: number): readonly Item[] {
  const ordered = all.map((item) => ({ item, order: random.below(1_000_000) })).sort((a, b) => a.order - b.order)
  return ordered.slice(0, count).map(({ item }) => item)
}

const supported = Intl.supportedValuesOf('timeZone').filter((name) => name !== 'UTC')
const zones = [...new Set([...always.split(' '), ...drawn(supported, rounds(supported.length / 5))])]

/** A range of instants with one offset, according to ICU. */
interface Clock {
  readonly fromMs: number
  readonly endMs: number
  readonly offsetMs: number
}

/** All clocks of a zone. Throws if ICU changes the offset at any other instant. */
function clocksOf(name: string): readonly Clock[] {
  const offsetAt = runtimeOffsets(name)
  const starts = Zone.find(name)!
    .changes(fromMs, untilMs)
    .map((change) => Math.max(change.fromMs, fromMs))
  return starts.map((start, at) => {
    const endMs = starts[at + 1] ?? untilMs
    const offsetMs = offsetAt(start)
    if (offsetAt(endMs - 1000) !== offsetMs) throw new Error(`${name} changes before ${formatInstant(endMs)}`)
    return { fromMs: start, endMs, offsetMs }
  })
}

/** A random selection of changes, far enough from both ends that the years they are tested with lie within `clocks`. */
const changesOf = (clocks: readonly Clock[]): readonly Clock[] => {
  const inside = (ms: number): boolean => ms > fromMs + 400 * msPerDay && ms < untilMs - 800 * msPerDay
  return drawn(
    clocks.slice(1).filter((clock) => inside(clock.fromMs)),
    rounds(100),
  )
}

const clockAt = (clocks: readonly Clock[], ms: number): number => clocks.findLastIndex((clock) => clock.fromMs <= ms)

/** Buckets of calendar days and longer: each begins where its local time is first shown, or skipped. */
function firstShown(clocks: readonly Clock[], ms: number, startOfLocal: (localMs: number) => number): number {
  const last = clockAt(clocks, ms)
  const bucketOf = (at: number, clock: Clock): number => startOfLocal(at + clock.offsetMs)
  // Clocks that were set back may already have shown a later bucket, which continues.
  let bucket = bucketOf(ms, clocks[last]!)
  for (let at = Math.max(0, last - 3); at < last; at += 1)
    bucket = Math.max(bucket, bucketOf(clocks[at]!.endMs - 1, clocks[at]!))
  // No year has more than 12 changes.
  const from = Math.max(0, last - 12)
  const first = from + clocks.slice(from).findIndex((clock) => bucketOf(Math.min(clock.endMs - 1, ms), clock) >= bucket)
  // A midnight that is shown twice starts its day twice, as in Druid.
  const again = clocks.slice(first + 1, last + 1).findLast(({ fromMs, endMs, offsetMs }) => {
    const at = bucket - offsetMs
    return at >= fromMs && at < endMs && at <= ms
  })
  return again === undefined
    ? Math.max(clocks[first]!.fromMs, bucket - clocks[first]!.offsetMs)
    : bucket - again.offsetMs
}

/**
 * Buckets of hours and shorter, by the clock at the instant. If clocks changed within a bucket, it continues if they showed the same
 * bucket before, and restarts otherwise.
 */
function hourOf(clocks: readonly Clock[], ms: number, widthMs: number): number {
  const at = clockAt(clocks, ms)
  const floor = (instant: number, { offsetMs }: Clock): number =>
    Math.floor((instant + offsetMs) / widthMs) * widthMs - offsetMs
  const clock = clocks[at]!
  const startMs = floor(ms, clock)
  const before = clocks[clockAt(clocks, startMs)]!
  if (floor(startMs, before) === startMs) return startMs
  const lastBefore = clocks[at - 1]!
  const shown = floor(clock.fromMs - 1, lastBefore) + lastBefore.offsetMs
  return shown === startMs + clock.offsetMs ? hourOf(clocks, clock.fromMs - 1, widthMs) : clock.fromMs
}

const dayOf = (localMs: number): number => Math.floor(localMs / msPerDay) * msPerDay
const weekOf = (localMs: number): number =>
  Math.floor((localMs - 4 * msPerDay) / (7 * msPerDay)) * 7 * msPerDay + 4 * msPerDay
function monthsOf(localMs: number, months: number): number {
  const date = new Date(localMs)
  return addMonths(0, Math.floor(((date.getUTCFullYear() - 1970) * 12 + date.getUTCMonth()) / months) * months)
}

const granularities: Readonly<Record<string, (clocks: readonly Clock[], ms: number) => number>> = {
  minute: (clocks, ms) => hourOf(clocks, ms, 60_000),
  // Multiples of a unit are counted from the local midnight at which 1970 began.
  PT15M: (clocks, ms) => {
    const originMs = firstMoment(clocks, 0)
    return Math.floor((ms - originMs) / 900_000) * 900_000 + originMs
  },
  PT1H: (clocks, ms) => hourOf(clocks, ms, 3_600_000),
  day: (clocks, ms) => firstShown(clocks, ms, dayOf),
  week: (clocks, ms) => firstShown(clocks, ms, weekOf),
  month: (clocks, ms) => firstShown(clocks, ms, (localMs) => monthsOf(localMs, 1)),
  quarter: (clocks, ms) => firstShown(clocks, ms, (localMs) => monthsOf(localMs, 3)),
  year: (clocks, ms) => firstShown(clocks, ms, (localMs) => monthsOf(localMs, 12)),
}

function planned(granularity: string, time_zone: string, start_date: string): AveragePlan {
  const request = { entity: 'plant', granularity, time_zone, start_date, end_date: 'P3D' }
  return planQuery('average', request, context) as AveragePlan
}

const text = (ms: number): string => formatInstant(ms)

test.each(zones)('the buckets of requests in %s match the clocks of ICU', (name) => {
  const clocks = clocksOf(name)
  const faults: object[] = []
  for (const { fromMs: changeMs } of changesOf(clocks)) {
    for (const [granularity, startOf] of Object.entries(granularities)) {
      const plan = planned(granularity, name, text(changeMs - 1))
      const cuts = cutsOf(plan.granularity, timeBuckets(plan.granularity))
      for (const ms of [changeMs - 1, changeMs, changeMs + 2_000_000]) {
        const startMs = cuts.startOf(ms)
        const nextMs = cuts.nextOf(startMs)
        const wanted = startOf(clocks, ms)
        const isNext = nextMs > ms && startOf(clocks, nextMs) === nextMs && startOf(clocks, nextMs - 1) === startMs
        if (startMs !== wanted || !isNext)
          faults.push({ granularity, at: text(ms), start: text(startMs), wanted: text(wanted), next: text(nextMs) })
      }
    }
  }
  expect(faults).toEqual([])
})

/** The first instant at which the clocks show a local time, or the end of the gap that contains it. */
function firstMoment(clocks: readonly Clock[], localMs: number): number {
  const at = clocks.findIndex((clock) => localMs < clock.endMs + clock.offsetMs)
  return Math.max(clocks[at]!.fromMs, localMs - clocks[at]!.offsetMs)
}

test.each(zones)('the dates of requests in %s match the clocks of ICU', (name) => {
  const clocks = clocksOf(name)
  const faults: object[] = []
  for (const { fromMs: changeMs, offsetMs } of changesOf(clocks)) {
    const before = clocks[clockAt(clocks, changeMs - 1)]!
    const shown = [changeMs + offsetMs, changeMs + before.offsetMs]
    for (const local of shown.flatMap((ms) => [ms - 60_000, ms, ms + 60_000])) {
      const start = text(local).replace('Z', '')
      const { fromMs: found } = planned('all', name, start).range
      const wanted = firstMoment(clocks, local)
      if (found !== wanted) faults.push({ start, found: text(found), wanted: text(wanted) })
    }
  }
  expect(faults).toEqual([])
})
