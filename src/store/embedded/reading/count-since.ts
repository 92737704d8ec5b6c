import type { Pacer } from '../../../lib/pacer.ts'
import type { EntityStatistics } from '../../series-store.ts'
import type { RowSlice } from '../head/chunk.ts'
import type { Table } from '../head/table.ts'
import type { EntitySnapshot } from '../run/plan-run.ts'
import { OpenFile } from './open-file.ts'
import type { SealedFile } from './sealed-source.ts'

interface Counted {
  readonly rows: number
  /** Infinity when there is no row. */
  readonly firstMs: number
}

/** Counts the rows of entities from a date on. Only tables and files with rows on both sides of the date have to be read. */
export class SinceCounter {
  /** Counts by file, so that each file is read once for each date. */
  readonly #files = new WeakMap<SealedFile, Counted & { readonly sinceMs: number }>()

  async count({ tables, files }: EntitySnapshot, sinceMs: number, pacer: Pacer): Promise<EntityStatistics> {
    const counted: Counted[] = []
    let lastMs = Number.NEGATIVE_INFINITY
    // Duplicate rows count once, and are recognised only in sorted order.
    const isItems = ({ registry, rows }: Table): boolean => registry.columns.replaced === null || !rows.hasLate
    const isRemaining = (part: { readonly lastMs: number }): boolean => part.lastMs >= sinceMs
    const isWhole = (part: { readonly firstMs: number }): boolean => part.firstMs >= sinceMs
    const parts = [...tables.map(({ table }) => table), ...files.map(({ info }) => info)].filter(isRemaining)
    for (const part of parts) lastMs = Math.max(lastMs, part.lastMs)
    for (const { table } of tables)
      if (isWhole(table) && isItems(table)) counted.push({ rows: table.count, firstMs: table.firstMs })
    for (const { info } of files) if (isWhole(info)) counted.push(info)
    for (const { table, view } of tables) {
      if (!isRemaining(table) || (isWhole(table) && isItems(table))) continue
      for (const series of table.series.values.slice(0, table.series.length)) {
        const prepared = view.prepare(series, pacer)
        if (prepared !== null) await prepared
        counted.push(await countSlices(view.run(series, sinceMs, Number.POSITIVE_INFINITY), pacer))
      }
    }
    for (const file of files) {
      if (isRemaining(file.info) && !isWhole(file.info)) counted.push(await this.#countFile(file, sinceMs, pacer))
    }
    const { rows, firstMs } = sum(counted)
    return rows === 0 ? { rows, firstMs: null, lastMs: null } : { rows, firstMs, lastMs }
  }

  async #countFile(file: SealedFile, sinceMs: number, pacer: Pacer): Promise<Counted> {
    const known = this.#files.get(file)
    if (known?.sinceMs === sinceMs) return known
    const { reader } = new OpenFile(file, [], 'once')
    const counted: Counted[] = []
    for (let place = 0; place < reader.length; place++) {
      const firstMs = reader.firstMs(place)
      if (firstMs >= sinceMs) counted.push({ rows: reader.rows(place), firstMs })
      else if (reader.lastMs(place) >= sinceMs)
        counted.push(await countSlices(reader.forward(place, sinceMs, Number.POSITIVE_INFINITY), pacer))
      if (pacer.spend(4)) await pacer.rest()
    }
    const all = { sinceMs, ...sum(counted) }
    this.#files.set(file, all)
    return all
  }
}

export async function countSlices(slices: Iterable<RowSlice>, pacer: Pacer): Promise<Counted> {
  let rows = 0
  let firstMs = Number.POSITIVE_INFINITY
  for (const { chunk, start, end } of slices) {
    if (rows === 0) firstMs = chunk.times[start]
    rows += end - start
    if (pacer.spend(end - start)) await pacer.rest()
  }
  return { rows, firstMs }
}

function sum(counted: readonly Counted[]): Counted {
  return counted.reduce(
    (all, { rows, firstMs }) => ({ rows: all.rows + rows, firstMs: Math.min(all.firstMs, firstMs) }),
    { rows: 0, firstMs: Number.POSITIVE_INFINITY },
  )
}
