// The pipeline turns journal entries into stored rows, items of metadata and rejected rows. It is deterministic: an entry at its position always comes to the same
// outcome, so after a crash it begins again at the store's position and changes nothing that was there.
import type { Outcome, OutcomeCatalog, RejectedRow } from '../catalog/catalog.ts'
import { type JournalReader, type PlacedEntry, positionAfter } from '../journal/journal.ts'
import type { ItemWrite } from '../model/item.ts'
import { keptRows, type RowBatch } from '../model/row-batch.ts'
import type { Observe } from '../observe/event.ts'
import type { Reach } from '../observe/step.ts'
import type { SeriesWriter } from '../store/series-store.ts'
import { EntryJudge, type EntryJudgeParts, partedByReplays } from './entry-judge.ts'

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
}

export class Pipeline {
  readonly #parts: PipelineParts
  readonly #judge: EntryJudge
  /** Items and rejected rows before this position are kept already. */
  #keptPosition: number
  #position: number
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

  /** Judges the next entries before `untilPosition`, one bounded step, and says what became of them; empty when there was none. */
  async advance(untilPosition: number): Promise<readonly Tally[]> {
    const { journal, stepBytes } = this.#parts
    const entries = await journal.read(this.#position, untilPosition, stepBytes)
    if (entries.length === 0) return []
    const tallies = new Map<number, Tally>()
    for (const part of partedByReplays(entries)) {
      if (part[0]!.format === 'replay') await this.#replay(part[0]!, tallies)
      else await this.#apply(part, tallies)
    }
    this.#position = positionAfter(entries.at(-1)!)
    for (const { body } of entries) this.#judgedBytes += body.length
    return [...tallies.values()]
  }

  async #apply(entries: readonly PlacedEntry[], tallies: Map<number, Tally>): Promise<void> {
    const startedMs = performance.now()
    const batches: RowBatch[] = []
    const outcome = { items: [] as ItemWrite[], rejected: [] as RejectedRow[] }
    const runs = await this.#judge.judge(entries)
    for (const { ingestId, rows, batch, items, rejected } of runs) {
      if (batch !== null) batches.push(batch)
      for (const item of items) outcome.items.push(item)
      for (const row of rejected) outcome.rejected.push(row)
      count(tallies, ingestId, rows, rejected.length)
    }
    await this.#keep(outcome, positionAfter(entries.at(-1)!))
    for (const batch of batches) this.#write(batch)
    const ms = performance.now() - startedMs
    const rows = runs.reduce((sum, run) => sum + run.rows, 0)
    this.#parts.observe({ kind: 'rowsJudged', rows, rejected: outcome.rejected.length, ms })
  }

  async #replay(entry: PlacedEntry, tallies: Map<number, Tally>): Promise<void> {
    const judged = await this.#judge.judgeReplay(entry)
    if (judged === null) return
    const { outcomes, observe, reach } = this.#parts
    const { outcome, batch, rows } = judged
    const stored = await outcomes.replay(outcome)
    reach('replay-taken')
    if (batch !== null) this.#write(keptRows(batch, new Set(stored)))
    count(tallies, outcome.ingestId, 0, -stored.length)
    observe({ kind: 'rowsReplayed', ingestId: outcome.ingestId, rows, stored: stored.length })
  }

  #write(batch: RowBatch): void {
    if (batch.rows > 0 && !this.#judge.isDropped(batch.entityId)) this.#parts.store.write(batch)
  }

  /** Rejected rows are kept before their batch's good rows show, so that a receipt never counts a row as stored that was not. */
  async #keep({ rejected, items }: Outcome, throughPosition: number): Promise<void> {
    const isFresh = ({ position }: { readonly position: number }): boolean => position >= this.#keptPosition
    const fresh: Outcome = { rejected: rejected.filter(isFresh), items: items.filter(isFresh) }
    if (fresh.rejected.length === 0 && fresh.items.length === 0) return
    await this.#parts.outcomes.add(fresh, throughPosition)
    this.#keptPosition = throughPosition
  }
}

/** Adds to what became of an ingest's rows. */
function count(tallies: Map<number, Tally>, ingestId: number, rows: number, rejected: number): void {
  const tally = tallies.get(ingestId) ?? { ingestId, rows: 0, rejected: 0 }
  tallies.set(ingestId, tally)
  tally.rows += rows
  tally.rejected += rejected
}
