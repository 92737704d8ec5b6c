import type { Entity, EntityField, HoursKept, MetadataEntity, ReadingChange } from '../model/entity.ts'
import type { Field } from '../model/field.ts'
import type { Duplicates, Ingest, IngestKind, IngestState, LineMapping, Unknown } from '../model/ingest.ts'
import type { Item, ItemWrite } from '../model/item.ts'
import type { KeyRange } from '../model/item-key.ts'
import type { Right } from '../model/right.ts'
import type { AuditCatalog } from './audit.ts'
import type { DeletionCatalog } from './deletions.ts'
import type { HookCatalog } from './hooks.ts'
import type { DiskSizes, ManifestCatalog } from './manifest.ts'
import type { QuarantineCatalog } from './quarantine.ts'
import type { RejectedCatalog, RejectedRow } from './rejected.ts'
import type { ViewCatalog } from './views.ts'

/** The definition of an ingest to create; `entity` is null for a metadata ingest. */
export interface NewIngest {
  readonly alias: string
  readonly kind: IngestKind
  readonly entity: string | null
  readonly fields: readonly Field[]
  readonly duplicates: Duplicates
  readonly unknown?: Unknown
  readonly lines?: LineMapping
  readonly createdMs: number
}

/** From where on rows have a field. */
export interface FieldStart {
  /** Rows pushed against this version of the fields, or a later one, have it. */
  readonly version: number
  /** By partition: rows from this position on have it, because the row at that position added it. */
  readonly places: ReadonlyMap<number, number>
}

/** The current state of an ingest whose rows can add fields. */
export interface OpenIngest {
  readonly ingest: Ingest
  /** One per field of the ingest, in the same order. */
  readonly since: readonly FieldStart[]
  readonly entity: readonly EntityField[]
}

export interface IngestChange {
  readonly state?: IngestState
  readonly reason?: string | null
  readonly addFields?: readonly Field[]
  readonly unknown?: Unknown | undefined
}

/** A page of a list ordered by a key; `after` is the key of the last item of the previous page. */
export interface ListBounds {
  readonly after: string | null
  readonly limit: number
}

/** Whether the rows of a deleted ingest are kept. `drop` removes its entity with all of its data. */
export type DeletedData = 'keep' | 'drop'

/** How long an entity keeps rows. Rows before `sinceMs` have expired and are never returned. */
export interface Retention {
  readonly retention: string | null
  readonly sinceMs: number | null
  /** Absent when expired rows are not kept as hours. */
  readonly hours?: HoursKept
}

/** Definitions of ingests and entities. Reads go to the database; frequent readers keep their own copy (see `version`). */
export interface IngestCatalog {
  /** Runs in one transaction. Throws Problem `conflict` for a taken alias or entity name, `invalid_request` where it disagrees with its entity. */
  create(ingest: NewIngest): Promise<Ingest>
  find(alias: string): Promise<Ingest | null>
  /** The ingest as it was at a version of its fields, even if it has been deleted since. */
  findVersion(id: number, fieldsVersion: number): Promise<Ingest | null>
  /** The current ingest, even if it has been deleted; null when its entity was dropped. */
  findOpen(id: number): Promise<OpenIngest | null>
  /**
   * Records that the row at this position has these fields, and adds those that the ingest lacks. Adds none if one of them is not allowed or already exists
   * with another definition, or if `fieldsMax` is reached. Returns the resulting state; null when the entity was dropped.
   */
  addByRow(id: number, fields: readonly Field[], position: number, fieldsMax: number): Promise<OpenIngest | null>
  list(page: ListBounds): Promise<readonly Ingest[]>
  /** Null when there is no such ingest. Throws Problem `invalid_request` where new fields disagree with the ingest or its entity. */
  change(alias: string, change: IngestChange): Promise<Ingest | null>
  /**
   * Frees the alias. Returns false when there is no such ingest. Throws Problem `conflict` when data is to be dropped and another ingest feeds the same
   * entity.
   */
  delete(alias: string, data: DeletedData, deletedMs: number): Promise<boolean>
  /** Returns false, without a change, when there is no such series entity or when its retention differs from `known`: another process changed it first. */
  retain(entityId: number, retention: Retention, known: Retention): Promise<boolean>
  /** Changes the default reading of a series entity. Returns false when no series entity has this id. */
  setReading(entityId: number, change: ReadingChange): Promise<boolean>
  /** All series entities, by name. */
  entities(): Promise<readonly Entity[]>
  /** All metadata entities, by name. */
  metadataEntities(): Promise<readonly MetadataEntity[]>
  /** Increases with every change of an ingest or entity. */
  version(): Promise<number>
}

export interface Subscriber {
  readonly id: number
  readonly name: string
  readonly createdMs: number
}

export interface Key {
  readonly id: string
  readonly subscriberId: number
  /** SHA-256 of the key, in hexadecimal. */
  readonly hash: string
  readonly rights: readonly Right[]
  readonly createdMs: number
  readonly expiresMs: number | null
}

/** `"*"` matches every ingest or entity. `untilMs` is exclusive. */
export interface Subscription {
  readonly ingest: string | null
  readonly entity: string | null
  readonly fromMs: number | null
  readonly untilMs: number | null
  readonly suspended: boolean
}

/** Everything that access checks depend on, as one value. It is small, and read from memory on each request. */
export interface AccessState {
  readonly version: number
  readonly subscribers: readonly Subscriber[]
  readonly keys: readonly Key[]
  /** By subscriber id. */
  readonly subscriptions: ReadonlyMap<number, readonly Subscription[]>
}

/** Everything that the access of one subscriber depends on. */
export interface SubscriberAccess {
  readonly subscriber: Subscriber
  readonly keys: readonly Key[]
  readonly subscriptions: readonly Subscription[]
}

export interface AccessCatalog {
  state(): Promise<AccessState>
  /** Finds a subscriber by its name or by the id of one of its keys; null when there is none. */
  find(by: { readonly name: string } | { readonly keyId: string }): Promise<SubscriberAccess | null>
  /** Throws Problem `conflict` for a taken name. */
  createSubscriber(name: string, createdMs: number): Promise<Subscriber>
  /** Also deletes its keys and subscriptions. Returns false when there is no such subscriber. */
  deleteSubscriber(name: string): Promise<boolean>
  /** Replaces a key with the same id. Throws Problem `not_found` when the subscriber no longer exists, `conflict` when another key has the same hash. */
  putKey(key: Key): Promise<void>
  deleteKey(id: string): Promise<boolean>
  /** Replaces all subscriptions of the subscriber. Throws Problem `not_found` when the subscriber no longer exists. */
  putSubscriptions(subscriberId: number, subscriptions: readonly Subscription[]): Promise<void>
}

/** The number of rows in the validated part of a batch that replace an earlier row of the same batch. */
export interface ReplacedInBatch {
  readonly ingestId: number
  readonly batchPosition: number
  readonly rows: number
}

/** Outcomes of validation kept in the catalog. */
export interface Outcome {
  readonly rejected: readonly RejectedRow[]
  /** Ordered by position. */
  readonly items: readonly ItemWrite[]
  /** At most one entry per batch, only for batches with such rows. The catalog keeps the largest count reported for a batch. */
  readonly replaced?: readonly ReplacedInBatch[]
}

/** The ingest in which a replay stores rows, if it is not the one that rejected them. */
export interface ReplayTarget {
  readonly ingestId: number
  /** The position of each row in that ingest, by its position in the ingest that rejected it. */
  readonly places: ReadonlyMap<number, number>
}

/** Outcome of validating rejected rows of one ingest again. */
export interface ReplayOutcome {
  readonly ingestId: number
  /** The kind of the ingest that they were validated for. */
  readonly kind: IngestKind
  readonly into?: ReplayTarget
  /** The position of the replay in the journal. */
  readonly position: number
  /** Positions of the rows that now pass. */
  readonly passed: readonly number[]
  /** Items of the rows that pass, ordered by position. */
  readonly items: readonly ItemWrite[]
  /** Rows that stay rejected, with the new reason (unless mended or for another ingest), and rows that this replay stored before and now rejects. */
  readonly rejected: readonly RejectedRow[]
}

export interface ReplayedRows {
  /** Positions under which this replay stores rows, ascending: their own, or those assigned to them in another ingest. */
  readonly stored: readonly number[]
  /** The number of rows that this call removed from the rejected rows: 0 when the replay was already recorded. */
  readonly taken: number
}

/** Written by the pipeline. The journal may be validated again; what was added before stays unchanged. */
export interface OutcomeCatalog {
  /** Stores the outcome, except for dropped entities, and records in the same transaction that everything before `throughPosition` is validated. */
  add(outcome: Outcome, throughPosition: number): Promise<void>
  /**
   * Removes the rows that pass from the rejected rows and stores their items, in one transaction. Skips rows that were discarded or that another replay
   * stored. Idempotent: the same replay again changes nothing and returns the same stored rows.
   */
  replay(outcome: ReplayOutcome): Promise<ReplayedRows>
  /** Returns `stored` of the last call of `replay` for this replay. Read-only. */
  storedBy(replay: Pick<ReplayOutcome, 'ingestId' | 'position' | 'passed' | 'into'>): Promise<readonly number[]>
  /** Positions of an ingest's rejected rows from `fromPosition` up to but excluding `toPosition`, including rows discarded or stored since. */
  rejectedIn(ingestId: number, fromPosition: number, toPosition: number): Promise<readonly number[]>
  /** The highest `throughPosition` passed to `add`. */
  validatedPosition(): Promise<number>
}

export interface ItemLimits {
  readonly itemsMax: number
  /** The page ends early when its keys and attributes total more bytes than this. It has at least one item. */
  readonly bytesMax: number
}

export interface ItemPage {
  readonly items: readonly Item[]
  /** Whether there are items after the last one. */
  readonly more: boolean
}

/** Items of metadata entities. Pushed items are written through `OutcomeCatalog`. */
export interface ItemCatalog {
  /** The first items whose key is in the range, ordered by key. */
  list(entityId: number, range: KeyRange, limits: ItemLimits): Promise<ItemPage>
  /** The items of the first of these keys, in the same order. `keysRead` is the number of keys looked up before `bytesMax` was reached, at least one. */
  find(
    entityId: number,
    keys: readonly Uint8Array[],
    bytesMax: number,
  ): Promise<{ items: readonly Item[]; keysRead: number }>
  /** Runs reads of items that all see the same snapshot, however long they take. Calls on one connection wait for each other. */
  inOneState<Result>(read: (list: ItemCatalog['list']) => Promise<Result>): Promise<Result>
  /** The number of items of each entity, by entity id; an entity without items may be absent. */
  counts(): Promise<ReadonlyMap<number, number>>
  /**
   * Deletes an item as of a position: rows before it do not restore the item, later rows do. Everything before the position must be validated. Returns false
   * when there is no such item.
   */
  delete(entityId: number, key: Uint8Array, beforePosition: number): Promise<boolean>
}

export interface DroppedEntity {
  readonly entityId: number
  /** All ingests that ever fed it. */
  readonly ingestIds: readonly number[]
  /** Whether all data kept for it has been removed. */
  readonly isRemoved: boolean
}

/** Dropped entities. Their ids stay known, which distinguishes their rows in the journal from rows of an unknown ingest. */
export interface DroppedCatalog {
  list(): Promise<readonly DroppedEntity[]>
  /** Removes the rejected rows and items of a dropped entity and marks it as removed. Returns false when aborted before that; it can be called again. */
  remove(entityId: number, signal: AbortSignal): Promise<boolean>
}

/** The catalogs from which the audit reads state, within the transaction that changes it. */
export interface StateSources {
  readonly ingests: Pick<IngestCatalog, 'find' | 'entities'>
  readonly access: Pick<AccessCatalog, 'find'>
  readonly hooks: Pick<HookCatalog, 'find'>
  readonly views: Pick<ViewCatalog, 'find'>
}

/** The part of the catalog that is the same on one machine and on a cluster. */
export interface SharedCatalog {
  readonly ingests: IngestCatalog
  readonly access: AccessCatalog
  readonly outcomes: OutcomeCatalog
  readonly rejected: RejectedCatalog
  readonly items: ItemCatalog
  readonly dropped: DroppedCatalog
  readonly quarantine: QuarantineCatalog
  readonly secrets: SecretCatalog
  readonly audit: AuditCatalog<StateSources>
  readonly hooks: HookCatalog
  readonly views: ViewCatalog
  close(): Promise<void>
}

/** The catalog on one machine. */
export interface Catalog extends SharedCatalog {
  readonly manifest: ManifestCatalog & DiskSizes
  readonly deletions: DeletionCatalog
}

/** Random values that persist across restarts. Tokens and batch ids are signed with them. */
export interface SecretCatalog {
  /** Returns the secret with this name, and creates it on first use. */
  secret(name: string): Promise<Uint8Array>
}
