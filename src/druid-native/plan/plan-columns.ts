// The columns of a planned answer: its dimensions, what is aggregated, and what is worked out from both.
import type { PlannedValue } from '../../druid-values/planned-value.ts'
import type { StoreAggregate } from '../../model/aggregation.ts'
import type { EntityField } from '../../model/entity.ts'
import type { RowFilter } from '../../model/row-condition.ts'
import { noIndex } from '../compile/filter-index.ts'
import { type Expression, partsOf } from '../expression/syntax.ts'
import type { Aggregator, DimensionSpec, PostAggregator } from '../parse/query-nodes.ts'
import type { ValueType } from '../values/typed.ts'
import type { GroupExpression, GroupOutput } from './native-plan.ts'
import { asNumber, isNumber, readPostValue } from './read-post-value.ts'
import { type FieldOf, rowFilter } from './row-filter.ts'

export interface Columns {
  readonly aggregates: readonly StoreAggregate[]
  /** The dimensions, then what is aggregated, then what is worked out. */
  readonly outputs: readonly GroupOutput[]
  /** How many parts the expressions have that are worked out of each group. */
  readonly steps: number
}

/** Null where the store does not know one of them. */
export function plannedColumns(
  query: {
    readonly kind: string
    readonly aggregations: readonly Aggregator[]
    readonly postAggregations: readonly PostAggregator[]
    readonly context: { readonly skipEmptyBuckets: boolean }
  },
  dimensions: readonly GroupOutput[],
  keys: readonly EntityField[],
  fieldOf: FieldOf,
): Columns | null {
  const aggregates: StoreAggregate[] = []
  const outputs = [...dimensions]
  const add = (aggregate: StoreAggregate): number => keys.length + aggregates.push(aggregate)
  for (const aggregator of query.aggregations) {
    const output = aggregatorOutput(aggregator, fieldOf, add)
    if (output === null) return null
    outputs.push(output)
  }
  // A sketch is more than its number to them.
  if (query.postAggregations.length > 0 && query.aggregations.some(isSketch)) return null
  for (const post of query.postAggregations) {
    const value = postValue(post, outputs)
    if (value === null || post.name === null) return null
    outputs.push({ ...value, name: post.name })
  }
  // Whether there was a row at all: a bucket without one may be left out. Nobody else asks for it, and ends of series do not tell it.
  const asksForRows = query.kind === 'timeseries' && query.context.skipEmptyBuckets
  if (asksForRows) add({ kind: 'rows' })
  return { aggregates, outputs, steps: query.postAggregations.reduce((sum, post) => sum + stepsOf(post), 0) }
}

function isSketch(aggregator: Aggregator): boolean {
  return aggregator.kind === 'filtered' ? isSketch(aggregator.aggregator) : aggregator.kind === 'distinct'
}

function aggregatorOutput(
  aggregator: Aggregator,
  fieldOf: FieldOf,
  add: (aggregate: StoreAggregate) => number,
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
    case 'cardinality': {
      const [dimension, ...others] = aggregator.fields
      const field = dimension === undefined ? null : keyOf(dimension, fieldOf)
      return others.length > 0 ? null : distinctOutput(aggregator, field, add)
    }
    case 'distinct':
      // Of sketches of other systems nothing is stored, and a hyperUnique counts nothing else.
      return aggregator.sketch === 'hyperUnique' ? null : distinctOutput(aggregator, fieldOf(aggregator.fieldName), add)
    case 'first':
    case 'last':
      return endOutput(aggregator, fieldOf, add)
    case 'filtered': {
      const where = rowFilter(aggregator.filter, fieldOf, noIndex)
      if (where === null) return null
      const output = aggregatorOutput(aggregator.aggregator, fieldOf, (one) => add({ ...one, where: both(where, one) }))
      return output === null ? null : { ...output, name }
    }
    default:
      return null
  }
}

/** An estimate in Druid, exact here: null and '' are no values. */
function distinctOutput(
  { name, round }: { readonly name: string; readonly round: boolean },
  field: EntityField | null,
  add: (aggregate: StoreAggregate) => number,
): GroupOutput | null {
  if (field?.type !== 'string') return null
  const cell: GroupExpression = { kind: 'cell', at: add({ kind: 'distinct', field, countsEmpty: false }) }
  return round ? { name, type: 'LONG', value: cell } : { name, type: 'DOUBLE', value: { kind: 'double', value: cell } }
}

/** Texts as they are. */
export function keyOf(spec: DimensionSpec, fieldOf: FieldOf): EntityField | null {
  if (spec.extraction !== null || spec.keep !== null || spec.outputType !== 'STRING') return null
  const field = fieldOf(spec.dimension)
  return field?.type === 'string' ? field : null
}

/** A filter around one that an aggregate has already. */
const both = (filter: RowFilter, { where }: StoreAggregate): RowFilter =>
  where === undefined ? filter : { kind: 'and', filters: [filter, where] }

/** Of a field as it is: another type would have to be made of it. */
function endOutput(
  { name, kind, type, fieldName, timeColumn, maxBytes }: Extract<Aggregator, { kind: 'first' | 'last' }>,
  fieldOf: FieldOf,
  add: (aggregate: StoreAggregate) => number,
): GroupOutput | null {
  const field = fieldOf(fieldName)
  if (field === null || field.role === 'tag' || timeColumn !== '__time' || type === 'FLOAT') return null
  if (field.type !== type.toLowerCase()) return null
  const at = add({ kind: 'endValue', end: kind === 'last' ? 'newest' : 'oldest', field })
  return { name, type, value: type === 'STRING' ? { kind: 'cut', at, characters: maxBytes } : { kind: 'cell', at } }
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
    case 'expression': {
      const value = readPostValue(post.expression, (name) => inputOf(name, before))
      return value === null ? null : workedOut(value, post.outputType)
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

const stepsOf = (post: PostAggregator): number => (post.kind === 'expression' ? sizeOf(post.expression) : 0)

const sizeOf = (expression: Expression): number => partsOf(expression).reduce((sum, part) => sum + sizeOf(part), 1)

const plannedTypes = { STRING: 'string', LONG: 'long', DOUBLE: 'double' } as const

/** What a name stands for in an expression: a value of an output before it. A bucket is a number of another kind. */
function inputOf(name: string, before: readonly GroupOutput[]): PlannedValue | null {
  const at = before.findIndex((output) => output.name === name)
  return at === -1 || isBucket(before[at]!.value, before)
    ? null
    : { kind: 'cell', type: plannedTypes[before[at]!.type], at }
}

function isBucket(value: GroupExpression, outputs: readonly GroupOutput[]): boolean {
  if (value.kind === 'output') return isBucket(outputs[value.at]!.value, outputs)
  return value.kind === 'cell' && value.at === 0
}

function workedOut(value: PlannedValue, type: ValueType | null): Pick<GroupOutput, 'type' | 'value'> | null {
  if (value.type === 'string')
    return type === null || type === 'STRING' ? { type: 'STRING', value: { kind: 'workedOut', value } } : null
  if (!isNumber(value) || (type !== null && type !== 'LONG' && type !== 'DOUBLE')) return null
  const number = asNumber(value, type === null ? value.type : plannedTypes[type])
  return { type: number.type === 'long' ? 'LONG' : 'DOUBLE', value: { kind: 'workedOut', value: number } }
}
