import type { TimeBuckets } from '../../algebra/aggregation.ts'
import type { Pacer } from '../../lib/pacer.ts'
import { positionColumn, timeColumn } from '../../model/druid-row.ts'
import type { EntityField } from '../../model/entity.ts'
import type { PlanLimits, Range, Selection } from '../../model/plan.ts'
import type { Bounds, QueryTarget } from './druid-query.ts'
import type { KeptHours } from './hours/kept-hours.ts'
import type { NativeColumn, NativeDimension, NativeFilter } from './native-query.ts'

/** What the runs of all plan kinds share. */
export interface DruidRun {
  readonly target: QueryTarget
  readonly limits: PlanLimits
  readonly pacer: Pacer
  /** What is kept of rows that have left; null where none have, or no hours are kept. */
  readonly kept: KeptHours | null
  /** The tags that make an item together with its time, where newer rows replace older ones; null where all rows are items. */
  readonly replacedBy: readonly EntityField[] | null
  /**
   * First and last date of the entity; null when there is nothing. `about` may be a second old: good for where to look first, not for
   * what there is.
   */
  readonly bounds: (age: 'now' | 'about') => Promise<Bounds | null>
  /** The most rows that are read for values over time. */
  readonly readRows: number
  /** How time is cut where the granularity is by the clocks of a zone. */
  readonly buckets: TimeBuckets | null
}

/** Items are read as their time, tags, fields, metrics and position. */
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

/** The places of the fields whose values may be more than a double can tell apart. */
export function longsIn(fields: readonly EntityField[]): readonly number[] {
  return fields.flatMap(({ type }, index) => (type === 'long' ? [index] : []))
}

/** Rows before this date have left, or are not asked for. */
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
      // The two zeros are one key.
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
  /** Of tags and dates, besides those of the selection. */
  readonly filter: NativeFilter | null
  /** The most rows that are read; null for all. */
  readonly limit: number | null
}
