// Filters of native queries as the store asks them. Null is what the store does not know to ask.
import type { ComputedFields } from '../../algebra/computed-fields.ts'
import { fieldNode, type Scalar } from '../../algebra/scalar.ts'
import type { EntityField } from '../../model/entity.ts'
import { type FilterIndex, indexOf } from '../compile/filter-index.ts'
import type { Filter, VirtualColumn } from '../parse/query-nodes.ts'
import { readFilter } from './read-scalar.ts'

export type FieldOf = (name: string) => EntityField | null

/** By which Druid filters the rows of an entity, whose fields are `fieldOf`. */
export const indexOfFields = (fieldOf: FieldOf, virtualColumns: readonly VirtualColumn[]): FilterIndex =>
  indexOf((name) => {
    const field = fieldOf(name)
    return field === null ? null : field.type === 'string'
  }, virtualColumns)

export interface FilteredFields {
  readonly fieldOf: FieldOf
  readonly computed: ComputedFields
}

/** `index`: by which Druid answers this filter. */
export function rowFilter(filter: Filter, { fieldOf, computed }: FilteredFields, index: FilterIndex): Scalar | null {
  const leafOf = (name: string): Scalar | null => {
    const field = fieldOf(name)
    return field && fieldNode(field)
  }
  const condition = readFilter(filter, leafOf, index)
  return condition && computed.filterOf(condition)
}
