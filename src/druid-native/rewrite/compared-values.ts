// Conditions of `having` on first and last values: Druid compares none that is null, and fails where a group has one.
import { isNode, listOf, type Node } from '../parse/json-reader.ts'
import { keepingOf } from './final-fields.ts'

const firstOrLast = /^(?:long|double|float|string)(?:First|Last)$/

/** Each comparison with such a value is written as a filter, which is not true of null. */
export function withComparedValues(having: unknown, aggregations: unknown): unknown {
  const names = keepingOf(aggregations, (type) => firstOrLast.test(type))
  return names.size === 0 ? having : compared(having, names)
}

function compared(having: unknown, names: ReadonlySet<unknown>): unknown {
  if (!isNode(having)) return having
  const { havingSpecs, havingSpec, aggregation } = having
  if (havingSpecs !== undefined)
    return { ...having, havingSpecs: listOf(havingSpecs).map((spec) => compared(spec, names)) }
  if (havingSpec !== undefined) return { ...having, havingSpec: compared(havingSpec, names) }
  const filter = names.has(aggregation) ? filterOf(having) : null
  return filter === null ? having : { type: 'filter', filter }
}

function filterOf({ type, aggregation: column, value }: Node): Node | null {
  if (typeof value !== 'number' && typeof value !== 'bigint') return null
  const matchValueType = typeof value === 'bigint' || Number.isInteger(value) ? 'LONG' : 'DOUBLE'
  const range = { type: 'range', column, matchValueType }
  switch (type) {
    case 'greaterThan':
      return { ...range, lower: value, lowerOpen: true }
    case 'lessThan':
      return { ...range, upper: value, upperOpen: true }
    case 'equalTo':
      return { type: 'equals', column, matchValueType, matchValue: value }
    default:
      return null
  }
}
