import { addTo } from '../lib/add-to.ts'
import { nullCode } from '../model/column.ts'
import type { EntityField } from '../model/entity.ts'
import type { Selection } from '../model/plan.ts'
import { timesOf } from '../model/row-batch.ts'
import type { StoredRows } from './journal-rows.ts'
import { columnOf } from './row-texts.ts'

/** Which rows a selection is told: found by their tags, so that a follower of one tag does not cost as much as all of them. */
export class RowsByTag {
  readonly #stored: StoredRows
  /** By the name of the tag field: the rows of each value, rising. */
  readonly #byTag = new Map<string, ReadonlyMap<string | null, readonly number[]>>()

  constructor(stored: StoredRows) {
    this.#stored = stored
  }

  /** Rising. */
  rowsOf({ tags: [tag], ids, prefixes, sinceMs }: Selection): readonly number[] {
    const byTag = this.#rowsOfTag(tag)
    const found = ids === null ? [...byTag] : ids.map((id) => [id, byTag.get(id) ?? []] as const)
    const passes = (value: string | null): boolean =>
      prefixes === null || (value !== null && prefixes.some((prefix) => value.startsWith(prefix)))
    const lists = found.filter(([value, rows]) => rows.length > 0 && passes(value)).map(([, rows]) => rows)
    const rows = lists.length === 1 ? lists[0]! : lists.flat().sort((one, other) => one - other)
    if (sinceMs === null) return rows
    const times = timesOf(this.#stored.batch)
    return rows.filter((row) => times[row]! >= sinceMs)
  }

  #rowsOfTag(tag: EntityField): ReadonlyMap<string | null, readonly number[]> {
    const known = this.#byTag.get(tag.name)
    if (known !== undefined) return known
    const { batch, rejected } = this.#stored
    const column = columnOf(batch, tag)
    const byTag = new Map<string | null, number[]>()
    for (let row = 0; row < batch.rows; row++) {
      if (rejected.has(batch.positions[row]!)) continue
      const code = column?.type === 'string' ? column.codes[row]! : nullCode
      const value = column?.type === 'string' && code !== nullCode ? column.dictionary[code]! : null
      addTo(byTag, value, row)
    }
    this.#byTag.set(tag.name, byTag)
    return byTag
  }
}
