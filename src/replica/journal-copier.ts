// Copies the tail of the journal, piece by piece, after the part that is in the replica already.
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { segmentName } from '../journal/file/segment-header.ts'
import type { LocalJournalWriter } from '../journal/journal.ts'
import type { ByteRate } from './byte-rate.ts'
import type { JournalMarks } from './journal-marks.ts'
import { packJournal } from './journal-packing.ts'
import type { JournalPiece, Mark } from './replica-format.ts'
import type { ReplicaLog } from './replica-log.ts'

/** The most bytes of one entry of the log. Each entry costs some twenty disk calls, however small it is. */
const entryBytes = 8 * 1024 * 1024

export interface JournalCopierParts {
  readonly journal: Pick<LocalJournalWriter, 'segments'>
  readonly directory: string
  readonly marks: JournalMarks
  readonly rate: ByteRate
}

interface Batch {
  readonly pieces: readonly JournalPiece[]
  readonly marks: readonly Mark[]
}

export class JournalCopier {
  readonly #parts: JournalCopierParts
  /** The next data to copy: a segment, and the bytes of it in the replica. Null at the journal's beginning. */
  #at: { segment: number; offset: number } | null = null
  /** The entry of the log in which each segment begins, by the segment's first position. */
  #begun: (readonly [segment: number, number: number])[] = []
  #position = 0
  #buffer: Buffer = Buffer.alloc(0)

  constructor(parts: JournalCopierParts) {
    this.#parts = parts
  }

  /** All rows before it are in the replica. */
  get position(): number {
    return this.#position
  }

  /** Whether the log has the journal up to a position. */
  hasReached(position: number): boolean {
    return this.#at !== null && this.#position >= position
  }

  /** The approximate number of bytes on disk that are not in the replica. */
  get bytesBehind(): number {
    const { journal, marks } = this.#parts
    if (marks.first === null) return 0
    const at = this.#at
    const later = journal.segments.filter(({ firstPosition }) => at === null || firstPosition >= at.segment)
    const bytes = later.reduce((sum, segment) => sum + segment.bytes, 0)
    return later[0]?.firstPosition === at?.segment ? bytes - (at?.offset ?? 0) : bytes
  }

  /** Restarts at the journal's beginning: nothing of it is in the replica, or some of it was deleted before it was copied. */
  restart(): void {
    this.#at = null
    this.#begun = []
    this.#parts.marks.restart()
  }

  /** The entry of the log at which the journal of a position begins; `next` if that is still to come. */
  entryOf(position: number, next: number): number {
    const found = this.#begun.findLastIndex(([segment]) => segment <= position)
    return this.#begun[found]?.[1] ?? next
  }

  /** Forgets segments that no later moment needs, which bounds the memory. */
  forgetBefore(position: number): void {
    const found = this.#begun.findLastIndex(([segment]) => segment <= position)
    if (found > 0) this.#begun.splice(0, found)
  }

  /** Appends an entry with the new journal up to these marks; returns false when there is none. */
  async copy(log: ReplicaLog, ready: readonly Mark[]): Promise<boolean> {
    const batch = this.#batchOf(ready)
    if (batch === null) return false
    const payload = await packJournal(await this.#read(batch.pieces))
    await this.#parts.rate.pass(payload.length)
    const number = log.next
    await log.append({ kind: 'journal', ...batch }, payload)
    for (const [segment, offset] of batch.pieces) if (offset === 0) this.#begun.push([segment, number])
    const [segment, offset, bytes] = batch.pieces.at(-1)!
    this.#at = { segment, offset: offset + bytes }
    this.#parts.marks.copiedTo(segment, offset + bytes)
    this.#position = batch.marks.at(-1)?.[1] ?? this.#position
    return true
  }

  #batchOf(ready: readonly Mark[]): Batch | null {
    const pieces: JournalPiece[] = []
    const marks: Mark[] = []
    let at = this.#at
    let remainingBytes = entryBytes
    for (const mark of ready) {
      const [, , segment, end] = mark
      const offset = at?.segment === segment ? at.offset : 0
      const bytes = Math.min(end - offset, remainingBytes)
      const last = pieces.at(-1)
      if (bytes > 0 && last?.[0] === segment) pieces[pieces.length - 1] = [segment, last[1], last[2] + bytes]
      else if (bytes > 0) pieces.push([segment, offset, bytes])
      remainingBytes -= bytes
      at = { segment, offset: offset + bytes }
      if (at.offset < end) break
      marks.push(mark)
    }
    return pieces.length === 0 ? null : { pieces, marks }
  }

  /** Reuses the same memory: fresh memory costs as much as the data read into it. */
  async #read(pieces: readonly JournalPiece[]): Promise<Uint8Array> {
    const length = pieces.reduce((sum, [, , bytes]) => sum + bytes, 0)
    if (this.#buffer.length < length) this.#buffer = Buffer.allocUnsafeSlow(length)
    const buffer = this.#buffer.subarray(0, length)
    let filled = 0
    for (const [segment, offset, bytes] of pieces) {
      const path = join(this.#parts.directory, segmentName(segment))
      const file = await open(path, 'r')
      try {
        for (let read = 0; read < bytes; ) {
          const { bytesRead } = await file.read(buffer, filled + read, bytes - read, offset + read)
          if (bytesRead === 0) throw new Error(`${path} is shorter than it was`)
          read += bytesRead
        }
      } finally {
        await file.close()
      }
      filled += bytes
    }
    return buffer
  }
}
