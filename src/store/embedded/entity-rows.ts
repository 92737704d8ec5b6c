import type { EntityStatistics } from '../series-store.ts'
import { Table } from './head/table.ts'
import type { SealedFile } from './reading/sealed-source.ts'
import type { EntityRegistry } from './registry/entity-registry.ts'
import type { EntitySnapshot } from './run/plan-run.ts'

/** All rows of one entity: the head, frozen tables and sealed files. The lists are never changed in place, so what a run has pinned stays as it was. */
export class EntityRows {
  readonly registry: EntityRegistry
  readonly #chunkRows: number
  #head: Table | null = null
  #frozen: readonly Table[] = []
  #files: readonly SealedFile[] = []
  /** The files with visible rows, and the files with hours of expired rows. */
  #seen: readonly SealedFile[] = []
  #hours: readonly SealedFile[] = []

  constructor(registry: EntityRegistry, chunkRows: number) {
    this.registry = registry
    this.#chunkRows = chunkRows
  }

  get head(): Table {
    this.#head ??= new Table(this.registry, this.#chunkRows)
    return this.#head
  }

  get headRows(): number {
    return this.#head?.count ?? 0
  }

  /** Files of rows and of hours. */
  get files(): readonly SealedFile[] {
    return this.#files
  }

  /** Files of rows, without those whose rows are all deleted. */
  get seenFiles(): readonly SealedFile[] {
    return this.#seen
  }

  /** The tables in memory that have rows. */
  get tables(): readonly Table[] {
    return this.#head === null || this.#head.count === 0 ? this.#frozen : [this.#head, ...this.#frozen]
  }

  /** The approximate memory use of the head. `bytes` is that of all rows in memory. */
  get headBytes(): number {
    return this.#head?.bytes ?? 0
  }

  get bytes(): number {
    return this.#frozen.reduce((bytes, table) => bytes + table.bytes, this.headBytes + this.registry.series.bytes)
  }

  /** Turns the head into a frozen table; null if it has no row. */
  freeze(): Table | null {
    const table = this.#head
    if (table === null || table.count === 0) return null
    this.#head = null
    this.#frozen = [...this.#frozen, table]
    return table
  }

  /** Replaces files and frozen tables with other files. Throws an Error if they are not there. */
  replace(add: readonly SealedFile[], remove: readonly SealedFile[], frozen: readonly Table[]): void {
    const known = new Set(this.#files)
    const unknown = remove.some((file) => !known.has(file)) || frozen.some((table) => !this.#frozen.includes(table))
    if (unknown || add.some((file) => known.has(file))) throw new Error('the files to switch are not those there are')
    this.#take([...this.#files.filter((file) => !remove.includes(file)), ...add])
    this.#frozen = this.#frozen.filter((table) => !frozen.includes(table))
  }

  /** Replaces files with other views of them. */
  show(files: ReadonlyMap<SealedFile, SealedFile>): void {
    this.#take(this.#files.map((file) => files.get(file) ?? file))
  }

  #take(files: readonly SealedFile[]): void {
    this.#files = files
    const seen = files.filter(({ info }) => info.rows > 0)
    this.#seen = seen.filter(({ info }) => info.kind !== 'hours')
    this.#hours = seen.filter(({ info }) => info.kind === 'hours')
  }

  /** A snapshot of the rows; null if there are none. `close` must be called after use. */
  open(): (EntitySnapshot & { close(): void }) | null {
    const tables = this.tables.map((table) => ({ table, view: table.open() }))
    const [files, hours] = [this.#seen, this.#hours]
    if (tables.length === 0 && files.length === 0 && hours.length === 0) return null
    const close = (): void => {
      for (const { table, view } of tables) table.release(view)
    }
    return { registry: this.registry, tables, files, hours, close }
  }

  /** The first kept hour of expired rows; null if there is none. */
  get hoursFromMs(): number | null {
    return this.#hours.reduce<number | null>((ms, { info }) => Math.min(ms ?? info.firstMs, info.firstMs), null)
  }

  statistics(): EntityStatistics {
    const { tables } = this
    const infos = this.#seen.map(({ info }) => info)
    const rows = tables.reduce((sum, { count }) => sum + count, 0) + infos.reduce((sum, info) => sum + info.rows, 0)
    if (rows === 0) return { rows, firstMs: null, lastMs: null }
    const parts = [...tables, ...infos]
    return {
      rows,
      firstMs: parts.reduce((ms, { firstMs }) => Math.min(ms, firstMs), Number.POSITIVE_INFINITY),
      lastMs: parts.reduce((ms, { lastMs }) => Math.max(ms, lastMs), Number.NEGATIVE_INFINITY),
    }
  }
}
