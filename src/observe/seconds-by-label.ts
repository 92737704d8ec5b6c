import type { DescribedMetric } from './described-metric.ts'

export interface SecondsByLabelOptions {
  readonly name: string
  readonly help: string
  readonly label: string
  /** In seconds, ascending. */
  readonly buckets: readonly number[]
}

interface Tally {
  /** Observations per bucket, not cumulative; the last entry counts those above all bounds. */
  readonly counts: Float64Array
  sum: number
}

/**
 * A histogram by the value of one label, in Prometheus' text format (https://prometheus.io/docs/instrumenting/exposition_formats). The one of prom-client
 * builds a text from the labels for each observation, which took longer than planning a small query.
 */
export class SecondsByLabel {
  readonly #options: SecondsByLabelOptions
  readonly #tallies = new Map<string, Tally>()

  constructor(options: SecondsByLabelOptions) {
    this.#options = options
  }

  get described(): DescribedMetric {
    const { name, help, label } = this.#options
    return { type: 'histogram', name, help, labels: [label] }
  }

  observe(value: string, seconds: number): void {
    const { buckets } = this.#options
    let tally = this.#tallies.get(value)
    if (tally === undefined) {
      tally = { counts: new Float64Array(buckets.length + 1), sum: 0 }
      this.#tallies.set(value, tally)
    }
    let place = 0
    while (place < buckets.length && seconds > buckets[place]!) place++
    tally.counts[place]!++
    tally.sum += seconds
  }

  text(): string {
    const { name, help } = this.#options
    const lines = [`# HELP ${name} ${help}`, `# TYPE ${name} histogram`]
    for (const [value, tally] of this.#tallies) lines.push(...this.#linesOf(value, tally))
    return `${lines.join('\n')}\n`
  }

  #linesOf(value: string, { counts, sum }: Tally): string[] {
    const { name, label, buckets } = this.#options
    const own = `${label}="${escaped(value)}"`
    let count = 0
    const bounds = [...buckets.map(String), '+Inf']
    const lines = bounds.map((bound, place) => {
      count += counts[place]!
      return `${name}_bucket{le="${bound}",${own}} ${count}`
    })
    return [...lines, `${name}_sum{${own}} ${sum}`, `${name}_count{${own}} ${count}`]
  }
}

function escaped(value: string): string {
  return value.replace(/[\\"\n]/g, (character) => (character === '\n' ? '\\n' : `\\${character}`))
}
