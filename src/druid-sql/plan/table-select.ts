// A SELECT over one table, possibly through subqueries that only select, name and compute its columns, as Superset writes for virtual data sets.
import {
  type Bound,
  type BoundRows,
  type ColumnNode,
  columnsIn,
  hasAggregate,
  hasWindow,
  type SelectNode,
} from '../bind/tree.ts'

/** A larger limit or offset exceeds any number of rows. */
const allOf = 2n ** 31n

export interface TableSelect {
  readonly select: SelectNode
  readonly rows: { readonly limit: number | null; readonly offset: number }
  /** The conditions of all queries, those of the innermost first. */
  readonly conditions: readonly Bound[]
  /** Resolves a column of a subquery; a column of the table is itself. Null for a value that is the same in all rows, for which SQL has its own rules. */
  readonly resolve: (column: ColumnNode) => Bound | null
}

/** Null where the rows come from anything else. */
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
  const resolve = (column: ColumnNode): Bound | null => {
    const { relation, column: place } = column.at
    const output = typeof place === 'number' ? outputs.get(relation)?.[place] : undefined
    if (output === undefined) return column
    return output?.kind === 'column' ? resolve(output) : output
  }
  return { select, rows: shown, conditions, resolve }
}

/** The rows inside common tables, whose definitions are added to `common`. */
function unwrapped(rows: BoundRows, common: Map<number, BoundRows>): BoundRows {
  if (rows.kind !== 'query') return rows
  for (const one of rows.with) common.set(one.relation, one.rows)
  return rows.rows
}

/** Without a limit, the order of a subquery has no effect. */
function plainSelect(rows: BoundRows, common: Map<number, BoundRows>): SelectNode | null {
  if (rows.kind === 'query' && (rows.limit !== null || rows.offset !== null)) return null
  const select = unwrapped(rows, common)
  if (select.kind !== 'select' || select.distinct || select.groups !== null || select.having !== null) return null
  return select.outputs.some((output) => hasAggregate(output) || hasWindow(output)) ? null : select
}
