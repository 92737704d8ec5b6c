// Finds the entry that ends the validator, and has it quarantined. After a first death the entries of that step are validated one at a time. The entry that is
// being validated at the second is quarantined: the catalog says so before anything of it is passed over. Anything may kill a process, so that counts as such
// a death only when it comes again and again, at last at one small piece of one entry.
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
 * An entry that was being validated at this many deaths is quarantined, wherever in it they came: the memory that its rows take together may
 * be the cause.
 */
const deathsMax = 5
/** After so many kills of the process in the midst of an entry, it is validated in the smallest pieces. */
const carefulKills = 3
/** After so many, the last two of them at one of these pieces, it is quarantined. */
const killsMax = 6
/** The smallest piece of a push. */
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

  /** Rows before `position` are validated, whatever a note says of them. */
  static async open(parts: ValidationWatchParts, position: number): Promise<ValidationWatch> {
    const watch = new ValidationWatch(parts)
    await watch.#learn()
    const { validating, suspect } = (await parts.notes.read()) ?? emptyNote
    watch.#suspect = isLeft(suspect, position) ? suspect : null
    if (validating !== null && isLeft(validating, position)) {
      watch.#suspect = suspectOf(validating, watch.#suspect)
      // Before anything else is noted, so that this death is counted once.
      await parts.notes.write(watch.#note(null))
      const { position: first, entries, deaths, kills = 0 } = watch.#suspect
      parts.observe({ kind: 'validationEnded', position: first, entries, deaths, kills })
    }
    return watch
  }

  /** What was decided of an entry; undefined of any other. */
  decision(position: number): QuarantineDecision | undefined {
    return this.#decisions.get(position)
  }

  /** Of these, the entries that go into the next step: one that is suspected, or was quarantined, goes alone. */
  together(entries: readonly PlacedEntry[]): readonly PlacedEntry[] {
    const apart = entries.findIndex((entry) => this.#isSuspected(entry) || this.#decisions.has(entry.position))
    return apart < 0 ? entries : entries.slice(0, Math.max(1, apart))
  }

  /** The most rows of these entries that are validated at once, from the first one on. */
  rowsAtOnce([first]: readonly PlacedEntry[]): number {
    return this.#isCareful(first!) ? carefulRows : Number.POSITIVE_INFINITY
  }

  /**
   * To be called before rows of these entries are validated, from a position on. An entry that is due is quarantined first, and then `decision`
   * says so; `keptItems` is where the rows of it end whose items are kept: none of these may be rejected any more.
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

  /** The rows before a position are validated and kept. */
  async end(position: number): Promise<void> {
    if (!isLeft(this.#suspect, position)) this.#suspect = null
    await this.#parts.notes.write(this.#note(null))
  }

  /** The step failed. What a disk, a database or a stop is the reason of is not the entry's fault. */
  async failed(error: unknown): Promise<void> {
    const died = isOfEntry(error) && this.#span !== null ? diedAt(this.#span) : null
    await this.#parts.notes.write(this.#note(died)).catch(() => undefined)
  }

  async #quarantine(entry: PlacedEntry, suspect: Suspect, keptItems: number): Promise<void> {
    const { quarantine, nowMs, observe, reach } = this.#parts
    const { body, idempotencyKey: _, format, ...header } = entry
    // What was lost has no rows to be validated.
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

  /** Whether one piece of this entry is to be told from the next. */
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

/** To be called when the validator has ended and its process has not. True when it was validating: another life may come past what ended this one. */
export async function noteDeath(notes: ValidationNotes): Promise<boolean> {
  const note = await notes.read()
  if (note === null || note.validating === null) return false
  await notes.write({ ...note, validating: diedAt(note.validating) })
  return true
}

/** An ingest that the catalog lacks is no fault of the entry: another catalog is needed. */
export class UnknownIngest extends Error {
  constructor(id: number, fieldsVersion: number) {
    super(
      `the journal names ingest ${id}, version ${fieldsVersion}, which the catalog lacks: catalog.sqlite is an older copy, or its log (catalog.sqlite-wal) is gone. ` +
        'The pushes are still in the journal. Put back the catalog that belongs to it, with its log, or restore a backup ("tidemark restore").',
    )
  }
}

function isOfEntry(error: unknown): boolean {
  if (!(error instanceof Error) || error instanceof Problem || error instanceof UnknownIngest) return false
  if (error.name === 'AbortError' || error.name === 'TimeoutError' || error.name === 'PartitionTaken') return false
  // What the system or a database names with a code is theirs, but for what Node.js says of values, a text that is too long, say.
  return !('code' in error) || (String(error.code).startsWith('ERR_') && error.code !== 'ERR_SQLITE_ERROR')
}
