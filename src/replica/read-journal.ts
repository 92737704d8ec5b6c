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

/** Takes the bytes of segments, in order. */
export type TakePiece = (segment: number, offset: number, bytes: Uint8Array) => Promise<void>

export interface JournalRequest {
  readonly moment: Pick<Moment, 'epoch' | 'validFromMs' | 'journalFrom' | 'sealedPosition' | 'position'>
  /** Entries of the log before this number only: all of them should be there. */
  readonly untilNumber: number
  /** Up to the last push that was on disk by then. */
  readonly atMs: number
}

export type MomentEntry = Extract<LogEntry, { kind: 'moment' }>

export interface ReplicatedJournal {
  /** Where it is to be cut; null when the moment is not whole. */
  readonly cut: Mark | null
  /** The entry of the log that was not read any more. */
  readonly next: number
  /** Whether all was read that was on disk by `atMs`. */
  readonly isPast: boolean
  /** The last moment on the way; null when there was none. */
  readonly moment: MomentEntry | null
}

/** So many entries of the log are on their way at a time. */
const readAhead = 4

/** The replica's journal since a moment. Throws `ReplicaDamaged` where an entry lacks that may hold some of what was on disk by `atMs`. */
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

/** Says how to have the state before, which may be there up to `timeMs`. */
export function beforeDamage(error: ReplicaDamaged, timeMs: number): ReplicaDamaged {
  const advice = `To restore what came before, give --at ${new Date(timeMs).toISOString()} or an earlier moment`
  return new ReplicaDamaged(`${error.message}. ${advice}`, { cause: error })
}

/** Goes from piece to piece as long as they follow one another. */
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

  /** Whether all is there that was on disk by the time asked for. */
  get isPast(): boolean {
    return this.#isPast || (this.isWhole && this.cut![0] >= this.#atMs)
  }

  /** False when nothing that follows is wanted. */
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
      // All rows of the moment are before it: no push of the segment is needed, and each may be too late.
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
