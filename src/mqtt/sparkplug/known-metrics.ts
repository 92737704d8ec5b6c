import { metricValue, needsDatatype } from './metric-value.ts'
import { type Metric, type Payload, staleQuality } from './sparkplug-payload.ts'

/** What a metric is, or why nobody can say. */
export type Meaning = { readonly name: string; readonly datatype: number | undefined } | { readonly why: string }

/** Longer texts are not kept for a death. */
const keptCharactersMax = 1024

type Said = Pick<Metric, 'name' | 'alias'> & { readonly datatype?: number | undefined }

/** What a birth says of its metrics: their names by alias, their data types by name. */
export class KnownMetrics {
  /** Where no birth is known. */
  static readonly none = new KnownMetrics([])
  readonly #names = new Map<bigint, string>()
  readonly #datatypes = new Map<string, number>()
  /** The newest values of the metrics of a birth; null where deaths make no rows. */
  #values: Map<string, Metric | null> | null = null

  constructor(metrics: readonly Said[]) {
    for (const { name, alias, datatype } of metrics) {
      if (name === undefined) continue
      if (alias !== undefined) this.#names.set(alias, name)
      if (datatype !== undefined) this.#datatypes.set(name, datatype)
    }
  }

  /** A birth; `keepsValues` where its death makes rows. */
  static ofBirth({ metrics, timestamp }: Payload, keepsValues: boolean): KnownMetrics {
    const known = new KnownMetrics(metrics)
    if (!keepsValues) return known
    known.#values = new Map(metrics.flatMap(({ name }) => (name === undefined ? [] : [[name, null]])))
    known.remember(metrics, timestamp)
    return known
  }

  /** A birth without metrics takes room too. */
  get size(): number {
    return 1 + this.#names.size + this.#datatypes.size + (this.#values?.size ?? 0)
  }

  /** Takes the values of metrics that it can read; `atMs` is the time of those that have none of their own. */
  remember(metrics: readonly Metric[], atMs: number | undefined): void {
    const values = this.#values
    if (values === null) return
    for (const metric of metrics) {
      const meaning = this.meaningOf(metric)
      if ('why' in meaning || metric.isHistorical || !values.has(meaning.name)) continue
      const { name, datatype } = meaning
      const found = metricValue(metric, datatype)
      const isKept = 'value' in found && found.value !== null && String(found.value).length <= keptCharactersMax
      const timestamp = metric.timestamp ?? atMs
      const said = {
        ...(datatype === undefined ? {} : { datatype }),
        ...(timestamp === undefined ? {} : { timestamp }),
      }
      values.set(name, isKept ? { ...metric, name, ...said } : null)
    }
  }

  /** Its metrics as they are when it dies: with the values that they had, which are stale from then on. */
  stale(atMs: number): readonly Metric[] {
    return [...(this.#values?.values() ?? [])].flatMap((metric) =>
      metric === null
        ? []
        : [{ ...metric, timestamp: Math.max(atMs, metric.timestamp ?? atMs), quality: staleQuality }],
    )
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
