import type { ObjectStore } from '../object-store/object-store.ts'
import { type JournalPiece, type LogEntry, type Mark, type Moment, unpack } from './copy-format.ts'
import type { StoreAttempt } from './copy-log.ts'
import { type ReadLogEntry, readLogEntry } from './read-log.ts'

/** Takes the bytes of segments, in order. */
export type TakePiece = (segment: number, offset: number, bytes: Uint8Array) => Promise<void>

export interface JournalRequest {
  readonly moment: Pick<Moment, 'epoch' | 'journalFrom' | 'sealedPosition' | 'position'>
  /** Entries of the log before this number only. */
  readonly untilNumber: number
  /** Up to the last push that was on disk by then. */
  readonly atMs: number
}

/** So many entries of the log are on their way at a time. */
const readAhead = 4

/** Reads what the copy has of the journal since a moment. Returns where it is to be cut; null when the moment is not whole. */
export async function readCopiedJournal(
  store: ObjectStore,
  { moment, untilNumber, atMs }: JournalRequest,
  attempt: StoreAttempt,
  take: TakePiece,
): Promise<Mark | null> {
  const follower = new Follower(moment, atMs)
  const reading: Promise<ReadLogEntry | null>[] = []
  const begin = (number: number): void => {
    const entry = attempt(() => readLogEntry(store, number))
    entry.catch(() => undefined)
    reading.push(entry)
  }
  for (let number = moment.journalFrom; number < untilNumber; number++) {
    for (let ahead = reading.length; ahead < readAhead; ahead++) begin(number + ahead)
    const found = await reading.shift()
    if (found === null || found === undefined || found.entry.epoch !== moment.epoch) break
    if (found.entry.kind === 'journal' && !(await follower.follow(found.entry, found.payload, take))) break
  }
  return follower.isWhole ? follower.cut : null
}

/** Goes from piece to piece as long as they follow one another. */
class Follower {
  readonly #wholePosition: number
  readonly #firstPosition: number
  readonly #atMs: number
  #at: { segment: number; offset: number } | null = null
  #lastMark: Mark | null = null
  cut: Mark | null = null

  constructor({ position, sealedPosition }: JournalRequest['moment'], atMs: number) {
    this.#wholePosition = position
    this.#firstPosition = sealedPosition
    this.#atMs = atMs
  }

  get isWhole(): boolean {
    return this.cut !== null && this.cut[1] >= this.#wholePosition
  }

  /** False when nothing that follows is wanted. */
  async follow(entry: Extract<LogEntry, { kind: 'journal' }>, payload: Uint8Array, take: TakePiece): Promise<boolean> {
    const { pieces, marks } = entry
    const bytes = await unpack(
      payload,
      pieces.reduce((sum, [, , length]) => sum + length, 0),
    )
    let from = 0
    for (const piece of pieces) {
      const [segment, offset, length] = piece
      const part = bytes.subarray(from, from + length)
      from += length
      if (this.#at === null && offset > 0) continue
      if (!this.#follows(piece)) return false
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
    if (mark[0] > this.#atMs && this.isWhole) return false
    this.cut = mark
    return true
  }
}
