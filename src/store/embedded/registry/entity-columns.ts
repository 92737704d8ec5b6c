import type { ColumnType } from '../../../model/column.ts'
import type { ReplacedColumn } from '../reading/replace-rows.ts'

/** A dimension or metric of an entity; `index` is its place in the `columns` of chunks. */
export interface EntityColumn {
  readonly index: number
  readonly name: string
  readonly type: ColumnType
}

/** Field names never contain this character. */
const originSuffix = '@'

/** The dimensions and metrics of an entity that appeared in rows, numbered in the order of appearance. All holders of its rows share them. */
export class EntityColumns {
  readonly #columns: EntityColumn[] = []
  #replaced: ReplacedColumn[] | null = null

  get count(): number {
    return this.#columns.length
  }

  /** By index; columns of origins included. */
  get all(): readonly EntityColumn[] {
    return this.#columns
  }

  /** The columns that newer rows replace; null where older rows are kept as well. One array, which grows as columns are learnt. */
  get replaced(): readonly ReplacedColumn[] | null {
    return this.#replaced
  }

  /** From now on newer rows replace older ones of the same time and tags: each column gets a column of origins. */
  replaceRows(): void {
    if (this.#replaced !== null) return
    this.#replaced = []
    for (const column of [...this.#columns]) this.#learnOrigins(column)
  }

  column(name: string): EntityColumn | null {
    return this.#columns.find((column) => column.name === name) ?? null
  }

  /** The column with this name, added if it is new. Throws an Error when it is known with another type, because fields are never retyped. */
  learn(name: string, type: ColumnType): EntityColumn {
    const known = this.column(name)
    if (known !== null) {
      if (known.type !== type) throw new Error(`the field ${name} is of type ${known.type}, not ${type}`)
      return known
    }
    const column = { index: this.#columns.length, name, type }
    this.#columns.push(column)
    this.#learnOrigins(column)
    return column
  }

  /** The column with the origins of a column. */
  originsOf(name: string): EntityColumn {
    return this.learn(name + originSuffix, 'long')
  }

  #learnOrigins({ index, name }: EntityColumn): void {
    if (this.#replaced === null || name.endsWith(originSuffix)) return
    this.#replaced.push({ index, originIndex: this.originsOf(name).index })
  }
}
