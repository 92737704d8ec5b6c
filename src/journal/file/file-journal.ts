// The journal in a folder of segment files. Group commit: what waits while a write is on its way goes into the next one, with one fsync for all.
import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import type { Disk } from '../../lib/disk.ts'
import { Serial } from '../../lib/serial.ts'
import { Problem } from '../../model/problem.ts'
import type { Observe } from '../../observe/event.ts'
import type { JournalEntry, JournalRecovery, JournalWriter } from '../journal.ts'
import { encodeEntry, encodeMark, type UnplacedRecord } from './record.ts'
import { type ClosedSegment, type Recovered, recoverJournal } from './recovery.ts'
import { segmentHeaderBytes } from './segment-header.ts'
import { type SegmentFolder, SegmentWriter } from './segment-writer.ts'

interface FileJournalSettings {
  /** A segment that would grow over this is followed by a new one. */
  readonly segmentBytes: number
  /** As much goes into one write. */
  readonly batchBytesMax: number
  /** As much may wait to be on disk; past it an append is refused. */
  readonly pendingBytesMax: number
}

interface FileJournalOptions extends SegmentFolder {
  readonly disk: Disk
  readonly directory: string
  readonly settings: FileJournalSettings
  readonly observe: Observe
  /** The position that the store has reached: an empty folder begins there, a journal that ends before it is refused. */
  readonly reachedPosition?: number
  /** A random number of 32 bits. */
  readonly newSalt?: () => number
  readonly nowMs?: () => number
}

/** Opens the journal in a folder, which it makes if need be. Throws an Error that names the place when the journal is damaged. */
export async function openFileJournal(options: FileJournalOptions): Promise<JournalWriter> {
  const defaults = { reachedPosition: 0, newSalt: () => randomBytes(4).readUInt32LE(), nowMs: () => performance.now() }
  const complete = { ...defaults, ...options }
  const startedMs = complete.nowMs()
  const recovered = await recoverJournal(complete)
  complete.observe({ kind: 'journalOpened', ...recovered.recovery, ms: complete.nowMs() - startedMs })
  return new FileJournal(complete, recovered)
}

const diskFullRetryAfterS = 5

interface PendingAppend {
  readonly record: UnplacedRecord
  readonly rows: number
  readonly resolve: (position: number) => void
  readonly reject: (error: Error) => void
}

class FileJournal implements JournalWriter {
  readonly recovery: JournalRecovery
  readonly #options: Required<FileJournalOptions>
  readonly #closed: ClosedSegment[]
  #segment: SegmentWriter
  #nextPosition: number
  #endsWithMark: boolean
  readonly #waiting: PendingAppend[] = []
  #pendingBytes = 0
  #writeIsDue = false
  #failure: Problem | null = null
  #closing: Promise<void> | null = null
  readonly #listeners: ((position: number) => void)[] = []
  readonly #preparations: ((firstPosition: number) => Promise<void>)[] = []
  /** All that touches the newest segment. */
  readonly #writes = new Serial()
  readonly #trims = new Serial()

  constructor(options: Required<FileJournalOptions>, recovered: Recovered) {
    this.#options = options
    this.recovery = recovered.recovery
    this.#closed = [...recovered.closed]
    this.#segment = recovered.segment
    this.#nextPosition = recovered.endPosition
    this.#endsWithMark = recovered.endsWithMark
  }

  get firstPosition(): number {
    const first = this.#closed[0]
    return first === undefined ? this.#segment.firstPosition : first.firstPosition
  }

  get durablePosition(): number {
    return this.#nextPosition
  }

  get hasFailed(): boolean {
    return this.#failure !== null
  }

  get bytes(): number {
    return this.#closed.reduce((sum, segment) => sum + segment.bytes, this.#segment.durableBytes)
  }

  onDurable(listener: (position: number) => void): void {
    this.#listeners.push(listener)
  }

  beforeTrim(prepare: (firstPosition: number) => Promise<void>): void {
    this.#preparations.push(prepare)
  }

  /** The body must stay as it is until the promise settles: a large one is written from where it is. */
  async append(entry: JournalEntry): Promise<number> {
    this.#requireOpen()
    const record = encodeEntry(entry)
    const { pendingBytesMax } = this.#options.settings
    if (this.#pendingBytes > 0 && this.#pendingBytes + record.bytes > pendingBytesMax)
      throw backlogIsFull(pendingBytesMax)
    return new Promise((resolve, reject) => {
      this.#waiting.push({ record, rows: entry.rows, resolve, reject })
      this.#pendingBytes += record.bytes
      this.#wake()
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

  /** Returns how many segments it deleted. */
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
        // One at a time: after a crash the folder could else lack a later segment and still have an earlier one.
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
    while (this.#waiting.length > 0) await this.#writeWaiting()
    await this.#trims.run(async () => {})
    if (this.#failure === null && !this.#endsWithMark) {
      // Without a mark all is still there: the next start only knows less about the end. A failure is observed.
      await this.#orFail(this.#segment.append([encodeMark()], this.#nextPosition)).catch(() => {})
    }
    await this.#segment.close()
  }

  #wake(): void {
    if (this.#writeIsDue) return
    this.#writeIsDue = true
    void this.#writes.run(async () => {
      await this.#writeWaiting()
      this.#writeIsDue = false
      if (this.#waiting.length > 0) this.#wake()
    })
  }

  /** Writes a batch of what waits, and settles its appends. */
  async #writeWaiting(): Promise<void> {
    const first = this.#waiting[0]
    if (first === undefined) return
    const startedMs = this.#options.nowMs()
    const { segmentBytes } = this.#options.settings
    const room = segmentBytes - this.#segment.durableBytes
    const isFull = first.record.bytes > room && this.#segment.firstPosition !== this.#nextPosition
    const batch = this.#takeBatch(isFull ? segmentBytes - segmentHeaderBytes : room)
    // A failure was observed where it happened, and every append is told of it here.
    const stored = this.#failure === null && (await this.#orFail(this.#store(batch, isFull)).catch(() => false))
    if (this.#failure !== null) this.#refuse([...batch, ...this.#waiting.splice(0)], this.#failure)
    else if (stored) this.#acknowledge(batch, startedMs)
    else this.#refuse(batch, diskIsFull())
  }

  /** At least one append, and as many more as fit. */
  #takeBatch(roomBytes: number): PendingAppend[] {
    const bytesMax = Math.min(roomBytes, this.#options.settings.batchBytesMax)
    let bytes = 0
    let count = 0
    for (const { record } of this.#waiting) {
      bytes += record.bytes
      if (bytes > bytesMax && count > 0) break
      count++
    }
    return this.#waiting.splice(0, count)
  }

  async #store(batch: readonly PendingAppend[], inNewSegment: boolean): Promise<boolean> {
    if (inNewSegment && !(await this.#beginSegment())) return false
    const records = batch.map((each) => each.record)
    return this.#segment.append(records, this.#nextPosition)
  }

  #acknowledge(batch: readonly PendingAppend[], startedMs: number): void {
    const { observe, nowMs } = this.#options
    let position = this.#nextPosition
    const positions = batch.map(({ record }) => {
      const own = position
      position += record.positions
      return own
    })
    this.#nextPosition = position
    this.#endsWithMark = false
    const bytes = this.#settle(batch)
    for (const [index, each] of batch.entries()) each.resolve(positions[index]!)
    for (const listener of this.#listeners) listener(position)
    const rows = batch.reduce((sum, each) => sum + each.rows, 0)
    observe({ kind: 'journalWritten', entries: batch.length, rows, bytes, ms: nowMs() - startedMs })
  }

  #refuse(batch: readonly PendingAppend[], problem: Problem): void {
    this.#settle(batch)
    for (const each of batch) each.reject(problem)
  }

  #settle(batch: readonly PendingAppend[]): number {
    const bytes = batch.reduce((sum, each) => sum + each.record.bytes, 0)
    this.#pendingBytes -= bytes
    return bytes
  }

  /** False when the disk is full. */
  async #beginSegment(): Promise<boolean> {
    const { newSalt } = this.#options
    const next = await SegmentWriter.create(this.#options, { firstPosition: this.#nextPosition, salt: newSalt() })
    if (next === null) return false
    const { name, durableBytes } = this.#segment
    const { firstPosition } = this.#segment
    this.#closed.push({ name, firstPosition, endPosition: this.#nextPosition, bytes: durableBytes })
    await this.#segment.close()
    this.#segment = next
    return true
  }

  /** When the work fails, nothing is acknowledged any more: what the page cache shows may differ from the disk. */
  async #orFail<T>(work: Promise<T>): Promise<T> {
    try {
      return await work
    } catch (error) {
      throw this.#fail(error)
    }
  }

  #fail(error: unknown): Problem {
    if (this.#failure !== null) return this.#failure
    const message = error instanceof Error ? error.message : String(error)
    this.#failure = hasFailed(error)
    const file = join(this.#options.directory, this.#segment.name)
    this.#options.observe({ kind: 'journalFailed', file, message })
    return this.#failure
  }

  #requireOpen(): void {
    if (this.#failure !== null) throw this.#failure
    if (this.#closing !== null) throw stopped()
  }
}

function backlogIsFull(pendingBytesMax: number): Problem {
  return new Problem(
    'overloaded',
    `More than ${pendingBytesMax} bytes wait to be written. Nothing was stored: send it again later.`,
  )
}

function diskIsFull(): Problem {
  const detail = 'The disk is full. Nothing was stored: send it again once there is room.'
  return new Problem('overloaded', detail, { retryAfterS: diskFullRetryAfterS })
}

/** Without the cause's text, which may hold paths: that is for the operator, in the event. */
function hasFailed(cause: unknown): Problem {
  const detail =
    'The journal could not be written to disk, and takes nothing more until the service is started again. Send it again then, with the same Idempotency-Key if it has one.'
  return new Problem('unavailable', detail, { cause })
}

function stopped(): Problem {
  return new Problem('shutting_down', 'The journal is closed. Send it again when the service is back.')
}
