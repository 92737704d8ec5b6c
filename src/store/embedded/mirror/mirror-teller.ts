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
import type { EntityNews, MirrorNews } from './mirror-news.ts'
import { type Telling, ToldEntity } from './told-entity.ts'

export interface MirrorTellerParts {
  readonly store: Pick<EmbeddedStore, 'files' | 'registry' | 'tables' | 'watch'>
  readonly writtenRegistry: (entityId: number) => StoreRegistry | null
  readonly changes: Pick<ChangeCounts, 'countsOf'>
  /** About how much memory the mirror's rows and series may take. */
  readonly bytesMax: number
  readonly nowMs: () => number
  /** How many rows are told at a time: either thread takes some milliseconds for them. */
  readonly rowsAtOnce?: number
  /** Lets the event loop turn between two parts of many rows. */
  readonly rest: () => Promise<void>
  /** Takes news in their order; the memory is handed over with them. */
  readonly tell: (news: MirrorNews, memory: readonly ArrayBuffer[]) => void
}

interface FileChange {
  readonly add: readonly SealedFile[]
  readonly remove: readonly SealedFile[]
}

const rowsAtOnceMax = 16_384
/** About what a series takes of the registry. */
const newSeriesBytes = 128

/** Tells a mirror in another thread of the files of some entities, and of their rows in memory as far as there is room for them. */
export class MirrorTeller implements StoreWatcher {
  readonly #parts: MirrorTellerParts
  readonly #told = new Map<number, ToldEntity>()
  readonly #leaving = new LeavingFiles()
  #bytes = 0

  constructor(parts: MirrorTellerParts) {
    this.#parts = parts
    parts.store.watch(this)
  }

  /**
   * The mirror wants to be told of an entity, or to be told of it again. One whose newer rows replace older ones, or that has too many series, is not told
   * of.
   */
  wanted(entityId: number): void {
    const { store, bytesMax, nowMs } = this.#parts
    const told = this.#told.get(entityId)
    if (told !== undefined) {
      const isDone = told.isWhole || told.telling !== null
      if (!isDone && told.isQuiet(nowMs())) this.#tell(entityId, told, { add: [], remove: [] }, 'new')
      return
    }
    const { columns, series } = store.registry(entityId)
    if (columns.replaced !== null || this.#bytes + series.bytes > bytesMax) return
    const begun = new ToldEntity()
    this.#told.set(entityId, begun)
    this.#tell(entityId, begun, { add: store.files(entityId), remove: [] }, 'new')
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
    const { store } = this.#parts
    try {
      if (store.registry(entityId).columns.replaced === null) this.#tellBatch(told, batch)
      else this.#end(entityId, store.files(entityId))
    } catch {
      // The store does not fail because of a mirror.
      this.#end(entityId, store.files(entityId))
    }
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
    // Rows that are being told are told as of before it: it is counted for the mirror with the change of the files.
    const isTelling = told.telling !== null
    this.#tell(entityId, told, { add, remove }, areRowsSealed || isTelling ? 'new' : 'same')
  }

  dropped(entityId: number, files: readonly SealedFile[]): void {
    this.#end(entityId, files)
  }

  /** Nothing is told any more, and the mirror is not waited for. */
  close(): void {
    for (const told of this.#told.values()) told.telling = null
    this.#told.clear()
    this.#leaving.allGone()
  }

  /** `files` are those that the mirror was told of. */
  #end(entityId: number, files: readonly SealedFile[]): void {
    const told = this.#told.get(entityId)
    if (told === undefined) return
    told.telling = null
    this.#bytes -= told.bytes
    this.#told.delete(entityId)
    const infos = files.map(infoOf)
    this.#leaving.add(infos)
    this.#parts.tell({ kind: 'dropped', entityId, files: infos }, [])
  }

  #tell(entityId: number, told: ToldEntity, { add, remove }: FileChange, memory: EntityNews['memory']): void {
    const { store, writtenRegistry, changes, tell } = this.#parts
    const { series } = store.registry(entityId)
    const registry = writtenRegistry(entityId)
    const counts = changes.countsOf(entityId)
    const entity = {
      ...{ entityId, registry, add: add.map(infoOf), remove: remove.map(infoOf), memory },
      series: partOfSeries(series, Math.max(told.series, registry?.series ?? 0), series.count),
      untold: memory === 'new' ? this.#datesInMemory(entityId) : null,
      counts,
    }
    told.series = series.count
    told.countedSeries = series.count
    tell({ kind: 'entity', entity }, [])
    if (memory === 'new') this.#tellMemory(entityId, told, counts)
  }

  #tellBatch(told: ToldEntity, batch: RowBatch): void {
    const { store, nowMs } = this.#parts
    const { series } = store.registry(batch.entityId)
    const isSlow = told.came(batch.rows, nowMs())
    if (!told.isWhole && told.telling === null) return
    const bytes = told.bytes + batchBytes(batch) + (series.count - told.countedSeries) * newSeriesBytes
    if (!isSlow || !this.#take(told, bytes)) {
      told.isWhole = false
      told.telling = null
      return
    }
    told.countedSeries = series.count
    const own = crossingBatch(batch)
    if (told.telling === null) this.#tellRows(told, own, series.count)
    else told.telling.held.push(own)
  }

  #tellRows(told: ToldEntity, batch: RowBatch, series: number): void {
    this.#parts.tell({ kind: 'rows', batch }, memoryOfBatch(batch))
    told.series = series
  }

  #datesInMemory(entityId: number): EntityNews['untold'] {
    const tables = this.#parts.store.tables(entityId)
    if (tables.length === 0) return null
    const firstMs = tables.map((table) => table.firstMs)
    const lastMs = tables.map((table) => table.lastMs)
    return { fromMs: Math.min(...firstMs), toMs: Math.max(...lastMs) }
  }

  /** All rows in memory, where there is room for them: few at once, many a part at a time. */
  #tellMemory(entityId: number, told: ToldEntity, counts: Int32Array): void {
    const { store, rowsAtOnce = rowsAtOnceMax } = this.#parts
    const { series, columns } = store.registry(entityId)
    const tables = store.tables(entityId)
    const rows = tables.reduce((sum, { count }) => sum + count, 0)
    told.isWhole = false
    told.telling = null
    this.#take(told, 0)
    if (!this.#take(told, series.bytes + rows * (columns.count + 3) * Float64Array.BYTES_PER_ELEMENT)) {
      this.#take(told, series.bytes)
      return
    }
    const telling: Telling = { held: [] }
    told.telling = telling
    const parts = tables.map((table) => rowsOfTable(table, rowsAtOnce))
    const whole = (): void => {
      if (rows > 0) this.#parts.tell({ kind: 'whole', entityId, counts }, [])
      for (const batch of telling.held) this.#tellRows(told, batch, series.count)
      told.telling = null
      told.isWhole = true
    }
    this.#tellParts(told, telling, parts, whole).catch(() => this.#end(entityId, store.files(entityId)))
  }

  /** Another telling of the entity ends it. */
  async #tellParts(
    told: ToldEntity,
    telling: Telling,
    tables: readonly Generator<RowBatch>[],
    whole: () => void,
  ): Promise<void> {
    const { tell, rest } = this.#parts
    let isFirst = true
    for (const table of tables) {
      for (const batch of table) {
        if (!isFirst) await rest()
        isFirst = false
        if (told.telling !== telling) return
        tell({ kind: 'part', batch }, memoryOfBatch(batch))
      }
    }
    whole()
  }

  /** Whether there is room for so much of an entity. It is counted where there is. */
  #take(told: ToldEntity, bytes: number): boolean {
    const sum = this.#bytes - told.bytes + bytes
    if (sum > this.#parts.bytesMax) return false
    this.#bytes = sum
    told.bytes = bytes
    return true
  }
}

function infoOf({ info }: SealedFile): SealedFileInfo {
  return info
}
