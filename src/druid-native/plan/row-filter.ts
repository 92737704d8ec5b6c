// Converts filters of native queries to conditions for the store. Null means that the store does not support them.
import type { ComputedFields } from '../../algebra/computed-fields.ts'
import { fieldNode, type Scalar } from '../../algebra/scalar.ts'
import type { EntityField } from '../../model/entity.ts'
import { type FilterIndex, indexOf } from '../compile/filter-index.ts'
import type { Filter, VirtualColumn } from '../parse/query-nodes.ts'
import { readFilter } from './read-scalar.ts'

export type FieldOf = (name: string) => EntityField | null

/** Which fields of an entity Druid would filter by index. */
export const indexOfFields = (fieldOf: FieldOf, virtualColumns: readonly VirtualColumn[]): FilterIndex =>
  indexOf((name) => {
    const field = fieldOf(name)
    return field === null ? null : field.type === 'string'
  }, virtualColumns)

export interface FilteredFields {
  readonly fieldOf: FieldOf
  readonly computed: ComputedFields
}

/** `index` describes the columns that Druid filters by index. */
export function rowFilter(filter: Filter, { fieldOf, computed }: FilteredFields, index: FilterIndex): Scalar | null {
  const leafOf = (name: string): Scalar | null => {
    const field = fieldOf(name)
    return field && fieldNode(field)
  }
  const condition = readFilter(filter, leafOf, index)
  return condition && computed.filterOf(condition)
}
