// What comes in a second, from two readings of the service's counters.

export interface RateSample {
  readonly ms: number
  readonly rows: number
  readonly rejected: number
}

export const keptMs = 15 * 60_000
/** Samples further apart say nothing about the time between. */
const gapMs = 30_000

export function addSample(samples: readonly RateSample[], sample: RateSample): readonly RateSample[] {
  return [...samples.filter(({ ms }) => ms > sample.ms - keptMs), sample]
}

type Rates = [seconds: number[], rows: (number | null)[], rejected: (number | null)[]]

export function ratesOf(samples: readonly RateSample[]): Rates {
  const rates: Rates = [[], [], []]
  for (const [index, sample] of samples.entries()) {
    const before = samples[index - 1]
    if (before === undefined) continue
    const seconds = (sample.ms - before.ms) / 1000
    const known = sample.ms - before.ms <= gapMs && sample.rows >= before.rows
    rates[0].push(sample.ms / 1000)
    rates[1].push(known ? (sample.rows - before.rows) / seconds : null)
    rates[2].push(known ? Math.max(0, sample.rejected - before.rejected) / seconds : null)
  }
  return rates
}
