import type { Bound } from '../../druid-sql/bind/tree.ts'
import type { TimeRange } from '../../druid-time/bucket-sql.ts'
import type { Interval } from '../../druid-time/iso.ts'
import { type Sql, SqlTooLarge, sql } from '../../lib/sql-text.ts'
import { invalidRequest } from '../../model/problem.ts'
import { bindExpression, type Scope } from '../expression/compile.ts'
import { type Expression, ExpressionError } from '../expression/syntax.ts'
import { unsupported } from '../parse/json-reader.ts'
import type { VirtualColumn } from '../parse/query-nodes.ts'
import { asValue, convert, elementOf, nullValue, type Typed, typedNull } from '../values/typed.ts'
import { type FilterIndex, indexOf, noIndex } from './filter-index.ts'
import { Layers } from './layers.ts'
import type { Relation } from './relation.ts'

/** Binds the expression at a path of the query. */
export function bindAt(path: string, expression: Expression, scope: Scope): Bound {
  try {
    return bindExpression(expression, scope)
  } catch (error) {
    if (error instanceof SqlTooLarge) throw invalidRequest(path, 'the expression is too large')
    if (!(error instanceof ExpressionError)) throw error
    throw error.unsupported ? unsupported(path, error.message) : invalidRequest(path, error.message)
  }
}

/** As `bindAt`, written as SQL. */
export const compileAt = (path: string, expression: Expression, scope: Scope): Typed =>
  asValue(bindAt(path, expression, scope))

/** The source rows of a query. Collects the columns of the relation and the virtual columns that are used. */
export class Source implements Scope {
  readonly range: TimeRange
  readonly relation: Relation
  /** The columns that Druid filters by index. */
  readonly index: FilterIndex
  readonly #intervals: readonly Interval[]
  readonly #virtual: ReadonlyMap<string, VirtualColumn>
  readonly #asked: string[] = []
  readonly #made = new Map<string, Typed>()
  readonly #making = new Set<string>()
  readonly #layers = new Layers('w')
  readonly #exploded: Sql[] = []
  #newestFirst = false

  constructor(
    relation: Relation,
    virtualColumns: readonly VirtualColumn[],
    intervals: readonly Interval[],
    range: TimeRange,
  ) {
    this.relation = relation
    this.range = range
    this.#intervals = intervals
    const isText = (name: string): boolean | null => {
      const column = relation.columns.find((one) => one.name === name)
      return column === undefined ? null : column.type === 'STRING'
    }
    // Only tables have an index.
    this.index = relation.instant === null ? noIndex : indexOf(isText, virtualColumns)
    this.#virtual = new Map(virtualColumns.map((column) => [column.name, column]))
  }

  column(name: string): Typed {
    const virtual = this.#virtual.get(name)
    // Within a virtual column's own expression, its name refers to the relation's column.
    if (virtual !== undefined && !this.#making.has(name)) return this.#virtualColumn(virtual)
    const column = this.relation.columns.find((one) => one.name === name)
    if (column === undefined) return nullValue
    let index = this.#asked.indexOf(name)
    if (index < 0) index = this.#asked.push(name) - 1
    return {
      type: column.type,
      sql: sql.id(`c${index}`),
      ...(column.isUndeclaredType === true ? { isUndeclaredType: true } : {}),
    }
  }

  #virtualColumn(virtual: VirtualColumn): Typed {
    const made = this.#made.get(virtual.name)
    if (made !== undefined) return made
    this.#making.add(virtual.name)
    const value = compileAt(virtual.path, virtual.expression, this)
    this.#making.delete(virtual.name)
    const typed = value.type === null ? { type: virtual.outputType, sql: typedNull(virtual.outputType) } : value
    const isMulti = virtual.outputType === 'STRING' && elementOf(typed.type) !== null
    const column = { ...this.#layers.define(typed), ...(isMulti ? { isMulti } : {}) }
    this.#made.set(virtual.name, column)
    return column
  }

  /** Unnests a list into rows, after the condition of `rows` is applied; an empty list becomes one row with null. */
  explode(list: Sql): Sql {
    return sql.id(`u${this.#exploded.push(list) - 1}`)
  }

  /** The time in milliseconds. As in Druid, rows without a time belong to 1970. */
  time(): Typed {
    const column = this.column('__time')
    if (column.type === null) return { type: 'LONG', sql: sql.long(0) }
    const time = convert(column, 'LONG')
    // A join may have rows with only a right side.
    return this.relation.instant === null ? { ...time, sql: sql`coalesce(${time.sql}, ${sql.long(0)})` } : time
  }

  /** Sort key for a time column of the rows, with ties in push order; null if the time is null. */
  orderBy(time: Sql, isOwn: boolean): Sql {
    const { position } = this.relation
    if (position === null) return time
    if (isOwn) return sql`row(${time}, ${position})`
    return sql`CASE WHEN ${time} IS NOT NULL THEN row(${time}, ${this.time().sql}, ${position}) END`
  }

  /** Sort key for the time of rows. Also makes the relation read in that order, first rows first. */
  instant(descending: boolean): Sql {
    this.#newestFirst = descending
    const { instant } = this.relation
    return instant === null ? this.time().sql : instant
  }

  /** The rows that meet a condition. Call after all columns have been requested. */
  rows(condition: Sql | null): Sql {
    const all = this.#layers.around(this.relation.select(this.#asked, this.#intervals, this.#newestFirst))
    const passed = condition === null ? all : sql`(SELECT * FROM ${all} AS s WHERE ${condition})`
    const each = this.#exploded.reduce((inner, list, index) => {
      const values = sql`CASE WHEN len(${list}) > 0 THEN ${list} ELSE [NULL] END`
      return sql`(SELECT *, unnest(${values}) AS ${sql.id(`u${index}`)} FROM ${inner} AS s)`
    }, passed)
    return sql`${each} AS s`
  }
}
