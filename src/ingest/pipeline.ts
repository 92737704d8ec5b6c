// The pipeline turns journal entries into stored rows, items of metadata and rejected rows. It is deterministic: an entry at its position always comes to the same
// outcome, so after a crash it begins again at the store's position and changes nothing that was there.
import type { Outcome, OutcomeCatalog, RejectedRow } from '../catalog/catalog.ts'
import { type JournalReader, type PlacedEntry, positionAfter } from '../journal/journal.ts'
import type { ItemWrite } from '../model/item.ts'
import { keptRows, type RowBatch } from '../model/row-batch.ts'
import type { Observe } from '../observe/event.ts'
import type { Reach } from '../observe/step.ts'
import type { SeriesWriter } from '../store/series-store.ts'
import { EntryJudge, type EntryJudgeParts, pushesOfStep, rowsFrom, rowsOf } from './entry-judge.ts'
import { skipRows } from './scan/body-rows.ts'
import { firstRow, newBudget, type Reached } from './step-budget.ts'
import { asTold } from './told-outcomes.ts'

/** What became of the rows of one ingest. A replay judges no new rows, and takes some back from the rejected ones. */
export interface Tally {
  readonly ingestId: number
  rows: number
  rejected: number
}

export interface PipelineParts extends EntryJudgeParts {
  readonly journal: Pick<JournalReader, 'read'>
  readonly outcomes: OutcomeCatalog
  readonly store: SeriesWriter
  readonly observe: Observe
  readonly reach: Reach
  /** About how many bytes of bodies one step judges: it holds up queries that long. */
  readonly stepBytes: number
  /** The most rows that one step judges. */
  readonly stepRows: number
  /** Rows before this position were counted when they were judged before; 0 when it is left out. */
  readonly countedPosition?: number
}

export class Pipeline {
  readonly #parts: PipelineParts
  readonly #judge: EntryJudge
  /** Items and rejected rows before this position are kept already. */
  #keptPosition: number
  #position: number
  /** Read, and not judged to their ends: they are good until the next is read. */
  #entries: readonly PlacedEntry[] = []
  /** The row of the first of them that is next. */
  #place = firstRow
  #judgedBytes = 0

  private constructor(parts: PipelineParts, keptPosition: number) {
    this.#parts = parts
    this.#judge = new EntryJudge(parts)
    this.#keptPosition = keptPosition
    this.#position = parts.store.position
  }

  static async open(parts: PipelineParts): Promise<Pipeline> {
    const pipeline = new Pipeline(parts, await parts.outcomes.judgedPosition())
    await pipeline.refresh()
    return pipeline
  }

  /** Rows before this position are judged. */
  get position(): number {
    return this.#position
  }

  /** Bytes of the bodies that it has judged, whatever was in them. */
  get judgedBytes(): number {
    return this.#judgedBytes
  }

  /** Learns which entities were dropped. From then on nothing of them is written to the store, also by a step that is being made. */
  async refresh(): Promise<void> {
    await this.#judge.refresh()
  }

  /**
   * Judges the next rows before `untilPosition`, one bounded step, and says what became of them; empty when there was none. A step may end
   * within an entry, and the position then lies within it.
   */
  async advance(untilPosition: number): Promise<readonly Tally[]> {
    const { journal, stepBytes } = this.#parts
    if (this.#entries.length === 0) this.#entries = await journal.read(this.#position, untilPosition, stepBytes)
    const [first] = this.#entries
    if (first === undefined) return []
    const tallies = new Map<number, Tally>()
    if (first.position + this.#place.index < this.#position) this.#skip(first)
    else if (first.format === 'replay') {
      await this.#replay(first, tallies)
      this.#moveTo({ entries: 1, place: firstRow }, positionAfter(first))
    } else await this.#apply(tallies)
    return [...tallies.values()]
  }

  /** Towards the position, where that lies within the entry: rows before it are judged, and sealed. */
  #skip(entry: PlacedEntry): void {
    const { stepBytes } = this.#parts
    this.#place = skipRows(entry, this.#place, this.#position - entry.position, skippedSteps * stepBytes)
  }

  async #apply(tallies: Map<number, Tally>): Promise<void> {
    const startedMs = performance.now()
    const { stepRows, stepBytes } = this.#parts
    const budget = newBudget(stepRows, cutSteps * stepBytes)
    const entries = pushesOfStep(this.#entries, budget)
    const batches: RowBatch[] = []
    const outcome = { items: [] as ItemWrite[], rejected: [] as RejectedRow[] }
    const step = await this.#judge.judge(entries, this.#place, budget)
    const runs = await asTold(step.runs, this.#keptPosition, this.#parts.outcomes)
    for (const { ingestId, spans, batch, items, rejected, rejectedRows } of runs) {
      if (batch !== null) batches.push(batch)
      for (const item of items) outcome.items.push(item)
      for (const row of rejected) outcome.rejected.push(row)
      count(tallies, ingestId, rowsOf(spans), rejectedRows)
    }
    await this.#keep(outcome, step.throughPosition)
    for (const batch of batches) this.#write(batch)
    this.#moveTo(step.reached, step.throughPosition)
    const ms = performance.now() - startedMs
    const { observe, countedPosition = 0 } = this.#parts
    const rows = step.runs.reduce((sum, { spans }) => sum + rowsFrom(spans, countedPosition), 0)
    const all = step.runs.reduce((sum, { spans }) => sum + rowsOf(spans), 0)
    observe({ kind: 'rowsJudged', rows, rejected: outcome.rejected.length, again: all - rows, ms })
  }

  #moveTo({ entries, place }: Reached, position: number): void {
    for (const { body } of this.#entries.slice(0, entries)) this.#judgedBytes += body.length
    this.#judgedBytes += place.at - this.#place.at
    this.#entries = this.#entries.slice(entries)
    this.#place = place
    this.#position = position
  }

  async #replay(entry: PlacedEntry, tallies: Map<number, Tally>): Promise<void> {
    const judged = await this.#judge.judgeReplay(entry)
    if (judged === null) return
    const { outcomes, observe, reach } = this.#parts
    const { outcome, batch, rows } = judged
    const { stored, taken } = await outcomes.replay(outcome)
    reach('replay-taken')
    if (batch !== null) this.#write(keptRows(batch, new Set(stored)))
    count(tallies, outcome.ingestId, 0, -stored.length)
    observe({ kind: 'rowsReplayed', ingestId: outcome.ingestId, rows, stored: taken })
  }

  #write(batch: RowBatch): void {
    if (batch.rows > 0 && !this.#judge.isDropped(batch.entityId)) this.#parts.store.write(batch)
  }

  /** Rejected rows are kept before their batch's good rows show, so that a receipt never counts a row as stored that was not. */
  async #keep(outcome: Outcome, throughPosition: number): Promise<void> {
    if (outcome.rejected.length === 0 && outcome.items.length === 0) return
    await this.#parts.outcomes.add(outcome, throughPosition)
    this.#keptPosition = Math.max(this.#keptPosition, throughPosition)
  }
}

/** A push that is some times as large as a step is judged in one all the same: its rows show together. */
const cutSteps = 4
/** Rows are passed over that many times as fast as they are judged. */
const skippedSteps = 8

/** Adds to what became of an ingest's rows. */
function count(tallies: Map<number, Tally>, ingestId: number, rows: number, rejected: number): void {
  const tally = tallies.get(ingestId) ?? { ingestId, rows: 0, rejected: 0 }
  tallies.set(ingestId, tally)
  tally.rows += rows
  tally.rejected += rejected
}
