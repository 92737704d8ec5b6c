// Where newer rows replace older ones of the same time and tags, Druid keeps all of them. They are merged into one item when they are read.
import { nullsColumn, positionColumn, timeColumn } from '../../model/druid-row.ts'
import type { EntityField } from '../../model/entity.ts'
import type { Range, Selection } from '../../model/plan.ts'
import { passesQuality } from '../../model/quality.ts'
import { type QueryTarget, type RawRows, scan } from './druid-query.ts'
import { type DruidRun, type ItemsQuery, longsIn } from './druid-run.ts'
import { valueRead } from './druid-value.ts'
import { allOf, intervalsOf, type NativeFilter } from './native-query.ts'
import { rowWindows } from './row-windows.ts'
import { tagFilter } from './selection-filter.ts'

/** About how many rows are in memory at once. */
const windowRows = 200_000

type Row = readonly unknown[]

/** An item while its rows are merged: each field has the value of the newest row that was pushed with that field. */
interface Merged {
  readonly row: Row
  readonly values: unknown[]
  readonly origins: Float64Array
  position: number
}

/** Like `items`, for an entity whose items are identified by their time and all of `tags`. */
export async function* replacedItems(
  { selection, ranges, filter }: ItemsQuery,
  tags: readonly EntityField[],
  { target, pacer }: Pick<DruidRun, 'target' | 'pacer'>,
): AsyncGenerator<RawRows> {
  const read = new ReplacedReading(selection, tags)
  const wanted = allOf([tagFilter(selection), filter])
  for (const range of ranges) {
    for (const window of await rowWindows(target, range, wanted, windowRows)) {
      const merged = new Map<string, Merged>()
      for await (const rows of read.rows(target, window, wanted)) {
        for (const row of rows) read.merge(merged, row)
        if (pacer.spend(rows.length * 4)) await pacer.rest()
      }
      yield [...merged.values()].filter((item) => read.isItem(item)).map((item) => read.output(item))
    }
  }
}

/** The number of items in the range, and the dates of the first and last. */
export async function countReplaced(
  target: QueryTarget,
  range: Range,
  tags: readonly EntityField[],
  filter: NativeFilter | null,
): Promise<{ rows: number; firstMs: number; lastMs: number }> {
  const counted = { rows: 0, firstMs: Number.POSITIVE_INFINITY, lastMs: Number.NEGATIVE_INFINITY }
  for (const { fromMs, toMs } of await rowWindows(target, range, filter, windowRows)) {
    const keys = new Set<string>()
    const columns = [timeColumn, ...tags.map(({ name }) => name)]
    for await (const rows of scan(target, { intervals: intervalsOf(fromMs, toMs), filter, columns, limit: null }, [])) {
      for (const row of rows) {
        keys.add(JSON.stringify(row))
        counted.firstMs = Math.min(counted.firstMs, Number(row[0]))
        counted.lastMs = Math.max(counted.lastMs, Number(row[0]))
      }
    }
    counted.rows += keys.size
  }
  return counted
}

/** Reads rows as: time, all tags, the fields that may be replaced, the names of fields pushed as null, position. */
class ReplacedReading {
  readonly #selection: Selection
  readonly #keys: number
  readonly #replaced: readonly EntityField[]
  readonly #columns: readonly string[]
  readonly #longs: readonly number[]
  /** The index of the quality in `#replaced`; -1 if there is none. */
  readonly #quality: number
  /** The source of each output column: the index of a key or of a replaced field. */
  readonly #sources: readonly { readonly key: number; readonly replaced: number }[]

  constructor(selection: Selection, tags: readonly EntityField[]) {
    this.#selection = selection
    const { time, tags: shown, fields, metrics, quality } = selection
    this.#keys = 1 + tags.length
    const own = quality === undefined || fields.includes(quality.field) ? fields : [...fields, quality.field]
    this.#replaced = [...own, ...metrics].filter(({ role }) => role !== 'tag')
    this.#quality = this.#replaced.findIndex(({ name }) => name === quality?.field.name)
    const all = [time, ...tags, ...this.#replaced]
    this.#columns = [timeColumn, ...all.slice(1).map(({ name }) => name), nullsColumn, positionColumn]
    this.#longs = longsIn(all)
    this.#sources = [...shown, ...fields, ...metrics].map(({ name }) => ({
      key: tags.findIndex((known) => known.name === name) + 1,
      replaced: this.#replaced.findIndex((known) => known.name === name),
    }))
  }

  rows(target: QueryTarget, { fromMs, toMs }: Range, filter: NativeFilter | null): AsyncGenerator<RawRows> {
    const query = { intervals: intervalsOf(fromMs, toMs), filter, columns: this.#columns, limit: null }
    return scan(target, query, this.#longs)
  }

  merge(merged: Map<string, Merged>, row: Row): void {
    const key = JSON.stringify(row.slice(0, this.#keys))
    const position = Number(row[this.#columns.length - 1])
    let item = merged.get(key)
    if (item === undefined) {
      const values = this.#replaced.map(() => null)
      item = { row, values, origins: new Float64Array(values.length).fill(-1), position }
      merged.set(key, item)
    }
    item.position = Math.max(item.position, position)
    const nulls = row[this.#columns.length - 2]
    const pushedNulls = typeof nulls === 'string' ? nulls.split(',') : []
    for (let index = 0; index < this.#replaced.length; index++) {
      const value = row[this.#keys + index] ?? null
      if (position <= item.origins[index]) continue
      if (value === null && !pushedNulls.includes(this.#replaced[index].name)) continue
      item.origins[index] = position
      item.values[index] = value
    }
  }

  isItem({ values }: Merged): boolean {
    const { metrics, quality } = this.#selection
    if (quality !== undefined && !passesQuality(valueRead(values[this.#quality], quality.field.type), quality))
      return false
    const first = this.#replaced.length - metrics.length
    return values.some((value, index) => index >= first && value !== null)
  }

  output({ row, values, position }: Merged): Row {
    const output: unknown[] = [row[0]]
    for (const { key, replaced } of this.#sources) output.push(replaced === -1 ? row[key] : values[replaced])
    output.push(position)
    return output
  }
}
