// Reads one segment from end to end in bounded memory, and determines how far it is whole.
import { crc32 } from 'node:zlib'
import type { DiskFile } from '../../lib/disk.ts'
import { positionAfter } from '../journal.ts'
import {
  decodeRecordHeader,
  isRecordHeader,
  type RecordHeader,
  recordAlignment,
  recordHeaderBytes,
  recordMagic,
} from '../record.ts'
import { newerVersion, refusal } from './refusal.ts'
import { type SegmentHeader, segmentHeaderBytes } from './segment-header.ts'

const windowBytes = 1024 * 1024

export interface ScannedFile {
  readonly path: string
  readonly file: DiskFile
  readonly size: number
}

export interface SegmentScan {
  readonly entries: number
  /** Records are whole up to here. */
  readonly endOffset: number
  readonly firstPosition: number
  readonly endPosition: number
  /** The last record states that everything before this offset was fsynced; 0 when there is no record. */
  readonly acknowledgedOffset: number
  readonly endsWithMark: boolean
  /** The fault at `endOffset`; null when the file ends there. */
  readonly damage: string | null
}

/** Throws when a whole record is not valid at its place, or was written by a newer version. */
export async function scanSegment(scanned: ScannedFile, { salt, firstPosition }: SegmentHeader): Promise<SegmentScan> {
  const window = new FileWindow(scanned)
  let entries = 0
  let position = firstPosition
  let offset = segmentHeaderBytes
  let last: RecordHeader | null = null
  let damage: string | null = null
  while (offset < scanned.size) {
    const record = await readHeader(window, offset, salt)
    damage = typeof record === 'string' ? record : await payloadDamage(window, offset, record)
    if (typeof record === 'string' || damage !== null) break
    checkPlace(scanned.path, offset, record, position)
    if (!record.isMark) {
      entries++
      position = positionAfter(record)
    }
    last = record
    offset += record.bytes
  }
  const acknowledgedOffset = last?.watermark ?? 0
  return {
    entries,
    endOffset: offset,
    firstPosition,
    endPosition: position,
    acknowledgedOffset,
    endsWithMark: last?.isMark ?? false,
    damage,
  }
}

/** The offset of any record header after a damaged one that states that the damaged place had been fsynced; null when there is none. */
export async function headerAcknowledging(
  scanned: ScannedFile,
  salt: number,
  damagedOffset: number,
): Promise<number | null> {
  const window = new FileWindow(scanned)
  let offset = damagedOffset + recordAlignment
  while (offset + recordHeaderBytes <= scanned.size) {
    const bytes = window.held(offset, windowBytes) ?? (await window.load(offset, windowBytes))
    for (let at = bytes.indexOf(recordMagic); at !== -1; at = bytes.indexOf(recordMagic, at + 1)) {
      if (at % recordAlignment !== 0 || at + recordHeaderBytes > bytes.length) continue
      if (!isRecordHeader(bytes, at, salt)) continue
      const record = decodeRecordHeader(bytes, at)
      if (record === null || record.watermark > damagedOffset) return offset + at
    }
    if (offset + bytes.length >= scanned.size) break
    // A header may lie across the end of the window, so the next window begins a little before it.
    offset += bytes.length - recordHeaderBytes
  }
  return null
}

async function readHeader(window: FileWindow, offset: number, salt: number): Promise<RecordHeader | string> {
  const bytes = window.held(offset, recordHeaderBytes) ?? (await window.load(offset, recordHeaderBytes))
  if (bytes.length < recordHeaderBytes) return 'the file ends within the header of a record'
  if (!isRecordHeader(bytes, 0, salt)) return 'the header of a record is damaged'
  const record = decodeRecordHeader(bytes, 0)
  if (record === null)
    throw newerVersion(window.path, offset, 'the record is of a kind that this version does not know')
  return record
}

async function payloadDamage(window: FileWindow, offset: number, record: RecordHeader): Promise<string | null> {
  if (offset + record.bytes > window.size) return 'the file ends within a record'
  let at = offset + recordHeaderBytes
  const end = at + record.payloadBytes
  let crc = 0
  while (at < end) {
    const bytes = Math.min(end - at, windowBytes)
    const part = window.held(at, bytes) ?? (await window.load(at, bytes))
    crc = crc32(part, crc)
    at += part.length
  }
  return crc === record.payloadCrc ? null : 'the body of a record is damaged'
}

function checkPlace(path: string, offset: number, record: RecordHeader, expected: number): void {
  if (record.position !== expected) {
    throw refusal(path, offset, `the record is at position ${record.position}, where ${expected} should be`)
  }
  if (record.watermark > offset) {
    throw refusal(path, offset, `the record vouches for more than was written before it (${record.watermark} bytes)`)
  }
}

/** A range of a file in memory, which moves forward. */
class FileWindow {
  readonly #buffer = Buffer.allocUnsafeSlow(windowBytes)
  readonly #scanned: ScannedFile
  #start = 0
  #end = 0

  constructor(scanned: ScannedFile) {
    this.#scanned = scanned
  }

  get path(): string {
    return this.#scanned.path
  }

  get size(): number {
    return this.#scanned.size
  }

  /** The bytes at an offset, fewer at the end of the file; null when they are not in memory. */
  held(offset: number, bytes: number): Buffer | null {
    const end = Math.min(offset + bytes, this.size)
    return offset >= this.#start && end <= this.#end ? this.#view(offset, end) : null
  }

  /** Reads from an offset on and returns the bytes there, which are valid until the next load. */
  async load(offset: number, bytes: number): Promise<Buffer> {
    this.#start = offset
    this.#end = offset
    const end = Math.min(offset + windowBytes, this.size)
    while (this.#end < end) {
      const read = await this.#scanned.file.read(this.#view(this.#end, end), this.#end)
      if (read === 0) throw refusal(this.path, this.#end, 'the file became shorter while it was read')
      this.#end += read
    }
    return this.#view(offset, Math.min(offset + bytes, end))
  }

  #view(from: number, to: number): Buffer {
    return this.#buffer.subarray(from - this.#start, to - this.#start)
  }
}
