// A SELECT over one table, also by way of queries that only choose, name and compute its columns: Superset writes so of its virtual data sets.
import {
  type Bound,
  type BoundRows,
  type ColumnNode,
  columnsIn,
  hasAggregate,
  hasWindow,
  type SelectNode,
} from '../bind/tree.ts'

/** More is asked for than there are rows. */
const allOf = 2n ** 31n

export interface TableSelect {
  readonly select: SelectNode
  readonly rows: { readonly limit: number | null; readonly offset: number }
  /** Of all queries, that of the innermost first. */
  readonly conditions: readonly Bound[]
  /** What a column of a query within stands for: a column of the table for itself. Null is what is the same in all rows, for which SQL has rules of its own. */
  readonly meant: (column: ColumnNode) => Bound | null
}

/** Null for what is over anything else. */
export function tableSelect(rows: BoundRows): TableSelect | null {
  const common = new Map<number, BoundRows>()
  const { limit, offset } = rows.kind === 'query' ? rows : { limit: null, offset: null }
  const shown = {
    limit: limit === null || limit > allOf ? null : Number(limit),
    offset: offset === null ? 0 : Number(offset > allOf ? allOf : offset),
  }
  const select = unwrapped(rows, common)
  if (select.kind !== 'select') return null
  const outputs = new Map<number, readonly (Bound | null)[]>()
  const conditions = select.where === null ? [] : [select.where]
  let { from } = select
  while (from !== null && from.kind !== 'entity') {
    const inner = from.kind === 'rows' ? from.rows : from.kind === 'common' ? common.get(from.of) : undefined
    const plain = inner === undefined ? null : plainSelect(inner, common)
    if (plain === null || !('relation' in from)) return null
    const isSameInAll = (output: Bound): boolean => columnsIn(output).length === 0
    outputs.set(
      from.relation,
      plain.outputs.map((output) => (isSameInAll(output) ? null : output)),
    )
    if (plain.where !== null) conditions.unshift(plain.where)
    from = plain.from
  }
  if (from === null) return null
  const meant = (column: ColumnNode): Bound | null => {
    const { relation, column: place } = column.at
    const output = typeof place === 'number' ? outputs.get(relation)?.[place] : undefined
    if (output === undefined) return column
    return output?.kind === 'column' ? meant(output) : output
  }
  return { select, rows: shown, conditions, meant }
}

/** The rows within common tables, whose definitions are noted. */
function unwrapped(rows: BoundRows, common: Map<number, BoundRows>): BoundRows {
  if (rows.kind !== 'query') return rows
  for (const one of rows.with) common.set(one.relation, one.rows)
  return rows.rows
}

/** What orders it says nothing without a limit. */
function plainSelect(rows: BoundRows, common: Map<number, BoundRows>): SelectNode | null {
  if (rows.kind === 'query' && (rows.limit !== null || rows.offset !== null)) return null
  const select = unwrapped(rows, common)
  if (select.kind !== 'select' || select.distinct || select.groups !== null || select.having !== null) return null
  return select.outputs.some((output) => hasAggregate(output) || hasWindow(output)) ? null : select
}
