import type { StoreRegistry } from '../../../catalog/manifest.ts'
import type { ChangeCounts } from '../../../lib/change-counts.ts'
import type { RowBatch } from '../../../model/row-batch.ts'
import type { EmbeddedStore } from '../embedded-store.ts'
import { rowsOfTable } from '../head/rows-of-table.ts'
import type { SealedFile, SealedFileInfo } from '../reading/sealed-source.ts'
import { partOfSeries } from '../registry/registry-format.ts'
import type { StoreWatcher } from '../store-changes.ts'
import { batchBytes, crossingBatch, memoryOfBatch } from './crossing-batch.ts'
import { LeavingFiles } from './leaving-files.ts'
import type { MemoryNews, MirrorNews } from './mirror-news.ts'

export interface MirrorTellerParts {
  readonly store: Pick<EmbeddedStore, 'files' | 'registry' | 'tables' | 'watch'>
  readonly writtenRegistry: (entityId: number) => StoreRegistry | null
  readonly changes: Pick<ChangeCounts, 'countsOf'>
  /** About how much memory the mirror's rows and series may take. */
  readonly bytesMax: number
  /** Takes news in their order; the memory is handed over with them. */
  readonly tell: (news: MirrorNews, memory: readonly ArrayBuffer[]) => void
}

/** What a mirror was told of an entity. */
interface Told {
  /** How many of its series. */
  series: number
  /** About how much memory that takes there. */
  bytes: number
  /** Whether all rows in memory were told. */
  isWhole: boolean
}

interface FileChange {
  readonly add: readonly SealedFile[]
  readonly remove: readonly SealedFile[]
}

/** Tells a mirror in another thread of the files of some entities, and of their rows in memory as far as there is room for them. */
export class MirrorTeller implements StoreWatcher {
  readonly #parts: MirrorTellerParts
  readonly #told = new Map<number, Told>()
  readonly #leaving = new LeavingFiles()
  #bytes = 0

  constructor(parts: MirrorTellerParts) {
    this.#parts = parts
    parts.store.watch(this)
  }

  /** The mirror wants to be told of an entity. One whose newer rows replace older ones, or that has too many series, is not told of. */
  begin(entityId: number): void {
    const { store, bytesMax } = this.#parts
    const { columns, series } = store.registry(entityId)
    if (this.#told.has(entityId) || columns.replaced !== null || this.#bytes + series.bytes > bytesMax) return
    const told: Told = { series: 0, bytes: 0, isWhole: true }
    this.#told.set(entityId, told)
    const memory = this.#memory(entityId, told)
    this.#tell(entityId, told, { add: store.files(entityId), remove: [] }, memory)
  }

  /** The mirror does not read a file any more that was removed. */
  gone(info: SealedFileInfo): void {
    this.#leaving.gone(info)
  }

  /** Resolves when the mirror does not read a file any more that was removed. */
  letGo({ info }: SealedFile): Promise<void> {
    return this.#leaving.letGo(info)
  }

  written(batch: RowBatch): void {
    const { entityId } = batch
    const told = this.#told.get(entityId)
    if (told === undefined) return
    const { columns, series } = this.#parts.store.registry(entityId)
    if (columns.replaced !== null) this.#end(entityId, this.#parts.store.files(entityId))
    if (columns.replaced !== null || !told.isWhole) return
    // A series costs more where it is new there: it is counted with the entity's, and rounded by the next file.
    told.isWhole = this.#take(told, told.bytes + batchBytes(batch) + (series.count - told.series) * newSeriesBytes)
    if (!told.isWhole) return
    told.series = series.count
    const own = crossingBatch(batch)
    this.#parts.tell({ kind: 'rows', batch: own }, memoryOfBatch(own))
  }

  switched(entityId: number, add: readonly SealedFile[], remove: readonly SealedFile[], areRowsSealed: boolean): void {
    const told = this.#told.get(entityId)
    if (told === undefined) return
    const { bytesMax, store } = this.#parts
    if (store.registry(entityId).series.bytes > bytesMax) {
      const kept = store.files(entityId).filter((file) => !add.includes(file))
      this.#end(entityId, [...kept, ...remove])
      return
    }
    this.#leaving.add(remove.map(infoOf))
    this.#tell(entityId, told, { add, remove }, areRowsSealed ? this.#memory(entityId, told) : null)
  }

  dropped(entityId: number, files: readonly SealedFile[]): void {
    if (this.#told.has(entityId)) this.#end(entityId, files)
  }

  /** Nothing is told any more, and the mirror is not waited for. */
  close(): void {
    this.#told.clear()
    this.#leaving.allGone()
  }

  /** `files` are those that the mirror was told of. */
  #end(entityId: number, files: readonly SealedFile[]): void {
    this.#bytes -= this.#told.get(entityId)?.bytes ?? 0
    this.#told.delete(entityId)
    const infos = files.map(infoOf)
    this.#leaving.add(infos)
    this.#parts.tell({ kind: 'dropped', entityId, files: infos }, [])
  }

  /** All rows in memory, where there is room for them. */
  #memory(entityId: number, told: Told): MemoryNews {
    const { store } = this.#parts
    const { series } = store.registry(entityId)
    // The oldest rows first: of two with one date the later one counts.
    const tables = store.tables(entityId).toReversed()
    this.#take(told, 0)
    const rowBytes = tables.reduce((bytes, table) => bytes + table.count * (table.registry.columns.count + 3) * 8, 0)
    told.isWhole = this.#take(told, series.bytes + rowBytes)
    if (told.isWhole) return { batches: tables.map(rowsOfTable), untold: null }
    this.#take(told, series.bytes)
    const untold = {
      fromMs: Math.min(...tables.map(({ firstMs }) => firstMs)),
      toMs: Math.max(...tables.map(({ lastMs }) => lastMs)),
    }
    return { batches: [], untold: tables.length === 0 ? null : untold }
  }

  #tell(entityId: number, told: Told, { add, remove }: FileChange, memory: MemoryNews | null): void {
    const { store, writtenRegistry, changes, tell } = this.#parts
    const { series } = store.registry(entityId)
    const registry = writtenRegistry(entityId)
    const entity = {
      ...{ entityId, registry, add: add.map(infoOf), remove: remove.map(infoOf), memory },
      series: partOfSeries(series, Math.max(told.series, registry?.series ?? 0), series.count),
      counts: changes.countsOf(entityId),
    }
    told.series = series.count
    tell({ kind: 'entity', entity }, memory?.batches.flatMap(memoryOfBatch) ?? [])
  }

  /** Whether there is room for so much of an entity. It is counted where there is. */
  #take(told: Told, bytes: number): boolean {
    const sum = this.#bytes - told.bytes + bytes
    if (sum > this.#parts.bytesMax) return false
    this.#bytes = sum
    told.bytes = bytes
    return true
  }
}

/** About what a series takes of the registry. */
const newSeriesBytes = 128

function infoOf({ info }: SealedFile): SealedFileInfo {
  return info
}
