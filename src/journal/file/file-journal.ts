// The journal in a folder of segment files. Group commit: appends that arrive during a write go into the next one, with one fsync for all.
import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import type { Disk } from '../../lib/disk.ts'
import { messageOf } from '../../lib/message-of.ts'
import { Serial } from '../../lib/serial.ts'
import type { Problem } from '../../model/problem.ts'
import type { Observe } from '../../observe/event.ts'
import type { JournalEntry, JournalRecovery, JournalSegment, LocalJournalWriter } from '../journal.ts'
import { encodeEntry, encodeMark, type UnplacedRecord } from '../record.ts'
import { AppendQueue, type PendingAppend } from './append-queue.ts'
import { backlogIsFull, diskIsFull, journalHasFailed, journalIsClosed } from './journal-problems.ts'
import { SeparateRecord } from './record-apart.ts'
import { type ClosedSegment, type Recovered, type RecoverOptions, recoverJournal } from './recovery.ts'
import { segmentHeaderBytes } from './segment-header.ts'
import { type SegmentFolder, SegmentWriter } from './segment-writer.ts'

interface FileJournalSettings {
  /** A segment that would grow beyond this is followed by a new one. */
  readonly segmentBytes: number
  /** The most bytes of one write. */
  readonly batchBytesMax: number
  /** The most bytes that may wait to be written; beyond this an append is refused. */
  readonly pendingBytesMax: number
  /** A record of at least this size is written to a file of its own, which begins a segment. */
  readonly apartBytesMin: number
}

export interface FileJournalOptions extends SegmentFolder {
  readonly disk: Disk
  readonly directory: string
  readonly settings: FileJournalSettings
  readonly observe: Observe
  /** The position that the store has reached: an empty folder begins there, and a journal that ends before it is refused. */
  readonly reachedPosition?: number
  readonly acknowledgedPosition?: RecoverOptions['acknowledgedPosition']
  /** A random number of 32 bits. */
  readonly newSalt?: () => number
  readonly nowMs?: () => number
}

const newSalt = (): number => randomBytes(4).readUInt32LE()
const defaults = { reachedPosition: 0, acknowledgedPosition: null, newSalt, nowMs: () => performance.now() }

/** Opens the journal in a folder, which is created if needed. Throws an Error that names the place when the journal is damaged. */
export async function openFileJournal(options: FileJournalOptions): Promise<LocalJournalWriter> {
  const complete = { ...defaults, ...options }
  const startedMs = complete.nowMs()
  const recovered = await recoverJournal(complete)
  complete.observe({ kind: 'journalOpened', ...recovered.recovery, ms: complete.nowMs() - startedMs })
  return new FileJournal(complete, recovered)
}

class FileJournal implements LocalJournalWriter {
  readonly recovery: JournalRecovery
  readonly #options: Required<FileJournalOptions>
  readonly #closed: ClosedSegment[]
  #segment: SegmentWriter
  #nextPosition: number
  #endsWithMark: boolean
  readonly #waiting = new AppendQueue()
  #pendingBytes = 0
  #writeIsDue = false
  #failure: Problem | null = null
  #closing: Promise<void> | null = null
  readonly #listeners: ((position: number) => void)[] = []
  readonly #preparations: ((firstPosition: number) => Promise<void>)[] = []
  /** Serialises all access to the newest segment. */
  readonly #writes = new Serial()
  readonly #trims = new Serial()
  /** Large records are written one after another, so that they do not occupy all threads that write. */
  readonly #apart = new Serial()
  #apartNumber = 0

  constructor(options: Required<FileJournalOptions>, recovered: Recovered) {
    this.#options = options
    this.recovery = recovered.recovery
    this.#closed = [...recovered.closed]
    this.#segment = recovered.segment
    this.#nextPosition = recovered.endPosition
    this.#endsWithMark = recovered.endsWithMark
  }

  get firstPosition(): number {
    return this.segments[0]!.firstPosition
  }

  get durablePosition(): number {
    return this.#nextPosition
  }

  async endPosition(): Promise<number> {
    return this.#nextPosition
  }

  get hasFailed(): boolean {
    return this.#failure !== null
  }

  get bytes(): number {
    return this.segments.reduce((sum, { bytes }) => sum + bytes, 0)
  }

  get segments(): readonly JournalSegment[] {
    const { firstPosition, durableBytes } = this.#segment
    return [...this.#closed, { firstPosition, endPosition: this.#nextPosition, bytes: durableBytes }]
  }

  onDurable(listener: (position: number) => void): void {
    this.#listeners.push(listener)
  }

  beforeTrim(prepare: (firstPosition: number) => Promise<void>): void {
    this.#preparations.push(prepare)
  }

  /** The body must not change until the promise settles: a large one is written without a copy. */
  append(entry: JournalEntry): Promise<number> {
    return new Promise((resolve, reject) => {
      this.#requireOpen()
      const record = encodeEntry(entry)
      const { pendingBytesMax, apartBytesMin } = this.#options.settings
      if (this.#pendingBytes > 0 && this.#pendingBytes + record.bytes > pendingBytesMax)
        throw backlogIsFull(pendingBytesMax)
      this.#pendingBytes += record.bytes
      const append: PendingAppend = { record, rows: entry.rows, resolve, reject, apart: null }
      if (record.bytes >= apartBytesMin) void this.#apart.run(() => this.#writeApart(append))
      else this.#queue(append)
    })
  }

  async rotate(): Promise<void> {
    this.#requireOpen()
    await this.#writes.run(async () => {
      if (this.#failure !== null) throw this.#failure
      if (this.#segment.firstPosition === this.#nextPosition) return
      if (!(await this.#orFail(this.#beginSegment()))) throw diskIsFull()
    })
  }

  async trim(position: number): Promise<number> {
    this.#requireOpen()
    const { disk, directory } = this.#options
    return this.#trims.run(async () => {
      const last = this.#closed.findLast((segment) => segment.endPosition <= position)
      if (last === undefined) return 0
      for (const prepare of this.#preparations) await prepare(last.endPosition)
      let deleted = 0
      for (let first = this.#closed[0]; first !== undefined && first.endPosition <= position; first = this.#closed[0]) {
        await disk.remove(join(directory, first.name))
        this.#closed.shift()
        // One at a time: otherwise, after a crash, the folder could lack a later segment and still have an earlier one.
        await this.#orFail(disk.syncDirectory(directory))
        deleted++
      }
      return deleted
    })
  }

  close(): Promise<void> {
    this.#closing ??= this.#writes.run(() => this.#finish())
    return this.#closing
  }

  async #finish(): Promise<void> {
    await this.#apart.run(async () => {})
    while (this.#waiting.first !== undefined) await this.#writeWaiting()
    await this.#trims.run(async () => {})
    if (this.#failure === null && !this.#endsWithMark) {
      // Without the mark everything is still there; the next start only knows less about the end. A failure is observed.
      await this.#orFail(this.#segment.append([encodeMark()], this.#nextPosition)).catch(() => {})
    }
    await this.#segment.close()
  }

  #queue(append: PendingAppend): void {
    this.#waiting.add(append)
    this.#wake()
  }

  /** After its payload is written, a large record queues like a small one. */
  async #writeApart(append: PendingAppend): Promise<void> {
    if (this.#failure !== null) return this.#refuse([append], this.#failure)
    const writing = SeparateRecord.write(this.#options, append.record, ++this.#apartNumber)
    append.apart = await this.#orFail(writing).catch(() => null)
    if (append.apart !== null) this.#queue(append)
    else this.#refuse([append], this.#failure ?? diskIsFull())
  }

  #wake(): void {
    if (this.#writeIsDue) return
    this.#writeIsDue = true
    void this.#writes.run(async () => {
      await this.#writeWaiting()
      this.#writeIsDue = false
      if (this.#waiting.first !== undefined) this.#wake()
    })
  }

  /** Writes a batch of waiting appends and settles them. */
  async #writeWaiting(): Promise<void> {
    const { first } = this.#waiting
    if (first === undefined) return
    const startedMs = this.#options.nowMs()
    const { segmentBytes, batchBytesMax } = this.#options.settings
    const freeBytes = segmentBytes - this.#segment.durableBytes
    const isFull = first.record.bytes > freeBytes && this.#segment.firstPosition !== this.#nextPosition
    const batch = this.#waiting.take(Math.min(isFull ? segmentBytes - segmentHeaderBytes : freeBytes, batchBytesMax))
    // A failure was observed where it happened; here every append is rejected with it.
    const stored = this.#failure === null && (await this.#orFail(this.#store(batch, isFull)).catch(() => false))
    if (this.#failure !== null) this.#refuse([...batch, ...this.#waiting.takeAll()], this.#failure)
    else if (stored) this.#acknowledge(batch, startedMs)
    else this.#refuse(batch, diskIsFull())
  }

  async #store(batch: readonly PendingAppend[], inNewSegment: boolean): Promise<boolean> {
    const [{ record, apart }] = batch as readonly [PendingAppend, ...PendingAppend[]]
    if (apart !== null) return this.#storeApart(record, apart)
    if (inNewSegment && !(await this.#beginSegment())) return false
    const records = batch.map((each) => each.record)
    return this.#segment.append(records, this.#nextPosition)
  }

  /** An empty newest segment has the name that the file would get, and a cursor may have opened it, so the record is appended to it instead. */
  async #storeApart(record: UnplacedRecord, apart: SeparateRecord): Promise<boolean> {
    if (this.#segment.firstPosition === this.#nextPosition) {
      await apart.discard()
      return this.#segment.append([record], this.#nextPosition)
    }
    const next = await apart.place(this.#nextPosition, this.#options.newSalt())
    if (next !== null) await this.#follow(next)
    return next !== null
  }

  #acknowledge(batch: readonly PendingAppend[], startedMs: number): void {
    const { observe, nowMs } = this.#options
    let position = this.#nextPosition
    let rows = 0
    let bytes = 0
    for (const each of batch) {
      // Callers that await the append continue after this function.
      each.resolve(position)
      position += each.record.positions
      rows += each.rows
      bytes += each.record.bytes
    }
    this.#pendingBytes -= bytes
    this.#nextPosition = position
    this.#endsWithMark = false
    for (const listener of this.#listeners) listener(position)
    observe({ kind: 'journalWritten', entries: batch.length, rows, bytes, ms: nowMs() - startedMs })
  }

  #refuse(batch: readonly PendingAppend[], problem: Problem): void {
    for (const each of batch) {
      this.#pendingBytes -= each.record.bytes
      // The next start removes the file.
      void each.apart?.close().catch(() => {})
      each.reject(problem)
    }
  }

  /** Returns false when the disk is full. */
  async #beginSegment(): Promise<boolean> {
    const { newSalt } = this.#options
    const next = await SegmentWriter.create(this.#options, { firstPosition: this.#nextPosition, salt: newSalt() })
    if (next !== null) await this.#follow(next)
    return next !== null
  }

  async #follow(next: SegmentWriter): Promise<void> {
    const { name, durableBytes, firstPosition } = this.#segment
    this.#closed.push({ name, firstPosition, endPosition: this.#nextPosition, bytes: durableBytes })
    await this.#segment.close()
    this.#segment = next
  }

  /** After a failure nothing more is acknowledged, because the page cache may differ from the disk. */
  async #orFail<T>(work: Promise<T>): Promise<T> {
    try {
      return await work
    } catch (error) {
      throw this.#fail(error)
    }
  }

  #fail(error: unknown): Problem {
    if (this.#failure !== null) return this.#failure
    const message = messageOf(error)
    this.#failure = journalHasFailed(error)
    const file = join(this.#options.directory, this.#segment.name)
    this.#options.observe({ kind: 'journalFailed', file, message })
    return this.#failure
  }

  #requireOpen(): void {
    if (this.#failure !== null) throw this.#failure
    if (this.#closing !== null) throw journalIsClosed()
  }
}
