// The pipeline turns journal entries into stored rows, items of metadata and rejected rows. It is deterministic: an entry at its position always comes to the same
// outcome, so after a crash it begins again at the store's position and changes nothing that was there.
import type { IngestCatalog, Outcome, OutcomeCatalog, RejectedRow } from '../catalog/catalog.ts'
import { type JournalReader, type PlacedEntry, positionAfter } from '../journal/journal.ts'
import type { Ingest } from '../model/ingest.ts'
import type { ItemWrite } from '../model/item.ts'
import type { RowBatch } from '../model/row-batch.ts'
import type { Observe } from '../observe/event.ts'
import type { SeriesWriter } from '../store/series-store.ts'

/** What became of the rows of one ingest. */
export interface Tally {
  readonly ingestId: number
  rows: number
  rejected: number
}

export interface PipelineParts {
  readonly journal: Pick<JournalReader, 'read'>
  readonly ingests: Pick<IngestCatalog, 'findVersion'>
  readonly outcomes: OutcomeCatalog
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
  /** About how many bytes of bodies one step judges: it holds up queries that long. */
  readonly stepBytes: number
}

export class Pipeline {
  readonly #parts: PipelineParts
  readonly #ingests = new Map<string, Ingest>()
  /** Items and rejected rows before this position are kept already. */
  #keptPosition: number
  #position: number

  private constructor(parts: PipelineParts, keptPosition: number) {
    this.#parts = parts
    this.#keptPosition = keptPosition
    this.#position = parts.store.position
  }

  static async open(parts: PipelineParts): Promise<Pipeline> {
    return new Pipeline(parts, await parts.outcomes.judgedPosition())
  }

  /** Rows before this position are judged. */
  get position(): number {
    return this.#position
  }

  /** Judges the next entries before `untilPosition`, one bounded step, and says what became of them; empty when there was none. */
  async advance(untilPosition: number): Promise<readonly Tally[]> {
    const { journal, stepBytes, observe } = this.#parts
    const startedMs = performance.now()
    const entries = await journal.read(this.#position, untilPosition, stepBytes)
    if (entries.length === 0) return []
    const tallies = await this.#apply(entries)
    this.#position = positionAfter(entries.at(-1)!)
    let rows = 0
    let rejected = 0
    for (const tally of tallies) {
      rows += tally.rows
      rejected += tally.rejected
    }
    observe({ kind: 'rowsJudged', rows, rejected, ms: performance.now() - startedMs })
    return tallies
  }

  async #apply(entries: readonly PlacedEntry[]): Promise<readonly Tally[]> {
    const tallies = new Map<number, Tally>()
    const batches: RowBatch[] = []
    const items: ItemWrite[] = []
    const rejected: RejectedRow[] = []
    for (const run of runsOfOneDefinition(entries)) {
      const { ingestId, fieldsVersion } = run[0]!
      const judged = this.#judge(run, await this.#ingest(ingestId, fieldsVersion))
      if (judged.batch !== null) batches.push(judged.batch)
      for (const item of judged.items) items.push(item)
      for (const row of judged.rejected) rejected.push(row)
      count(tallies, ingestId, run, judged.rejected.length)
    }
    await this.#keep({ rejected, items }, positionAfter(entries.at(-1)!))
    for (const batch of batches) this.#parts.store.write(batch)
    return [...tallies.values()]
  }

  #judge(run: readonly PlacedEntry[], ingest: Ingest): Outcome & { readonly batch: RowBatch | null } {
    if (ingest.kind === 'metadata') return { batch: null, ...this.#parts.itemJudge.judge(run, ingest) }
    return { items: [], ...this.#parts.judge.judge(run, ingest) }
  }

  /** Rejected rows are kept before their batch's good rows show, so that a receipt never counts a row as stored that was not. */
  async #keep({ rejected, items }: Outcome, throughPosition: number): Promise<void> {
    const isFresh = ({ position }: { readonly position: number }): boolean => position >= this.#keptPosition
    const fresh: Outcome = { rejected: rejected.filter(isFresh), items: items.filter(isFresh) }
    if (fresh.rejected.length === 0 && fresh.items.length === 0) return
    await this.#parts.outcomes.add(fresh, throughPosition)
    this.#keptPosition = throughPosition
  }

  async #ingest(id: number, fieldsVersion: number): Promise<Ingest> {
    const key = `${id} ${fieldsVersion}`
    const known = this.#ingests.get(key)
    if (known !== undefined) return known
    const ingest = await this.#parts.ingests.findVersion(id, fieldsVersion)
    if (ingest === null)
      throw new Error(`the journal names ingest ${id}, version ${fieldsVersion}, which the catalog lacks`)
    this.#ingests.set(key, ingest)
    return ingest
  }
}

function count(tallies: Map<number, Tally>, ingestId: number, entries: readonly PlacedEntry[], rejected: number): void {
  const tally = tallies.get(ingestId) ?? { ingestId, rows: 0, rejected: 0 }
  tallies.set(ingestId, tally)
  for (const entry of entries) tally.rows += entry.rows
  tally.rejected += rejected
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
