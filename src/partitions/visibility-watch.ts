// Finds out which of the rows that pipelines have handed on are seen by queries, and notes it: that is when they are no longer pending.
import type { ClusterChanges } from '../catalog/cluster-catalog.ts'
import type { PartitionCatalog, RowPlace, StoredRows } from '../catalog/partitions.ts'

/** Whether queries see a row, or never will because it has left. Rejects while that cannot be asked. */
export type IsSeen = (entityId: number, row: RowPlace) => Promise<boolean>

export interface VisibilityWatchParts {
  readonly changes: ClusterChanges
  readonly partitions: Pick<PartitionCatalog, 'storedRows' | 'seen'>
  /** The partitions whose rows are looked for here. */
  readonly ownPartitions: () => readonly number[]
  readonly isSeen: IsSeen
  readonly nowMs: () => number
}

/** Rows that are looked for: those that were the newest ones when the look began, for there are always newer ones. */
interface Sought {
  rows: StoredRows
  readonly sinceMs: number
  askedMs: number
}

const askedAtOnce = 4
/** What is not seen yet is asked for again after such a part of the time that it was looked for, and after this at most. */
const againShare = 1 / 4
const againMs = 10_000
/** Rows that are looked for so long may be gone, by an operator's hand say: newer ones are looked for in their place. */
const patienceMs = 60_000

/** Those of which queries do not see all. */
export function unseenOf(rows: readonly StoredRows[]): readonly StoredRows[] {
  return rows.filter(({ throughPosition, seenPosition }) => throughPosition > seenPosition)
}

/** Those of which queries see all now. What cannot be asked is not seen. */
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
  readonly #sought = new Map<string, Sought>()
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

  /** One look, to be made often: it costs nothing while no partition gets on and all is seen. Throws while the catalog is away. */
  async check(): Promise<void> {
    if (!this.#isDue && this.#sought.size === 0) return
    const { partitions, ownPartitions, isSeen, nowMs } = this.#parts
    this.#isDue = false
    try {
      const own = new Set(ownPartitions())
      this.#seek(unseenOf(await partitions.storedRows()).filter(({ partition }) => own.has(partition)))
      const startedMs = nowMs()
      const due = [...this.#sought.values()].filter((one) => isToAsk(one, startedMs))
      for (const one of due) one.askedMs = startedMs
      const seen = await seenOf(
        due.map(({ rows }) => rows),
        isSeen,
      )
      await partitions.seen(seen)
      for (const rows of seen) this.#sought.delete(nameOf(rows))
      // There may be newer ones.
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
      else if (sinceMs - sought.sinceMs > patienceMs) sought.rows = now
    }
    for (const [name, rows] of named) {
      if (!this.#sought.has(name)) this.#sought.set(name, { rows, sinceMs, askedMs: Number.NEGATIVE_INFINITY })
    }
  }
}

function isToAsk({ sinceMs, askedMs }: Sought, nowMs: number): boolean {
  return nowMs - askedMs >= Math.min(againMs, (nowMs - sinceMs) * againShare)
}

function nameOf({ partition, ingestId }: StoredRows): string {
  return `${partition} ${ingestId}`
}
