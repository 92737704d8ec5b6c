import type { TimeBuckets } from '../../algebra/aggregation.ts'
import type { Pacer } from '../../lib/pacer.ts'
import { positionColumn, timeColumn } from '../../model/druid-row.ts'
import type { EntityField } from '../../model/entity.ts'
import type { PlanLimits, Range, Selection } from '../../model/plan.ts'
import type { Bounds, QueryTarget } from './druid-query.ts'
import type { KeptHours } from './hours/kept-hours.ts'
import type { NativeColumn, NativeDimension, NativeFilter } from './native-query.ts'

/** State that the runs of all plan kinds share. */
export interface DruidRun {
  readonly target: QueryTarget
  readonly limits: PlanLimits
  readonly pacer: Pacer
  /** The hours kept of expired rows; null when no rows have expired or no hours are kept. */
  readonly kept: KeptHours | null
  /** Where newer rows replace older ones, the tags that identify an item together with its time; null where every row is an item. */
  readonly replacedBy: readonly EntityField[] | null
  /**
   * First and last date of the entity; null when it has no rows. With `about` they may be a second old: good enough to choose where to search first,
   * but not to decide which rows exist.
   */
  readonly bounds: (age: 'now' | 'about') => Promise<Bounds | null>
  /** The most rows that a query of values over time may read. */
  readonly readRows: number
  /** The buckets of a granularity in the local time of a zone. */
  readonly buckets: TimeBuckets | null
}

/** The columns of items as read: time, tags, fields, metrics and position. */
export interface ItemColumns {
  readonly fields: readonly EntityField[]
  readonly columns: readonly string[]
  readonly longs: readonly number[]
}

const position: EntityField = { name: positionColumn, type: 'long', role: 'dimension' }

export function itemColumns({ time, tags, fields, metrics }: Selection): ItemColumns {
  const all = [time, ...tags, ...fields, ...metrics, position]
  return { fields: all, columns: [timeColumn, ...all.slice(1).map(({ name }) => name)], longs: longsIn(all) }
}

/** The indexes of the fields whose values a double may not hold exactly. */
export function longsIn(fields: readonly EntityField[]): readonly number[] {
  return fields.flatMap(({ type }, index) => (type === 'long' ? [index] : []))
}

/** The first date to read: earlier rows have expired or are not requested. */
export function startMs({ sinceMs }: Selection, fromMs: number): number {
  return Math.max(fromMs, sinceMs ?? Number.NEGATIVE_INFINITY)
}

export interface GroupKeys {
  readonly dimensions: readonly NativeDimension[]
  readonly virtualColumns: readonly NativeColumn[]
}

const outputTypes = { string: 'STRING', double: 'DOUBLE', long: 'LONG', timestamp: 'LONG', boolean: 'LONG' } as const

/** Fields to group by, as the outputs `:k0`, `:k1` and so on. */
export function groupKeys(fields: readonly EntityField[]): GroupKeys {
  const virtualColumns: NativeColumn[] = []
  const dimensions = fields.map(({ name, type }, index): NativeDimension => {
    if (type === 'json') throw new Error('a series entity has no json field')
    const outputType = outputTypes[type]
    let dimension = name
    if (type === 'double') {
      // 0.0 and -0.0 become one key.
      dimension = `:v${index}`
      virtualColumns.push({ type: 'expression', name: dimension, expression: `"${name}" + 0.0`, outputType: 'DOUBLE' })
    }
    return { type: 'default', dimension, outputName: `:k${index}`, outputType }
  })
  return { dimensions, virtualColumns }
}

export interface ItemsQuery {
  readonly selection: Selection
  readonly ranges: readonly Range[]
  /** A filter on tags and dates in addition to that of the selection. */
  readonly filter: NativeFilter | null
  /** The most rows to read; null for all. */
  readonly limit: number | null
}
