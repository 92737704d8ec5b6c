import type { ColumnType } from '../../../model/column.ts'
import type { ReplacedColumn } from '../reading/replace-rows.ts'

/** A dimension or metric of an entity; its index is its place in the chunks' `columns`. */
export interface EntityColumn {
  readonly index: number
  readonly name: string
  readonly type: ColumnType
}

/** No field's name has this sign. */
const originSuffix = '@'

/** The dimensions and metrics of an entity that rows came with, numbered as they were learnt: the same for all that hold its rows. */
export class EntityColumns {
  readonly #columns: EntityColumn[] = []
  #replaced: ReplacedColumn[] | null = null

  get count(): number {
    return this.#columns.length
  }

  /** By index; those of origins are among them. */
  get all(): readonly EntityColumn[] {
    return this.#columns
  }

  /** What newer rows replace; null where they are kept beside the older ones. One array, which grows as columns are learnt. */
  get replaced(): readonly ReplacedColumn[] | null {
    return this.#replaced
  }

  /** Newer rows replace older ones of the same time and tags from now on: each column gets one of origins. */
  replaceRows(): void {
    if (this.#replaced !== null) return
    this.#replaced = []
    for (const column of [...this.#columns]) this.#learnOrigins(column)
  }

  column(name: string): EntityColumn | null {
    return this.#columns.find((column) => column.name === name) ?? null
  }

  /** The column of that name, a new one if need be. Throws when it is known with another type, for fields are never retyped. */
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

  /** Where the origins of a column are. */
  originsOf(name: string): EntityColumn {
    return this.learn(name + originSuffix, 'long')
  }

  #learnOrigins({ index, name }: EntityColumn): void {
    if (this.#replaced === null || name.endsWith(originSuffix)) return
    this.#replaced.push({ index, originIndex: this.originsOf(name).index })
  }
}
