import { segmentHeaderBytes } from '../journal/file/segment-header.ts'
import type { ObjectStore } from '../object-store/object-store.ts'
import { unpackJournal } from './journal-packing.ts'
import { orDamage, type ReadLogEntry, requireLogEntry } from './read-log.ts'
import {
  damagedObject,
  type JournalPiece,
  type LogEntry,
  logName,
  type Mark,
  type Moment,
  ReplicaDamaged,
} from './replica-format.ts'
import type { StoreAttempt } from './replica-log.ts'

/** Receives the bytes of segments, in order. */
export type TakePiece = (segment: number, offset: number, bytes: Uint8Array) => Promise<void>

export interface JournalRequest {
  readonly moment: Pick<Moment, 'epoch' | 'validFromMs' | 'journalFrom' | 'sealedPosition' | 'position'>
  /** Only entries of the log before this number are read; all of them should exist. */
  readonly untilNumber: number
  /** The time by which the last wanted push was on disk. */
  readonly atMs: number
}

export type MomentEntry = Extract<LogEntry, { kind: 'moment' }>

export interface ReplicatedJournal {
  /** The place at which the journal has to be cut; null when the moment is not whole. */
  readonly cut: Mark | null
  /** The entry of the log at which reading stopped: nothing later was used. */
  readonly next: number
  /** Whether everything was read that was on disk by `atMs`. */
  readonly isPast: boolean
  /** The last moment among the entries read; null when there was none. */
  readonly moment: MomentEntry | null
}

/** Entries of the log that are read concurrently. */
const readAhead = 4

/** Reads the journal since a moment. Throws `ReplicaDamaged` when an entry is missing that may have some data that was on disk by `atMs`. */
export async function readReplicatedJournal(
  store: ObjectStore,
  { moment, untilNumber, atMs }: JournalRequest,
  attempt: StoreAttempt,
  take: TakePiece,
): Promise<ReplicatedJournal> {
  const follower = new Follower(moment, atMs)
  const reading: Promise<ReadLogEntry>[] = []
  const begin = (number: number): void => {
    const entry = attempt(() => requireLogEntry(store, number))
    entry.catch(() => undefined)
    reading.push(entry)
  }
  let number = moment.journalFrom
  let met: MomentEntry | null = null
  for (; number < untilNumber; number++) {
    for (let ahead = reading.length; ahead < readAhead && number + ahead < untilNumber; ahead++) begin(number + ahead)
    const found = await orDamage(reading.shift()!)
    if (found instanceof ReplicaDamaged) {
      if (follower.isPast) break
      throw beforeDamage(found, follower.isWhole ? follower.cut![0] : moment.validFromMs - 1)
    }
    if (found.entry.epoch !== moment.epoch) break
    if (found.entry.kind === 'moment') met = found.entry
    if (found.entry.kind === 'journal' && !(await follower.follow(found.entry, found.payload, take))) break
  }
  return { cut: follower.isWhole ? follower.cut : null, next: number, isPast: follower.isPast, moment: met }
}

/** Adds advice for restoring the earlier state, which may exist up to `timeMs`. */
export function beforeDamage(error: ReplicaDamaged, timeMs: number): ReplicaDamaged {
  const advice = `To restore what came before, give --at ${new Date(timeMs).toISOString()} or an earlier moment`
  return new ReplicaDamaged(`${error.message}. ${advice}`, { cause: error })
}

/** Follows the journal from piece to piece while they are contiguous. */
class Follower {
  readonly #validFromMs: number
  readonly #wholePosition: number
  readonly #firstPosition: number
  readonly #atMs: number
  #at: { segment: number; offset: number } | null = null
  #lastMark: Mark | null = null
  #isPast = false
  cut: Mark | null = null

  constructor({ validFromMs, position, sealedPosition }: JournalRequest['moment'], atMs: number) {
    this.#validFromMs = validFromMs
    this.#wholePosition = position
    this.#firstPosition = sealedPosition
    this.#atMs = atMs
  }

  get isWhole(): boolean {
    return this.cut !== null && this.cut[1] >= this.#wholePosition
  }

  /** Whether everything was read that was on disk by the requested time. */
  get isPast(): boolean {
    return this.#isPast || (this.isWhole && this.cut![0] >= this.#atMs)
  }

  /** Returns false when nothing that follows is needed. */
  async follow(entry: Extract<LogEntry, { kind: 'journal' }>, payload: Uint8Array, take: TakePiece): Promise<boolean> {
    const { pieces, marks } = entry
    const unpackedBytes = pieces.reduce((sum, [, , length]) => sum + length, 0)
    const bytes = await unpackJournal(payload, unpackedBytes).catch((cause: unknown) => {
      throw damagedObject(logName(entry.number), cause)
    })
    let from = 0
    for (const piece of pieces) {
      const [segment, offset, length] = piece
      const part = bytes.subarray(from, from + length)
      from += length
      if (this.#at === null && offset > 0) continue
      if (!this.#follows(piece)) return false
      // All rows of the moment are before this segment: none of its pushes is needed, and each may be too late.
      if (this.cut === null && segment >= this.#wholePosition && offset + length >= segmentHeaderBytes)
        this.cut = [this.#validFromMs, segment, segment, segmentHeaderBytes]
      await take(segment, offset, part)
      this.#at = { segment, offset: offset + length }
      if (!marks.filter((mark) => mark[2] === segment).every((mark) => this.#pass(mark))) return false
    }
    return true
  }

  #follows([segment, offset]: JournalPiece): boolean {
    if (this.#at === null) return offset === 0 && segment <= this.#firstPosition
    if (segment === this.#at.segment) return offset === this.#at.offset
    return offset === 0 && segment === this.#lastMark?.[1]
  }

  #pass(mark: Mark): boolean {
    this.#lastMark = mark
    if (mark[0] > this.#atMs && this.isWhole) {
      this.#isPast = true
      return false
    }
    this.cut = mark
    return true
  }
}
