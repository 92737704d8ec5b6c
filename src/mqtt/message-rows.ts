import { JsonRows } from '../lib/json-rows.ts'
import type { Field } from '../model/field.ts'
import type { ReceivedMessage } from './broker.ts'
import type { TopicTemplate } from './topics.ts'

export interface ValueFields {
  readonly number: string
  readonly text: string
  readonly truth: string
}

export interface MappingOptions {
  /** Null if topics add no properties to rows. */
  readonly template: TopicTemplate | null
  /** Maps the path `spBv1.0/{group}/{node}/{device}/{metric}` of a Sparkplug metric to properties. */
  readonly metricTemplate: TopicTemplate
  /** The properties for bare values: a number or null, a text, a boolean. */
  readonly valueFields: ValueFields
  /** The field for the quality of a Sparkplug metric; null if the ingest has none. */
  readonly quality: Pick<Field, 'source' | 'type' | 'coding'> | null
  /** The property of the time, which a message may omit; null if the ingest has none. */
  readonly timeField: string | null
  /** The properties that identify a series. */
  readonly tagFields: readonly string[]
  readonly receiveTimes: ReceiveTimes
}

type Message = Pick<ReceivedMessage, 'topic' | 'payload' | 'cutBytes'>

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
/** Bytes kept of a payload that is too large for a row. */
const keptBytes = 256 * 1024

/** Strips trailing zero bytes: programs in C may send the terminator of a string. */
function textEnd(payload: Uint8Array): number {
  let end = payload.length
  while (end > 0 && payload[end - 1] === 0) end--
  return end
}

function textOf(payload: Uint8Array): string | null {
  try {
    return decoder.decode(payload)
  } catch {
    return null
  }
}

/**
 * A row that the service rejects, because it has no time and no known fields: it preserves the message as received, with the reason why it is
 * not a row, where operators can see it.
 */
export function unmappedRow({ topic, payload, cutBytes = 0 }: Message, why: string): string {
  const kept = payload.subarray(0, keptBytes)
  const payloadBytes = payload.length + cutBytes
  const text = kept.length === payloadBytes ? textOf(kept) : null
  const content = text === null ? { mqtt_payload_base64: Buffer.from(kept).toString('base64') } : { mqtt_payload: text }
  const cut = kept.length < payloadBytes ? { mqtt_payload_bytes: payloadBytes } : {}
  return JSON.stringify({ mqtt_error: why, mqtt_topic: topic, ...content, ...cut })
}

/** Adds members, and a time, to the front of an object's JSON text, unless it has them. Numbers keep their digits. */
function withMembers(object: string, members: ReadonlyMap<string, unknown>, options: MappingOptions): string {
  const { timeField, tagFields, receiveTimes } = options
  const own: Readonly<Record<string, unknown>> = JSON.parse(object)
  const added = [...members].filter(([name]) => !Object.hasOwn(own, name))
  if (timeField !== null && !Object.hasOwn(own, timeField)) {
    const series = JSON.stringify(tagFields.map((name) => (Object.hasOwn(own, name) ? own[name] : members.get(name))))
    added.push([timeField, new Date(receiveTimes.next(series)).toISOString()])
  }
  if (added.length === 0) return object
  const texts = added.map(([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)}`)
  const rest = object.trimStart().slice(1)
  return `{${texts.join()}${Object.keys(own).length === 0 ? '' : ','}${rest}`
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

/** The elements of a JSON array as written, or the value itself if it is not an array. */
function valuesOf(text: string): string[] {
  if (!text.startsWith('[')) return [text]
  const rows = new JsonRows({ rowBytesMax: text.length * 4 + 16 })
  const values = rows.push(new TextEncoder().encode(text)).map((bytes) => new TextDecoder().decode(bytes).trim())
  rows.end()
  return values
}

/** Why a message is not a row; null if it is one. */
function faultOf(message: Message, text: string, fitsTemplate: boolean): string | null {
  if (!fitsTemplate) return 'the topic does not fit --topic'
  if (textOf(message.payload) === null) return 'the payload is not UTF-8'
  if (text === '') return 'the payload is empty'
  return /^[[{"]/.test(text) && !isJson(text) ? 'the payload is broken JSON' : null
}

function valueFieldOf(written: string, { number, text, truth }: ValueFields): string {
  if (written.startsWith('"')) return text
  return written === 'true' || written === 'false' ? truth : number
}

/** The rows of a message as JSON: one for an object, one per element of an array, and one for a bare value or text. */
export function messageRows(message: Message, options: MappingOptions): readonly string[] {
  const { template, valueFields, timeField } = options
  // `trim` also removes a byte order mark.
  const text = textOf(message.payload.subarray(0, textEnd(message.payload)))?.trim() ?? ''
  const properties = template === null ? new Map<string, string>() : template.propertiesOf(message.topic)
  const fault = faultOf(message, text, properties !== null)
  if (properties === null || fault !== null) return [unmappedRow(message, fault!)]
  // The time that the connector adds takes precedence over one from the topic.
  const members = new Map([...properties].filter(([name]) => name !== timeField))
  return valuesOf(text).map((value) => {
    const written = isJson(value) ? value : JSON.stringify(value)
    const object = written.startsWith('{')
      ? written
      : `{${JSON.stringify(valueFieldOf(written, valueFields))}:${written}}`
    return withMembers(object, members, options)
  })
}

/** The number of series after which those whose last time has passed are forgotten. */
const keptSeriesMax = 10_000

/**
 * Times of rows that have none of their own: the time of receipt, but for each series at least a millisecond after its previous row. Otherwise two
 * rows of one message, or of one millisecond, would be one item in an ingest with duplicates=replace.
 */
export class ReceiveTimes {
  readonly #nowMs: () => number
  readonly #lastMs = new Map<string, number>()

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs
  }

  /** Milliseconds since the epoch. */
  next(series: string): number {
    const nowMs = this.#nowMs()
    const atMs = Math.max(nowMs, (this.#lastMs.get(series) ?? Number.NEGATIVE_INFINITY) + 1)
    if (this.#lastMs.size >= keptSeriesMax) this.#forget(nowMs)
    this.#lastMs.set(series, atMs)
    return atMs
  }

  #forget(nowMs: number): void {
    for (const [series, lastMs] of this.#lastMs) if (lastMs < nowMs) this.#lastMs.delete(series)
  }
}
