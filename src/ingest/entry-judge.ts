// What entries of the journal come to, wherever they are judged and whatever is done with it. Deterministic: an entry at its position always comes
// to the same outcome, but that nothing is left of an entity once it was dropped.
import type { DroppedCatalog, IngestCatalog, Outcome, RejectedRow, ReplayOutcome } from '../catalog/catalog.ts'
import type { PlacedEntry } from '../journal/journal.ts'
import type { Ingest } from '../model/ingest.ts'
import type { ItemWrite } from '../model/item.ts'
import type { RowBatch } from '../model/row-batch.ts'
import { decodeReplayedRows } from './replay/replayed-rows.ts'

export interface EntryJudgeParts {
  readonly ingests: Pick<IngestCatalog, 'findVersion'>
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
}

type Judged = Outcome & { readonly batch: RowBatch | null }

/** What a run of entries of one ingest came to. */
export interface JudgedRun extends Judged {
  readonly ingestId: number
  readonly rows: number
}

/** What rejected rows come to that are judged again. `stored` of the catalog's answer says which rows of the batch are to be written. */
export interface JudgedReplay {
  readonly outcome: ReplayOutcome
  readonly batch: RowBatch | null
  readonly rows: number
}

export class EntryJudge {
  readonly #parts: EntryJudgeParts
  readonly #ingests = new Map<string, Ingest>()
  /** Rows of these ingests are passed over: their entities were dropped. */
  #droppedIngests: ReadonlySet<number> = new Set()
  #droppedEntities: ReadonlySet<number> = new Set()

  constructor(parts: EntryJudgeParts) {
    this.#parts = parts
  }

  /** Learns which entities were dropped. From then on `isDropped` says so. */
  async refresh(): Promise<void> {
    const dropped = await this.#parts.dropped.list()
    this.#droppedEntities = new Set(dropped.map(({ entityId }) => entityId))
    this.#droppedIngests = new Set(dropped.flatMap(({ ingestIds }) => ingestIds))
  }

  isDropped(entityId: number): boolean {
    return this.#droppedEntities.has(entityId)
  }

  /** Judges pushes, no replays. Runs come in the order of their positions. */
  async judge(entries: readonly PlacedEntry[]): Promise<readonly JudgedRun[]> {
    const judged: JudgedRun[] = []
    for (const run of runsOfOneDefinition(entries)) {
      const { ingestId, fieldsVersion } = run[0]!
      const rows = run.reduce((sum, entry) => sum + entry.rows, 0)
      judged.push({ ingestId, rows, ...this.#judge(run, await this.#ingest(ingestId, fieldsVersion)) })
    }
    return judged
  }

  /** Judges rows anew that were rejected before, each under its own position, so that it is as old as its push. Null of a dropped entity. */
  async judgeReplay({ body, ...entry }: PlacedEntry): Promise<JudgedReplay | null> {
    const { ingestId, fieldsVersion, position } = entry
    const ingest = await this.#ingest(ingestId, fieldsVersion)
    if (ingest === null) return null
    const replayed = decodeReplayedRows(body)
    const run = replayed.map((row): PlacedEntry => {
      return { ...entry, format: 'ndjson', position: row.position, rows: 1, body: row.text }
    })
    const { batch, items, rejected } = this.#judge(run, ingest)
    const failed = new Set(rejected.map((row) => row.position))
    const passed = replayed.map((row) => row.position).filter((one) => !failed.has(one))
    return { outcome: { ingestId, position, passed, items, rejected }, batch, rows: replayed.length }
  }

  /** An ingest of null was dropped: its rows were judged, and there is nothing to be kept of them. */
  #judge(run: readonly PlacedEntry[], ingest: Ingest | null): Judged {
    if (ingest === null) return { batch: null, items: [], rejected: [] }
    if (ingest.kind === 'metadata') return { batch: null, ...this.#parts.itemJudge.judge(run, ingest) }
    return { items: [], ...this.#parts.judge.judge(run, ingest) }
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

/** A replay stands alone: it needs what was judged before it to be kept. */
export function partedByReplays(entries: readonly PlacedEntry[]): readonly (readonly PlacedEntry[])[] {
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
