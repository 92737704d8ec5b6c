// An aggregating query as plain data, as far as the store can answer it: over fields of an entity, whose names are checked, and values computed
// from them. Native queries and SQL compile to it where they can; other queries go to the SQL engine.

import { type Entity, type EntityField, fieldsOfRole, keptSince } from '../model/entity.ts'
import type { Granularity, ZonedGranularity } from '../model/granularity.ts'
import type { KeptSince, Range } from '../model/plan.ts'
import type { ComputedField } from './computed-fields.ts'
import type { Scalar } from './scalar.ts'

/** An aggregate of a group's rows: of all of them, or of those that pass its own filter. */
export type StoreAggregate = (RowsAggregate | EndAggregate) & { readonly where?: Scalar }

type RowsAggregate =
  /** The number of rows. */
  | { readonly kind: 'rows' }
  /** The number of rows whose value is not null. */
  | { readonly kind: 'values'; readonly field: EntityField }
  /** The number of distinct values. Null does not count; '' counts if `countsEmpty` is set. */
  | { readonly kind: 'distinct'; readonly field: EntityField; readonly countsEmpty: boolean }
  /** Of doubles, and of longs as doubles. Null over nothing. */
  | { readonly kind: 'sum' | 'least' | 'greatest'; readonly type: 'double'; readonly field: EntityField }
  /** Of longs, exactly; a sum wraps around at 64 bits. Null over nothing. */
  | { readonly kind: 'sum' | 'least' | 'greatest'; readonly type: 'long'; readonly field: EntityField }

/** The value of an aggregate over no rows. */
export function valueOverNothing({ kind }: StoreAggregate): bigint | null {
  return kind === 'rows' || kind === 'values' || kind === 'distinct' ? 0n : null
}

/** The time or a value of the group's newest or oldest row, by time and then by position. Null if that value is null, and over nothing. */
export type EndAggregate =
  | { readonly kind: 'endTime'; readonly end: 'newest' | 'oldest' }
  | { readonly kind: 'endValue'; readonly end: 'newest' | 'oldest'; readonly field: EntityField }

/** Divides time into buckets. */
export interface TimeBuckets {
  /** Whether a bucket is likely to be made of whole UTC hours. */
  readonly areOfHours: boolean
  /** The start of the bucket that an instant is in. */
  startOf(ms: number): number
  /** All instants from `ms` up to this one are in one bucket. */
  endOf(ms: number): number
  /** The start of the bucket after the one that starts at `startMs`. */
  nextStart(startMs: number): number
  /** The number of whole buckets up to an instant, from the one at `startMs` on, that are known to be as long as it: at least one. */
  equalBuckets(startMs: number, untilMs: number): number
}

/** The rows of an entity that a plan reads. */
export interface SelectedRows {
  readonly entityId: number
  /** Rows before this date have expired. Null if none have. */
  readonly sinceMs: number | null
  /** As in `Selection`. */
  readonly hours?: KeptSince
  readonly time: EntityField
  /** All tags of the entity, at least one. */
  readonly tags: readonly [EntityField, ...EntityField[]]
  /** Ascending and disjoint. */
  readonly ranges: readonly Range[]
  /** A condition on fields and constants. A row counts if it is true. */
  readonly filter: Scalar | null
}

/** Null where the entity has no tag. */
export function selectedRows(
  entity: Pick<Entity, 'id' | 'sinceMs' | 'hours' | 'fields'>,
  { ranges, filter }: Pick<SelectedRows, 'ranges' | 'filter'>,
): SelectedRows | null {
  const { id: entityId, sinceMs } = entity
  const [tag, ...tags] = fieldsOfRole(entity, 'tag')
  const [time] = fieldsOfRole(entity, 'time')
  if (tag === undefined || time === undefined) return null
  return { entityId, sinceMs, ...keptSince(entity), time, tags: [tag, ...tags], ranges, filter }
}

export interface AggregationPlan extends SelectedRows {
  /** The fields named by other parts of the plan that the entity does not have. Each comes after the fields that it is computed from. */
  readonly computed: readonly ComputedField[]
  readonly granularity: Granularity | ZonedGranularity
  /** The tags and dimensions that the rows of a bucket are grouped by. */
  readonly keys: readonly EntityField[]
  readonly aggregates: readonly StoreAggregate[]
  /** With more groups than this, the SQL engine answers in place of the store. */
  readonly groupsMax: number
  /** The same applies to more work than this. A unit is about one row read, for each key, aggregate or condition. */
  readonly unitsMax: number
  /** Whether the days that have rows are requested. */
  readonly needsDays: boolean
}

/** A long is a `bigint`. */
export type GroupValue = string | number | bigint | null

/** The first and the last row of a UTC day that has rows, regardless of the filter. */
export interface DayRows {
  readonly firstMs: number
  readonly lastMs: number
}

export interface Groups {
  /** For each group: the start of its bucket (0 if all rows are in one), its keys, and its aggregates. Not ordered. */
  readonly rows: readonly (readonly GroupValue[])[]
  /** Oldest first; empty unless requested. */
  readonly days: readonly DayRows[]
}

/** More groups, or more values of groups, are left to the SQL engine, which moves what does not fit into memory to disk. */
const groupsMax = 100_000
const cellsMax = 1_000_000

/** A tenth of a second or two of the store's thread. Longer work is for the SQL engine's process. */
const unitsMax = 16_000_000

/** The limits of a plan. `cells` is the number of values of a group, from its aggregates to the line of the result. */
export function boundsOfWork(cells: number): Pick<AggregationPlan, 'groupsMax' | 'unitsMax'> {
  return { groupsMax: Math.min(groupsMax, Math.floor(cellsMax / cells)), unitsMax }
}

/** The columns of strings and numbers that a plan can name, by name; null for other names. */
export function aggregatedFields({ fields }: Pick<Entity, 'fields'>): (name: string) => EntityField | null {
  const types = new Set(['string', 'double', 'long'])
  const byName = new Map(
    fields.filter(({ type, role }) => role !== 'time' && types.has(type)).map((one) => [one.name, one]),
  )
  return (name) => byName.get(name) ?? null
}
