// Writes a checked query in Druid's SQL. Entities are subqueries that show only their own columns, whatever else the data source has.
import type { Zone } from '../../druid-time/zone.ts'
import { type Sql, sql } from '../../lib/sql-text.ts'
import { type Place, quoted, sqlProblem } from '../parse/sql-problem.ts'
import type {
  Alias,
  Expression,
  Grouping,
  Join,
  OrderItem,
  Query,
  QueryBody,
  Select,
  SelectItem,
  TableExpression,
  Values,
} from '../parse/syntax.ts'
import { mayHaveNullCounts } from './null-counts.ts'
import { digits, word } from './raw-sql.ts'
import { ExpressionWriter } from './write-expression.ts'

/** The rows of an entity, or the items of metadata, as a query with its columns by name, in order. Null for a path that names neither. */
export type TableSource = (path: readonly string[]) => Sql | null

export class QueryWriter {
  readonly #source: TableSource
  /** Places where GROUP BY names an output. */
  readonly #namedKeys: readonly Place[]
  /** Names of the common tables of the enclosing queries. */
  #common: readonly string[] = []
  readonly #expressions: ExpressionWriter

  /** `zone` is the zone of the query's times. */
  constructor(source: TableSource, namedKeys: readonly Place[], zone: Zone) {
    this.#source = source
    this.#namedKeys = namedKeys
    this.#expressions = new ExpressionWriter((query) => this.query(query), zone)
  }

  query({ with: common, body, orderBy, limit, offset }: Query): Sql {
    const outer = this.#common
    const named = common.map(({ name, columns, query }) => {
      const written = sql`${sql.id(name)}${columnList(columns)} AS (${this.query(query)})`
      this.#common = [...this.#common, name]
      return written
    })
    const parts = [
      ...(named.length === 0 ? [] : [sql`WITH ${sql.list(named)}`]),
      this.#body(body, orderBy),
      ...(orderBy.length === 0 ? [] : [sql`ORDER BY ${this.#expressions.orderBy(orderBy, groupsRows(body))}`]),
      ...(limit === null ? [] : [sql`LIMIT ${digits(limit)}`]),
      ...(offset === null ? [] : [sql`OFFSET ${digits(offset)}`]),
    ]
    this.#common = outer
    return sql.join(parts, ' ')
  }

  #body(body: QueryBody, orderBy: readonly OrderItem[] = []): Sql {
    switch (body.kind) {
      case 'select':
        return this.#select(body, orderBy)
      case 'values':
        return this.#values(body)
      case 'nested':
        return sql`(${this.query(body.query)})`
      case 'union':
        return sql`${this.#body(body.left)} UNION ALL ${this.#body(body.right)}`
    }
  }

  #values({ rows }: Values): Sql {
    const written = rows.map((row) => sql`(${this.#expressions.list(row)})`)
    return sql`VALUES ${sql.list(written)}`
  }

  #select(select: Select, orderBy: readonly OrderItem[]): Sql {
    return this.#expressions.ofQuery(mayHaveNullCounts(select, orderBy), () => this.#partsOf(select), select.windows)
  }

  #partsOf({ distinct, items, from, where, groupBy, having, windows }: Select): Sql {
    const isOfGroups = groupBy !== null || distinct
    const { write, list } = { write: this.#expressions.write, list: items.map((item) => this.#item(item, isOfGroups)) }
    const named = [...windows].map(([name, window]) => sql`${sql.id(name)} AS ${this.#expressions.window(window)}`)
    const parts = [
      distinct ? sql`SELECT DISTINCT ${sql.list(list)}` : sql`SELECT ${sql.list(list)}`,
      ...(from === null ? [] : [sql`FROM ${this.#from(from)}`]),
      ...(where === null ? [] : [sql`WHERE ${write(where)}`]),
      ...(groupBy === null ? [] : [sql`GROUP BY ${sql.list(groupBy.map((one) => this.#grouping(one, items)))}`]),
      ...(having === null ? [] : [sql`HAVING ${write(having)}`]),
      ...(named.length === 0 ? [] : [sql`WINDOW ${sql.list(named)}`]),
    ]
    return sql.join(parts, ' ')
  }

  #item(item: SelectItem, isOfGroups: boolean): Sql {
    if (item.kind === 'star') return item.table === null ? sql`*` : sql`${sql.id(item.table)}.*`
    const { expression } = item
    const written = isOfGroups ? this.#expressions.ofGroups(expression) : this.#expressions.write(expression)
    return item.alias === null ? written : sql`${written} AS ${sql.id(item.alias)}`
  }

  #grouping(grouping: Grouping, items: readonly SelectItem[]): Sql {
    if (grouping.kind === 'expression') return this.#key(grouping.expression, items)
    const sets = grouping.sets.map(
      (set) => sql`(${sql.list(set.map((key) => this.#key(placed(key, items) ?? key, items)))})`,
    )
    return sql`GROUPING SETS (${sql.list(sets)})`
  }

  /** Druid does not resolve the names of outputs in GROUP BY, so the expression of the output is written. */
  #key(key: Expression, items: readonly SelectItem[]): Sql {
    const isNamed = this.#namedKeys.some(({ line, column }) => key.place.line === line && key.place.column === column)
    const named = items.find(
      (item) => isNamed && key.kind === 'column' && item.kind === 'expression' && item.alias === key.path[0],
    )
    return this.#expressions.ofGroups(named?.kind === 'expression' ? named.expression : key)
  }

  #from(table: TableExpression): Sql {
    switch (table.kind) {
      case 'table':
        return this.#table(table)
      case 'subquery':
        return sql`(${this.query(table.query)})${alias(table.alias)}`
      case 'unnest':
        return sql`UNNEST(${this.#expressions.write(table.operand)})${alias(table.alias)}`
      case 'append':
        throw sqlProblem(table.place, 'TABLE(APPEND(...)) is not supported by this engine: write UNION ALL')
      case 'join':
        return this.#join(table)
    }
  }

  #table({ path, alias: given, place }: Extract<TableExpression, { kind: 'table' }>): Sql {
    const name = path.at(-1) ?? ''
    if (path.length === 1 && this.#common.includes(name)) return sql`${sql.id(name)}${alias(given)}`
    const source = this.#source(path)
    if (source === null) {
      throw sqlProblem(place, `${quoted(path.join('.'))} cannot be queried together with an entity`)
    }
    return sql`(${source})${alias(given ?? { name, columns: [] })}`
  }

  #join({ type, left, right, on, using }: Join): Sql {
    // Parentheses keep the order of a join on the right side.
    const other = right.kind === 'join' ? sql`(${this.#from(right)})` : this.#from(right)
    const natural = using === 'natural' ? sql`NATURAL ` : sql``
    const condition =
      on !== null
        ? sql` ON ${this.#expressions.write(on)}`
        : using !== null && using !== 'natural'
          ? sql` USING (${sql.list(using.map(({ name }) => sql.id(name)))})`
          : sql``
    return sql`${this.#from(left)} ${natural}${word(type)} JOIN ${other}${condition}`
  }
}

function alias(given: Alias | null): Sql {
  return given === null ? sql`` : sql` AS ${sql.id(given.name)}${columnList(given.columns)}`
}

function columnList(columns: readonly string[]): Sql {
  return columns.length === 0 ? sql`` : sql` (${sql.list(columns.map(sql.id))})`
}

/** The output at the position that a key within grouping sets names. Druid accepts positions only in ROLLUP and CUBE, which are written as sets. */
function placed(key: Expression, items: readonly SelectItem[]): Expression | null {
  if (key.kind !== 'number') return null
  const upTo = items.slice(0, Number(key.digits))
  const item = upTo.some(({ kind }) => kind === 'star') ? undefined : upTo[Number(key.digits) - 1]
  return item?.kind === 'expression' ? item.expression : null
}

/** Whether the columns are keys of groups, or computed from groups. */
const groupsRows = (body: QueryBody): boolean => body.kind === 'select' && (body.groupBy !== null || body.distinct)
