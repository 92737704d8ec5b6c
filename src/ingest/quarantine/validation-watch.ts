// Finds the entry that makes the validator die, and quarantines it. After a first death the entries of that step are validated one at a time. The entry
// being validated at the second death is quarantined, which the catalog records before any of its rows is skipped. A process may be killed for any reason,
// so kills count as deaths only if they recur, finally at the same small piece of one entry.
import type { QuarantineCatalog, QuarantineDecision, QuarantineLevel } from '../../catalog/quarantine.ts'
import { type PlacedEntry, positionAfter } from '../../journal/journal.ts'
import { Problem } from '../../model/problem.ts'
import type { Reach } from '../../observe/crash-point.ts'
import type { Observe } from '../../observe/event.ts'
import {
  emptyNote,
  type Suspect,
  type ValidatedSpan,
  type ValidationNote,
  type ValidationNotes,
} from './validation-notes.ts'

/**
 * After this many deaths an entry is quarantined, wherever in it they occurred: the cause may be the memory that its rows need
 * together.
 */
const deathsMax = 5
/** After this many kills of the process during an entry, it is validated in the smallest pieces. */
const carefulKills = 3
/** After this many kills, the last two at the same piece, the entry is quarantined. */
const killsMax = 6
/** Rows in the smallest piece of a push. */
const carefulRows = 64

export interface ValidationWatchParts {
  readonly notes: ValidationNotes
  readonly quarantine: Pick<QuarantineCatalog, 'add' | 'list'>
  readonly nowMs: () => number
  readonly observe: Observe
  readonly reach: Reach
}

export class ValidationWatch {
  readonly #parts: ValidationWatchParts
  #suspect: Suspect | null = null
  #span: ValidatedSpan | null = null
  #decisions: ReadonlyMap<number, QuarantineDecision> = new Map()

  private constructor(parts: ValidationWatchParts) {
    this.#parts = parts
  }

  /** Rows before `position` are validated, regardless of the note. */
  static async open(parts: ValidationWatchParts, position: number): Promise<ValidationWatch> {
    const watch = new ValidationWatch(parts)
    await watch.#learn()
    const { validating, suspect } = (await parts.notes.read()) ?? emptyNote
    watch.#suspect = isLeft(suspect, position) ? suspect : null
    if (validating !== null && isLeft(validating, position)) {
      watch.#suspect = suspectOf(validating, watch.#suspect)
      // Written before any other note, so that this death is counted once.
      await parts.notes.write(watch.#note(null))
      const { position: first, entries, deaths, kills = 0 } = watch.#suspect
      parts.observe({ kind: 'validationEnded', position: first, entries, deaths, kills })
    }
    return watch
  }

  /** The quarantine decision about an entry; undefined if there is none. */
  decision(position: number): QuarantineDecision | undefined {
    return this.#decisions.get(position)
  }

  /** The leading entries that form the next step: a suspected or quarantined entry is a step of its own. */
  together(entries: readonly PlacedEntry[]): readonly PlacedEntry[] {
    const apart = entries.findIndex((entry) => this.#isSuspected(entry) || this.#decisions.has(entry.position))
    return apart < 0 ? entries : entries.slice(0, Math.max(1, apart))
  }

  /** The most rows of these entries to validate at once, from the first one on. */
  rowsAtOnce([first]: readonly PlacedEntry[]): number {
    return this.#isCareful(first!) ? carefulRows : Number.POSITIVE_INFINITY
  }

  /**
   * Call before rows of these entries are validated, from a position on. An entry that is due is quarantined first; `decision` then returns its
   * decision. `keptItems` returns the position before which the entry's items are already kept, so those rows must not be rejected.
   */
  async begin(
    entries: readonly PlacedEntry[],
    fromPosition: number,
    keptItems: (entry: PlacedEntry) => Promise<number>,
  ): Promise<void> {
    const [first] = entries
    if (this.#suspect?.isDue === true && this.#isSuspected(first!)) {
      await this.#quarantine(first!, this.#suspect, await keptItems(first!))
    }
    const { position } = first!
    const level = this.#decisions.get(position)?.level ?? 0
    const throughPosition = positionAfter(entries.at(-1)!)
    const isCareful = this.#isCareful(first!)
    this.#span = { position, fromPosition, throughPosition, entries: entries.length, level, isCareful }
    await this.#parts.notes.write(this.#note(this.#span))
  }

  /** Call when the rows before a position are validated and kept. */
  async end(position: number): Promise<void> {
    if (!isLeft(this.#suspect, position)) this.#suspect = null
    await this.#parts.notes.write(this.#note(null))
  }

  /** Call when a step failed. Errors caused by a disk, a database or a stop are not blamed on the entry. */
  async failed(error: unknown): Promise<void> {
    const died = isOfEntry(error) && this.#span !== null ? diedAt(this.#span) : null
    await this.#parts.notes.write(this.#note(died)).catch(() => undefined)
  }

  async #quarantine(entry: PlacedEntry, suspect: Suspect, keptItems: number): Promise<void> {
    const { quarantine, nowMs, observe, reach } = this.#parts
    const { body, idempotencyKey: _, format, ...header } = entry
    // A lost entry has no rows to validate.
    if (format === 'lost') return
    const level: QuarantineLevel = suspect.level === 0 ? 1 : 2
    const fromPosition = Math.max(suspect.fromPosition, entry.position, Math.min(keptItems, positionAfter(entry)))
    await quarantine.add({ ...header, format, fromPosition, level, quarantinedMs: nowMs() }, body)
    reach('quarantine-recorded')
    await this.#learn()
    this.#suspect = null
    const { position, ingestId, rows } = entry
    observe({ kind: 'entryQuarantined', position, ingestId, rows: position + rows - fromPosition, level })
  }

  async #learn(): Promise<void> {
    const known = await this.#parts.quarantine.list()
    this.#decisions = new Map(known.map((entry) => [entry.position, entry]))
  }

  #isSuspected(entry: PlacedEntry): boolean {
    const suspect = this.#suspect
    return suspect !== null && entry.position < suspect.throughPosition && positionAfter(entry) > suspect.position
  }

  /** Whether this entry is to be validated in the smallest pieces. */
  #isCareful(entry: PlacedEntry): boolean {
    const suspect = this.#suspect
    return suspect !== null && suspect.entries === 1 && this.#isSuspected(entry) && (suspect.kills ?? 0) >= carefulKills
  }

  #note(validating: ValidatedSpan | null): ValidationNote {
    return { validating, suspect: this.#suspect }
  }
}

function isLeft(span: ValidatedSpan | null, position: number): boolean {
  return span !== null && span.throughPosition > position
}

function suspectOf({ hasDied = false, ...validating }: ValidatedSpan, before: Suspect | null): Suspect {
  const isSame =
    before !== null && before.position <= validating.position && validating.throughPosition <= before.throughPosition
  const deaths = (isSame ? before.deaths : 0) + (hasDied ? 1 : 0)
  const kills = (isSame ? (before.kills ?? 0) : 0) + (hasDied ? 0 : 1)
  const isSamePiece = isSame && before.fromPosition === validating.fromPosition
  const hasEnoughDeaths = deaths >= deathsMax || (deaths > 1 && isSame && (before.entries > 1 || isSamePiece))
  const isSurelyKilledBy =
    kills >= killsMax && isSamePiece && validating.isCareful === true && before.isCareful === true
  const isDue = validating.entries === 1 && ((hasDied && hasEnoughDeaths) || isSurelyKilledBy)
  return { ...validating, deaths, kills, isDue }
}

function diedAt(span: ValidatedSpan): ValidatedSpan {
  return { ...span, hasDied: true }
}

/** Call when the validator has died and its process has not. Returns true if it was validating, in which case a restart may get past the entry. */
export async function noteDeath(notes: ValidationNotes): Promise<boolean> {
  const note = await notes.read()
  if (note === null || note.validating === null) return false
  await notes.write({ ...note, validating: diedAt(note.validating) })
  return true
}

/** The catalog lacks an ingest. This is not the entry's fault: another catalog is needed. */
export class UnknownIngest extends Error {
  constructor(id: number, fieldsVersion: number) {
    super(
      `the journal names ingest ${id}, version ${fieldsVersion}, which the catalog lacks: catalog.sqlite is an older copy, or its log (catalog.sqlite-wal) is gone. ` +
        'The pushes are still in the journal. Restore the catalog that belongs to it, with its log, or restore a backup ("tidemark restore").',
    )
  }
}

function isOfEntry(error: unknown): boolean {
  if (!(error instanceof Error) || error instanceof Problem || error instanceof UnknownIngest) return false
  if (error.name === 'AbortError' || error.name === 'TimeoutError' || error.name === 'PartitionTaken') return false
  // Errors with a code come from the system or a database, except those of Node.js about values, for example a string that is too long.
  return !('code' in error) || (String(error.code).startsWith('ERR_') && error.code !== 'ERR_SQLITE_ERROR')
}
