// What an aggregating query means, as plain data, where the store can answer it: over fields of an entity, whose names are checked, and what is computed from
// them. Native queries and SQL compile to it as far as they can; the rest goes to the SQL engine.

import { type Entity, type EntityField, fieldsOfRole, keptSince } from '../model/entity.ts'
import type { Granularity, ZonedGranularity } from '../model/granularity.ts'
import type { KeptSince, Range } from '../model/plan.ts'
import type { ComputedField } from './computed-fields.ts'
import type { Scalar } from './scalar.ts'

/** What is kept of a group's rows: of all of them, or of those that pass a filter of its own. */
export type StoreAggregate = (RowsAggregate | EndAggregate) & { readonly where?: Scalar }

type RowsAggregate =
  /** The rows. */
  | { readonly kind: 'rows' }
  /** The rows whose value is not null. */
  | { readonly kind: 'values'; readonly field: EntityField }
  /** The different values; null is none, and where it is said so, '' is none. */
  | { readonly kind: 'distinct'; readonly field: EntityField; readonly countsEmpty: boolean }
  /** Of doubles, and of longs as doubles. Null over nothing. */
  | { readonly kind: 'sum' | 'least' | 'greatest'; readonly type: 'double'; readonly field: EntityField }
  /** Of longs, digit for digit; a sum past 64 bits goes round. Null over nothing. */
  | { readonly kind: 'sum' | 'least' | 'greatest'; readonly type: 'long'; readonly field: EntityField }

/** What is said of no rows at all. */
export function valueOverNothing({ kind }: StoreAggregate): bigint | null {
  return kind === 'rows' || kind === 'values' || kind === 'distinct' ? 0n : null
}

/** Of the group's newest or oldest row, by time and then by position: its time, or a value of it. Null where that is, and over nothing. */
export type EndAggregate =
  | { readonly kind: 'endTime'; readonly end: 'newest' | 'oldest' }
  | { readonly kind: 'endValue'; readonly end: 'newest' | 'oldest'; readonly field: EntityField }

/** How time is cut. */
export interface TimeBuckets {
  /** Whether a bucket is likely to be made of whole UTC hours. */
  readonly areOfHours: boolean
  /** The start of the bucket that an instant is in. */
  startOf(ms: number): number
  /** The instants from `ms` up to this one are in one bucket. */
  endOf(ms: number): number
  /** The start of the bucket that begins after the one that starts here. */
  nextStart(startMs: number): number
  /** How many whole buckets, from the one that starts here on, are known to be as long as it, up to an instant: one at least. */
  alike(startMs: number, untilMs: number): number
}

/** The rows of an entity that a plan is about. */
export interface AskedRows {
  readonly entityId: number
  /** Rows before this date have left the entity. Null while none have. */
  readonly sinceMs: number | null
  /** As of `Selection`. */
  readonly hours?: KeptSince
  readonly time: EntityField
  /** All tags of the entity, one at least. */
  readonly tags: readonly [EntityField, ...EntityField[]]
  /** Rising, and apart. */
  readonly ranges: readonly Range[]
  /** A condition of fields and constants; a row counts where it is true. */
  readonly filter: Scalar | null
}

/** Null where the entity has no tag. */
export function askedRows(
  entity: Pick<Entity, 'id' | 'sinceMs' | 'hours' | 'fields'>,
  { ranges, filter }: Pick<AskedRows, 'ranges' | 'filter'>,
): AskedRows | null {
  const { id: entityId, sinceMs } = entity
  const [tag, ...tags] = fieldsOfRole(entity, 'tag')
  const [time] = fieldsOfRole(entity, 'time')
  if (tag === undefined || time === undefined) return null
  return { entityId, sinceMs, ...keptSince(entity), time, tags: [tag, ...tags], ranges, filter }
}

export interface AggregationPlan extends AskedRows {
  /** The fields that its other parts name and the entity does not have. Each comes after those that it is computed from. */
  readonly computed: readonly ComputedField[]
  readonly granularity: Granularity | ZonedGranularity
  /** What the rows of a bucket are grouped by: tags and dimensions. */
  readonly keys: readonly EntityField[]
  readonly aggregates: readonly StoreAggregate[]
  /** With more groups than this, the SQL engine answers in place of the store. */
  readonly groupsMax: number
  /** Nor is more work done: about a row read, for each thing that is asked of it, is a unit. */
  readonly unitsMax: number
  /** Whether the days that have rows are asked for. */
  readonly needsDays: boolean
}

/** A long is a `bigint`. */
export type GroupValue = string | number | bigint | null

/** The first and the last row of a UTC day that has rows, whatever the filter says of them. */
export interface DayRows {
  readonly firstMs: number
  readonly lastMs: number
}

export interface Groups {
  /** Of each group: the start of its bucket (0 where all rows are in one), then its keys, then its aggregates. In no order. */
  readonly rows: readonly (readonly GroupValue[])[]
  /** Oldest first; none unless they were asked for. */
  readonly days: readonly DayRows[]
}

/** More groups, or more values of them, are left to the SQL engine, which puts what does not fit into memory on the disk. */
const groupsMax = 100_000
const cellsMax = 1_000_000

/** A tenth of a second or two of the store's thread; what takes longer is for the SQL engine's process. */
const unitsMax = 16_000_000

/** What a plan may come to. `cells` is how many values a group has, from its aggregates to the line of the answer. */
export function boundsOfWork(cells: number): Pick<AggregationPlan, 'groupsMax' | 'unitsMax'> {
  return { groupsMax: Math.min(groupsMax, Math.floor(cellsMax / cells)), unitsMax }
}

/** The columns that a plan can name: of texts and numbers, by their names; null for others. */
export function aggregatedFields({ fields }: Pick<Entity, 'fields'>): (name: string) => EntityField | null {
  const types = new Set(['string', 'double', 'long'])
  const byName = new Map(
    fields.filter(({ type, role }) => role !== 'time' && types.has(type)).map((one) => [one.name, one]),
  )
  return (name) => byName.get(name) ?? null
}
