// The pipeline turns journal entries into stored rows, items of metadata and rejected rows. It is deterministic: an entry at its position always comes to the same
// outcome, so after a crash it begins again at the store's position and changes nothing that was there.
import type { DroppedCatalog, IngestCatalog, Outcome, OutcomeCatalog, RejectedRow } from '../catalog/catalog.ts'
import { type JournalReader, type PlacedEntry, positionAfter } from '../journal/journal.ts'
import type { Ingest } from '../model/ingest.ts'
import type { ItemWrite } from '../model/item.ts'
import { keptRows, type RowBatch } from '../model/row-batch.ts'
import type { Observe } from '../observe/event.ts'
import type { Reach } from '../observe/step.ts'
import type { SeriesWriter } from '../store/series-store.ts'
import { decodeReplayedRows } from './replay/replayed-rows.ts'

/** What became of the rows of one ingest. A replay judges no new rows, and takes some back from the rejected ones. */
export interface Tally {
  readonly ingestId: number
  rows: number
  rejected: number
}

export interface PipelineParts {
  readonly journal: Pick<JournalReader, 'read'>
  readonly ingests: Pick<IngestCatalog, 'findVersion'>
  readonly outcomes: OutcomeCatalog
  readonly dropped: Pick<DroppedCatalog, 'list'>
  /** Judges rows of series ingests. */
  readonly judge: {
    judge(entries: readonly PlacedEntry[], ingest: Ingest): { batch: RowBatch | null; rejected: readonly RejectedRow[] }
  }
  /** Judges rows of metadata ingests. */
  readonly itemJudge: {
    judge(
      entries: readonly PlacedEntry[],
      ingest: Ingest,
    ): { items: readonly ItemWrite[]; rejected: readonly RejectedRow[] }
  }
  readonly store: SeriesWriter
  readonly observe: Observe
  readonly reach: Reach
  /** About how many bytes of bodies one step judges: it holds up queries that long. */
  readonly stepBytes: number
}

/** What a run of entries came to. */
type Judged = Outcome & { readonly batch: RowBatch | null }

export class Pipeline {
  readonly #parts: PipelineParts
  readonly #ingests = new Map<string, Ingest>()
  /** Rows of these ingests are passed over: their entities were dropped. */
  #droppedIngests: ReadonlySet<number> = new Set()
  #droppedEntities: ReadonlySet<number> = new Set()
  /** Items and rejected rows before this position are kept already. */
  #keptPosition: number
  #position: number
  #judgedBytes = 0

  private constructor(parts: PipelineParts, keptPosition: number) {
    this.#parts = parts
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
    const dropped = await this.#parts.dropped.list()
    this.#droppedEntities = new Set(dropped.map(({ entityId }) => entityId))
    this.#droppedIngests = new Set(dropped.flatMap(({ ingestIds }) => ingestIds))
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
    let rows = 0
    for (const run of runsOfOneDefinition(entries)) {
      const { ingestId, fieldsVersion } = run[0]!
      const judged = this.#judge(run, await this.#ingest(ingestId, fieldsVersion))
      if (judged.batch !== null) batches.push(judged.batch)
      for (const item of judged.items) outcome.items.push(item)
      for (const row of judged.rejected) outcome.rejected.push(row)
      rows += count(tallies, ingestId, run, judged.rejected.length)
    }
    await this.#keep(outcome, positionAfter(entries.at(-1)!))
    for (const batch of batches) this.#write(batch)
    const ms = performance.now() - startedMs
    this.#parts.observe({ kind: 'rowsJudged', rows, rejected: outcome.rejected.length, ms })
  }

  /** Judges rows anew that were rejected before. Each is handed on under its own position, so that it is as old as its push. */
  async #replay(entry: PlacedEntry, tallies: Map<number, Tally>): Promise<void> {
    const { ingestId, fieldsVersion, position } = entry
    const ingest = await this.#ingest(ingestId, fieldsVersion)
    if (ingest === null) return
    const { outcomes, observe, reach } = this.#parts
    const replayed = decodeReplayedRows(entry.body)
    const run = replayed.map((row): PlacedEntry => {
      return { ...entry, format: 'ndjson', position: row.position, rows: 1, body: row.text }
    })
    const { batch, items, rejected } = this.#judge(run, ingest)
    const failed = new Set(rejected.map((row) => row.position))
    const passed = replayed.map((row) => row.position).filter((one) => !failed.has(one))
    const stored = await outcomes.replay({ ingestId, position, passed, items, rejected })
    reach('replay-taken')
    if (batch !== null) this.#write(keptRows(batch, new Set(stored)))
    count(tallies, ingestId, [], -stored.length)
    observe({ kind: 'rowsReplayed', ingestId, rows: replayed.length, stored: stored.length })
  }

  /** An ingest of null was dropped: its rows were judged, and there is nothing to be kept of them. */
  #judge(run: readonly PlacedEntry[], ingest: Ingest | null): Judged {
    if (ingest === null) return { batch: null, items: [], rejected: [] }
    if (ingest.kind === 'metadata') return { batch: null, ...this.#parts.itemJudge.judge(run, ingest) }
    return { items: [], ...this.#parts.judge.judge(run, ingest) }
  }

  #write(batch: RowBatch): void {
    if (batch.rows > 0 && !this.#droppedEntities.has(batch.entityId)) this.#parts.store.write(batch)
  }

  /** Rejected rows are kept before their batch's good rows show, so that a receipt never counts a row as stored that was not. */
  async #keep({ rejected, items }: Outcome, throughPosition: number): Promise<void> {
    const isFresh = ({ position }: { readonly position: number }): boolean => position >= this.#keptPosition
    const fresh: Outcome = { rejected: rejected.filter(isFresh), items: items.filter(isFresh) }
    if (fresh.rejected.length === 0 && fresh.items.length === 0) return
    await this.#parts.outcomes.add(fresh, throughPosition)
    this.#keptPosition = throughPosition
  }

  /** Null of an ingest whose entity was dropped. */
  async #ingest(id: number, fieldsVersion: number): Promise<Ingest | null> {
    if (this.#droppedIngests.has(id)) return null
    const key = `${id} ${fieldsVersion}`
    const known = this.#ingests.get(key)
    if (known !== undefined) return known
    const ingest = await this.#parts.ingests.findVersion(id, fieldsVersion)
    if (ingest === null) {
      // It may have been dropped a moment ago.
      await this.refresh()
      if (this.#droppedIngests.has(id)) return null
      throw new Error(`the journal names ingest ${id}, version ${fieldsVersion}, which the catalog lacks`)
    }
    this.#ingests.set(key, ingest)
    return ingest
  }
}

/** Adds to what became of an ingest's rows; the answer is how many there are. */
function count(
  tallies: Map<number, Tally>,
  ingestId: number,
  entries: readonly PlacedEntry[],
  rejected: number,
): number {
  const tally = tallies.get(ingestId) ?? { ingestId, rows: 0, rejected: 0 }
  tallies.set(ingestId, tally)
  const rows = entries.reduce((sum, entry) => sum + entry.rows, 0)
  tally.rows += rows
  tally.rejected += rejected
  return rows
}

/** A replay stands alone: it needs what was judged before it to be kept. */
function partedByReplays(entries: readonly PlacedEntry[]): readonly (readonly PlacedEntry[])[] {
  const parts: PlacedEntry[][] = []
  for (const entry of entries) {
    const last = parts.at(-1)
    if (last === undefined || entry.format === 'replay' || last[0]!.format === 'replay') parts.push([entry])
    else last.push(entry)
  }
  return parts
}

/** Neighbours that are judged by the same definition go together: one batch of columns for many small pushes. */
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
