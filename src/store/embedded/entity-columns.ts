import type { ColumnType } from '../../model/column.ts'

/** A dimension or metric of an entity; its index is its place in the chunks' `columns`. */
export interface EntityColumn {
  readonly index: number
  readonly name: string
  readonly type: ColumnType
}

/** The dimensions and metrics of an entity that rows came with, numbered as they were learnt: the same for all that hold its rows. */
export class EntityColumns {
  readonly #columns: EntityColumn[] = []

  get count(): number {
    return this.#columns.length
  }

  /** By index. */
  get all(): readonly EntityColumn[] {
    return this.#columns
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
    return column
  }
}
