import { type Sql, sql } from '../../lib/sql-text.ts'
import type { Typed } from '../values/typed.ts'

/** Values computed from other values. Each is computed in a SELECT around those that it uses, so that none is computed twice. */
export class Layers {
  readonly #prefix: string
  readonly #levels: { readonly name: Sql; readonly value: Sql }[][] = []
  readonly #levelOf = new Map<string, number>()

  constructor(prefix: string) {
    this.#prefix = prefix
  }

  /** Adds a value and returns its column. */
  define(value: Typed): Typed {
    const uses = value.sql.text.match(new RegExp(`\\b${this.#prefix}\\d+\\b`, 'g')) ?? []
    const level = Math.max(-1, ...uses.map((name) => this.#levelOf.get(name) ?? -1)) + 1
    const text = `${this.#prefix}${this.#levelOf.size}`
    const name = sql.id(text)
    this.#levelOf.set(text, level)
    const column = { name, value: value.sql }
    if (this.#levels[level] === undefined) this.#levels.push([column])
    else this.#levels[level].push(column)
    return { type: value.type, sql: name, width: value.width }
  }

  /** Wraps the relation in the SELECTs of all values. */
  around(relation: Sql): Sql {
    return this.#levels.reduce((inner, columns) => {
      const added = columns.map(({ name, value }) => sql`${value} AS ${name}`)
      return sql`(SELECT *, ${sql.list(added)} FROM ${inner} AS s)`
    }, relation)
  }
}
