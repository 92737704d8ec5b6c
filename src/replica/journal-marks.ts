import type { LocalJournalWriter } from '../journal/journal.ts'
import type { Mark } from './replica-format.ts'

/** A time by two clocks: the wall clock, as the replica records it, and a steady clock that is never set, for durations. */
export interface RecordedTime {
  readonly timeMs: number
  readonly steadyMs: number
}

interface WaitingMark {
  readonly mark: Mark
  /** The operator's changes that its entries may need. */
  readonly changes: number
  /** By the steady clock. */
  readonly steadyMs: number
}

/** The most marks that wait; beyond it, points in time between them can no longer be distinguished. */
const marksMax = 20_000

export interface JournalMarksParts {
  readonly journal: Pick<LocalJournalWriter, 'segments' | 'durablePosition'>
  /** The amount of the operator's changes to the catalog so far. */
  readonly changes: () => number
  readonly nowMs: () => number
}

/** The journal that is on disk and not in the replica yet, by the time at which it was on disk. */
export class JournalMarks {
  readonly #parts: JournalMarksParts
  #waiting: WaitingMark[] = []
  #lastMs = 0

  constructor(parts: JournalMarksParts) {
    this.#parts = parts
  }

  /** Times never go back, whatever the clock does. */
  timeMs(atLeastMs = 0): number {
    this.#lastMs = Math.max(this.#lastMs, atLeastMs, this.#parts.nowMs())
    return this.#lastMs
  }

  noted(): RecordedTime {
    return { timeMs: this.timeMs(), steadyMs: performance.now() }
  }

  /** Restarts with the whole journal, when nothing of it is in the replica. */
  restart(): void {
    const { timeMs, steadyMs } = this.noted()
    const changes = this.#parts.changes()
    this.#waiting = this.#parts.journal.segments.map(({ firstPosition, endPosition, bytes }) => ({
      mark: [timeMs, endPosition, firstPosition, bytes],
      changes,
      steadyMs,
    }))
  }

  /** To be called when more is on disk. */
  durable(): void {
    const segment = this.#parts.journal.segments.at(-1)!
    const { timeMs, steadyMs } = this.noted()
    const mark: Mark = [timeMs, segment.endPosition, segment.firstPosition, segment.bytes]
    this.#waiting.push({ mark, changes: this.#parts.changes(), steadyMs })
    if (this.#waiting.length > marksMax) this.#thinOut()
  }

  /** The oldest mark that is not in the replica. */
  get first(): Mark | null {
    return this.#waiting[0]?.mark ?? null
  }

  /** When the first mark was on disk, by the steady clock. */
  get sinceMs(): number | null {
    return this.#waiting[0]?.steadyMs ?? null
  }

  get last(): Mark | null {
    return this.#waiting.at(-1)?.mark ?? null
  }

  /** The marks for which a catalog with these changes suffices, and in any case those before `position`, because that catalog knows their rows. */
  ready(changes: number, position: number): readonly Mark[] {
    const end = this.#waiting.findIndex(({ mark, changes: needed }) => needed > changes && mark[1] > position)
    return (end === -1 ? this.#waiting : this.#waiting.slice(0, end)).map(({ mark }) => mark)
  }

  /** The journal is in the replica up to here. Marks may have been thinned out since they were returned, so the place determines which are done. */
  copiedTo(segment: number, offset: number): void {
    const end = this.#waiting.findIndex(({ mark }) => mark[2] > segment || (mark[2] === segment && mark[3] > offset))
    this.#waiting.splice(0, end === -1 ? this.#waiting.length : end)
  }

  /** Keeps the last mark of each segment, because the next one can begin only after it, and the last mark before a change by the operator. */
  #thinOut(): void {
    this.#waiting = this.#waiting.filter(
      ({ mark }, index, all) =>
        index % 2 === 1 || all[index + 1]?.mark[2] !== mark[2] || all[index + 1]?.changes !== all[index]?.changes,
    )
  }
}
