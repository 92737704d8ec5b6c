// A simulated plant: forty instruments in four areas whose readings follow one load. Each value depends only on the seed, the instrument and the time, so
// that a second start continues where the first one ended.

export type Quantity = 'temperature' | 'pressure' | 'flow' | 'level'

export interface Instrument {
  /** `01PHD.OSL101.PV` */
  readonly tag: string
  readonly area: string
  readonly unit: string
  readonly quantity: Quantity
  /** The usual value at full load. */
  readonly base: number
  /** Makes the random parts of each instrument different. */
  readonly salt: number
}

const dayMs = 86_400_000
const areas = ['distillation', 'reaction', 'utilities', 'storage'] as const

interface Make {
  readonly letter: string
  readonly unit: string
  readonly count: number
  readonly base: readonly [least: number, most: number]
  readonly decimals: number
}

const makes: Record<Quantity, Make> = {
  temperature: { letter: 'T', unit: 'degC', count: 3, base: [60, 340], decimals: 1 },
  pressure: { letter: 'P', unit: 'bar', count: 2, base: [2, 28], decimals: 3 },
  flow: { letter: 'F', unit: 'm3/h', count: 3, base: [15, 180], decimals: 2 },
  level: { letter: 'L', unit: '%', count: 2, base: [35, 65], decimals: 1 },
}
const quantities: readonly Quantity[] = ['temperature', 'pressure', 'flow', 'level']

/** A pseudo-random number from 0 to 1, always the same for the same arguments (the mixing steps of MurmurHash3). */
function noiseAt(seed: number, salt: number, step: number): number {
  let hash = Math.imul(seed ^ 0x9e3779b9, 0x85ebca6b) ^ Math.imul(salt + 1, 0xc2b2ae35)
  hash ^= Math.imul(step | 0, 0x27d4eb2f) ^ Math.imul(Math.floor(step / 4_294_967_296) | 0, 0x165667b1)
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
  return ((hash ^ (hash >>> 16)) >>> 0) / 4_294_967_296
}

/** Wanders between -1 and 1, smoothly, with a new direction each period. */
function drift(seed: number, salt: number, ms: number, periodMs: number): number {
  const step = Math.floor(ms / periodMs)
  const share = ms / periodMs - step
  const ease = share * share * (3 - 2 * share)
  const from = noiseAt(seed, salt, step)
  return (from + (noiseAt(seed, salt, step + 1) - from) * ease) * 2 - 1
}

/** How hard the plant works, about 0.6 to 1: more by day, less at weekends. */
function plantLoad(seed: number, ms: number): number {
  const hour = ((ms % dayMs) + dayMs) % dayMs
  const byDay = Math.cos(((hour - 15 * 3_600_000) / dayMs) * 2 * Math.PI)
  // 1970-01-01 was a Thursday.
  const weekday = (((Math.floor(ms / dayMs) + 3) % 7) + 7) % 7
  const weekend = weekday >= 5 ? 0.06 : 0
  return 0.84 + 0.08 * byDay - weekend + 0.05 * drift(seed, 1000, ms, 4 * 3_600_000)
}

/** The instruments of a plant, always the same for the same seed. */
export function instrumentsOf(seed: number): Instrument[] {
  const instruments: Instrument[] = []
  for (const [areaIndex, area] of areas.entries()) {
    for (const quantity of quantities) {
      const { letter, unit, count, base } = makes[quantity]
      for (let number = 1; number <= count; number++) {
        const salt = instruments.length
        const share = noiseAt(seed, salt, 7)
        instruments.push({
          tag: `0${areaIndex + 1}PHD.OS${letter}${areaIndex + 1}0${number}.PV`,
          area,
          unit,
          quantity,
          base: base[0] + (base[1] - base[0]) * share,
          salt,
        })
      }
    }
  }
  return instruments
}

function rawReading(seed: number, { quantity, base, salt }: Instrument, ms: number): number {
  const load = plantLoad(seed, ms)
  const wander = drift(seed, salt, ms, 1_800_000)
  const jitter = noiseAt(seed, salt + 500, Math.floor(ms / 1000)) * 2 - 1
  switch (quantity) {
    case 'temperature':
      // Heat follows the load slowly, so the load of 20 minutes ago counts.
      return base * (0.9 + 0.1 * plantLoad(seed, ms - 1_200_000)) + 1.5 * wander + 0.3 * jitter
    case 'flow':
      return base * load * (1 + 0.03 * wander + 0.01 * jitter)
    case 'pressure':
      // Pressure loss grows with the square of the flow.
      return base * (0.75 + 0.25 * load * load) * (1 + 0.004 * wander + 0.002 * jitter)
    case 'level': {
      // Tanks fill slowly and are drawn off in a third of the time.
      const cycle = (ms / ((6 + (salt % 5)) * 3_600_000) + noiseAt(seed, salt, 11)) % 1
      const filled = cycle < 0.75 ? cycle / 0.75 : (1 - cycle) / 0.25
      return Math.min(100, Math.max(0, base + 50 * (filled - 0.5) + 2 * wander + 0.3 * jitter))
    }
  }
}

/** The reading of an instrument at a time, in its unit. */
export function readingAt(seed: number, instrument: Instrument, ms: number): number {
  return Number(rawReading(seed, instrument, ms).toFixed(makes[instrument.quantity].decimals))
}

/** One row of each instrument for a time, as NDJSON. */
export function rowsAt(seed: number, instruments: readonly Instrument[], ms: number): string {
  const date = new Date(ms).toISOString()
  return instruments
    .map((instrument) => {
      const { tag, unit, area } = instrument
      return `{"D":"${date}","T":"${tag}","unit":"${unit}","area":"${area}","V":${readingAt(seed, instrument, ms)}}\n`
    })
    .join('')
}
