import { qualityNumber, qualityOf } from '../../model/quality.ts'
import { type MappingOptions, unmappedRow } from '../message-rows.ts'
import type { KnownMetric } from './known-metrics.ts'
import { kindOf, metricValue, type ScalarValue } from './metric-value.ts'
import { type Metric, type Payload, rebirthName } from './sparkplug-payload.ts'
import { metricTopic, type SparkplugTopic } from './sparkplug-topic.ts'

/** A decoded message of a node or device. */
export interface SparkplugMessage {
  readonly message: { readonly topic: string; readonly payload: Uint8Array }
  readonly topic: SparkplugTopic
  readonly payload: Payload
}

/** Metrics of the protocol, which are not measurements. */
const ofProtocol = new Set(['bdSeq', rebirthName])
const whyCharactersMax = 2000

function instantText(ms: number): string | null {
  const date = new Date(ms)
  return Number.isNaN(date.getTime()) ? null : date.toISOString()
}

const jsonOf = (value: ScalarValue): string => (typeof value === 'bigint' ? String(value) : JSON.stringify(value))

function qualityJson(value: number, { type, coding }: NonNullable<MappingOptions['quality']>): string {
  const number = coding === 'opcua' ? qualityNumber(qualityOf(value, 'opcda'), coding) : value
  return type === 'string' ? `"${number}"` : String(number)
}

class RowsOfMetrics {
  readonly #source: SparkplugMessage
  readonly #meaningOf: (metric: Metric) => KnownMetric
  readonly #options: MappingOptions

  constructor(source: SparkplugMessage, meaningOf: (metric: Metric) => KnownMetric, options: MappingOptions) {
    this.#source = source
    this.#meaningOf = meaningOf
    this.#options = options
  }

  /** The row of a metric, null if it makes none, or why it cannot have one. */
  of(metric: Metric): { row: string } | { why: string } | null {
    const meaning = this.#meaningOf(metric)
    if ('why' in meaning) return meaning
    const { name, datatype } = meaning
    if (metric.isTransient || ofProtocol.has(name)) return null
    const found = metricValue(metric, datatype)
    if ('why' in found) return { why: `${name} ${found.why}` }
    return this.#row(name, metric, kindOf(found.value, datatype), found.value)
  }

  #row(name: string, metric: Metric, kind: keyof MappingOptions['valueFields'], value: ScalarValue) {
    const { metricTemplate, timeField, tagFields, valueFields, quality, receiveTimes } = this.#options
    const path = metricTopic(this.#source.topic, name)
    const properties = metricTemplate.propertiesOf(path)
    if (properties === null) return { why: `${name} does not fit --topic as ${path}` }
    const texts = new Map([...properties].map(([property, text]) => [property, JSON.stringify(text)]))
    if (timeField !== null) {
      const series = (): string => JSON.stringify(tagFields.map((tag) => properties.get(tag)))
      const ms = metric.timestamp ?? this.#source.payload.timestamp
      const at = instantText(ms ?? receiveTimes.next(series()))
      if (at === null) return { why: `${name} has the time ${ms}, which is not a valid date` }
      texts.set(timeField, JSON.stringify(at))
    }
    texts.set(valueFields[kind], jsonOf(value))
    if (quality !== null && metric.quality !== undefined)
      texts.set(quality.source, qualityJson(metric.quality, quality))
    return { row: `{${[...texts].map(([property, text]) => `${JSON.stringify(property)}:${text}`).join()}}` }
  }
}

/** One row per metric. If some metrics are invalid, one more row is added, which the service rejects: the message as received, with the reasons. */
export function metricRows(
  source: SparkplugMessage,
  meaningOf: (metric: Metric) => KnownMetric,
  options: MappingOptions,
): readonly string[] {
  const rows = new RowsOfMetrics(source, meaningOf, options)
  const found = source.payload.metrics.map((metric) => rows.of(metric)).filter((one) => one !== null)
  const faults = found.flatMap((one) => ('why' in one ? [one.why] : []))
  const why = faults.join('; ')
  return [
    ...found.flatMap((one) => ('row' in one ? [one.row] : [])),
    ...(faults.length === 0
      ? []
      : [unmappedRow(source.message, why.length > whyCharactersMax ? `${why.slice(0, whyCharactersMax)}...` : why)]),
  ]
}
