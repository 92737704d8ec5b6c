// The columns of a planned answer: its dimensions, what is aggregated, and what is worked out from both.
import type { StoredAggregate } from '../../model/aggregation.ts'
import type { Aggregator, DimensionSpec, PostAggregator } from '../parse/query-nodes.ts'
import type { GroupExpression, GroupOutput } from './native-plan.ts'
import type { FieldOf } from './row-filter.ts'

export interface Columns {
  readonly aggregates: readonly StoredAggregate[]
  /** The dimensions, then what is aggregated, then what is worked out. */
  readonly outputs: readonly GroupOutput[]
}

/** Null where the store does not know one of them. */
export function plannedColumns(
  query: { readonly aggregations: readonly Aggregator[]; readonly postAggregations: readonly PostAggregator[] },
  dimensions: readonly DimensionSpec[],
  fieldOf: FieldOf,
): Columns | null {
  const aggregates: StoredAggregate[] = []
  const outputs = dimensions.map(
    ({ outputName: name }, place): GroupOutput => ({ name, type: 'STRING', value: { kind: 'cell', at: 1 + place } }),
  )
  const add = (aggregate: StoredAggregate): number => dimensions.length + aggregates.push(aggregate)
  for (const aggregator of query.aggregations) {
    const output = aggregatorOutput(aggregator, fieldOf, add)
    if (output === null) return null
    outputs.push(output)
  }
  for (const post of query.postAggregations) {
    const value = postValue(post, outputs)
    if (value === null || post.name === null) return null
    outputs.push({ ...value, name: post.name })
  }
  // Whether there was a row at all: a bucket without one may be left out.
  add({ kind: 'rows' })
  return { aggregates, outputs }
}

function aggregatorOutput(
  aggregator: Aggregator,
  fieldOf: FieldOf,
  add: (aggregate: StoredAggregate) => number,
): GroupOutput | null {
  const { name } = aggregator
  switch (aggregator.kind) {
    case 'count':
      return { name, type: 'LONG', value: { kind: 'cell', at: add({ kind: 'rows' }) } }
    case 'mean': {
      const field = fieldOf(aggregator.fieldName)
      if (field === null || field.type === 'string') return null
      const sumAt = add({ kind: 'sum', type: 'double', field })
      return { name, type: 'DOUBLE', value: { kind: 'mean', sumAt, countAt: add({ kind: 'values', field }) } }
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
      return { name, type: aggregator.type, value: { kind: 'cell', at: add({ kind, type, field }) } }
    }
    default:
      return null
  }
}

/** What stands under a name, by its place: what it is made of is worked out once. */
export function outputOf(name: string, outputs: readonly GroupOutput[]): Pick<GroupOutput, 'type' | 'value'> | null {
  const at = outputs.findIndex((output) => output.name === name)
  return at === -1 ? null : { type: outputs[at]!.type, value: { kind: 'output', at } }
}

function postValue(post: PostAggregator, before: readonly GroupOutput[]): Pick<GroupOutput, 'type' | 'value'> | null {
  switch (post.kind) {
    case 'fieldAccess':
      return outputOf(post.fieldName, before)
    case 'constant': {
      const isLong = typeof post.value === 'bigint' || Number.isSafeInteger(post.value)
      if (!isLong) return { type: 'DOUBLE', value: { kind: 'constant', value: Number(post.value) } }
      return { type: 'LONG', value: { kind: 'constant', value: BigInt(post.value) } }
    }
    case 'arithmetic': {
      const { fn } = post
      // Where they are ordered by, numbers come before what is none.
      if (fn === 'pow' || fn === 'quotient' || post.numericFirst || post.fields.length < 2) return null
      const fields = post.fields.map((field) => postValue(field, before))
      if (fields.some((field) => field === null || field.type === 'STRING')) return null
      const values = fields.flatMap((field): readonly GroupExpression[] => (field === null ? [] : [field.value]))
      return { type: 'DOUBLE', value: { kind: 'arithmetic', fn, fields: values } }
    }
    default:
      return null
  }
}
