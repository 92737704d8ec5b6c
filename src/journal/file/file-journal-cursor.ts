// Reads the segments in order while another thread writes them: never past the position that the caller states to be on disk.
import { join } from 'node:path'
import { crc32 } from 'node:zlib'
import type { DiskFile } from '../../lib/disk.ts'
import { type JournalCursor, NotInJournal, type PlacedEntry, positionAfter } from '../journal.ts'
import { decodeEntry, decodeRecordHeader, isRecordHeader, type RecordHeader, recordHeaderBytes } from '../record.ts'
import { ReadBlocks } from './read-blocks.ts'
import { newerVersion, refusal } from './refusal.ts'
import {
  decodeSegmentHeader,
  isSegmentName,
  positionOfName,
  type SegmentHeader,
  segmentHeaderBytes,
  segmentName,
} from './segment-header.ts'
import type { SegmentFolder } from './segment-writer.ts'

/**
 * A cursor for one sequential consumer. It keeps its place, so that following the end costs one read of the file. A position within an entry
 * returns that whole entry. Only one call at a time. Bodies that are `passing` are valid until the next call.
 */
export function openFileJournalCursor(
  folder: SegmentFolder,
  { bodies = 'kept' }: { readonly bodies?: 'kept' | 'passing' } = {},
): JournalCursor {
  return new FileJournalCursor(folder, new ReadBlocks(bodies === 'passing'))
}

class FileJournalCursor implements JournalCursor {
  readonly #folder: SegmentFolder
  readonly #blocks: ReadBlocks
  #segment: SegmentCursor | null = null
  #isReading = false

  constructor(folder: SegmentFolder, blocks: ReadBlocks) {
    this.#folder = folder
    this.#blocks = blocks
  }

  async read(position: number, untilPosition: number, bytesMax: number): Promise<readonly PlacedEntry[]> {
    if (this.#isReading) throw new Error('the journal is being read: one call at a time')
    this.#isReading = true
    this.#blocks.beginCall()
    try {
      return await this.#readFrom(position, untilPosition, bytesMax)
    } catch (error) {
      await this.close()
      throw error
    } finally {
      this.#isReading = false
    }
  }

  async close(): Promise<void> {
    const segment = this.#segment
    this.#segment = null
    await segment?.close()
  }

  async #readFrom(position: number, untilPosition: number, bytesMax: number): Promise<readonly PlacedEntry[]> {
    if (position >= untilPosition) return []
    let segment = this.#segment
    if (segment === null || segment.position !== position) segment = await this.#openHolding(position)
    const entries: PlacedEntry[] = []
    let bytes = 0
    while (segment.position < untilPosition && (entries.length === 0 || bytes < bytesMax)) {
      const entry: PlacedEntry | null = segment.nextHeld() ?? (await segment.next(untilPosition))
      if (entry === null) {
        segment = await this.#openAfter(segment)
      } else if (positionAfter(entry) > position) {
        entries.push(entry)
        bytes += entry.body.length
      }
    }
    return entries
  }

  async #openHolding(position: number): Promise<SegmentCursor> {
    const names = (await this.#folder.disk.list(this.#folder.directory)).filter(isSegmentName)
    const name = names.findLast((each) => (positionOfName(each) ?? Number.POSITIVE_INFINITY) <= position)
    if (name === undefined)
      throw new NotInJournal(`${this.#folder.directory}: position ${position} is not in the journal any more`)
    return this.#open(name)
  }

  async #openAfter(segment: SegmentCursor): Promise<SegmentCursor> {
    const name = segmentName(segment.position)
    if (name === segment.name)
      throw refusal(segment.path, segment.offset, 'the file ends before an entry that was on disk')
    return this.#open(name)
  }

  async #open(name: string): Promise<SegmentCursor> {
    await this.close()
    this.#segment = await SegmentCursor.open(this.#folder, name, this.#blocks)
    return this.#segment
  }
}

/** A segment and the current place in it. */
class SegmentCursor {
  readonly name: string
  readonly path: string
  readonly #file: DiskFile
  readonly #salt: number
  readonly #blocks: ReadBlocks
  #position: number
  #offset = segmentHeaderBytes
  /** The file's bytes from `#blockOffset` on. Bytes that belong to entries of the same call are never overwritten. */
  #block: Buffer = Buffer.alloc(0)
  #blockOffset = segmentHeaderBytes
  #filled = 0
  /** Entries in the block at or after this position may have been read while they were being written. */
  #settledPosition = 0

  static async open({ disk, directory }: SegmentFolder, name: string, blocks: ReadBlocks): Promise<SegmentCursor> {
    const path = join(directory, name)
    const file = await disk.open(path, { create: false })
    const buffer = Buffer.alloc(segmentHeaderBytes)
    const header = decodeSegmentHeader(buffer.subarray(0, await file.read(buffer, 0)))
    if ('salt' in header && header.firstPosition === positionOfName(name))
      return new SegmentCursor(path, name, file, header, blocks)
    await file.close()
    throw refusal(path, 0, 'the header of the segment is damaged')
  }

  private constructor(path: string, name: string, file: DiskFile, header: SegmentHeader, blocks: ReadBlocks) {
    this.#blocks = blocks
    this.path = path
    this.name = name
    this.#file = file
    this.#salt = header.salt
    this.#position = header.firstPosition
  }

  /** The position of the next entry. */
  get position(): number {
    return this.#position
  }

  get offset(): number {
    return this.#offset
  }

  close(): Promise<void> {
    this.#blocks.leave(this.#block)
    return this.#file.close()
  }

  /** The next entry; null at the end of the file. Everything before `untilPosition` must be on disk. */
  async next(untilPosition: number): Promise<PlacedEntry | null> {
    for (;;) {
      const held = await this.#hold(recordHeaderBytes, untilPosition)
      if (held === 0) return null
      if (held < recordHeaderBytes) throw this.#damage('the file ends within the header of a record')
      const header = this.#header()
      if ((await this.#hold(header.bytes, untilPosition)) < header.bytes)
        throw this.#damage('the file ends within a record')
      const entry = this.#take(header)
      if (entry !== null) return entry
    }
  }

  /** The next entry if it is in memory, else null. */
  nextHeld(): PlacedEntry | null {
    while (this.#held() >= recordHeaderBytes) {
      const header = this.#header()
      if (this.#held() < header.bytes) return null
      const entry = this.#take(header)
      if (entry !== null) return entry
    }
    return null
  }

  /** The number of settled bytes in memory from the current place on. */
  #held(): number {
    return this.#position < this.#settledPosition ? this.#blockOffset + this.#filled - this.#offset : 0
  }

  /** Reads until at least `bytes` are held or the file ends; returns the number held. */
  async #hold(bytes: number, untilPosition: number): Promise<number> {
    if (this.#held() >= bytes) return this.#held()
    const used = this.#offset - this.#blockOffset
    this.#filled = used + this.#held()
    if (this.#block.length - used < bytes) this.#newBlock(bytes)
    this.#settledPosition = untilPosition
    while (this.#held() < bytes) {
      const read = await this.#file.read(this.#block.subarray(this.#filled), this.#blockOffset + this.#filled)
      if (read === 0) break
      this.#filled += read
    }
    return this.#held()
  }

  #newBlock(bytes: number): void {
    const block = this.#blocks.take(bytes)
    this.#filled = this.#block.copy(block, 0, this.#offset - this.#blockOffset, this.#filled)
    this.#blocks.leave(this.#block)
    this.#block = block
    this.#blockOffset = this.#offset
  }

  #header(): RecordHeader {
    const at = this.#offset - this.#blockOffset
    if (!isRecordHeader(this.#block, at, this.#salt)) throw this.#damage('the header of a record is damaged')
    const header = decodeRecordHeader(this.#block, at)
    if (header !== null) return header
    throw newerVersion(this.path, this.#offset, 'the record is of a kind that this version does not know')
  }

  /** Moves past the current record, which must be held; returns null when it is a mark. */
  #take(header: RecordHeader): PlacedEntry | null {
    const at = this.#offset - this.#blockOffset
    const payloadAt = at + recordHeaderBytes
    if (crc32(this.#block.subarray(payloadAt, payloadAt + header.payloadBytes)) !== header.payloadCrc) {
      throw this.#damage('the body of a record is damaged')
    }
    if (header.position !== this.#position) {
      throw this.#damage(`the record is at position ${header.position}, where ${this.#position} should be`)
    }
    this.#offset += header.bytes
    if (header.isMark) return null
    const entry = decodeEntry(this.#block, at)
    this.#position = positionAfter(entry)
    return entry
  }

  #damage(what: string): Error {
    return refusal(this.path, this.#offset, what)
  }
}
