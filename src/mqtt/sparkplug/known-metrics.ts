import { metricValue, needsDatatype } from './metric-value.ts'
import { type Metric, type Payload, staleQuality } from './sparkplug-payload.ts'

/** The meaning of a metric, or why it is unknown. */
export type KnownMetric = { readonly name: string; readonly datatype: number | undefined } | { readonly why: string }

/** Longer texts are not kept for the rows of a death. */
const keptCharactersMax = 1024

type Said = Pick<Metric, 'name' | 'alias'> & { readonly datatype?: number | undefined }

/** A birth's definitions of its metrics: names by alias, data types by name. */
export class KnownMetrics {
  /** Used while no birth is known. */
  static readonly none = new KnownMetrics([])
  readonly #names = new Map<bigint, string>()
  readonly #datatypes = new Map<string, number>()
  /** The newest values of the birth's metrics; null if deaths make no rows. */
  #values: Map<string, Metric | null> | null = null

  constructor(metrics: readonly Said[]) {
    for (const { name, alias, datatype } of metrics) {
      if (name === undefined) continue
      if (alias !== undefined) this.#names.set(alias, name)
      if (datatype !== undefined) this.#datatypes.set(name, datatype)
    }
  }

  /** Made from a birth; `keepsValues` if its death makes rows. */
  static ofBirth({ metrics, timestamp }: Payload, keepsValues: boolean): KnownMetrics {
    const known = new KnownMetrics(metrics)
    if (!keepsValues) return known
    known.#values = new Map(metrics.flatMap(({ name }) => (name === undefined ? [] : [[name, null]])))
    known.remember(metrics, timestamp)
    return known
  }

  /** A birth without metrics counts too. */
  get size(): number {
    return 1 + this.#names.size + this.#datatypes.size + (this.#values?.size ?? 0)
  }

  /** Keeps the values of the metrics that it can read. `atMs` is the time of those without their own. */
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

  /** Its metrics at its death: with their last values, which are stale from then on. */
  stale(atMs: number): readonly Metric[] {
    return [...(this.#values?.values() ?? [])].flatMap((metric) =>
      metric === null
        ? []
        : [{ ...metric, timestamp: Math.max(atMs, metric.timestamp ?? atMs), quality: staleQuality }],
    )
  }

  meaningOf({ name, alias, datatype }: Metric): KnownMetric {
    if (name === undefined && alias === undefined) return { why: 'a metric has neither name nor alias' }
    const found = name ?? this.#names.get(alias!)
    if (found !== undefined) return { name: found, datatype: datatype ?? this.#datatypes.get(found) }
    if (this === KnownMetrics.none) return { why: `the birth that defines alias ${alias} did not arrive` }
    return { why: `the birth before it does not define alias ${alias}` }
  }

  /** Whether a metric's name is known, and for an integer its type. A metric with neither name nor alias needs no birth, since none would help. */
  canRead(metric: Metric): boolean {
    if (metric.name === undefined && metric.alias === undefined) return true
    const meaning = this.meaningOf(metric)
    return 'name' in meaning && (meaning.datatype !== undefined || !needsDatatype(metric))
  }

  /** The definitions of these metrics alone, so that a waiting message does not keep a whole birth in memory. */
  of(metrics: readonly Metric[]): KnownMetrics {
    return new KnownMetrics(metrics.map((metric) => ({ ...metric, ...this.meaningOf(metric) })))
  }
}

/** The definitions known when a message arrived. */
export interface Birth {
  readonly known: KnownMetrics
  /** False after a gap in the sequence: a later birth may have been lost. */
  isSure: boolean
}

/**
 * The meaning of a metric that waited, given the birth that arrived after it. A birth that was sent later than the metric is used only if no earlier
 * meaning was known, or if that was unsure and the birth agrees with it.
 */
export function meaningAfter(
  metric: Metric,
  before: Birth | undefined,
  after: { readonly known: KnownMetrics; readonly isLater: boolean },
): KnownMetric {
  const now = after.known.meaningOf(metric)
  if (before === undefined || !after.isLater) return now
  const then = before.known.meaningOf(metric)
  if (before.isSure) return then
  if (!before.known.canRead(metric) || 'why' in then) return now
  if ('name' in now && now.name === then.name && now.datatype === then.datatype) return now
  const metricText = metric.name ?? `alias ${metric.alias}`
  return { why: `a message is missing, and no later birth confirms that ${metricText} is unchanged` }
}
