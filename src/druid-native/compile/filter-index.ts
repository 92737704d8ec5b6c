// Determines which parts of a filter Druid evaluates by its text indexes. There a bound on a null text is unknown; elsewhere it is false.

import { type Expression, partsOf } from '../expression/syntax.ts'
import type { Filter, VirtualColumn } from '../parse/query-nodes.ts'

export interface FilterIndex {
  /** Whether a column is an indexed text column, or does not exist. */
  readonly isIndexed: (column: string) => boolean
  /** Whether a filter on the column's values uses an index; includes virtual columns over a single indexed column. */
  readonly isSearched: (column: string) => boolean
  /** Whether a column has an index of its null rows. */
  readonly knowsNulls: (column: string) => boolean
}

const never = (): boolean => false
export const noIndex: FilterIndex = { isIndexed: never, isSearched: never, knowsNulls: never }

/** The index of a table. `isText` returns whether a column contains texts; null if it does not exist. */
export function indexOf(
  isText: (column: string) => boolean | null,
  virtualColumns: readonly VirtualColumn[],
): FilterIndex {
  const virtual = new Map(virtualColumns.map(({ name, expression }) => [name, expression]))
  const isIndexed = (column: string): boolean => !virtual.has(column) && isText(column) !== false
  return {
    isIndexed,
    isSearched: (column) => {
      const expression = virtual.get(column)
      return expression === undefined ? isIndexed(column) : readsOne(expression, isIndexed)
    },
    knowsNulls: (column) => !virtual.has(column),
  }
}

/** Druid evaluates the operand of `not`, `istrue` and `isfalse` entirely by index, or not by index at all. */
export const indexWithin = (filter: Filter, index: FilterIndex): FilterIndex =>
  isAnswered(filter, index) ? index : noIndex

function isAnswered(filter: Filter, index: FilterIndex): boolean {
  switch (filter.kind) {
    case 'and':
    case 'or':
      return filter.fields.every((field) => isAnswered(field, index))
    case 'not':
    case 'istrue':
    case 'isfalse':
      return isAnswered(filter.field, index)
    case 'constant':
      return true
    case 'expression':
      return readsOne(filter.expression, index.isIndexed)
    case 'null':
      return index.knowsNulls(filter.column)
    case 'equals':
    case 'inType':
    case 'range':
      return index.isSearched(filter.column)
    case 'selector':
      return index.isSearched(filter.dimension) || (filter.value === null && index.knowsNulls(filter.dimension))
    case 'in':
    case 'bound':
    case 'like':
    case 'regex':
    case 'search':
      return index.isSearched(filter.dimension)
    default:
      return false
  }
}

/** Whether an expression reads exactly one column, which is indexed. */
function readsOne(expression: Expression, isIndexed: (column: string) => boolean): boolean {
  const names = new Set(namesIn(expression))
  return names.size === 1 && [...names].every(isIndexed)
}

const namesIn = (part: Expression): readonly string[] =>
  part.kind === 'name' ? [part.name] : partsOf(part).flatMap(namesIn)
