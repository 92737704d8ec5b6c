// Filters of native queries as the store asks them. Null is what the store does not know to ask.
import { hasHalfPair } from '../../lib/half-pairs.ts'
import type { EntityField } from '../../model/entity.ts'
import type { RowFilter, ValueBounds } from '../../model/row-condition.ts'
import { decimalForm, exactLong } from '../compile/compile-bound.ts'
import { constantText } from '../compile/filter.ts'
import { type FilterIndex, indexOf, indexWithin } from '../compile/filter-index.ts'
import type { Filter, VirtualColumn } from '../parse/query-nodes.ts'

export type FieldOf = (name: string) => EntityField | null

/** By which Druid filters the rows of an entity, whose fields are `fieldOf`. */
export const indexOfFields = (fieldOf: FieldOf, virtualColumns: readonly VirtualColumn[]): FilterIndex =>
  indexOf((name) => {
    const field = fieldOf(name)
    return field === null ? null : field.type === 'string'
  }, virtualColumns)

/** `index`: by which Druid answers this filter. `isNegated`: the rows that the filter is false for, not those that it is unknown for. */
export function rowFilter(filter: Filter, fieldOf: FieldOf, index: FilterIndex, isNegated = false): RowFilter | null {
  switch (filter.kind) {
    case 'and':
    case 'or': {
      const filters = filter.fields.map((field) => rowFilter(field, fieldOf, index, isNegated))
      if (filters.some((one) => one === null)) return null
      const kind = (filter.kind === 'and') === isNegated ? 'or' : 'and'
      return { kind, filters: filters.filter((one) => one !== null) }
    }
    case 'not':
      return rowFilter(filter.field, fieldOf, indexWithin(filter.field, index), !isNegated)
    case 'istrue':
    case 'isfalse':
      // What is not true may be unknown, and that is not to be said.
      return isNegated
        ? null
        : rowFilter(filter.field, fieldOf, indexWithin(filter.field, index), filter.kind === 'isfalse')
    case 'constant':
      return { kind: 'constant', value: filter.value !== isNegated }
    case 'null':
      return onField(filter.column, fieldOf, (field) => ({ kind: 'null', field, isNegated }))
    case 'equals':
    case 'inType':
      return onField(filter.column, fieldOf, (field) => amongTyped(filter, field, isNegated))
    case 'selector':
      if (filter.extraction !== null) return null
      return onField(filter.dimension, fieldOf, (field) => among(field, [filter.value], isNegated))
    case 'in':
      if (filter.extraction !== null) return null
      return onField(filter.dimension, fieldOf, (field) => among(field, filter.values, isNegated))
    case 'bound':
      if (filter.extraction !== null) return null
      return onField(filter.dimension, fieldOf, (field) =>
        bound(filter, field, { isNegated, byIndex: index.isIndexed(filter.dimension) }),
      )
    case 'like':
      if (filter.extraction !== null) return null
      return onField(filter.dimension, fieldOf, (field) => like(filter, field, isNegated))
    case 'range':
      return onField(filter.column, fieldOf, (field) => range(filter, field, isNegated))
    default:
      return null
  }
}

function onField(name: string, fieldOf: FieldOf, filterOf: (field: EntityField) => RowFilter | null): RowFilter | null {
  const field = fieldOf(name)
  return field === null ? null : filterOf(field)
}

/** Texts are compared with numbers by the numbers that they stand for, which is left to the SQL engine. */
function amongTyped(
  filter: Filter & { kind: 'equals' | 'inType' },
  field: EntityField,
  isNegated: boolean,
): RowFilter | null {
  if (field.type === 'string' && filter.type !== 'STRING') return null
  const values = filter.kind === 'equals' ? [filter.value] : filter.values
  const texts = values.map((value) => (value === null ? null : constantText(value, filter.type)))
  return among(field, texts, isNegated)
}

/** Whether a field has one of some values, which are written as texts. */
function among(field: EntityField, values: readonly (string | null)[], isNegated: boolean): RowFilter | null {
  if (values.length === 0) return null
  const texts = values.filter((value) => value !== null)
  const isNull: readonly RowFilter[] = values.includes(null) ? [{ kind: 'null', field, isNegated }] : []
  const found = texts.length === 0 ? null : amongTexts(field, texts, isNegated)
  if (found === null && texts.length > 0) return null
  const filters = [...(found === null ? [] : [found]), ...isNull]
  return filters.length === 1 ? filters[0]! : { kind: isNegated ? 'and' : 'or', filters }
}

function amongTexts(field: EntityField, texts: readonly string[], isNegated: boolean): RowFilter | null {
  if (field.type === 'string')
    return texts.some(hasHalfPair) ? null : { kind: 'texts', field, values: texts, isNegated }
  const values: number[] = []
  for (const text of texts) {
    const number = numberOf(text, field)
    if (number === 'none') continue
    if (number === 'unknown') return null
    values.push(number)
  }
  return { kind: 'numbers', field, values, isNegated }
}

/** The number that a text stands for where it is compared with the field; `none` where no value is equal to it. */
function numberOf(text: string, { type }: EntityField): number | 'none' | 'unknown' {
  if (type === 'double') return decimalForm.test(text) ? Number(text) : 'none'
  if (type !== 'long') return 'unknown'
  const long = exactLong(text)
  if (long === null) return 'none'
  return isSafe(Number(long)) ? Number(long) : 'unknown'
}

/** Longs are compared by their nearest doubles, which says the same of numbers below 2^53 in size. */
const isSafe = (value: number): boolean => Math.abs(value) < 2 ** 53

/** The SQL engine takes another character for half of one. */
const isWhole = (text: string | null): boolean => text === null || !hasHalfPair(text)

function bound(
  filter: Filter & { kind: 'bound' },
  field: EntityField,
  { isNegated, byIndex }: { readonly isNegated: boolean; readonly byIndex: boolean },
): RowFilter | null {
  const { lower, upper, lowerStrict: isLowerOpen, upperStrict: isUpperOpen, ordering } = filter
  if (lower === null && upper === null) return null
  if (field.type === 'string') {
    if (ordering !== 'lexicographic' || !isWhole(lower) || !isWhole(upper)) return null
    const within: RowFilter = { kind: 'textRange', field, lower, upper, isLowerOpen, isUpperOpen, isNegated }
    // Where there is no lower bound, null is below the upper one, and else out of the bounds, where no index leaves it out.
    if (lower === null ? isNegated : !isNegated || byIndex) return within
    return { kind: 'or', filters: [within, { kind: 'null', field, isNegated: false }] }
  }
  return ordering === 'numeric' ? numbersWithin({ lower, upper, isLowerOpen, isUpperOpen }, field, isNegated) : null
}

/** A long pattern is tried at many places of a text. */
const likeMax = 200

function like(filter: Filter & { kind: 'like' }, field: EntityField, isNegated: boolean): RowFilter | null {
  const { pattern, escapedBy } = filter
  const isKnown = pattern.length <= likeMax && isWhole(pattern) && isWhole(escapedBy)
  return field.type === 'string' && isKnown ? { kind: 'like', field, pattern, escapedBy, isNegated } : null
}

function range(filter: Filter & { kind: 'range' }, field: EntityField, isNegated: boolean): RowFilter | null {
  const text = (value: (typeof filter)['lower']): string | null => (value === null ? null : String(value))
  const bounds: ValueBounds<string> = {
    lower: text(filter.lower),
    upper: text(filter.upper),
    isLowerOpen: filter.lowerOpen,
    isUpperOpen: filter.upperOpen,
  }
  if (bounds.lower === null && bounds.upper === null) return null
  const isText = filter.type === 'STRING'
  if (isText !== (field.type === 'string') || !isWhole(bounds.lower) || !isWhole(bounds.upper)) return null
  return isText ? { kind: 'textRange', field, ...bounds, isNegated } : numbersWithin(bounds, field, isNegated)
}

function numbersWithin(bounds: ValueBounds<string>, field: EntityField, isNegated: boolean): RowFilter | null {
  if (field.type !== 'long' && field.type !== 'double') return null
  const { lower, upper } = bounds
  for (const text of [lower, upper]) {
    if (text !== null && (!decimalForm.test(text) || !(field.type === 'double' || isSafe(Number(text))))) return null
  }
  const number = (text: string | null): number | null => (text === null ? null : Number(text))
  return { kind: 'numberRange', field, ...bounds, lower: number(lower), upper: number(upper), isNegated }
}
