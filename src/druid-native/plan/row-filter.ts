// Filters of native queries as the store asks them. Null is what the store does not know to ask.
import { allOf, call, fieldNode, isNull, literal, not, type Scalar } from '../../algebra/scalar.ts'
import { hasHalfPair } from '../../lib/half-pairs.ts'
import type { EntityField } from '../../model/entity.ts'
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
export function rowFilter(filter: Filter, fieldOf: FieldOf, index: FilterIndex, isNegated = false): Scalar | null {
  switch (filter.kind) {
    case 'and':
    case 'or': {
      const filters = filter.fields.map((field) => rowFilter(field, fieldOf, index, isNegated))
      const name = (filter.kind === 'and') === isNegated ? 'or' : 'and'
      return filters.includes(null) ? null : call('boolean', name, filters as readonly Scalar[])
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
      return literal('boolean', filter.value !== isNegated)
    case 'null':
      return onField(filter.column, fieldOf, (field) => negatedIf(isNegated, isNull(fieldNode(field))))
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

function onField(name: string, fieldOf: FieldOf, filterOf: (field: EntityField) => Scalar | null): Scalar | null {
  const field = fieldOf(name)
  return field === null ? null : filterOf(field)
}

/** Texts are compared with numbers by the numbers that they stand for, which is left to the SQL engine. */
function amongTyped(
  filter: Filter & { kind: 'equals' | 'inType' },
  field: EntityField,
  isNegated: boolean,
): Scalar | null {
  if (field.type === 'string' && filter.type !== 'STRING') return null
  const values = filter.kind === 'equals' ? [filter.value] : filter.values
  const texts = values.map((value) => (value === null ? null : constantText(value, filter.type)))
  return among(field, texts, isNegated)
}

/** Whether a field has one of some values, which are written as texts. */
function among(field: EntityField, values: readonly (string | null)[], isNegated: boolean): Scalar | null {
  if (values.length === 0) return null
  const texts = values.filter((value) => value !== null)
  const found = texts.length === 0 ? null : amongTexts(field, texts, isNegated)
  if (found === null && texts.length > 0) return null
  const isMissing = values.includes(null) ? negatedIf(isNegated, isNull(fieldNode(field))) : null
  if (found === null || isMissing === null) return found ?? isMissing
  return call('boolean', isNegated ? 'and' : 'or', [found, isMissing])
}

function amongTexts(field: EntityField, texts: readonly string[], isNegated: boolean): Scalar | null {
  if (field.type === 'string')
    return texts.some(hasHalfPair)
      ? null
      : amongConstants(
          field,
          texts.map((text) => literal('string', text)),
          isNegated,
        )
  const values: Scalar[] = []
  for (const text of texts) {
    const number = numberOf(text, field)
    if (number === 'none') continue
    if (number === 'unknown') return null
    values.push(literal('double', number))
  }
  return amongConstants(field, values, isNegated)
}

const amongConstants = (field: EntityField, values: readonly Scalar[], isNegated: boolean): Scalar =>
  negatedIf(isNegated, call('boolean', 'in', [fieldNode(field), ...values]))

const negatedIf = (isNegated: boolean, condition: Scalar): Scalar => (isNegated ? not(condition) : condition)

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

/** Numbers too are written as texts. */
interface TextBounds {
  readonly lower: string | null
  readonly upper: string | null
  readonly isLowerOpen: boolean
  readonly isUpperOpen: boolean
}

function bound(
  filter: Filter & { kind: 'bound' },
  field: EntityField,
  { isNegated, byIndex }: { readonly isNegated: boolean; readonly byIndex: boolean },
): Scalar | null {
  const { lower, upper, lowerStrict: isLowerOpen, upperStrict: isUpperOpen, ordering } = filter
  if (lower === null && upper === null) return null
  if (field.type === 'string') {
    if (ordering !== 'lexicographic' || !isWhole(lower) || !isWhole(upper)) return null
    const within = rangeOf(field, { lower, upper, isLowerOpen, isUpperOpen }, isNegated)
    // Where there is no lower bound, null is below the upper one, and else out of the bounds, where no index leaves it out.
    if (lower === null ? isNegated : !isNegated || byIndex) return within
    return call('boolean', 'or', [within, isNull(fieldNode(field))])
  }
  return ordering === 'numeric' ? numbersWithin({ lower, upper, isLowerOpen, isUpperOpen }, field, isNegated) : null
}

/** A long pattern is tried at many places of a text. */
const likeMax = 200

function like(filter: Filter & { kind: 'like' }, field: EntityField, isNegated: boolean): Scalar | null {
  const { pattern, escapedBy } = filter
  const isKnown = pattern.length <= likeMax && isWhole(pattern) && isWhole(escapedBy)
  if (field.type !== 'string' || !isKnown) return null
  const constants = [pattern, ...(escapedBy === null ? [] : [escapedBy])].map((text) => literal('string', text))
  return negatedIf(isNegated, call('boolean', 'like', [fieldNode(field), ...constants]))
}

function range(filter: Filter & { kind: 'range' }, field: EntityField, isNegated: boolean): Scalar | null {
  const text = (value: (typeof filter)['lower']): string | null => (value === null ? null : String(value))
  const bounds: TextBounds = {
    lower: text(filter.lower),
    upper: text(filter.upper),
    isLowerOpen: filter.lowerOpen,
    isUpperOpen: filter.upperOpen,
  }
  if (bounds.lower === null && bounds.upper === null) return null
  const isText = filter.type === 'STRING'
  if (isText !== (field.type === 'string') || !isWhole(bounds.lower) || !isWhole(bounds.upper)) return null
  return isText ? rangeOf(field, bounds, isNegated) : numbersWithin(bounds, field, isNegated)
}

function numbersWithin(bounds: TextBounds, field: EntityField, isNegated: boolean): Scalar | null {
  if (field.type !== 'long' && field.type !== 'double') return null
  const { lower, upper } = bounds
  for (const text of [lower, upper]) {
    if (text !== null && (!decimalForm.test(text) || !(field.type === 'double' || isSafe(Number(text))))) return null
  }
  return rangeOf(field, bounds, isNegated)
}

/** At least one bound is there. */
function rangeOf(field: EntityField, bounds: TextBounds, isNegated: boolean): Scalar {
  const { lower, upper, isLowerOpen, isUpperOpen } = bounds
  const constant = (text: string): Scalar =>
    field.type === 'string' ? literal('string', text) : literal('double', Number(text))
  const above = lower === null ? [] : [call('boolean', isLowerOpen ? '>' : '>=', [fieldNode(field), constant(lower)])]
  const below = upper === null ? [] : [call('boolean', isUpperOpen ? '<' : '<=', [fieldNode(field), constant(upper)])]
  return negatedIf(isNegated, allOf([...above, ...below])!)
}
