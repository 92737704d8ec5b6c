// A query over a query that only chooses, names and computes columns of a table, as one query over the table: Superset writes so of its virtual
// data sets. The query was found right before, so each name means something.
import { aggregates } from '../functions/aggregates.ts'
import type { Expression, Query, Select, SelectItem, TableExpression } from '../parse/syntax.ts'
import { type Change, NotRewritten, Rewriter } from './rewrite-columns.ts'

/** Queries within each other. */
const depthMax = 10

/** The same query over the table of these columns; null for what is over anything else. */
export function foldSubquery(query: Query, tableColumns: readonly string[]): Query | null {
  try {
    return folded(query, { tableColumns, rewriter: new Rewriter() }, depthMax)
  } catch (error) {
    if (error instanceof NotRewritten) return null
    throw error
  }
}

interface Folding {
  readonly tableColumns: readonly string[]
  /** One for all: what is named more than once grows with each query around it. */
  readonly rewriter: Rewriter
}

function folded(query: Query, folding: Folding, depth: number): Query | null {
  const { body } = query
  if (body.kind !== 'select' || body.windows.size > 0 || body.from === null || depth === 0) return null
  const inner = innerQuery(query, body.from)
  if (inner === null) return query.with.length === 0 && isTable(body.from) ? query : null
  const over = folded(inner, folding, depth - 1)
  const plain = over === null ? null : plainSelect(over)
  const columns = plain === null ? null : columnsOf(plain, folding)
  return plain === null || columns === null ? null : overTable(query, body, plain, columns, folding)
}

const isTable = (from: TableExpression): boolean => from.kind === 'table' && (from.alias?.columns.length ?? 0) === 0

/** A query in FROM, or the one that WITH names and FROM takes; null for a table. */
function innerQuery({ with: definitions }: Query, from: TableExpression): Query | null {
  if (from.kind === 'subquery')
    return definitions.length > 0 || (from.alias?.columns.length ?? 0) > 0 ? null : from.query
  const [definition, ...others] = definitions
  if (definition === undefined || others.length > 0 || definition.columns.length > 0) return null
  const isNamed = isTable(from) && from.kind === 'table' && from.path.length === 1 && from.path[0] === definition.name
  return isNamed ? definition.query : null
}

/** What orders it says nothing without a limit. */
function plainSelect({ body, limit, offset }: Query): Select | null {
  if (body.kind !== 'select' || limit !== null || offset !== null) return null
  const { distinct, groupBy, having } = body
  return distinct || groupBy !== null || having !== null ? null : body
}

/** What a column of a query stands for. */
interface FoldedColumn {
  readonly expression: Expression
  readonly parts: number
  /** Whether it is the same in all rows: SQL has rules of its own for what is written so where it is used. */
  readonly isConstant: boolean
}

type Columns = ReadonlyMap<string, FoldedColumn>

/** Two names say that a column is one of the table, and not of what is selected. */
const qualified: Change = {
  column: (column, parts) => parts.add({ ...column, path: ['', column.path.at(-1)!] }),
  call: (call) => {
    if (aggregates.has(call.name) || call.name === 'GROUPING') throw new NotRewritten()
    return qualified
  },
}

/** Null where a name means something else than in a table. */
function columnsOf({ items }: Select, { tableColumns, rewriter }: Folding): Columns | null {
  const columns = new Map<string, FoldedColumn>()
  for (const { name, expression } of shownColumns(items, tableColumns)) {
    // A name that is there twice is not used.
    columns.set(name, rewriter.rewritten(expression, qualified))
  }
  const time = columns.get('__time')?.expression
  // LATEST goes by what has this name.
  return time === undefined || (time.kind === 'column' && time.path.at(-1) === '__time') ? columns : null
}

function shownColumns(
  items: readonly SelectItem[],
  starColumns: readonly string[],
): readonly { readonly name: string; readonly expression: Expression }[] {
  return items.flatMap((item, at) => {
    const { place } = item
    if (item.kind === 'star')
      return starColumns.map((name) => ({ name, expression: { kind: 'column' as const, path: [name], place } }))
    const { alias, expression } = item
    return [{ name: alias ?? (expression.kind === 'column' ? expression.path.at(-1)! : `EXPR$${at}`), expression }]
  })
}

function overTable(query: Query, body: Select, inner: Select, columns: Columns, { rewriter }: Folding): Query | null {
  const shown = shownColumns(body.items, [...columns.keys()])
  // Numbers of groups are those of items.
  if (shown.length > body.items.length && body.groupBy !== null) return null
  const ofColumns = changeOf(columns, new Set())
  const ofOutputs = changeOf(columns, new Set(shown.map(({ name }) => name)))
  const aliases = aliasesOf(body, columns)
  const read = (expression: Expression, change: Change): Expression => rewriter.rewritten(expression, change).expression
  const keys = body.groupBy?.map((key) => {
    if (key.kind !== 'expression') throw new NotRewritten()
    const { expression } = key
    const named = expression.kind === 'column' && expression.path.length === 1 ? expression.path[0]! : ''
    return { ...key, expression: read(aliases.get(named) ?? expression, ofColumns) }
  })
  const conditions = [
    ...(inner.where === null ? [] : [read(inner.where, qualified)]),
    ...(body.where === null ? [] : [read(body.where, ofColumns)]),
  ]
  const { place } = body
  const where: Expression | null =
    conditions.length > 1 ? { kind: 'logical', operator: 'AND', items: conditions, place } : (conditions[0] ?? null)
  const items = shown.map(({ name, expression }): SelectItem => {
    return { kind: 'expression', expression: read(expression, ofColumns), alias: name, place }
  })
  const having = body.having === null ? null : read(body.having, ofOutputs)
  const orderBy = query.orderBy.map((item) => ({ ...item, expression: read(item.expression, ofOutputs) }))
  return {
    ...query,
    with: [],
    orderBy,
    body: { ...body, from: inner.from, where, items, groupBy: keys ?? null, having },
  }
}

/** What GROUP BY means by the name of an item: a column goes before. */
function aliasesOf({ items }: Select, columns: Columns): ReadonlyMap<string, Expression> {
  const aliases = new Map<string, Expression>()
  for (const item of items) {
    if (item.kind === 'star' || item.alias === null || columns.has(item.alias)) continue
    if (!aliases.has(item.alias)) aliases.set(item.alias, item.expression)
  }
  return aliases
}

/** Each column becomes what it stands for, but names that go before columns. Within an aggregate none do. */
function changeOf(columns: Columns, named: ReadonlySet<string>): Change {
  const change: Change = {
    column: (column, parts) => {
      const [name] = column.path
      if (column.path.length === 1 && named.has(name!)) return parts.add(column)
      const found = columns.get(column.path.at(-1)!)
      if (found === undefined || found.isConstant) throw new NotRewritten()
      return parts.addFolded(found)
    },
    call: ({ name }) => (aggregates.has(name) && named.size > 0 ? changeOf(columns, new Set()) : change),
  }
  return change
}
