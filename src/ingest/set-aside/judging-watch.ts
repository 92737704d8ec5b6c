// Finds the entry that ends the judge, and has it set aside. After a first death the entries of that step are judged one at a time; the one that
// is being judged at the second is set aside: the catalog says so before anything of it is passed over.
import type { AsideDecision, AsideLevel, SetAsideCatalog } from '../../catalog/set-aside.ts'
import { type PlacedEntry, positionAfter } from '../../journal/journal.ts'
import { Problem } from '../../model/problem.ts'
import type { Observe } from '../../observe/event.ts'
import type { Reach } from '../../observe/step.ts'
import { emptyNote, type JudgedSpan, type JudgingNote, type JudgingNotes, type Suspect } from './judging-notes.ts'

/** One entry that was being judged at so many deaths is set aside wherever in it they came: they may be of the memory that its rows take together. */
const deathsMax = 5

export interface JudgingWatchParts {
  readonly notes: JudgingNotes
  readonly setAside: Pick<SetAsideCatalog, 'add' | 'list'>
  readonly nowMs: () => number
  readonly observe: Observe
  readonly reach: Reach
}

export class JudgingWatch {
  readonly #parts: JudgingWatchParts
  #suspect: Suspect | null = null
  #decisions: ReadonlyMap<number, AsideDecision> = new Map()

  private constructor(parts: JudgingWatchParts) {
    this.#parts = parts
  }

  /** Rows before `position` are judged, whatever a note says of them. */
  static async open(parts: JudgingWatchParts, position: number): Promise<JudgingWatch> {
    const watch = new JudgingWatch(parts)
    await watch.#learn()
    const { judging, suspect } = (await parts.notes.read()) ?? emptyNote
    watch.#suspect = isLeft(suspect, position) ? suspect : null
    if (judging !== null && isLeft(judging, position)) {
      watch.#suspect = suspectOf(judging, watch.#suspect)
      // Before anything else is noted, so that this death is counted once.
      await parts.notes.write(watch.#note(null))
      const { position: first, entries, deaths } = watch.#suspect
      parts.observe({ kind: 'judgingEnded', position: first, entries, deaths })
    }
    return watch
  }

  /** What was decided of an entry; undefined of any other. */
  decision(position: number): AsideDecision | undefined {
    return this.#decisions.get(position)
  }

  /** Of these, the entries that go into the next step: one that is suspected, or was set aside, goes alone. */
  together(entries: readonly PlacedEntry[]): readonly PlacedEntry[] {
    const apart = entries.findIndex((entry) => this.#isSuspected(entry) || this.#decisions.has(entry.position))
    return apart < 0 ? entries : entries.slice(0, Math.max(1, apart))
  }

  /**
   * To be called before rows of these entries are judged, from a position on. An entry that is due is set aside first, and then `decision`
   * says so; `keptItems` is where the rows of it end whose items are kept: none of these may be rejected any more.
   */
  async begin(
    entries: readonly PlacedEntry[],
    fromPosition: number,
    keptItems: (entry: PlacedEntry) => Promise<number>,
  ): Promise<void> {
    const [first] = entries
    if (this.#suspect?.isDue === true && this.#isSuspected(first!)) {
      await this.#setAside(first!, this.#suspect, await keptItems(first!))
    }
    const { position } = first!
    const level = this.#decisions.get(position)?.level ?? 0
    const throughPosition = positionAfter(entries.at(-1)!)
    await this.#parts.notes.write(
      this.#note({ position, fromPosition, throughPosition, entries: entries.length, level }),
    )
  }

  /** The rows before a position are judged and kept. */
  async end(position: number): Promise<void> {
    if (!isLeft(this.#suspect, position)) this.#suspect = null
    await this.#parts.notes.write(this.#note(null))
  }

  /** The step failed. What a disk, a database or a stop is the reason of is not the entry's fault. */
  async failed(error: unknown): Promise<void> {
    if (!isOfEntry(error)) await this.#parts.notes.write(this.#note(null)).catch(() => undefined)
  }

  async #setAside(entry: PlacedEntry, suspect: Suspect, keptItems: number): Promise<void> {
    const { setAside, nowMs, observe, reach } = this.#parts
    const { body, idempotencyKey: _, format, ...header } = entry
    // What was lost has no rows to be judged.
    if (format === 'lost') return
    const level: AsideLevel = suspect.level === 0 ? 1 : 2
    const fromPosition = Math.max(suspect.fromPosition, entry.position, Math.min(keptItems, positionAfter(entry)))
    await setAside.add({ ...header, format, fromPosition, level, setAsideMs: nowMs() }, body)
    reach('aside-recorded')
    await this.#learn()
    this.#suspect = null
    const { position, ingestId, rows } = entry
    observe({ kind: 'entrySetAside', position, ingestId, rows: position + rows - fromPosition, level })
  }

  async #learn(): Promise<void> {
    const known = await this.#parts.setAside.list()
    this.#decisions = new Map(known.map((entry) => [entry.position, entry]))
  }

  #isSuspected(entry: PlacedEntry): boolean {
    const suspect = this.#suspect
    return suspect !== null && entry.position < suspect.throughPosition && positionAfter(entry) > suspect.position
  }

  #note(judging: JudgedSpan | null): JudgingNote {
    return { judging, suspect: this.#suspect }
  }
}

function isLeft(span: JudgedSpan | null, position: number): boolean {
  return span !== null && span.throughPosition > position
}

function suspectOf(judging: JudgedSpan, before: Suspect | null): Suspect {
  const isSame =
    before !== null && before.position <= judging.position && judging.throughPosition <= before.throughPosition
  const deaths = isSame ? before.deaths + 1 : 1
  const isRepeated = isSame && (before.entries > 1 || before.fromPosition === judging.fromPosition)
  return { ...judging, deaths, isDue: judging.entries === 1 && (isRepeated || deaths >= deathsMax) }
}

/** An ingest that the catalog lacks is no fault of the entry: another catalog is needed. */
export class UnknownIngest extends Error {}

function isOfEntry(error: unknown): boolean {
  if (!(error instanceof Error) || error instanceof Problem || error instanceof UnknownIngest) return false
  if (error.name === 'AbortError' || error.name === 'TimeoutError' || error.name === 'LaneTaken') return false
  // What the system or a database names with a code is theirs, but for what Node.js says of values, a text that is too long, say.
  return !('code' in error) || (String(error.code).startsWith('ERR_') && error.code !== 'ERR_SQLITE_ERROR')
}
