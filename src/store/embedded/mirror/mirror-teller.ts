import type { StoreRegistry } from '../../../catalog/manifest.ts'
import type { ChangeCounts } from '../../../lib/change-counts.ts'
import type { RowBatch } from '../../../model/row-batch.ts'
import type { EmbeddedStore } from '../embedded-store.ts'
import { rowsOfTable } from '../head/rows-of-table.ts'
import type { Table } from '../head/table.ts'
import type { SealedFile, SealedFileInfo } from '../reading/sealed-source.ts'
import { partOfSeries } from '../registry/registry-format.ts'
import type { StoreWatcher } from '../store-changes.ts'
import { crossingBatch, memoryOfBatch } from './crossing-batch.ts'
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
  /** How many values are told at a time: either thread takes some milliseconds for them. */
  readonly valuesAtOnce?: number
  /** Lets the mirror's thread take a part before the next one is told. */
  readonly rest: () => Promise<void>
  /** Takes news in their order; the memory is handed over with them. */
  readonly tell: (news: MirrorNews, memory: readonly ArrayBuffer[]) => void
}

interface FileChange {
  readonly add: readonly SealedFile[]
  readonly remove: readonly SealedFile[]
}

const valuesAtOnceMax = 65_536
/** So many series that are not on disk are told at once. Of an entity with more nothing is told until they are: the mirror reads them a bit at a time. */
const seriesAtOnceMax = 4096
/** What an entity takes in the mirror besides its series and rows. */
const entityBytes = 8192

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
    const { store, nowMs, changes, tell } = this.#parts
    const told = this.#told.get(entityId)
    if (told === undefined) {
      if (store.tables(entityId) !== null) this.#guarded(entityId, () => this.#begin(entityId))
    } else if (told.isWhole) {
      // It has all rows, and lags by what was counted of another entity.
      tell({ kind: 'whole', entityId, counts: changes.countsOf(entityId) }, [])
    } else if (told.telling === null && told.isQuiet(nowMs())) {
      this.#guarded(entityId, () => this.#tell(entityId, told, { add: [], remove: [] }, 'new'))
    }
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
    this.#guarded(entityId, () => {
      if (store.registry(entityId).columns.replaced === null) this.#tellBatch(told, batch)
      else this.#end(entityId, store.files(entityId))
    })
  }

  switched(entityId: number, add: readonly SealedFile[], remove: readonly SealedFile[], areRowsSealed: boolean): void {
    const told = this.#told.get(entityId)
    if (told === undefined) return
    const kept = this.#parts.store.files(entityId).filter((file) => !add.includes(file))
    const before = [...kept, ...remove]
    if (!this.#hasRoom(entityId, told) || this.#seriesUntold(entityId, told) > seriesAtOnceMax) {
      this.#end(entityId, before)
      return
    }
    this.#leaving.add(remove.map(infoOf))
    // Rows that are being told are told as of before it: it is counted for the mirror with the change of the files.
    const isNew = areRowsSealed || told.telling !== null
    this.#guarded(entityId, () => this.#tell(entityId, told, { add, remove }, isNew ? 'new' : 'same'), before)
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

  /** The store does not fail because of a mirror. `files` are those that it was told of. */
  #guarded(entityId: number, work: () => void, files = this.#parts.store.files(entityId)): void {
    try {
      work()
    } catch {
      this.#end(entityId, files)
    }
  }

  #begin(entityId: number): void {
    const { store } = this.#parts
    const told = new ToldEntity()
    if (store.registry(entityId).columns.replaced !== null || !this.#hasRoom(entityId, told)) return
    if (this.#seriesUntold(entityId, told) > seriesAtOnceMax) return
    this.#told.set(entityId, told)
    this.#tell(entityId, told, { add: store.files(entityId), remove: [] }, 'new')
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
    const tables = store.tables(entityId) ?? []
    const entity = {
      ...{ entityId, registry, add: add.map(infoOf), remove: remove.map(infoOf), memory },
      series: partOfSeries(series, Math.max(told.series, registry?.series ?? 0), series.count),
      untold: memory === 'new' ? datesOf(tables) : null,
      counts,
    }
    told.series = series.count
    tell({ kind: 'entity', entity }, [])
    if (memory === 'new') this.#tellMemory(entityId, told, tables, counts)
  }

  #tellBatch(told: ToldEntity, batch: RowBatch): void {
    const { store, nowMs, valuesAtOnce = valuesAtOnceMax } = this.#parts
    const { entityId, rows, columns } = batch
    const isSlow = told.came(rows, nowMs()) && rows * columns.length <= valuesAtOnce
    if (!told.isWhole && told.telling === null) return
    if (!isSlow || !this.#take(told, this.#bytesOf(entityId, store.tables(entityId) ?? []))) {
      told.isWhole = false
      told.telling = null
      return
    }
    const own = crossingBatch(batch)
    if (told.telling !== null) {
      told.telling.held.push(own)
      return
    }
    this.#tellRows(own)
    told.series = store.registry(entityId).series.count
  }

  #tellRows(batch: RowBatch): void {
    this.#parts.tell({ kind: 'rows', batch }, memoryOfBatch(batch))
  }

  /** All rows in memory, where there is room for them: few at once, many a part at a time. */
  #tellMemory(entityId: number, told: ToldEntity, tables: readonly Table[], counts: Int32Array): void {
    const { store, valuesAtOnce = valuesAtOnceMax } = this.#parts
    told.isWhole = false
    told.telling = null
    this.#take(told, this.#bytesOf(entityId, []))
    if (!this.#take(told, this.#bytesOf(entityId, tables))) return
    const telling: Telling = { held: [] }
    told.telling = telling
    const { columns, series } = store.registry(entityId)
    const rowsAtOnce = Math.max(1, Math.floor(valuesAtOnce / (columns.count + series.tags.length + 1)))
    const parts = tables.map((table) => rowsOfTable(table, rowsAtOnce))
    const whole = tables.length === 0 ? null : ({ kind: 'whole', entityId, counts } as const)
    this.#tellParts(entityId, told, telling, parts, whole).catch(() => this.#end(entityId, store.files(entityId)))
  }

  /** Another telling of the entity ends it. Few rows are told in one turn. */
  async #tellParts(
    entityId: number,
    told: ToldEntity,
    telling: Telling,
    tables: readonly Generator<RowBatch>[],
    whole: MirrorNews | null,
  ): Promise<void> {
    const { store, tell, rest } = this.#parts
    let isFirst = true
    for (const table of tables) {
      for (const batch of table) {
        if (!isFirst) await rest()
        isFirst = false
        if (told.telling !== telling) return
        tell({ kind: 'part', batch }, memoryOfBatch(batch))
      }
    }
    if (whole !== null) tell(whole, [])
    for (let batch = telling.held.shift(); batch !== undefined; batch = telling.held.shift()) {
      this.#tellRows(batch)
      await rest()
      if (told.telling !== telling) return
    }
    told.telling = null
    told.isWhole = true
    told.series = store.registry(entityId).series.count
  }

  /** How many series are neither told nor on disk. */
  #seriesUntold(entityId: number, told: ToldEntity): number {
    const { store, writtenRegistry } = this.#parts
    return store.registry(entityId).series.count - Math.max(told.series, writtenRegistry(entityId)?.series ?? 0)
  }

  /** Whether there is room for an entity without its rows in memory. */
  #hasRoom(entityId: number, told: ToldEntity): boolean {
    return this.#bytes - told.bytes + this.#bytesOf(entityId, []) <= this.#parts.bytesMax
  }

  /** About what an entity with these rows takes in the mirror: as much as here. */
  #bytesOf(entityId: number, tables: readonly Table[]): number {
    const { series } = this.#parts.store.registry(entityId)
    return tables.reduce((bytes, table) => bytes + table.bytes, entityBytes + series.bytes)
  }

  /** Whether there is room for so much of an entity. It is counted where there is. */
  #take(told: ToldEntity, bytes: number): boolean {
    const sum = this.#bytes - told.bytes + bytes
    if (sum > this.#parts.bytesMax && bytes > told.bytes) return false
    this.#bytes = sum
    told.bytes = bytes
    return true
  }
}

function datesOf(tables: readonly Table[]): EntityNews['untold'] {
  if (tables.length === 0) return null
  return {
    fromMs: Math.min(...tables.map(({ firstMs }) => firstMs)),
    toMs: Math.max(...tables.map(({ lastMs }) => lastMs)),
  }
}

function infoOf({ info }: SealedFile): SealedFileInfo {
  return info
}
