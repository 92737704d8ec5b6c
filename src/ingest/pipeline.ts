// The pipeline turns journal entries into stored rows, metadata items and rejected rows. It is deterministic: an entry at its position always has the
// same outcome. After a crash it therefore restarts at the store's position without changing what was stored.
import type { Outcome, OutcomeCatalog } from '../catalog/catalog.ts'
import type { QuarantineDecision } from '../catalog/quarantine.ts'
import type { RejectedRow } from '../catalog/rejected.ts'
import { type JournalCursor, type PlacedEntry, positionAfter } from '../journal/journal.ts'
import type { ItemWrite } from '../model/item.ts'
import { keptRows, type RowBatch } from '../model/row-batch.ts'
import type { SeriesWriter } from '../store/series-store.ts'
import { EntryValidator, type EntryValidatorParts, pushesOfStep, rowsFrom, rowsOf } from './entry-validator.ts'
import { ValidationWatch, type ValidationWatchParts } from './quarantine/validation-watch.ts'
import { ReplacedRows } from './replaced-rows.ts'
import { asReported } from './reported-outcomes.ts'
import { skipRows } from './scan/row-cursor.ts'
import { firstRow, newBudget, type Reached, type StepBudget } from './step-budget.ts'
import { validatedByIngest } from './validated-by-ingest.ts'

/** Row counts of one ingest. A replay validates no new rows, and subtracts from the rejected ones. */
export interface Tally {
  readonly ingestId: number
  rows: number
  rejected: number
}

export interface PipelineParts extends EntryValidatorParts, ValidationWatchParts {
  readonly journal: Pick<JournalCursor, 'read'>
  readonly outcomes: Omit<OutcomeCatalog, 'storedBy'>
  readonly store: SeriesWriter
  /** About how many bytes of bodies a step validates; queries wait for the duration of a step. */
  readonly stepBytes: number
  /** The most rows that one step validates. */
  readonly stepRows: number
  /** Rows before this position were counted when they were validated before. Default 0. */
  readonly countedPosition?: number
}

export class Pipeline {
  readonly #parts: PipelineParts
  readonly #validator: EntryValidator
  readonly #watch: ValidationWatch
  readonly #replaced = new ReplacedRows()
  /** Items and rejected rows before this position are already kept. */
  #keptPosition: number
  #position: number
  /** Entries read and not fully validated; valid until the next read. */
  #entries: readonly PlacedEntry[] = []
  /** The next row of the first entry. */
  #place = firstRow
  #validatedBytes = 0
  /** End of the replay that is being validated. */
  #replayEnd = 0

  private constructor(parts: PipelineParts, keptPosition: number, watch: ValidationWatch) {
    this.#parts = parts
    this.#watch = watch
    this.#validator = new EntryValidator(parts)
    this.#keptPosition = keptPosition
    this.#position = parts.store.position
  }

  static async open(parts: PipelineParts): Promise<Pipeline> {
    const watch = await ValidationWatch.open(parts, parts.store.position)
    const pipeline = new Pipeline(parts, await parts.outcomes.validatedPosition(), watch)
    await pipeline.refresh()
    return pipeline
  }

  /** Rows before this position are validated. */
  get position(): number {
    return this.#position
  }

  /** The pipeline's position, or the end of the replay being validated: rows that a replay stores were pushed before it. */
  get stepPosition(): number {
    return Math.max(this.#position, this.#replayEnd)
  }

  /** Bytes of the bodies validated so far, good or bad. */
  get validatedBytes(): number {
    return this.#validatedBytes
  }

  /** The quarantine decision about an entry; undefined if there is none. */
  decision(position: number): QuarantineDecision | undefined {
    return this.#watch.decision(position)
  }

  /** Refreshes which entities were dropped. From then on none of their rows is written to the store, not even by a step in progress. */
  async refresh(): Promise<void> {
    await this.#validator.refresh()
  }

  /**
   * Validates the next rows before `untilPosition`, if any, in one bounded step. A step may end within an entry; the position is then within it. The
   * outcome is reported in the turn of the event loop in which the rows become visible, so no visible row is uncounted.
   */
  async advance(untilPosition: number, stepped: (tallies: readonly Tally[]) => void): Promise<void> {
    const { journal, stepBytes } = this.#parts
    if (this.#entries.length === 0) this.#entries = await journal.read(this.#position, untilPosition, stepBytes)
    const [first] = this.#entries
    if (first === undefined) return
    if (first.position + this.#place.index < this.#position) await this.#skip(first, stepped)
    else await this.#step(stepped)
  }

  async #step(stepped: (tallies: readonly Tally[]) => void): Promise<void> {
    const { stepRows, stepBytes } = this.#parts
    const watch = this.#watch
    const budget = newBudget(Math.min(stepRows, watch.rowsAtOnce(this.#entries)), cutSteps * stepBytes)
    const [first] = this.#entries
    const isReplay = first!.format === 'replay'
    const entries = isReplay ? [first!] : watch.together(pushesOfStep(this.#entries, budget))
    await watch.begin(entries, this.#position, async (entry) =>
      (await this.#validator.makesItems(entry)) ? this.#keptPosition : entry.position,
    )
    const tallies = new Map<number, Tally>()
    try {
      if (isReplay) await this.#replay(first!, tallies)
      else await this.#apply(entries, budget, tallies)
    } catch (error) {
      await watch.failed(error)
      throw error
    }
    stepped([...tallies.values()])
    await watch.end(this.#position)
  }

  /** Advances towards the position within the entry: rows before it are validated and sealed. */
  async #skip(entry: PlacedEntry, stepped: (tallies: readonly Tally[]) => void): Promise<void> {
    const { stepBytes } = this.#parts
    const index = this.#position - entry.position
    const decision = this.#watch.decision(entry.position)
    // The rows after it are not read.
    if (decision?.level === 2 && decision.fromPosition <= this.#position) this.#place = { index, at: 0 }
    else if (decision === undefined && (await this.#validator.replaces(entry)))
      await this.#countAgain(entry, index, stepped)
    else this.#place = skipRows(entry, this.#place, index, skippedSteps * stepBytes)
  }

  /** Validates rows again for the counts of replaced rows: later rows may replace these. */
  async #countAgain(
    entry: PlacedEntry,
    untilIndex: number,
    stepped: (tallies: readonly Tally[]) => void,
  ): Promise<void> {
    const { stepRows, stepBytes, outcomes } = this.#parts
    const budget = newBudget(Math.min(stepRows, untilIndex - this.#place.index), cutSteps * stepBytes)
    const { runs, reached } = await this.#validator.validate([entry], this.#place, budget)
    this.#replaced.count([entry], await asReported(runs, this.#keptPosition, outcomes))
    this.#place = reached.place
    stepped([])
  }

  async #apply(entries: readonly PlacedEntry[], budget: StepBudget, tallies: Map<number, Tally>): Promise<void> {
    const startedMs = performance.now()
    const batches: RowBatch[] = []
    const outcome = { items: [] as ItemWrite[], rejected: [] as RejectedRow[] }
    const decision = this.#watch.decision(entries[0]!.position)
    const step = await this.#validator.validate(entries, this.#place, budget, decision)
    const runs = await asReported(step.runs, this.#keptPosition, this.#parts.outcomes)
    for (const { ingestId, spans, batch, items, rejected, rejectedRows } of runs) {
      if (batch !== null) batches.push(batch)
      for (const item of items) outcome.items.push(item)
      for (const row of rejected) outcome.rejected.push(row)
      count(tallies, ingestId, rowsOf(spans), rejectedRows)
    }
    await this.#keep({ ...outcome, replaced: this.#replaced.count(entries, runs) }, step.throughPosition)
    for (const batch of batches) this.#write(batch)
    this.#moveTo(step.reached, step.throughPosition)
    const ms = performance.now() - startedMs
    const { observe, countedPosition = 0 } = this.#parts
    const rows = step.runs.reduce((sum, { spans }) => sum + rowsFrom(spans, countedPosition), 0)
    const all = step.runs.reduce((sum, { spans }) => sum + rowsOf(spans), 0)
    const ingests = validatedByIngest(runs, countedPosition)
    observe({ kind: 'rowsValidated', rows, rejected: outcome.rejected.length, again: all - rows, ingests, ms })
  }

  #moveTo({ entries, place }: Reached, position: number): void {
    for (const { body } of this.#entries.slice(0, entries)) this.#validatedBytes += body.length
    this.#validatedBytes += place.at - this.#place.at
    this.#entries = this.#entries.slice(entries)
    this.#place = place
    this.#position = position
    this.#replaced.kept(position)
  }

  async #replay(entry: PlacedEntry, tallies: Map<number, Tally>): Promise<void> {
    const whole = { entries: 1, place: firstRow }
    this.#replayEnd = positionAfter(entry)
    // The rows of a quarantined replay stay rejected.
    const isQuarantined = this.#watch.decision(entry.position) !== undefined
    const validated = isQuarantined ? null : await this.#validator.validateReplay(entry)
    if (validated === null) return this.#moveTo(whole, positionAfter(entry))
    const { outcomes, observe, reach } = this.#parts
    const { outcome, batch, rows } = validated
    const { stored, taken } = await outcomes.replay(outcome)
    reach('replay-taken')
    if (batch !== null) this.#write(keptRows(batch, new Set(stored)))
    this.#moveTo(whole, positionAfter(entry))
    count(tallies, outcome.ingestId, 0, -stored.length)
    observe({ kind: 'rowsReplayed', ingestId: outcome.ingestId, rows, stored: taken })
  }

  #write(batch: RowBatch): void {
    if (batch.rows > 0 && !this.#validator.isDropped(batch.entityId)) this.#parts.store.write(batch)
  }

  /** Outcomes are kept before the batch's good rows become visible, so that a receipt never counts a row as stored that was not. */
  async #keep(outcome: Outcome, throughPosition: number): Promise<void> {
    if ([outcome.rejected, outcome.items, outcome.replaced ?? []].every(({ length }) => length === 0)) return
    await this.#parts.outcomes.add(outcome, throughPosition)
    this.#keptPosition = Math.max(this.#keptPosition, throughPosition)
  }
}

/** A push of up to this many times a step's size is still validated in one step, so that its rows become visible together. */
const cutSteps = 4
/** Rows are skipped this many times as fast as they are validated. */
const skippedSteps = 8

function count(tallies: Map<number, Tally>, ingestId: number, rows: number, rejected: number): void {
  const tally = tallies.get(ingestId) ?? { ingestId, rows: 0, rejected: 0 }
  tallies.set(ingestId, tally)
  tally.rows += rows
  tally.rejected += rejected
}
