// The metrics that this tab has polled so far. The service records no history of most of them.
import type { Metrics } from '../../parts/metrics-text.ts'
import { storeOf } from '../../shell/store.ts'

export interface MetricReading {
  readonly ms: number
  /** Sums over all labels, by name. */
  readonly sums: ReadonlyMap<string, number>
}

/** A quarter of an hour at one reading every three seconds. */
const readingsMax = 300
/** Readings further apart than this have a gap between them. */
const gapMs = 30_000

export const metricReadings = storeOf<readonly MetricReading[]>([])

export function addReading(readings: readonly MetricReading[], metrics: Metrics, ms: number): readonly MetricReading[] {
  const sums = new Map(
    [...metrics].map(([name, samples]) => [name, samples.reduce((sum, { value }) => sum + value, 0)]),
  )
  return [...readings.slice(1 - readingsMax), { ms, sums }]
}

/** Whether a metric only increases, so that its rate is drawn. */
export const isCounter = (name: string): boolean => /_(total|sum|count)$/.test(name)

type Drawn = [seconds: number[], values: (number | null)[]]

/** A metric over time: the rate per second of a counter, the value of any other. */
export function drawnMetric(readings: readonly MetricReading[], name: string): Drawn {
  const drawn: Drawn = [[], []]
  for (const [index, { ms, sums }] of readings.entries()) {
    const value = sums.get(name) ?? null
    const before = readings[index - 1]
    if (!isCounter(name)) {
      if (before !== undefined && ms - before.ms > gapMs) {
        drawn[0].push((before.ms + ms) / 2000)
        drawn[1].push(null)
      }
      drawn[0].push(ms / 1000)
      drawn[1].push(value)
    } else if (before !== undefined) {
      const last = before.sums.get(name) ?? null
      // A counter that decreased was reset by a restart of its process.
      const known = value !== null && last !== null && value >= last && ms - before.ms <= gapMs
      drawn[0].push(ms / 1000)
      drawn[1].push(known ? ((value - last) * 1000) / (ms - before.ms) : null)
    }
  }
  return drawn
}
