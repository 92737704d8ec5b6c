import { JsonRows } from '../lib/json-rows.ts'
import type { ReceivedMessage } from './broker.ts'
import type { TopicTemplate } from './topic-template.ts'

export interface MappingOptions {
  /** Null where topics give rows nothing. */
  readonly template: TopicTemplate | null
  /** The property of a bare value. */
  readonly valueField: string
  /** The property of the time, which a message may leave out; null where the ingest has none. */
  readonly timeField: string | null
  readonly nowMs: () => number
}

type Message = Pick<ReceivedMessage, 'topic' | 'payload'>

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
/** Of a payload that is too large for a row, so much is kept. */
const keptBytes = 256 * 1024

function textOf(payload: Uint8Array): string | null {
  try {
    return decoder.decode(payload)
  } catch {
    return null
  }
}

/**
 * A row that the service rejects, since it has no time and no field of these names: the message is kept as it came, where operators see
 * it.
 */
export function unmappedRow({ topic, payload }: Message): string {
  const kept = payload.subarray(0, keptBytes)
  const text = kept.length === payload.length ? textOf(kept) : null
  const content = text === null ? { mqtt_payload_base64: Buffer.from(kept).toString('base64') } : { mqtt_payload: text }
  const cut = kept.length < payload.length ? { mqtt_payload_bytes: payload.length } : {}
  return JSON.stringify({ mqtt_topic: topic, ...content, ...cut })
}

/** JSON text of an object, with members in front where it has none of that name. Digits stay as they are written. */
function withMembers(object: string, members: ReadonlyMap<string, string>): string {
  const own: object = JSON.parse(object)
  const added = [...members].filter(([name]) => !Object.hasOwn(own, name))
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

/** The rows of a message as JSON text: of an object, of an array each element, of a bare value or text one with that value. */
export function messageRows(message: Message, options: MappingOptions): readonly string[] {
  const { template, valueField, timeField, nowMs } = options
  const text = textOf(message.payload)?.trim() ?? ''
  const properties = template === null ? new Map<string, string>() : template.propertiesOf(message.topic)
  const isBroken = /^[[{"]/.test(text) && !isJson(text)
  if (properties === null || text === '' || isBroken) return [unmappedRow(message)]
  const members = new Map(properties)
  if (timeField !== null) members.set(timeField, new Date(nowMs()).toISOString())
  return valuesOf(text).map((value) => {
    const written = isJson(value) ? value : JSON.stringify(value)
    return withMembers(written.startsWith('{') ? written : `{${JSON.stringify(valueField)}:${written}}`, members)
  })
}
