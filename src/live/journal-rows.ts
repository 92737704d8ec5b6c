// Stored rows in the order in which they became queryable: the journal, validated again. Validation is deterministic, so a reader that resumes from a
// position receives the same rows as one that stayed, regardless of restarts, sealing and merges in between.
import type { OutcomeCatalog } from '../catalog/catalog.ts'
import type { QuarantineDecision } from '../catalog/quarantine.ts'
import { EntryValidator, type EntryValidatorParts } from '../ingest/entry-validator.ts'
import { firstRow, isSpent, newBudget, type RowOfEntry, type StepBudget } from '../ingest/step-budget.ts'
import { type JournalCursor, type PlacedEntry, positionAfter } from '../journal/journal.ts'
import type { RowBatch } from '../model/row-batch.ts'

export interface JournalRowsParts extends EntryValidatorParts {
  readonly journal: JournalCursor
  readonly outcomes: Pick<OutcomeCatalog, 'rejectedIn' | 'storedBy'>
  /** The decision about an entry in quarantine; undefined for others. */
  readonly decision: (position: number) => QuarantineDecision | undefined
}

/** Rows that were stored together. */
export interface StoredRows {
  readonly batch: RowBatch
  /** The position of all rows of the batch, if a replay stored them. Null for pushed rows, which have their own positions. */
  readonly replayPosition: number | null
  /** Positions of rows of the batch that are not sent: they were rejected, or deleted since. */
  readonly hidden: ReadonlySet<number>
}

export interface StoredPart {
  readonly rows: readonly StoredRows[]
  /** All rows of the entities before this position have been read. */
  readonly throughPosition: number
}

/** Limits of one part; validating it blocks the thread for a few milliseconds. */
const partRows = 8192
const partBytes = 512 * 1024

/** Callers read only up to positions before which all rows are validated. */
export class JournalRows {
  readonly #parts: JournalRowsParts
  readonly #validator: EntryValidator
  /** Entries read from the journal and not fully validated yet. */
  #entries: readonly PlacedEntry[] = []
  #place: RowOfEntry = firstRow
  #position = -1

  constructor(parts: JournalRowsParts) {
    this.#parts = parts
    this.#validator = new EntryValidator(parts)
  }

  /** Refreshes which entities were dropped. */
  refresh(): Promise<void> {
    return this.#validator.refresh()
  }

  close(): Promise<void> {
    return this.#parts.journal.close()
  }

  /** Reads a bounded part of the entities' stored rows, from a position on and before `untilPosition`. Throws NotInJournal if they are gone. */
  async read(fromPosition: number, untilPosition: number, entityIds: ReadonlySet<number>): Promise<StoredPart> {
    try {
      if (this.#position !== fromPosition || this.#entries.length === 0) await this.#load(fromPosition, untilPosition)
      const rows: StoredRows[] = []
      const budget = newBudget(partRows, partBytes)
      const isWanted = (): boolean => this.#position <= fromPosition || !isSpent(budget)
      while (this.#entries.length > 0 && this.#position < untilPosition && isWanted()) {
        const wanted = await this.#wanted(entityIds, untilPosition)
        if (wanted.length === 0) this.#passOver(untilPosition)
        else if (wanted[0]!.format === 'replay') await this.#replay(wanted[0]!, rows)
        else await this.#validate(wanted, this.#within(wanted[0]!, untilPosition, budget), rows)
      }
      return { rows, throughPosition: this.#position }
    } catch (error) {
      this.#position = -1
      throw error
    }
  }

  async #load(fromPosition: number, untilPosition: number): Promise<void> {
    this.#entries = await this.#parts.journal.read(fromPosition, untilPosition, partBytes)
    this.#place = firstRow
    // The first entry is whole, so it may begin before the position.
    this.#position = this.#entries[0]?.position ?? fromPosition
  }

  /** If `untilPosition` is inside the entry, the budget excludes the entry's rows from there on; the next call reads them. */
  #within(entry: PlacedEntry, untilPosition: number, budget: StepBudget): StepBudget {
    const fresh = isSpent(budget) ? newBudget(partRows, partBytes) : budget
    const isCut = positionAfter(entry) > untilPosition
    return isCut ? newBudget(Math.min(partRows, untilPosition - this.#position), partBytes) : fresh
  }

  #passOver(untilPosition: number): void {
    const [entry] = this.#entries
    if (positionAfter(entry!) <= untilPosition) this.#moveTo(1, firstRow)
    else this.#position = untilPosition
  }

  /** Entries from the first on that are validated together; none if the first is not of these entities. */
  async #wanted(entityIds: ReadonlySet<number>, untilPosition: number): Promise<readonly PlacedEntry[]> {
    const { decision } = this.#parts
    const wanted: PlacedEntry[] = []
    for (const entry of this.#entries) {
      const isAlone =
        entry.format === 'replay' || decision(entry.position) !== undefined || positionAfter(entry) > untilPosition
      if (entry.format === 'lost' || (isAlone && wanted.length > 0)) break
      const entityId = await this.#validator.entityOf(entry)
      if (entityId === null || !entityIds.has(entityId)) break
      wanted.push(entry)
      if (isAlone) break
    }
    return wanted
  }

  async #validate(
    entries: readonly PlacedEntry[],
    budget: ReturnType<typeof newBudget>,
    rows: StoredRows[],
  ): Promise<void> {
    const { decision, outcomes } = this.#parts
    const { runs, reached } = await this.#validator.validate(
      entries,
      this.#place,
      budget,
      decision(entries[0]!.position),
    )
    for (const { ingestId, batch } of runs) {
      if (batch === null || batch.rows === 0) continue
      const [first, last] = [batch.positions[0]!, batch.positions[batch.rows - 1]!]
      // Reported outcomes stay valid, even if a limit was changed since.
      const rejected = new Set(await outcomes.rejectedIn(ingestId, first, last + 1))
      rows.push({ batch, replayPosition: null, hidden: rejected })
    }
    this.#moveTo(reached.entries, reached.place)
  }

  async #replay(entry: PlacedEntry, rows: StoredRows[]): Promise<void> {
    const isQuarantined = this.#parts.decision(entry.position) !== undefined
    const validated = isQuarantined ? null : await this.#validator.validateReplay(entry)
    if (validated?.batch != null) {
      const { batch, outcome } = validated
      // Rows that this replay did not store might pass now. Another replay has stored them, or none.
      const isStored = new Set(await this.#parts.outcomes.storedBy(outcome))
      const rejected = new Set(batch.positions.filter((position) => !isStored.has(position)))
      rows.push({ batch, replayPosition: outcome.into === undefined ? entry.position : null, hidden: rejected })
    }
    this.#moveTo(1, firstRow)
  }

  #moveTo(entries: number, place: RowOfEntry): void {
    const last = this.#entries[entries - 1]
    this.#entries = this.#entries.slice(entries)
    this.#place = place
    const [next] = this.#entries
    if (next !== undefined) this.#position = next.position + place.index
    else if (last !== undefined) this.#position = positionAfter(last)
  }
}
