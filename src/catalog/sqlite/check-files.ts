// Checks the write-ahead log of a catalog. SQLite reads the log up to the first frame with a wrong checksum and treats the rest as an unfinished transaction,
// so damage in the middle would silently undo recorded changes.

import { closeSync, fstatSync, openSync, readSync } from 'node:fs'
import { DatabaseSync } from '@photostructure/sqlite'

// https://sqlite.org/fileformat2.html#the_write_ahead_log
const headerBytes = 32
const frameHeaderBytes = 24
const littleEndianMagic = 0x377f0682
const bigEndianMagic = 0x377f0683

/** Describes the damage of the log of a catalog that is not open, as a sentence without a period; null when the log is intact or does not exist. */
export function checkSqliteLog(path: string): string | null {
  let descriptor: number
  try {
    descriptor = openSync(path, 'r')
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null
    throw error
  }
  try {
    return checkLog(path, descriptor)
  } finally {
    closeSync(descriptor)
  }
}

interface Checksum {
  readonly first: number
  readonly second: number
}

function checkLog(path: string, descriptor: number): string | null {
  const size = fstatSync(descriptor).size
  if (size <= headerBytes) return null
  const header = read(descriptor, headerBytes, 0)
  const magic = header.getUint32(0)
  const littleEndian = magic === littleEndianMagic
  let checksum = checksumOf({ first: 0, second: 0 }, header, 0, 24, littleEndian)
  if ((!littleEndian && magic !== bigEndianMagic) || !isSame(checksum, header, 24))
    return `${path} is damaged: its header is not as it was written`
  const frameBytes = frameHeaderBytes + header.getUint32(8)
  const sumOf = (seed: Checksum, frame: DataView): Checksum =>
    checksumOf(checksumOf(seed, frame, 0, 8, littleEndian), frame, 24, frameBytes, littleEndian)
  /** The checksum of the previous frame as computed; it differs from the stored one if that is damaged. */
  let computed = checksum
  let damagedAt: number | null = null
  let commits = 0
  for (let offset = headerBytes; offset + frameBytes <= size; offset += frameBytes) {
    const frame = read(descriptor, frameBytes, offset)
    const isOfThisLog = frame.getUint32(8) === header.getUint32(16) && frame.getUint32(12) === header.getUint32(20)
    const sum = sumOf(checksum, frame)
    const isSummed = isSame(sum, frame, 16) || (damagedAt !== null && isSame(sumOf(computed, frame), frame, 16))
    const isWhole = isOfThisLog && isSummed
    if (!isWhole) damagedAt ??= offset
    const isCommit = frame.getUint32(4) !== 0
    // The first damaged frame belongs to this log if either its salts or its checksum are intact.
    if (damagedAt !== null && isCommit && (isWhole || (offset === damagedAt && (isOfThisLog || isSummed)))) commits++
    checksum = { first: frame.getUint32(16), second: frame.getUint32(20) }
    computed = isSummed ? checksum : sum
  }
  // One commit may be a transaction interrupted while it was written. A second commit was begun only after the first was on disk.
  if (commits < 2) return null
  return `${path} is damaged at offset ${damagedAt}: ${commits} changes that were recorded there and after it are lost`
}

function read(descriptor: number, bytes: number, offset: number): DataView {
  const buffer = new Uint8Array(bytes)
  readSync(descriptor, buffer, 0, bytes, offset)
  return new DataView(buffer.buffer)
}

function isSame({ first, second }: Checksum, view: DataView, offset: number): boolean {
  return view.getUint32(offset) === first && view.getUint32(offset + 4) === second
}

function checksumOf(seed: Checksum, view: DataView, start: number, end: number, littleEndian: boolean): Checksum {
  let { first, second } = seed
  for (let offset = start; offset < end; offset += 8) {
    first = (first + view.getUint32(offset, littleEndian) + second) >>> 0
    second = (second + view.getUint32(offset + 4, littleEndian) + first) >>> 0
  }
  return { first, second }
}

/** Whether a file that is not open contains a catalog. Throws SQLite's error when it is not an SQLite file. */
export function holdsTables(path: string): boolean {
  const database = new DatabaseSync(path, { readOnly: true })
  try {
    return database.prepare("SELECT 1 FROM sqlite_master WHERE type = 'table'").all().length > 0
  } finally {
    database.close()
  }
}

/** Structural errors that SQLite finds in a catalog file that is not open; empty when it is intact. */
export function checkSqliteFile(path: string): readonly string[] {
  const database = new DatabaseSync(path, { readOnly: true })
  try {
    const rows = database.prepare('PRAGMA integrity_check').all()
    return rows.map((row) => String(Object.values(row)[0])).filter((line) => line !== 'ok')
  } finally {
    database.close()
  }
}
