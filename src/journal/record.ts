// Encodes and decodes records of a segment; docs/formats/journal.md describes the format.
import { crc32 } from 'node:zlib'
import { readUint64, writeUint64 } from '../lib/uint64.ts'
import { lineFormats } from '../model/line-format.ts'
import type { BodyFormat, JournalEntry, PlacedEntry } from './journal.ts'

export const recordHeaderBytes = 64
/** Records begin at multiples of this. */
export const recordAlignment = 8
/** The byte ff does not occur in UTF-8 text, so pushed data cannot look like a record. */
export const recordMagic = Buffer.from([0xff, 0x54, 0x4d, 0x52])

const at = {
  payloadCrc: 4,
  bodyBytes: 8,
  rows: 12,
  position: 16,
  watermark: 24,
  receivedMs: 32,
  ingestId: 40,
  fieldsVersion: 44,
  subscriberId: 48,
  kind: 52,
  flags: 53,
  format: 54,
  keyBytes: 56,
  headerCrc: 60,
} as const

const kinds = { push: 1, mark: 2, replay: 3, lost: 4, replayInto: 5 } as const
const flagHasKey = 1
/** The code of replays and lost entries, whose format follows from their kind. */
const noFormat = 0
/** The formats of pushes; their codes are the indices plus one. */
const pushFormats: readonly BodyFormat[] = ['json', 'ndjson', ...lineFormats]
const formatCodes: ReadonlyMap<JournalEntry['format'], number> = new Map(
  pushFormats.map((format, index) => [format, index + 1]),
)

/** A body up to this size is copied behind its header: below it, a further buffer costs the write more than the copy. */
const copiedBodyBytesMax = 4096

/** A record as bytes without its place, which is known only when it is written. */
export interface UnplacedRecord {
  /** In order; the first begins with the header. */
  readonly buffers: readonly [Buffer, ...Uint8Array[]]
  readonly bytes: number
  /** The number of positions it takes. */
  readonly positions: number
}

/** Throws RangeError when a number of the entry does not fit its field. A large body is not copied. */
export function encodeEntry(entry: JournalEntry): UnplacedRecord {
  const { body } = entry
  const key = entry.idempotencyKey === null ? null : Buffer.from(entry.idempotencyKey, 'utf8')
  const keyBytes = key?.length ?? 0
  const bytes = align(recordHeaderBytes + keyBytes + body.length)
  const copied = body.length <= copiedBodyBytesMax
  const head = Buffer.allocUnsafe(copied ? bytes : recordHeaderBytes + keyBytes)
  head.fill(0, 0, recordHeaderBytes)
  recordMagic.copy(head)
  head.writeUInt32LE(body.length, at.bodyBytes)
  head.writeUInt32LE(entry.rows, at.rows)
  head.writeDoubleLE(entry.receivedMs, at.receivedMs)
  head.writeUInt32LE(entry.ingestId, at.ingestId)
  head.writeUInt32LE(entry.fieldsVersion, at.fieldsVersion)
  head.writeUInt32LE(entry.sourceIngestId ?? entry.subscriberId, at.subscriberId)
  head[at.kind] = kindOf(entry)
  head[at.flags] = key === null ? 0 : flagHasKey
  head[at.format] = formatCodes.get(entry.format) ?? noFormat
  head.writeUInt16LE(keyBytes, at.keyBytes)
  key?.copy(head, recordHeaderBytes)
  head.writeUInt32LE(crc32(body, crc32(head.subarray(recordHeaderBytes, recordHeaderBytes + keyBytes))), at.payloadCrc)
  const end = recordHeaderBytes + keyBytes + body.length
  const positions = Math.max(1, entry.rows)
  if (!copied) return { buffers: [head, body, Buffer.alloc(bytes - end)], bytes, positions }
  head.set(body, recordHeaderBytes + keyBytes)
  head.fill(0, end)
  return { buffers: [head], bytes, positions }
}

function kindOf({ format, sourceIngestId }: JournalEntry): number {
  if (format === 'replay') return sourceIngestId === undefined ? kinds.replay : kinds.replayInto
  return format === 'lost' ? kinds.lost : kinds.push
}

/** The mark that a clean close writes at the end. */
export function encodeMark(): UnplacedRecord {
  const head = Buffer.alloc(recordHeaderBytes)
  recordMagic.copy(head)
  head[at.kind] = kinds.mark
  return { buffers: [head], bytes: recordHeaderBytes, positions: 0 }
}

/** Fills in the record's place. */
export function placeRecord(record: UnplacedRecord, position: number, watermark: number, salt: number): void {
  const [head] = record.buffers
  writeUint64(head, position, at.position)
  writeUint64(head, watermark, at.watermark)
  head.writeUInt32LE(crc32(head.subarray(0, at.headerCrc), salt), at.headerCrc)
}

/** Whether a whole record header of the file with this salt is at `offset`; if so, its fields can be trusted. */
export function isRecordHeader(bytes: Buffer, offset: number, salt: number): boolean {
  return (
    recordMagic.equals(bytes.subarray(offset, offset + recordMagic.length)) &&
    bytes.readUInt32LE(offset + at.headerCrc) === crc32(bytes.subarray(offset, offset + at.headerCrc), salt)
  )
}

export interface RecordHeader {
  readonly isMark: boolean
  readonly position: number
  readonly rows: number
  readonly watermark: number
  readonly payloadBytes: number
  readonly payloadCrc: number
  /** Length of the record in the file. */
  readonly bytes: number
}

/** Decodes a header that is known to be whole; null when it uses something unknown to this version. */
export function decodeRecordHeader(bytes: Buffer, offset: number): RecordHeader | null {
  const kind = bytes[offset + at.kind]
  const isMark = kind === kinds.mark
  const format = bytes[offset + at.format]
  const isPush = kind === kinds.push && pushFormats[format! - 1] !== undefined
  const isOther = kind === kinds.replay || kind === kinds.replayInto || kind === kinds.lost
  const known = isMark || isPush || (isOther && format === noFormat)
  if (!known || bytes[offset + at.flags]! > flagHasKey) return null
  const payloadBytes = bytes.readUInt16LE(offset + at.keyBytes) + bytes.readUInt32LE(offset + at.bodyBytes)
  return {
    isMark,
    position: readUint64(bytes, offset + at.position),
    rows: bytes.readUInt32LE(offset + at.rows),
    watermark: readUint64(bytes, offset + at.watermark),
    payloadBytes,
    payloadCrc: bytes.readUInt32LE(offset + at.payloadCrc),
    bytes: align(recordHeaderBytes + payloadBytes),
  }
}

/** Decodes a push or replay that is known to be whole; its body is a view into `bytes`. */
export function decodeEntry(bytes: Buffer, offset: number): PlacedEntry {
  const keyAt = offset + recordHeaderBytes
  const bodyAt = keyAt + bytes.readUInt16LE(offset + at.keyBytes)
  const hasKey = bytes[offset + at.flags] === flagHasKey
  const subscriberId = bytes.readUInt32LE(offset + at.subscriberId)
  const isInto = bytes[offset + at.kind] === kinds.replayInto
  return {
    position: readUint64(bytes, offset + at.position),
    ingestId: bytes.readUInt32LE(offset + at.ingestId),
    fieldsVersion: bytes.readUInt32LE(offset + at.fieldsVersion),
    ...(isInto ? { subscriberId: 0, sourceIngestId: subscriberId } : { subscriberId }),
    receivedMs: bytes.readDoubleLE(offset + at.receivedMs),
    format: formatOf(bytes[offset + at.kind]!, bytes[offset + at.format]!),
    idempotencyKey: hasKey ? bytes.toString('utf8', keyAt, bodyAt) : null,
    rows: bytes.readUInt32LE(offset + at.rows),
    body: bytes.subarray(bodyAt, bodyAt + bytes.readUInt32LE(offset + at.bodyBytes)),
  }
}

function formatOf(kind: number, code: number): JournalEntry['format'] {
  if (kind === kinds.lost) return 'lost'
  if (kind === kinds.replay || kind === kinds.replayInto) return 'replay'
  const format = pushFormats[code - 1]
  if (format === undefined) throw new Error(`a push of the unknown format ${code}`)
  return format
}

function align(bytes: number): number {
  return Math.ceil(bytes / recordAlignment) * recordAlignment
}
