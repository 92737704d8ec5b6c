import type { HiddenByDeletion, PositionRange } from './deletion.ts'
import type { Field, FieldRole, FieldType } from './field.ts'
import type { Duplicates } from './ingest.ts'
import type { QualityCoding } from './quality.ts'

export interface EntityField {
  readonly name: string
  readonly type: FieldType
  readonly role: FieldRole
  /** What the numbers of a quality mean; left out: `opcda`. */
  readonly coding?: QualityCoding
}

/** A queryable series data set. Its fields are those of its ingests, in the order in which they were defined. */
export interface Entity {
  /** Never given twice: an entity that was dropped and made anew is another one, and sees no row of the old. */
  readonly id: number
  readonly name: string
  readonly fields: readonly EntityField[]
  readonly duplicates: Duplicates
  /** Aliases of the ingests that feed it now. */
  readonly ingests: readonly string[]
  /** An ISO 8601 duration: items older than that leave, whole UTC days at a time. Null keeps them for ever. */
  readonly retention: string | null
  /** Items before this date have left; null while none have. */
  readonly sinceMs: number | null
  /** Of rows that leave their hours are kept; absent where they are not. */
  readonly hours?: HoursKept
  /** Absent until something of it is set. */
  readonly reading?: Reading
  /** What its deletions hide, on a cluster; absent where there are none. One machine's store knows its own. */
  readonly hidden?: readonly HiddenByDeletion[]
}

/** How long hours outlive their rows. */
export interface HoursKept {
  /** An ISO 8601 duration, longer than that of the rows; null keeps hours for ever. */
  readonly retention: string | null
  /** Hours before this date have left, or were never kept: a start of a UTC day. Null while all rows that left have hours. */
  readonly sinceMs: number | null
  /** How far hours are made, on a cluster; absent while none are. One machine's store knows its own. */
  readonly made?: HoursMade
}

/** Of rows before `madeMs` hours are made; all dates are starts of UTC days, and rise. */
export interface HoursMade {
  /** Rows before it that hours were made of are removed. */
  readonly goneMs: number
  readonly madeMs: number
  /** Those that are made from `madeMs` on, or were made last; null once their rows are removed. */
  readonly making: HoursMaking | null
}

/** Whether hours stand for rows that are there still, and are removed now. */
export function isLettingGo(entity: Pick<Entity, 'hours'> | undefined): boolean {
  const made = entity?.hours?.made
  return made !== undefined && made.making !== null && made.madeMs >= made.making.untilMs
}

/** What is settled before hours are made: whoever makes them makes the same. */
export interface HoursMaking {
  /** Before it; `madeMs` moves there when they are made. */
  readonly untilMs: number
  /** Where the rows stand that they are made of: those pushed later are late rows. */
  readonly pushed: readonly PositionRange[]
  /** The last of the deletions that they are made without the rows of; 0 of none. */
  readonly deletionId: number
  /** When that was settled: no two makings of an entity have the same. */
  readonly startedMs: number
  /** How many rows there were at these positions and dates when the hours were made, hidden ones too; null until they are made. */
  readonly rows: number | null
  /** Whether the rows are being removed: from then on these hours are the only ones that can be made. */
  readonly isRemoving: boolean
}

/** How an entity is read where a request does not say it. */
export interface Reading {
  /** Whose clocks buckets begin by; absent: UTC. */
  readonly timeZone?: string
  /** By metric; absent: `line` for doubles, `step` for all else. */
  readonly shapes?: Readonly<Record<string, Shape>>
  /** By metric, ISO 8601 durations; absent: no bound. */
  readonly maxGaps?: Readonly<Record<string, string>>
  /** Where the shape of each tag stands: an attribute of the item of that identifier. */
  readonly shapeFrom?: ShapeFrom
}

export const shapes = ['line', 'step'] as const
/** How a value goes from one item to the next: on the line between them, or it holds. */
export type Shape = (typeof shapes)[number]

/** Of what nothing says a shape. */
export const usualShape = (type: string | undefined): Shape => (type === 'double' ? 'line' : 'step')

export interface ShapeFrom {
  readonly table: string
  readonly attribute: string
}

/** A change of `Reading`: null takes away, what is absent stays. */
export type ReadingChange = { readonly [Name in keyof Reading]?: Reading[Name] | null }

export function changedReading(reading: Reading, change: ReadingChange): Reading {
  return Object.fromEntries(Object.entries({ ...reading, ...change }).filter(([, value]) => value != null))
}

/** What a metadata ingest feeds, under the ingest's alias. */
export interface MetadataEntity {
  /** Never given twice, as that of an `Entity`. */
  readonly id: number
  readonly name: string
  readonly fields: readonly EntityField[]
}

/** What plans know of the hours of an entity. */
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

/** The fields of an entity after another definition joined it: shared names must agree, new ones go to the end. */
export function mergeFields(known: readonly EntityField[], added: readonly Field[]): readonly EntityField[] {
  const names = new Set(known.map((field) => field.name))
  const fresh = added.filter((field) => !names.has(field.name))
  return [...known, ...fresh.map(entityField)]
}

/** What an entity knows of a field. */
export function entityField({ name, type, role, coding }: EntityField): EntityField {
  return coding === undefined ? { name, type, role } : { name, type, role, coding }
}
