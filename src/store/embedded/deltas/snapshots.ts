import type { CancelSignal } from '../../../lib/cancellation.ts'
import { Pacer } from '../../../lib/pacer.ts'
import { Serial } from '../../../lib/serial.ts'
import type { EntityFiles, RowsFile } from '../../../model/rows-file.ts'
import { VisibleFile } from '../deletions/visible-file.ts'
import type { EmbeddedStore, PinnedRows } from '../embedded-store.ts'
import type { Table } from '../head/table.ts'
import { FilePins } from '../reading/file-pins.ts'
import type { SealedFile } from '../reading/sealed-source.ts'
import { type Delta, type DeltaFolder, TableDeltas, type TableState } from './table-deltas.ts'

export interface SnapshotParts {
  readonly store: Pick<EmbeddedStore, 'pin' | 'holds'>
  readonly folder: DeltaFolder
  /** Describes a sealed file for engines. */
  readonly describe: (file: SealedFile) => Pick<RowsFile, 'path' | 'checkedBy' | 'fields'>
  /** The longest time that writing rows may block other work without a pause. */
  readonly sliceMs: number
  /** Called with a file that could not be deleted. */
  readonly removalFailed: (path: string, error: unknown) => void
}

export interface TakenSnapshot {
  readonly entities: readonly EntityFiles[]
  /** Releases the files. Must be called once. */
  release(): void
}

/**
 * Entities as files, for an engine that reads only files: the sealed files, and deltas of the rows in memory. Deltas are brought up to the
 * newest row when a snapshot is taken, so that writes never pay for them.
 */
export class Snapshots {
  readonly #parts: SnapshotParts
  readonly #tables = new Map<Table, TableDeltas>()
  readonly #pins = new FilePins<Delta>()
  readonly #turns = new Serial()

  constructor(parts: SnapshotParts) {
    this.#parts = parts
  }

  /** Throws the signal's reason when it is aborted, and errors of the disk. */
  take(entityIds: readonly number[], signal: CancelSignal): Promise<TakenSnapshot> {
    return this.#turns.run(async () => {
      const pacer = new Pacer({ sliceMs: this.#parts.sliceMs, signal })
      const pinned: Pinned[] = []
      const release = (): void => {
        for (const { rows, deltas } of pinned) {
          rows.release()
          this.#pins.unpin(deltas)
        }
      }
      try {
        // All entities are pinned at once, so that the files show one point in time.
        for (const entityId of entityIds) pinned.push(this.#pin(entityId))
        for (const entity of pinned) await this.#pinDeltas(entity, pacer)
        this.#prune()
      } catch (error) {
        release()
        throw error
      }
      return { entities: pinned.map((entity) => this.#filesOf(entity)), release }
    })
  }

  /** Deletes the files of tables that the store no longer holds, after their last reader releases them. */
  prune(): void {
    // This waits its turn: a snapshot in progress may be about to pin the files.
    void this.#turns.run(async () => this.#prune())
  }

  #prune(): void {
    for (const [table, { deltas }] of this.#tables) {
      if (this.#parts.store.holds(table)) continue
      this.#tables.delete(table)
      for (const delta of deltas) this.#pins.remove(delta, this.#remove)
    }
  }

  #pin(entityId: number): Pinned {
    const rows = this.#parts.store.pin(entityId)
    const states = rows.tables.map((table): TableState => {
      const { counts } = table.rows
      return { count: table.count, counts: counts.values.slice(0, counts.length) }
    })
    return { entityId, rows, states, deltas: [] }
  }

  async #pinDeltas({ rows, states, deltas }: Pinned, pacer: Pacer): Promise<void> {
    for (const [index, table] of rows.tables.entries()) {
      const known = this.#tables.get(table) ?? new TableDeltas(table, this.#parts.folder)
      this.#tables.set(table, known)
      const old = await known.bringUp(states[index]!, pacer)
      this.#pins.pin(known.deltas)
      deltas.push(...known.deltas)
      for (const delta of old) this.#pins.remove(delta, this.#remove)
    }
  }

  #filesOf({ entityId, rows, deltas }: Pinned): EntityFiles {
    const sealed = rows.files.map((file): RowsFile => {
      const { firstMs, lastMs } = file.info
      const described = { ...this.#parts.describe(file), firstMs, lastMs, isDistinct: true }
      return file instanceof VisibleFile ? { ...described, deleted: file.deletedRows } : described
    })
    return { entityId, files: [...sealed, ...deltas.map(({ file }) => file)] }
  }

  readonly #remove = ({ file: { path } }: Delta): void => {
    this.#parts.folder.disk.remove(path).catch((error: unknown) => this.#parts.removalFailed(path, error))
  }
}

interface Pinned {
  readonly entityId: number
  readonly rows: PinnedRows
  /** The states of the tables when the entity was pinned. */
  readonly states: readonly TableState[]
  readonly deltas: Delta[]
}
