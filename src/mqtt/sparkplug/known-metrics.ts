import { needsDatatype } from './metric-value.ts'
import type { Metric } from './sparkplug-payload.ts'

/** What a metric is, or why nobody can say. */
export type Meaning = { readonly name: string; readonly datatype: number | undefined } | { readonly why: string }

type Said = Pick<Metric, 'name' | 'alias'> & { readonly datatype?: number | undefined }

/** What a birth says of its metrics: their names by alias, their data types by name. */
export class KnownMetrics {
  /** Where no birth is known. */
  static readonly none = new KnownMetrics([])
  readonly #names = new Map<bigint, string>()
  readonly #datatypes = new Map<string, number>()

  constructor(metrics: readonly Said[]) {
    for (const { name, alias, datatype } of metrics) {
      if (name === undefined) continue
      if (alias !== undefined) this.#names.set(alias, name)
      if (datatype !== undefined) this.#datatypes.set(name, datatype)
    }
  }

  /** A birth without metrics takes room too. */
  get size(): number {
    return 1 + this.#names.size + this.#datatypes.size
  }

  meaningOf({ name, alias, datatype }: Metric): Meaning {
    if (name === undefined && alias === undefined) return { why: 'a metric has neither name nor alias' }
    const found = name ?? this.#names.get(alias!)
    if (found !== undefined) return { name: found, datatype: datatype ?? this.#datatypes.get(found) }
    if (this === KnownMetrics.none) return { why: `the birth that says what alias ${alias} means did not come` }
    return { why: `the birth before it does not say what alias ${alias} means` }
  }

  /** Whether the name of a metric is known, and the type of a whole number. One with neither name nor alias becomes no better by a birth. */
  canRead(metric: Metric): boolean {
    if (metric.name === undefined && metric.alias === undefined) return true
    const meaning = this.meaningOf(metric)
    return 'name' in meaning && (meaning.datatype !== undefined || !needsDatatype(metric))
  }

  /** What it says of these metrics, and no more: a message that waits does not hold a whole birth. */
  of(metrics: readonly Metric[]): KnownMetrics {
    return new KnownMetrics(metrics.map((metric) => ({ ...metric, ...this.meaningOf(metric) })))
  }
}

/** What was known when a message came. */
export interface Birth {
  readonly known: KnownMetrics
  /** False after a gap in the sequence: a later birth may have been lost. */
  isSure: boolean
}

/**
 * What a metric that waited means by the birth that came after it. One that was sent later than the metric says it only if nothing else was known;
 * or, where that was no longer sure, if it does not say otherwise.
 */
export function meaningAfter(
  metric: Metric,
  before: Birth | undefined,
  after: { readonly known: KnownMetrics; readonly isLater: boolean },
): Meaning {
  const now = after.known.meaningOf(metric)
  if (before === undefined || !after.isLater) return now
  const then = before.known.meaningOf(metric)
  if (before.isSure) return then
  if (!before.known.canRead(metric) || 'why' in then) return now
  if ('name' in now && now.name === then.name && now.datatype === then.datatype) return now
  const metricText = metric.name ?? `alias ${metric.alias}`
  return { why: `a message is missing, and no birth after it says that ${metricText} is still what it was` }
}
