// Determines which of the rows that pipelines have passed on are visible to queries, and records it: these rows are no longer pending.
import type { ClusterChanges } from '../catalog/cluster-catalog.ts'
import type { PartitionCatalog, RowPlace, StoredRows } from '../catalog/partitions.ts'

/** Whether queries see a row, or never will because it has expired. Rejects while this cannot be determined. */
export type IsSeen = (entityId: number, row: RowPlace) => Promise<boolean>

export interface VisibilityWatchParts {
  readonly changes: ClusterChanges
  readonly partitions: Pick<PartitionCatalog, 'storedRows' | 'seen'>
  /** The partitions whose rows this process checks. */
  readonly ownPartitions: () => readonly number[]
  readonly isSeen: IsSeen
  readonly nowMs: () => number
}

/** Rows to check. They are the newest ones of the time when the check began, because newer ones keep arriving. */
interface CheckedRows {
  rows: StoredRows
  readonly sinceMs: number
  askedMs: number
}

const askedAtOnce = 4
/** Rows that are not visible yet are checked again after this share of the time since the first check, and after `againMs` at most. */
const againShare = 1 / 4
const againMs = 10_000
/** Rows that are still not visible after this time may be gone, deleted by an operator for example; newer ones are checked instead. */
const giveUpMs = 60_000

/** Those whose rows are not all known to be visible. */
export function unseenOf(rows: readonly StoredRows[]): readonly StoredRows[] {
  return rows.filter(({ throughPosition, seenPosition }) => throughPosition > seenPosition)
}

/** Those whose rows are all visible now. Rows that cannot be checked count as not visible. */
export async function seenOf(rows: readonly StoredRows[], isSeen: IsSeen): Promise<readonly StoredRows[]> {
  const seen: StoredRows[] = []
  for (let from = 0; from < rows.length; from += askedAtOnce) {
    const asked = rows.slice(from, from + askedAtOnce)
    const answers = await Promise.all(asked.map(({ entityId, last }) => isSeen(entityId, last).catch(() => false)))
    seen.push(...asked.filter((_, index) => answers[index]))
  }
  return seen
}

export class VisibilityWatch {
  readonly #parts: VisibilityWatchParts
  readonly #sought = new Map<string, CheckedRows>()
  #isDue = true

  constructor(parts: VisibilityWatchParts) {
    this.#parts = parts
    parts.changes.listen({
      partitions: () => {
        this.#isDue = true
      },
      definitions: () => undefined,
      access: () => undefined,
    })
  }

  /** One check, to be made often: it costs nothing while no partition advances and all rows are visible. Throws while the catalog is unavailable. */
  async check(): Promise<void> {
    if (!this.#isDue && this.#sought.size === 0) return
    const { partitions, ownPartitions, isSeen, nowMs } = this.#parts
    this.#isDue = false
    try {
      const own = new Set(ownPartitions())
      this.#seek(unseenOf(await partitions.storedRows()).filter(({ partition }) => own.has(partition)))
      const startedMs = nowMs()
      const due = [...this.#sought.values()].filter((one) => isDue(one, startedMs))
      for (const one of due) one.askedMs = startedMs
      const seen = await seenOf(
        due.map(({ rows }) => rows),
        isSeen,
      )
      await partitions.seen(seen)
      for (const rows of seen) this.#sought.delete(nameOf(rows))
      // There may be newer rows.
      if (seen.length > 0) this.#isDue = true
    } catch (error) {
      this.#isDue = true
      throw error
    }
  }

  #seek(unseen: readonly StoredRows[]): void {
    const named = new Map(unseen.map((rows) => [nameOf(rows), rows]))
    const sinceMs = this.#parts.nowMs()
    for (const [name, sought] of this.#sought) {
      const now = named.get(name)
      if (now === undefined || now.seenPosition >= sought.rows.throughPosition) this.#sought.delete(name)
      else if (sinceMs - sought.sinceMs > giveUpMs) sought.rows = now
    }
    for (const [name, rows] of named) {
      if (!this.#sought.has(name)) this.#sought.set(name, { rows, sinceMs, askedMs: Number.NEGATIVE_INFINITY })
    }
  }
}

function isDue({ sinceMs, askedMs }: CheckedRows, nowMs: number): boolean {
  return nowMs - askedMs >= Math.min(againMs, (nowMs - sinceMs) * againShare)
}

function nameOf({ partition, ingestId }: StoredRows): string {
  return `${partition} ${ingestId}`
}
