// Validates entries of the journal, for all callers. It is deterministic: an entry at its position always has the same outcome, except that rows of a
// dropped entity have none.
import type { DroppedCatalog, IngestCatalog, Outcome, ReplayOutcome } from '../catalog/catalog.ts'
import type { QuarantineDecision } from '../catalog/quarantine.ts'
import type { RejectedRow } from '../catalog/rejected.ts'
import { type PlacedEntry, positionAfter } from '../journal/journal.ts'
import type { Field } from '../model/field.ts'
import type { Ingest } from '../model/ingest.ts'
import type { ItemWrite } from '../model/item.ts'
import { keptRows, type RowBatch } from '../model/row-batch.ts'
import { type ActiveDeletions, deletedRows } from './deleted-rows.ts'
import type { OpenRules } from './open-fields.ts'
import { OpenIngests, type OpenPlace, type OpenPort } from './open-ingests.ts'
import { unvalidatedRows } from './quarantine/unvalidated-rows.ts'
import { UnknownIngest } from './quarantine/validation-watch.ts'
import { rejectedRow } from './rejected-row.ts'
import { decodeReplayedRows } from './replay/replayed-rows.ts'
import type { EntryToValidate } from './row-validator.ts'
import { firstRow, isSpent, type Reached, type RowOfEntry, rowCost, type StepBudget, unbounded } from './step-budget.ts'

export interface EntryValidatorParts {
  readonly ingests: Pick<IngestCatalog, 'findVersion'>
  readonly dropped: Pick<DroppedCatalog, 'list'>
  /** Validates rows of series ingests. */
  readonly validator: {
    validate(
      entries: readonly EntryToValidate[],
      ingest: Ingest,
      from: RowOfEntry,
      budget: StepBudget,
      rules?: OpenRules | null,
    ): { batch: RowBatch | null; rejected: readonly RejectedRow[]; reached: Reached; makes?: readonly Field[] }
  }
  /** Adds the fields that rows bring to open ingests. Without it unknown properties are faults. */
  readonly open?: OpenPort
  /** The deletions of entities, which also apply to replayed rows. */
  readonly standing?: ActiveDeletions
  /** Validates rows of metadata ingests. */
  readonly itemValidator: {
    validate(
      entries: readonly PlacedEntry[],
      ingest: Ingest,
      from: RowOfEntry,
      budget: StepBudget,
    ): { items: readonly ItemWrite[]; rejected: readonly RejectedRow[]; reached: Reached }
  }
}

type ValidatedEntries = Outcome & {
  readonly batch: RowBatch | null
  readonly reached: Reached
  readonly makes?: readonly Field[]
}

/** Consecutive rows of one entry; `position` is that of the first. */
export interface RowSpan {
  readonly position: number
  readonly rows: number
}

/** The outcome of a run of entries of one ingest, or of the rows of it that one step validates. */
export interface ValidatedRun extends Outcome {
  readonly ingestId: number
  /** Null if the entity was dropped. */
  readonly kind: Ingest['kind'] | null
  readonly batch: RowBatch | null
  /** The rows that were validated, by entry. */
  readonly spans: readonly RowSpan[]
  /** How many of them are rejected, including those already kept. */
  readonly rejectedRows: number
}

export interface ValidatedStep {
  /** In the order of their positions. */
  readonly runs: readonly ValidatedRun[]
  readonly reached: Reached
  /** Everything before it is validated. */
  readonly throughPosition: number
}

/** The outcome of validating rejected rows again. The catalog then returns in `stored` which rows of the batch to write. */
export interface ValidatedReplay {
  readonly outcome: ReplayOutcome
  readonly batch: RowBatch | null
  readonly rows: number
}

export class EntryValidator {
  readonly #parts: EntryValidatorParts
  readonly #ingests = new Map<string, Ingest>()
  readonly #open: OpenIngests | null
  /** Rows of these ingests are skipped: their entities were dropped. */
  #droppedIngests: ReadonlySet<number> = new Set()
  #droppedEntities: ReadonlySet<number> = new Set()

  constructor(parts: EntryValidatorParts) {
    this.#parts = parts
    this.#open = parts.open === undefined ? null : new OpenIngests(parts.open)
  }

  /** Refreshes which entities were dropped, as `isDropped` reports, and which fields other processes added. */
  async refresh(): Promise<void> {
    this.#open?.forget()
    const dropped = await this.#parts.dropped.list()
    this.#droppedEntities = new Set(dropped.map(({ entityId }) => entityId))
    this.#droppedIngests = new Set(dropped.flatMap(({ ingestIds }) => ingestIds))
  }

  isDropped(entityId: number): boolean {
    return this.#droppedEntities.has(entityId)
  }

  /** Whether an entry's rows become items, which are stored in the catalog. */
  async makesItems({ ingestId, fieldsVersion }: PlacedEntry): Promise<boolean> {
    return (await this.#version(ingestId, fieldsVersion))?.kind === 'metadata'
  }

  /** Whether newer rows of an entry's entity replace older ones. */
  async replaces({ ingestId, fieldsVersion }: PlacedEntry): Promise<boolean> {
    return (await this.#version(ingestId, fieldsVersion))?.duplicates === 'replace'
  }

  /** The entity of an entry's rows; null if it was dropped. */
  async entityOf({ ingestId, fieldsVersion }: PlacedEntry): Promise<number | null> {
    return (await this.#version(ingestId, fieldsVersion))?.entityId ?? null
  }

  /**
   * Validates pushes, not replays, from a row of the first entry until the budget is spent, and at least one row. Lost entries are skipped. An entry
   * with a quarantine decision must be passed alone, with the decision.
   */
  async validate(
    entries: readonly PlacedEntry[],
    from: RowOfEntry,
    budget: StepBudget,
    decision?: QuarantineDecision,
  ): Promise<ValidatedStep> {
    const runs: ValidatedRun[] = []
    let done = 0
    let place = from
    for (const all of runsOfOneDefinition(entries)) {
      const { ingestId, fieldsVersion, format } = all[0]!
      if (format === 'lost') {
        done += all.length
        continue
      }
      const position = all[0]!.position + place.index
      let ingest = await this.#ingest(ingestId, { fieldsVersion, position })
      // Repeats for each row that brings fields.
      for (let run = all; ; ) {
        const { reached, makes, ...validated } =
          decision === undefined || ingest === null
            ? this.#validate(run, ingest, place, budget)
            : this.#validateQuarantined(run, ingest, place, budget, decision)
        const [kind, rejectedRows] = [ingest?.kind ?? null, validated.rejected.length]
        const spans = spansOf(run, place, reached)
        if (spans.length > 0 || makes === undefined) runs.push({ ingestId, kind, rejectedRows, spans, ...validated })
        done += reached.entries
        place = reached.place
        run = run.slice(reached.entries)
        if (makes === undefined || ingest === null) break
        ingest = await this.#made(ingest, makes, { fieldsVersion, position: run[0]!.position + place.index })
        if (isSpent(budget)) break
      }
      if (entries.indexOf(all.at(-1)!) >= done || isSpent(budget)) break
    }
    const throughPosition =
      place.index > 0 || done === 0 ? entries[done]!.position + place.index : positionAfter(entries[done - 1]!)
    return { runs, reached: { entries: done, place }, throughPosition }
  }

  /**
   * Validates rejected rows again: each at its own position, so that a row is as old as its push, or, when replayed into another ingest, at a position
   * of the entry. A row that a deletion made since selects stays rejected. Null for a dropped entity.
   */
  async validateReplay({ body, ...entry }: PlacedEntry): Promise<ValidatedReplay | null> {
    const { ingestId, fieldsVersion, position, sourceIngestId } = entry
    const ingest = await this.#ingest(ingestId, { fieldsVersion, position })
    if (ingest === null) return null
    const replayed = decodeReplayedRows(body)
    const run = replayed.map(({ text, longs = [], ...row }, index): EntryToValidate => {
      const place = sourceIngestId === undefined ? row.position : position + index
      return { ...entry, format: 'ndjson', position: place, rows: 1, body: text, longs }
    })
    let validated = this.#validate(run, ingest, firstRow, unbounded())
    // Replays have few rows, so all are validated again whenever a row brings fields.
    for (let known: Ingest | null = ingest; validated.makes !== undefined && known !== null; ) {
      known = await this.#made(known, validated.makes, { fieldsVersion, position })
      validated = this.#validate(run, known, firstRow, unbounded())
    }
    const { items } = validated
    const originals = new Map(run.map((row, index) => [row.position, replayed[index]!.position]))
    const { batch, rejected } = this.#withoutDeleted(validated, run, position, originals)
    const failed = new Set(rejected.map((row) => row.position))
    const passed = replayed.flatMap((row, index) => (failed.has(run[index]!.position) ? [] : [row.position]))
    const common = { kind: ingest.kind, position, passed, items }
    const rows = replayed.length
    if (sourceIngestId === undefined) return { outcome: { ingestId, ...common, rejected }, batch, rows }
    const places = new Map(replayed.map((row, index) => [row.position, position + index]))
    const still = rejected.map((row) => ({
      ...row,
      ingestId: sourceIngestId,
      position: replayed[row.position - position]!.position,
      message: `${row.message} (for ${ingest.alias})`,
    }))
    const outcome = { ingestId: sourceIngestId, ...common, rejected: still, into: { ingestId, places } }
    return { outcome, batch, rows }
  }

  #withoutDeleted(
    { batch, rejected }: Pick<ValidatedEntries, 'batch' | 'rejected'>,
    run: readonly EntryToValidate[],
    replayPosition: number,
    originals: ReadonlyMap<number, number>,
  ): Pick<ValidatedEntries, 'batch' | 'rejected'> {
    const { standing } = this.#parts
    if (standing === undefined || batch === null) return { batch, rejected }
    const pushedAt = (row: number): number => originals.get(batch.positions[row]!)!
    const faults = deletedRows(batch, standing, replayPosition, pushedAt)
    if (faults.size === 0) return { batch, rejected }
    const byPosition = new Map([...faults].map(([row, fault]) => [batch.positions[row]!, fault]))
    const deleted = run.flatMap((entry) => {
      const fault = byPosition.get(entry.position)
      return fault === undefined ? [] : [rejectedRow(entry, 0, Buffer.from(entry.body).toString(), fault)]
    })
    const all = [...rejected, ...deleted].sort((one, other) => one.position - other.position)
    return { batch: keptRows(batch, new Set(batch.positions.filter((at) => !byPosition.has(at)))), rejected: all }
  }

  /** Validates the rows before the quarantined ones, or rejects the quarantined ones unvalidated. */
  #validateQuarantined(
    run: readonly PlacedEntry[],
    ingest: Ingest,
    from: RowOfEntry,
    budget: StepBudget,
    decision: QuarantineDecision,
  ): ValidatedEntries {
    const [entry] = run
    const rowsBefore = decision.fromPosition - entry!.position - from.index
    if (rowsBefore <= 0) return { batch: null, items: [], ...unvalidatedRows(entry!, from, decision, budget) }
    return this.#validate(run, ingest, from, { ...budget, rows: Math.min(budget.rows, rowsBefore * rowCost(ingest)) })
  }

  /** If the ingest is null, it was dropped: its rows count as validated, and nothing of them is kept. */
  #validate(
    run: readonly EntryToValidate[],
    ingest: Ingest | null,
    from: RowOfEntry,
    budget: StepBudget,
  ): ValidatedEntries {
    if (ingest === null) {
      return { batch: null, items: [], rejected: [], reached: { entries: run.length, place: firstRow } }
    }
    if (ingest.kind === 'metadata') {
      return { batch: null, ...this.#parts.itemValidator.validate(run, ingest, from, budget) }
    }
    return { items: [], ...this.#parts.validator.validate(run, ingest, from, budget, this.#open?.rules(ingest)) }
  }

  /** Adds the fields that the row at a place brings, and returns the ingest with that row's fields; null if its entity was dropped meanwhile. */
  async #made({ id }: Ingest, fields: readonly Field[], place: OpenPlace): Promise<Ingest | null> {
    const made = this.#open === null ? null : await this.#open.make(id, fields, place)
    if (made === null) await this.refresh()
    return made
  }

  /** Null if the ingest's entity was dropped. */
  async #ingest(id: number, place: OpenPlace): Promise<Ingest | null> {
    const ingest = await this.#version(id, place.fieldsVersion)
    return ingest?.unknown === 'add' && this.#open !== null ? this.#open.at(id, place) : ingest
  }

  async #version(id: number, fieldsVersion: number): Promise<Ingest | null> {
    if (this.#droppedIngests.has(id)) return null
    const key = `${id} ${fieldsVersion}`
    const known = this.#ingests.get(key)
    if (known !== undefined) return known
    const ingest = await this.#parts.ingests.findVersion(id, fieldsVersion)
    if (ingest === null) {
      // It may just have been dropped.
      await this.refresh()
      if (this.#droppedIngests.has(id)) return null
      throw new UnknownIngest(id, fieldsVersion)
    }
    this.#ingests.set(key, ingest)
    return ingest
  }
}

/**
 * The pushes of one step: as many as fit into the budget, and at least one, so that only a push larger than a step is cut. Stops before a replay,
 * which is a step of its own: it needs the outcomes of earlier rows to be kept.
 */
export function pushesOfStep(entries: readonly PlacedEntry[], budget: StepBudget): readonly PlacedEntry[] {
  let { rows, bytes } = budget
  const end = entries.findIndex((entry, index) => {
    rows -= entry.rows
    bytes -= entry.body.length
    return entry.format === 'replay' || (index > 0 && (rows < 0 || bytes < 0))
  })
  return end < 0 ? entries : entries.slice(0, end)
}

export function rowsOf(spans: readonly RowSpan[]): number {
  return spans.reduce((sum, { rows }) => sum + rows, 0)
}

/** Rows of the spans at or after this position. */
export function rowsFrom(spans: readonly RowSpan[], fromPosition: number): number {
  return spans.reduce((sum, { position, rows }) => {
    return sum + Math.max(0, Math.min(rows, position + rows - fromPosition))
  }, 0)
}

function spansOf(run: readonly PlacedEntry[], from: RowOfEntry, { entries, place }: Reached): readonly RowSpan[] {
  const spans: RowSpan[] = []
  for (const [index, { position, rows }] of run.slice(0, entries + 1).entries()) {
    const first = index === 0 ? from.index : 0
    const end = index < entries ? rows : place.index
    if (end > first) spans.push({ position: position + first, rows: end - first })
  }
  return spans
}

/** Groups adjacent entries with the same definition: one batch of columns for many small pushes. */
function runsOfOneDefinition(entries: readonly PlacedEntry[]): readonly (readonly PlacedEntry[])[] {
  const runs: PlacedEntry[][] = []
  for (const entry of entries) {
    const first = runs.at(-1)?.[0]
    if (first !== undefined && first.ingestId === entry.ingestId && first.fieldsVersion === entry.fieldsVersion) {
      runs.at(-1)!.push(entry)
    } else {
      runs.push([entry])
    }
  }
  return runs
}
