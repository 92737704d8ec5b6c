// Which parts of a filter Druid answers by its indexes of texts. Where it does, a bound of a null text is unknown; else it is false.

import { type Expression, partsOf } from '../expression/syntax.ts'
import type { Filter, VirtualColumn } from '../parse/query-nodes.ts'

export interface FilterIndex {
  /** Whether a column is one of texts with an index, or is not there at all. */
  readonly isIndexed: (column: string) => boolean
  /** Whether a filter of the column's values is answered by an index: virtual columns of one such text are too. */
  readonly isSearched: (column: string) => boolean
  /** Whether a column knows which of its rows are null. */
  readonly knowsNulls: (column: string) => boolean
}

const never = (): boolean => false
export const noIndex: FilterIndex = { isIndexed: never, isSearched: never, knowsNulls: never }

/** Of a table; `isText` says which columns hold texts, null of what is no column. */
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

/** What Druid negates or makes certain it answers by its indexes as a whole, or not at all. */
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

/** Whether an expression reads one column, and that is indexed. */
function readsOne(expression: Expression, isIndexed: (column: string) => boolean): boolean {
  const names = new Set(namesIn(expression))
  return names.size === 1 && [...names].every(isIndexed)
}

const namesIn = (part: Expression): readonly string[] =>
  part.kind === 'name' ? [part.name] : partsOf(part).flatMap(namesIn)
