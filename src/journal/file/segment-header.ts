// The header of a segment and its file name; docs/formats/journal.md describes the format.
import { crc32 } from 'node:zlib'
import { readUint64, writeUint64 } from '../../lib/uint64.ts'

export const segmentHeaderBytes = 32
const segmentVersion = 1

const magic = Buffer.from('TIDEJRNL', 'latin1')
const versionAt = 8
const saltAt = 12
const firstPositionAt = 16
const crcAt = 28

const nameEnd = '.journal'
const namePattern = /^\d{20}\.journal$/

export interface SegmentHeader {
  readonly firstPosition: number
  /** Start value of the checksums of the record headers, so that no other file's records validate here. */
  readonly salt: number
}

/** `unfinished`: neither this format nor a newer one, as after a crash during the segment's creation. */
export type ReadSegmentHeader = SegmentHeader | { readonly fault: 'unfinished' } | { readonly newerVersion: number }

export function encodeSegmentHeader(header: SegmentHeader): Buffer {
  const bytes = Buffer.alloc(segmentHeaderBytes)
  magic.copy(bytes)
  bytes.writeUInt32LE(segmentVersion, versionAt)
  bytes.writeUInt32LE(header.salt, saltAt)
  writeUint64(bytes, header.firstPosition, firstPositionAt)
  bytes.writeUInt32LE(crc32(bytes.subarray(0, crcAt)), crcAt)
  return bytes
}

/** `bytes` is the start of the file: shorter than a header when the file is. */
export function decodeSegmentHeader(bytes: Buffer): ReadSegmentHeader {
  if (bytes.length >= versionAt + 4 && bytes.subarray(0, magic.length).equals(magic)) {
    const version = bytes.readUInt32LE(versionAt)
    if (version > segmentVersion) return { newerVersion: version }
  }
  const whole =
    bytes.length >= segmentHeaderBytes &&
    bytes.subarray(0, magic.length).equals(magic) &&
    bytes.readUInt32LE(versionAt) === segmentVersion &&
    bytes.readUInt32LE(crcAt) === crc32(bytes.subarray(0, crcAt))
  if (!whole) return { fault: 'unfinished' }
  return { firstPosition: readUint64(bytes, firstPositionAt), salt: bytes.readUInt32LE(saltAt) }
}

/** The file name of the segment that begins at a position. */
export function segmentName(firstPosition: number): string {
  return `${firstPosition.toString().padStart(20, '0')}${nameEnd}`
}

/** Whether a file in the journal's folder has the name ending of a segment. */
export function isSegmentName(name: string): boolean {
  return name.endsWith(nameEnd)
}

/** The first position in a segment's name; null when it is not a name of the journal's. */
export function positionOfName(name: string): number | null {
  if (!namePattern.test(name)) return null
  const position = Number(name.slice(0, -nameEnd.length))
  return Number.isSafeInteger(position) ? position : null
}
