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
  /** Null where topics give rows nothing. */
  readonly template: TopicTemplate | null
  /** What a metric of Sparkplug is called: of `spBv1.0/{group}/{node}/{device}/{metric}`. */
  readonly metricTemplate: TopicTemplate
  /** The properties of a bare value: a number or nothing known, a text, a truth value. */
  readonly valueFields: ValueFields
  /** Where the quality of a metric of Sparkplug goes; null where the ingest has no such field. */
  readonly quality: Pick<Field, 'source' | 'type' | 'coding'> | null
  /** The property of the time, which a message may leave out; null where the ingest has none. */
  readonly timeField: string | null
  /** The properties that say what was measured: rows with the same of them are a series. */
  readonly tagFields: readonly string[]
  readonly receiveTimes: ReceiveTimes
}

type Message = Pick<ReceivedMessage, 'topic' | 'payload' | 'cutBytes'>

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
/** Of a payload that is too large for a row, so much is kept. */
const keptBytes = 256 * 1024

/** Programs in C send the zero that ends a text. */
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
 * A row that the service rejects, since it has no time and no field of these names: the message is kept as it came, with why it is no row,
 * where operators see it.
 */
export function unmappedRow({ topic, payload, cutBytes = 0 }: Message, why: string): string {
  const kept = payload.subarray(0, keptBytes)
  const payloadBytes = payload.length + cutBytes
  const text = kept.length === payloadBytes ? textOf(kept) : null
  const content = text === null ? { mqtt_payload_base64: Buffer.from(kept).toString('base64') } : { mqtt_payload: text }
  const cut = kept.length < payloadBytes ? { mqtt_payload_bytes: payloadBytes } : {}
  return JSON.stringify({ mqtt_error: why, mqtt_topic: topic, ...content, ...cut })
}

/** JSON text of an object, with members in front where it has none of that name. Digits stay as they are written. */
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

/** The values of a JSON array as they are written, or the one value that is no array. */
function valuesOf(text: string): string[] {
  if (!text.startsWith('[')) return [text]
  const rows = new JsonRows({ rowBytesMax: text.length * 4 + 16 })
  const values = rows.push(new TextEncoder().encode(text)).map((bytes) => new TextDecoder().decode(bytes).trim())
  rows.end()
  return values
}

/** Why a message is no row; null where it is one. */
function faultOf(message: Message, text: string, fitsTemplate: boolean): string | null {
  if (!fitsTemplate) return 'the topic does not fit --topic'
  if (textOf(message.payload) === null) return 'the payload is no UTF-8'
  if (text === '') return 'the payload is empty'
  return /^[[{"]/.test(text) && !isJson(text) ? 'the payload is broken JSON' : null
}

function valueFieldOf(written: string, { number, text, truth }: ValueFields): string {
  if (written.startsWith('"')) return text
  return written === 'true' || written === 'false' ? truth : number
}

/** The rows of a message as JSON text: of an object, of an array each element, of a bare value or text one with that value. */
export function messageRows(message: Message, options: MappingOptions): readonly string[] {
  const { template, valueFields, timeField } = options
  // A byte order mark is white space.
  const text = textOf(message.payload.subarray(0, textEnd(message.payload)))?.trim() ?? ''
  const properties = template === null ? new Map<string, string>() : template.propertiesOf(message.topic)
  const fault = faultOf(message, text, properties !== null)
  if (properties === null || fault !== null) return [unmappedRow(message, fault!)]
  // The time that the connector gives goes before what a topic says.
  const members = new Map([...properties].filter(([name]) => name !== timeField))
  return valuesOf(text).map((value) => {
    const written = isJson(value) ? value : JSON.stringify(value)
    const object = written.startsWith('{')
      ? written
      : `{${JSON.stringify(valueFieldOf(written, valueFields))}:${written}}`
    return withMembers(object, members, options)
  })
}

/** So many series are remembered before those are forgotten whose time has passed. */
const keptSeriesMax = 10_000

/**
 * The times of rows that have none of their own: when they were received, but for each series at least a millisecond after its last. Two rows
 * of one message, or of one millisecond, would otherwise be one item where an ingest has duplicates=replace.
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
