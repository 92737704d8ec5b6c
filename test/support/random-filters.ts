// Random filters of rows, and the plainest way to ask them.
import { compareCodePoints } from '../../src/lib/compare-code-points.ts'
import type { Value } from '../../src/model/column.ts'
import type { EntityField } from '../../src/model/entity.ts'
import type { RowFilter, ValueBounds } from '../../src/model/row-condition.ts'
import type { ModelRow } from './model-store.ts'
import { type Draw, oneOf } from './random-rows.ts'

const texts = ['', 'a', 'ab', 'a%', 'é', '\uffff', '\u{1f600}']
const numbers = [0, -1, 7, 1.5, 100, 1e300]
export const isNumber = ({ type }: EntityField): boolean => type === 'double' || type === 'long'

export function randomFilter(draw: Draw, fields: readonly EntityField[], depth = 0): RowFilter {
  if (depth < 2 && draw(3) === 0) {
    const filters = Array.from({ length: draw(3) }, () => randomFilter(draw, fields, depth + 1))
    return { kind: draw(2) === 0 ? 'and' : 'or', filters }
  }
  const isNegated = draw(2) === 0
  const usable = fields.filter((field) => field.type === 'string' || isNumber(field))
  const field = oneOf(draw, usable)
  if (draw(6) === 0) return { kind: 'null', field, isNegated }
  if (draw(12) === 0) return { kind: 'constant', value: draw(2) === 0 }
  const bounds = <Bound>(values: readonly Bound[]): ValueBounds<Bound> => ({
    lower: draw(3) === 0 ? null : oneOf(draw, values),
    upper: draw(3) === 0 ? null : oneOf(draw, values),
    isLowerOpen: draw(2) === 0,
    isUpperOpen: draw(2) === 0,
  })
  if (field.type === 'string') {
    if (draw(2) === 0) return { kind: 'texts', field, values: texts.filter(() => draw(2) === 0), isNegated }
    if (draw(2) === 0) return { kind: 'textRange', field, ...bounds(texts), isNegated }
    return {
      kind: 'like',
      field,
      pattern: oneOf(draw, ['a%', '%b', '_', '%', 'a_', '%é%', '']),
      escapedBy: null,
      isNegated,
    }
  }
  if (draw(2) === 0) return { kind: 'numbers', field, values: numbers.filter(() => draw(2) === 0), isNegated }
  return { kind: 'numberRange', field, ...bounds(numbers), isNegated }
}

export function passes(filter: RowFilter, row: ModelRow): boolean {
  if (filter.kind === 'constant') return filter.value
  if ('filters' in filter) {
    const passed = filter.filters.map((part) => passes(part, row))
    return filter.kind === 'and' ? !passed.includes(false) : passed.includes(true)
  }
  const value = row.values[filter.field.name] ?? null
  if (filter.kind === 'null') return (value === null) !== filter.isNegated
  if (value === null) return false
  return holds(filter, value) !== filter.isNegated
}

function holds(
  filter: Extract<RowFilter, { kind: 'texts' | 'like' | 'textRange' | 'numbers' | 'numberRange' }>,
  value: Value,
): boolean {
  switch (filter.kind) {
    case 'texts':
      return filter.values.includes(String(value))
    case 'like':
      return isLike(filter.pattern, String(value))
    case 'numbers':
      return filter.values.includes(Number(value))
    case 'textRange':
      return lies(filter, (bound) => compareCodePoints(String(value), bound))
    case 'numberRange':
      return lies(filter, (bound) => Number(value) - bound)
  }
}

/** By the plainest way: a regular expression. */
function isLike(pattern: string, text: string): boolean {
  const regex = pattern.replaceAll('%', '.*').replaceAll('_', '.')
  return new RegExp(`^${regex}$`, 'su').test(text)
}

function lies<Bound>(
  { lower, upper, isLowerOpen, isUpperOpen }: ValueBounds<Bound>,
  compare: (bound: Bound) => number,
): boolean {
  const above = lower === null || compare(lower) > 0 || (!isLowerOpen && compare(lower) === 0)
  return above && (upper === null || compare(upper) < 0 || (!isUpperOpen && compare(upper) === 0))
}
