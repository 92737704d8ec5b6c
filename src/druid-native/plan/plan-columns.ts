// The columns of a planned query: dimensions, aggregations and post-aggregations.

import type { StoreAggregate } from '../../algebra/aggregation.ts'
import { druidType } from '../../algebra/druid-expression.ts'
import { call, cellNode, fieldNode, literal, type Scalar } from '../../algebra/scalar.ts'
import type { EntityField } from '../../model/entity.ts'
import { noIndex } from '../compile/filter-index.ts'
import { type Expression, partsOf } from '../expression/syntax.ts'
import type { Aggregator, DimensionSpec, PostAggregator } from '../parse/query-nodes.ts'
import type { GroupOutput } from './native-plan.ts'
import { asNumber, readPost } from './read-scalar.ts'
import { type FieldOf, type FilteredFields, rowFilter } from './row-filter.ts'

export interface Columns {
  readonly aggregates: readonly StoreAggregate[]
  /** Dimensions, then aggregations, then post-aggregations. */
  readonly outputs: readonly GroupOutput[]
  /** Index of the first output, after the row of the group. */
  readonly outputsAt: number
  /** Number of nodes in the expressions evaluated for each group. */
  readonly steps: number
}

/** Null if the store does not support one of them. */
export function plannedColumns(
  query: {
    readonly kind: string
    readonly aggregations: readonly Aggregator[]
    readonly postAggregations: readonly PostAggregator[]
    readonly context: { readonly skipEmptyBuckets: boolean }
  },
  dimensions: readonly GroupOutput[],
  keys: readonly EntityField[],
  fields: FilteredFields,
): Columns | null {
  const aggregates: StoreAggregate[] = []
  const outputs = [...dimensions]
  const add = (aggregate: StoreAggregate): number => keys.length + aggregates.push(aggregate)
  for (const aggregator of query.aggregations) {
    const output = aggregatorOutput(aggregator, fields, add)
    if (output === null) return null
    outputs.push(output)
  }
  // Counts rows, so that empty buckets can be omitted. Added only where needed, because it prevents reading only the ends of series.
  if (query.kind === 'timeseries' && query.context.skipEmptyBuckets) add({ kind: 'rows' })
  const outputsAt = 1 + keys.length + aggregates.length
  // Post-aggregations need the sketch itself, not only its number.
  if (query.postAggregations.length > 0 && query.aggregations.some(isSketch)) return null
  for (const post of query.postAggregations) {
    const value = postValue(post, { outputs, outputsAt })
    if (value === null || post.name === null) return null
    outputs.push({ ...value, name: post.name })
  }
  const steps = query.postAggregations.reduce((sum, post) => sum + stepsOf(post), 0)
  return { aggregates, outputs, outputsAt, steps }
}

function isSketch(aggregator: Aggregator): boolean {
  return aggregator.kind === 'filtered' ? isSketch(aggregator.aggregator) : aggregator.kind === 'distinct'
}

function aggregatorOutput(
  aggregator: Aggregator,
  fields: FilteredFields,
  add: (aggregate: StoreAggregate) => number,
): GroupOutput | null {
  const { name } = aggregator
  const { fieldOf } = fields
  switch (aggregator.kind) {
    case 'count':
      return { name, type: 'LONG', value: cellNode('long', add({ kind: 'rows' })) }
    case 'mean': {
      const field = fieldOf(aggregator.fieldName)
      if (field === null || field.type === 'string') return null
      const sum = cellNode('double', add({ kind: 'sum', type: 'double', field }))
      const mean = call('double', '/', [sum, cellNode('long', add({ kind: 'values', field }))])
      // 0 if there are no values.
      return { name, type: 'DOUBLE', value: call('double', 'coalesce', [mean, literal('double', 0)]) }
    }
    case 'sum':
    case 'min':
    case 'max': {
      const { fieldName } = aggregator.input
      const field = fieldName === null ? null : fieldOf(fieldName)
      if (field === null || field.type === 'string' || aggregator.type === 'FLOAT') return null
      if (aggregator.type === 'LONG' && field.type !== 'long') return null
      const kind = ({ sum: 'sum', min: 'least', max: 'greatest' } as const)[aggregator.kind]
      const type = aggregator.type === 'LONG' ? 'long' : 'double'
      return { name, type: aggregator.type, value: cellNode(type, add({ kind, type, field })) }
    }
    case 'cardinality': {
      const [dimension, ...others] = aggregator.fields
      const field = dimension === undefined ? null : keyOf(dimension, fieldOf)
      return others.length > 0 ? null : distinctOutput(aggregator, field, add)
    }
    case 'distinct':
      // Sketches of other systems are not stored, and hyperUnique counts nothing else.
      return aggregator.sketch === 'hyperUnique' ? null : distinctOutput(aggregator, fieldOf(aggregator.fieldName), add)
    case 'first':
    case 'last':
      return endOutput(aggregator, fieldOf, add)
    case 'filtered': {
      const where = rowFilter(aggregator.filter, fields, noIndex)
      if (where === null) return null
      const output = aggregatorOutput(aggregator.aggregator, fields, (one) => add({ ...one, where: both(where, one) }))
      return output === null ? null : { ...output, name }
    }
    default:
      return null
  }
}

/** An estimate in Druid, exact here; null and '' are not counted. */
function distinctOutput(
  { name, round }: { readonly name: string; readonly round: boolean },
  field: EntityField | null,
  add: (aggregate: StoreAggregate) => number,
): GroupOutput | null {
  if (field?.type !== 'string') return null
  const cell = cellNode('long', add({ kind: 'distinct', field, countsEmpty: false }))
  return round ? { name, type: 'LONG', value: cell } : { name, type: 'DOUBLE', value: asNumber(cell, 'double') }
}

/** The field of a dimension without conversions; null unless it is a plain text field. */
export function keyOf(spec: DimensionSpec, fieldOf: FieldOf): EntityField | null {
  if (spec.extraction !== null || spec.keep !== null || spec.outputType !== 'STRING') return null
  const field = fieldOf(spec.dimension)
  return field?.type === 'string' ? field : null
}

/** Combines a filter with the aggregate's own filter, if it has one. */
const both = (filter: Scalar, { where }: StoreAggregate): Scalar =>
  where === undefined ? filter : call('boolean', 'and', [filter, where])

/** Supports only fields of the aggregate's own type, without conversion. */
function endOutput(
  { name, kind, type, fieldName, timeColumn, maxBytes }: Extract<Aggregator, { kind: 'first' | 'last' }>,
  fieldOf: FieldOf,
  add: (aggregate: StoreAggregate) => number,
): GroupOutput | null {
  const field = fieldOf(fieldName)
  if (field === null || field.role === 'tag' || timeColumn !== '__time' || type === 'FLOAT') return null
  const { type: fieldType } = fieldNode(field)
  if (fieldType !== type.toLowerCase()) return null
  const cell = cellNode(fieldType, add({ kind: 'endValue', end: kind === 'last' ? 'newest' : 'oldest', field }))
  const cut = call('string', 'left', [cell, literal('long', BigInt(maxBytes))])
  return { name, type, value: type === 'STRING' ? cut : cell }
}

/** The outputs known so far, and the index of the first one, after the row of a group. */
type Before = Pick<Columns, 'outputs' | 'outputsAt'>

/** A reference to the output of this name, so that its expression is evaluated only once. */
export function outputOf(name: string, { outputs, outputsAt }: Before): Pick<GroupOutput, 'type' | 'value'> | null {
  const at = outputs.findIndex((output) => output.name === name)
  if (at === -1) return null
  const { type, value } = outputs[at]!
  return { type, value: cellNode(value.type, outputsAt + at) }
}

function postValue(post: PostAggregator, before: Before): Pick<GroupOutput, 'type' | 'value'> | null {
  if (post.kind === 'fieldAccess') return outputOf(post.fieldName, before)
  // `numericFirst` sorts finite numbers before others, which plans do not support.
  if (post.kind === 'arithmetic' && post.numericFirst) return null
  const value = readPost(post, (name) => inputOf(name, before))
  return value === null || value.type === 'timestamp' || value.type === 'boolean'
    ? null
    : { type: druidType(value.type), value }
}

const stepsOf = (post: PostAggregator): number => (post.kind === 'expression' ? sizeOf(post.expression) : 0)

const sizeOf = (expression: Expression): number => partsOf(expression).reduce((sum, part) => sum + sizeOf(part), 1)

/** The value of an earlier output; null for a bucket, which is a timestamp and not a plain number. */
export function inputOf(name: string, before: Before): Scalar | null {
  const value = outputOf(name, before)?.value ?? null
  return value?.type === 'timestamp' ? null : value
}
