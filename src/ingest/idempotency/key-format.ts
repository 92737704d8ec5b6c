// The binary layout of key files; see docs/formats/idempotency-keys.md.
import { crc32 } from 'node:zlib'
import { readUint64, writeUint64 } from '../../lib/uint64.ts'
import { chunkEntries, entryBytes } from './key-table.ts'

export const keyFileHeaderBytes = 32
export const blockHeaderBytes = 32
const fileMagic = Buffer.from('TIDEKEYS', 'latin1')
const blockMagic = Buffer.from([0xff, 0x54, 0x4b, 0x42])
const version = 1
const crcAt = 28

export interface KeyFileHeader {
  readonly salt: number
  /** The previous file, and the number of its bytes that are valid; null if there is none. */
  readonly vouched: { readonly number: number; readonly bytes: number } | null
}

export function encodeKeyFileHeader({ salt, vouched }: KeyFileHeader): Buffer {
  const bytes = Buffer.alloc(keyFileHeaderBytes)
  fileMagic.copy(bytes)
  bytes.writeUInt32LE(version, 8)
  bytes.writeUInt32LE(salt, 12)
  writeUint64(bytes, vouched?.bytes ?? 0, 16)
  bytes.writeUInt32LE(vouched?.number ?? 0, 24)
  bytes.writeUInt32LE(crc32(bytes.subarray(0, crcAt)), crcAt)
  return bytes
}

/** `bytes` is the start of the file; shorter than a header if the file is. */
export function decodeKeyFileHeader(
  bytes: Buffer,
): KeyFileHeader | { readonly fault: 'unfinished' } | { readonly newerVersion: number } {
  const hasMagic = bytes.length >= 12 && bytes.subarray(0, fileMagic.length).equals(fileMagic)
  const found = hasMagic ? bytes.readUInt32LE(8) : 0
  if (found > version) return { newerVersion: found }
  const whole =
    found === version &&
    bytes.length >= keyFileHeaderBytes &&
    bytes.readUInt32LE(crcAt) === crc32(bytes.subarray(0, crcAt))
  if (!whole) return { fault: 'unfinished' }
  const number = bytes.readUInt32LE(24)
  return { salt: bytes.readUInt32LE(12), vouched: number === 0 ? null : { number, bytes: readUint64(bytes, 16) } }
}

export interface BlockHeader {
  readonly payloadCrc: number
  readonly throughPosition: number
  /** Bytes of the file that were on disk when the block was written. */
  readonly syncedBytes: number
  readonly entries: number
}

type BlockPlace = Pick<BlockHeader, 'throughPosition' | 'syncedBytes'>

export function encodeBlockHeader(entries: Uint8Array, { throughPosition, syncedBytes }: BlockPlace, salt: number) {
  const bytes = Buffer.alloc(blockHeaderBytes)
  blockMagic.copy(bytes)
  bytes.writeUInt32LE(crc32(entries), 4)
  writeUint64(bytes, throughPosition, 8)
  writeUint64(bytes, syncedBytes, 16)
  bytes.writeUInt32LE(entries.length / entryBytes, 24)
  bytes.writeUInt32LE(crc32(bytes.subarray(0, crcAt), salt), crcAt)
  return bytes
}

/** Null if the bytes are not a whole block header of the file with this salt. */
export function decodeBlockHeader(bytes: Buffer, salt: number): BlockHeader | null {
  if (bytes.length < blockHeaderBytes || !bytes.subarray(0, blockMagic.length).equals(blockMagic)) return null
  if (bytes.readUInt32LE(crcAt) !== crc32(bytes.subarray(0, crcAt), salt)) return null
  const entries = bytes.readUInt32LE(24)
  if (entries > chunkEntries) return null
  const [throughPosition, syncedBytes] = [readUint64(bytes, 8), readUint64(bytes, 16)]
  return { payloadCrc: bytes.readUInt32LE(4), throughPosition, syncedBytes, entries }
}

const namePattern = /^\d{12}\.keys$/

export function keyFileName(number: number): string {
  return `${number.toString().padStart(12, '0')}.keys`
}

/** Name of a file that will replace all others; it is renamed when complete. */
export function unfinishedKeyFileName(number: number): string {
  return `${keyFileName(number)}.new`
}

export function isUnfinishedKeyFile(name: string): boolean {
  return name.endsWith('.new') && namePattern.test(name.slice(0, -4))
}

/** The number in the name of a key file; null for other names. */
export function numberOfKeyFile(name: string): number | null {
  return namePattern.test(name) ? Number(name.slice(0, 12)) : null
}
