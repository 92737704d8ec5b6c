import type { HiddenByDeletion, PositionRange } from './deletion.ts'
import type { Field, FieldRole, FieldType } from './field.ts'
import type { Duplicates } from './ingest.ts'
import type { QualityCoding } from './quality.ts'

export interface EntityField {
  readonly name: string
  readonly type: FieldType
  readonly role: FieldRole
  /** The coding of a quality field's numbers; omitted: `opcda`. */
  readonly coding?: QualityCoding
}

/** A queryable series data set. Its fields are those of its ingests, in the order of definition. */
export interface Entity {
  /** Never reused: an entity dropped and created again gets a new id and sees none of the old rows. */
  readonly id: number
  readonly name: string
  readonly fields: readonly EntityField[]
  readonly duplicates: Duplicates
  /** Aliases of the ingests that currently feed it. */
  readonly ingests: readonly string[]
  /** An ISO 8601 duration: older items expire, whole UTC days at a time. Null keeps them forever. */
  readonly retention: string | null
  /** Items before this date have expired; null while none have. */
  readonly sinceMs: number | null
  /** Present if hours of expired rows are kept. */
  readonly hours?: HoursKept
  /** Absent until one of its settings is set. */
  readonly reading?: Reading
  /** Rows hidden by its deletions on a cluster; absent if there are none. A single-machine store keeps its own record. */
  readonly hidden?: readonly HiddenByDeletion[]
}

/** How long hours outlive their rows. */
export interface HoursKept {
  /** An ISO 8601 duration, longer than the retention of the rows; null keeps hours forever. */
  readonly retention: string | null
  /** Hours before this date have expired or were never kept; the start of a UTC day. Null while all expired rows have hours. */
  readonly sinceMs: number | null
  /** How far hours have been made on a cluster; absent while there are none. A single-machine store keeps its own record. */
  readonly made?: HoursMade
}

/** Hours are made for rows before `madeMs`. All dates are starts of UTC days, and `goneMs <= madeMs <= making.untilMs`. */
export interface HoursMade {
  /** Rows before this date that hours were made from have been removed. */
  readonly goneMs: number
  readonly madeMs: number
  /** The hours being made from `madeMs` on, or those made last; null after their rows are removed. */
  readonly making: HoursMaking | null
}

/** Whether hours replace rows that still exist and are due for removal. */
export function isRemovingHourRows(entity: Pick<Entity, 'hours'> | undefined): boolean {
  const made = entity?.hours?.made
  return made !== undefined && made.making !== null && made.madeMs >= made.making.untilMs
}

/** The inputs fixed before hours are made, so that every process that makes them produces the same hours. */
export interface HoursMaking {
  /** Exclusive end. `madeMs` moves here when the hours are made. */
  readonly untilMs: number
  /** Positions of the source rows; rows pushed later are late rows. */
  readonly pushed: readonly PositionRange[]
  /** The last deletion whose rows are left out of the hours; 0 if none. */
  readonly deletionId: number
  /** When the inputs were fixed; unique among the makings of an entity. */
  readonly startedMs: number
  /** Number of rows at these positions and dates when the hours were made, including hidden ones; null until then. */
  readonly rows: number | null
  /** Whether the rows are being removed. From then on these are the only hours that can be made. */
  readonly isRemoving: boolean
}

/** Defaults for reading an entity, used where a request specifies nothing. */
export interface Reading {
  /** The time zone of bucket boundaries; absent: UTC. */
  readonly timeZone?: string
  /** Shape of each metric; absent: `line` for doubles, `step` for all other types. */
  readonly shapes?: Readonly<Record<string, Shape>>
  /** Maximum gap of each metric, as an ISO 8601 duration; absent: unbounded. */
  readonly maxGaps?: Readonly<Record<string, string>>
  /** Where each tag's shape is stored: an attribute of the metadata item whose identifier is the tag. */
  readonly shapeFrom?: ShapeFrom
}

export const shapes = ['line', 'step'] as const
/** How a value develops between two items: `line` interpolates linearly, `step` holds the earlier value. */
export type Shape = (typeof shapes)[number]

/** The default shape of a field of this type. */
export const defaultShape = (type: string | undefined): Shape => (type === 'double' ? 'line' : 'step')

export interface ShapeFrom {
  readonly table: string
  readonly attribute: string
}

/** A partial update of `Reading`: null removes a setting, an absent one is unchanged. */
export type ReadingChange = { readonly [Name in keyof Reading]?: Reading[Name] | null }

export function changedReading(reading: Reading, change: ReadingChange): Reading {
  return Object.fromEntries(Object.entries({ ...reading, ...change }).filter(([, value]) => value != null))
}

/** The entity that a metadata ingest feeds; its name is the ingest's alias. */
export interface MetadataEntity {
  /** Never reused, as for `Entity`. */
  readonly id: number
  readonly name: string
  readonly fields: readonly EntityField[]
}

/** The part of an entity's hours that plans need. */
export const keptSince = ({
  hours,
}: Pick<Entity, 'hours'>): { readonly hours?: { readonly sinceMs: number | null } } =>
  hours === undefined ? {} : { hours: { sinceMs: hours.sinceMs } }

export function fieldsOfRole(entity: Pick<Entity, 'fields'>, role: FieldRole): readonly EntityField[] {
  return entity.fields.filter((field) => field.role === role)
}

/** The one field of role `time`. */
export function timeField(entity: Pick<Entity, 'fields'>): EntityField {
  const field = entity.fields.find((candidate) => candidate.role === 'time')
  if (field === undefined) throw new Error('a series entity has a time field by its definition')
  return field
}

/** The one field of role `index`. */
export function indexField(entity: Pick<MetadataEntity, 'fields'>): EntityField {
  const field = entity.fields.find((candidate) => candidate.role === 'index')
  if (field === undefined) throw new Error('a metadata entity has an index field by its definition')
  return field
}

/** An entity's fields after another definition joined it: shared names must agree, new fields are appended. */
export function mergeFields(known: readonly EntityField[], added: readonly Field[]): readonly EntityField[] {
  const names = new Set(known.map((field) => field.name))
  const fresh = added.filter((field) => !names.has(field.name))
  return [...known, ...fresh.map(entityField)]
}

/** The properties of a field that an entity keeps. */
export function entityField({ name, type, role, coding }: EntityField): EntityField {
  return coding === undefined ? { name, type, role } : { name, type, role, coding }
}
