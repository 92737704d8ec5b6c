// Virtual columns that the store supports: renamed fields, values computed from fields, and floors of the time to group by.

import type { AggregationPlan } from '../../algebra/aggregation.ts'
import { ComputedFields } from '../../algebra/computed-fields.ts'
import { fieldNode, isNumeric } from '../../algebra/scalar.ts'
import { parsePeriod } from '../../druid-time/iso.ts'
import { isUsable, periodGranularity } from '../../druid-time/native-granularity.ts'
import { plainGranularity } from '../../druid-time/plain-granularity.ts'
import { Zone } from '../../druid-time/zone.ts'
import type { EntityField } from '../../model/entity.ts'
import type { Expression } from '../expression/syntax.ts'
import type { VirtualColumn } from '../parse/query-nodes.ts'
import { readScalar } from './read-scalar.ts'
import type { FieldOf, FilteredFields } from './row-filter.ts'

type Buckets = AggregationPlan['granularity']

/** Includes the entity's fields that no virtual column hides. */
export interface VirtualFields extends FilteredFields {
  readonly floorOf: (name: string) => Buckets | null
}

/** Null if a column is of another kind. */
export function virtualFields(columns: readonly VirtualColumn[], fieldOf: FieldOf): VirtualFields | null {
  const fields = new Map<string, EntityField>()
  const floors = new Map<string, Buckets>()
  const computed = new ComputedFields()
  for (const { name, expression } of columns) {
    // Within a virtual column's own expression, its name refers to the entity's field.
    const others = columns.filter((column) => column.name !== name).map((column) => column.name)
    const floor = others.includes('__time') ? null : floored(expression)
    const field = floor === null ? fieldFor(expression, (one) => (others.includes(one) ? null : fieldOf(one))) : null
    if (name === '__time' || (field === null && floor === null)) return null
    if (field !== null) fields.set(name, field)
    if (floor !== null) floors.set(name, floor)
  }
  return {
    fieldOf: (name) => fields.get(name) ?? (floors.has(name) ? null : fieldOf(name)),
    floorOf: (name) => floors.get(name) ?? null,
    computed,
  }

  function fieldFor(expression: Expression, ownField: FieldOf): EntityField | null {
    if (expression.kind === 'name') return ownField(expression.name)
    const value = readScalar(expression, (name) => {
      const field = ownField(name)
      return field === null || field.type === 'string' ? null : fieldNode(field)
    })
    return value !== null && isNumeric(value) ? computed.fieldOf(value) : null
  }
}

/** The buckets of `timestamp_floor(__time, 'P1D', null, 'Europe/Madrid')`; null for anything else. */
function floored(expression: Expression): Buckets | null {
  if (expression.kind !== 'call' || expression.name !== 'timestamp_floor') return null
  const [time, period, origin, zone] = expression.args
  if (time?.kind !== 'name' || time.name !== '__time' || period?.kind !== 'text') return null
  if ((origin !== undefined && origin.kind !== 'null') || (zone !== undefined && zone.kind !== 'text')) return null
  const steps = parsePeriod(period.value)
  const named = zone === undefined || zone.value === '' ? Zone.utc : Zone.find(zone.value)
  const granularity = steps === null || named === null ? null : periodGranularity(steps, named, null)
  return granularity === null || !isUsable(granularity) ? null : plainGranularity(granularity)
}
