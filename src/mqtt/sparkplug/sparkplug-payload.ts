// Payloads of Sparkplug B, by our own description of them. Fields and numbers are those of `sparkplug_b.proto` of Eclipse Tahu (EPL-2.0) and of the
// Sparkplug specification 3.0. Metadata of metrics is left out, and of their properties all but the quality: nobody reads them here.

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

/** Of a payload whose body is the payload that is meant, as zlib or gzip. */
const compressedUuid = 'SPBV1.0_COMPRESSED'
/** The most bytes of such a one, which a far smaller message may come to. */
const inflatedBytesMax = 16 * 1024 * 1024

export interface Metric {
  readonly name?: string
  readonly alias?: bigint
  /** Milliseconds since the epoch. */
  readonly timestamp?: number
  readonly datatype?: number
  readonly isTransient: boolean
  readonly isNull: boolean
  /** Of a time that is over: it is not the value of now. */
  readonly isHistorical?: true
  /** 0 is bad, 192 good, 500 stale; left out where the metric does not say it. */
  readonly quality?: number
  /** As the wire has it: whole numbers without their sign. Undefined where there is none, or none that a row can hold. */
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

/** One before 1970 comes without its sign. A large number says no time, and stays one that no calendar has. */
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

/** The property of that name, which is a whole number of 32 bits. */
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
    // An alias stands for a name that is left out or empty.
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

/** Throws where the bytes are no payload. */
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

/** Of what is not known any more since its node or device died. */
export const staleQuality = 500

export const rebirthName = 'Node Control/Rebirth'
const booleanType = 11

/** What asks a node for its births again. */
export function rebirthRequest(nowMs: number): Uint8Array {
  const rebirth = { name: rebirthName, timestamp: nowMs, datatype: booleanType, boolean: true }
  return encodeMessage({ timestamp: nowMs, metrics: [rebirth] }, PayloadMessage)
}
