// Payloads of Sparkplug B, by our own description. Fields and numbers are those of `sparkplug_b.proto` of Eclipse Tahu (EPL-2.0) and of the
// Sparkplug specification 3.0. Metadata of metrics, and their properties other than the quality, are omitted because they are not used here.

import { unzipSync } from 'node:zlib'
import { message } from '../../lib/protobuf/described-message.ts'
import { decodeMessage, encodeMessage } from '../../lib/protobuf/wire.ts'

const PropertyMessage = message([2, 'isNull', 'bool'], [3, 'int', 'uint32'], [4, 'long', 'uint64'])

const PropertiesMessage = message([1, 'keys', 'string', 'repeated'], [2, 'values', PropertyMessage, 'repeated'])

const MetricMessage = message(
  [1, 'name', 'string'],
  [2, 'alias', 'uint64'],
  [3, 'timestamp', 'uint64'],
  [4, 'datatype', 'uint32'],
  [5, 'isHistorical', 'bool'],
  [6, 'isTransient', 'bool'],
  [7, 'isNull', 'bool'],
  [9, 'properties', PropertiesMessage],
  [10, 'int', 'uint32'],
  [11, 'long', 'uint64'],
  [12, 'float', 'float'],
  [13, 'double', 'double'],
  [14, 'boolean', 'bool'],
  [15, 'string', 'string'],
  [16, 'bytes', 'bytes'],
  [17, 'dataset', 'bytes'],
  [18, 'template', 'bytes'],
  [19, 'extension', 'bytes'],
)

const PayloadMessage = message(
  [1, 'timestamp', 'uint64'],
  [2, 'metrics', MetricMessage, 'repeated'],
  [3, 'seq', 'uint64'],
  [4, 'uuid', 'string'],
  [5, 'body', 'bytes'],
)

/** The uuid of a payload whose body is the actual payload, compressed with zlib or gzip. */
const compressedUuid = 'SPBV1.0_COMPRESSED'
/** The most bytes of a decompressed payload, which can be far larger than its message. */
const inflatedBytesMax = 16 * 1024 * 1024

export interface Metric {
  readonly name?: string
  readonly alias?: bigint
  /** Milliseconds since the epoch. */
  readonly timestamp?: number
  readonly datatype?: number
  readonly isTransient: boolean
  readonly isNull: boolean
  /** The value is from an earlier time, and not the current one. */
  readonly isHistorical?: true
  /** 0 is bad, 192 good, 500 stale; omitted if the metric does not have it. */
  readonly quality?: number
  /** As encoded: integers are unsigned. Undefined if there is none, or none that a row can have. */
  readonly value?: string | number | bigint | boolean
}

export interface Payload {
  /** Milliseconds since the epoch. */
  readonly timestamp?: number
  /** From 0 to 255. */
  readonly seq?: number
  readonly metrics: readonly Metric[]
}

type Fields = Readonly<Record<string, unknown>>

/** Times before 1970 are encoded unsigned. A number too large for a time stays one that no calendar has. */
function timeOf(value: unknown): { timestamp?: number } {
  if (typeof value !== 'number' && typeof value !== 'bigint') return {}
  return { timestamp: Number(BigInt.asIntN(64, BigInt(value))) }
}

function carriedValue(fields: Fields): { value?: NonNullable<Metric['value']> } {
  const whole = fields['long'] ?? fields['int']
  if (typeof whole === 'number' || typeof whole === 'bigint') return { value: BigInt(whole) }
  const value = fields['double'] ?? fields['float'] ?? fields['boolean'] ?? fields['string']
  return typeof value === 'number' || typeof value === 'boolean' || typeof value === 'string' ? { value } : {}
}

/** The property `Quality`, a signed 32-bit integer. */
function qualityIn(properties: unknown): { quality?: number } {
  const { keys = [], values = [] } = (properties ?? {}) as { keys?: readonly string[]; values?: readonly Fields[] }
  const property = values[keys.indexOf('Quality')]
  const value = property?.['isNull'] === true ? undefined : (property?.['int'] ?? property?.['long'])
  if (typeof value !== 'number' && typeof value !== 'bigint') return {}
  return { quality: Number(BigInt.asIntN(32, BigInt(value))) }
}

function metricOf(fields: Fields): Metric {
  const { name, alias, datatype } = fields
  return {
    // An alias replaces a name that is omitted or empty.
    ...(typeof name === 'string' && name !== '' ? { name } : {}),
    ...(typeof alias === 'number' || typeof alias === 'bigint' ? { alias: BigInt(alias) } : {}),
    ...(typeof datatype === 'number' && datatype !== 0 ? { datatype } : {}),
    ...timeOf(fields['timestamp']),
    isTransient: fields['isTransient'] === true,
    isNull: fields['isNull'] === true,
    ...(fields['isHistorical'] === true ? { isHistorical: true } : {}),
    ...qualityIn(fields['properties']),
    ...carriedValue(fields),
  }
}

/** Throws if the bytes are not a payload. */
export function decodePayload(bytes: Uint8Array): Payload {
  const outer = decodeMessage(bytes, PayloadMessage)
  const { uuid, body } = outer
  const isCompressed = uuid === compressedUuid && body instanceof Uint8Array
  const fields = isCompressed
    ? decodeMessage(unzipSync(body, { maxOutputLength: inflatedBytesMax }), PayloadMessage)
    : outer
  const metrics: unknown = fields['metrics'] ?? []
  const seq = fields['seq']
  return {
    ...timeOf(fields['timestamp']),
    ...(typeof seq === 'number' || typeof seq === 'bigint' ? { seq: Number(BigInt(seq) % 256n) } : {}),
    metrics: (metrics as readonly Fields[]).map(metricOf),
  }
}

/** The quality of values after the death of their node or device. */
export const staleQuality = 500

export const rebirthName = 'Node Control/Rebirth'
const booleanType = 11

/** A command that requests a node's births. */
export function rebirthRequest(nowMs: number): Uint8Array {
  const rebirth = { name: rebirthName, timestamp: nowMs, datatype: booleanType, boolean: true }
  return encodeMessage({ timestamp: nowMs, metrics: [rebirth] }, PayloadMessage)
}
