// Makes calculations and comparisons use the final value of an aggregator, where Druid would use its intermediate state or fail on null.

import { isNode, listOf, memberOf, type Node } from '../parse/json-reader.ts'

const numbers = ['long', 'double', 'float']

/** Aggregators whose intermediate state is more than their value. */
const keepsMore: ReadonlySet<string> = new Set([
  'doubleMean',
  'cardinality',
  'hyperUnique',
  'HLLSketchBuild',
  'HLLSketchMerge',
  'thetaSketch',
  'quantilesDoublesSketch',
  'variance',
  ...[...numbers, 'string'].flatMap((type) => [`${type}First`, `${type}Last`]),
])

/** Post-aggregators that calculate with the values of their fields; others need sketches. */
const calculating: ReadonlySet<string> = new Set([
  'arithmetic',
  ...numbers.flatMap((type) => [`${type}Greatest`, `${type}Least`]),
])

/**
 * In Druid a `fieldAccess` to a mean, a first or last value or a sketch returns the intermediate state, which cannot be used in calculations or in
 * results. It is replaced by one that returns the value, as on one machine.
 */
export function withFinalFields(posts: unknown, aggregations: unknown): unknown {
  const names = keepingOf(aggregations, (type) => keepsMore.has(type))
  return names.size === 0 ? posts : listOf(posts).map((post) => withFinalField(post, names))
}

function withFinalField(post: unknown, names: ReadonlySet<unknown>): unknown {
  if (!isNode(post)) return post
  const { type, fieldName, fields } = post
  if (type === 'fieldAccess' && names.has(fieldName)) return { ...post, type: 'finalizingFieldAccess' }
  if (!calculating.has(String(type))) return post
  return { ...post, fields: listOf(fields).map((field) => withFinalField(field, names)) }
}

const isFiltered = (aggregator: unknown): aggregator is Node => memberOf(aggregator, 'type') === 'filtered'

/** The names of the aggregators whose type matches, also inside a filtered aggregator. */
export const keepingOf = (aggregations: unknown, isOne: (type: string) => boolean): ReadonlySet<unknown> =>
  new Set(
    listOf(aggregations)
      .filter((aggregator) => isOne(typeOf(aggregator)))
      .map(nameOf),
  )

const typeOf = (aggregator: unknown): string =>
  isFiltered(aggregator) ? typeOf(aggregator['aggregator']) : String(memberOf(aggregator, 'type'))

function nameOf(aggregator: unknown): unknown {
  const name = memberOf(aggregator, 'name')
  return isFiltered(aggregator) && (name === undefined || name === null || name === '')
    ? nameOf(aggregator['aggregator'])
    : name
}

const firstOrLast = /^(?:long|double|float|string)(?:First|Last)$/

/** Replaces each comparison with a first or last value by a filter, which is not true for null. */
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
