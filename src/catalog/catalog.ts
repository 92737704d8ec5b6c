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

/** What is asked of the catalog to make an ingest; `entity` is null for a metadata ingest. */
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

/** Since when rows have a field. */
export interface FieldSince {
  /** Those that were pushed to this version of the fields, or a later one. */
  readonly version: number
  /** By partition: those from this position on, for the row there brought it. */
  readonly places: ReadonlyMap<number, number>
}

/** An ingest whose rows bring fields, as it is now. */
export interface OpenIngest {
  readonly ingest: Ingest
  /** Of each of its fields, in their order. */
  readonly since: readonly FieldSince[]
  readonly entity: readonly EntityField[]
}

export interface IngestChange {
  readonly state?: IngestState
  readonly reason?: string | null
  readonly addFields?: readonly Field[]
  readonly unknown?: Unknown | undefined
}

/** A page of a list that is ordered by a key; `after` is the key of the last item before it. */
export interface ListBounds {
  readonly after: string | null
  readonly limit: number
}

/** What becomes of the rows of an ingest that is deleted: `drop` removes its entity with all that it holds. */
export type DeletedData = 'keep' | 'drop'

/** What an entity keeps. Rows before `sinceMs` have left: nobody is shown them. */
export interface Retention {
  readonly retention: string | null
  readonly sinceMs: number | null
  /** Absent where no hours are kept of rows that leave. */
  readonly hours?: HoursKept
}

/** Definitions of ingests and entities. Reads are from the database; who needs them often keeps its own copy (see `version`). */
export interface IngestCatalog {
  /** In one transaction. Throws Problem `conflict` for a taken alias or entity name, `invalid_request` where it disagrees with its entity. */
  create(ingest: NewIngest): Promise<Ingest>
  find(alias: string): Promise<Ingest | null>
  /** The ingest as it was at a version of its fields; also when it has been deleted since. */
  findVersion(id: number, fieldsVersion: number): Promise<Ingest | null>
  /** The ingest as it is now, also when it has been deleted since; null when its entity was dropped. */
  findOpen(id: number): Promise<OpenIngest | null>
  /**
   * Notes that the row at this position brings fields, and adds those that the ingest lacks. Adds none where one of them is not allowed or is another
   * one by now, or where `fieldsMax` is reached: the answer tells what there is. Null when the entity was dropped.
   */
  addByRow(id: number, fields: readonly Field[], position: number, fieldsMax: number): Promise<OpenIngest | null>
  list(page: ListBounds): Promise<readonly Ingest[]>
  /** Null when there is no such ingest. Throws Problem `invalid_request` where new fields disagree with the ingest or its entity. */
  change(alias: string, change: IngestChange): Promise<Ingest | null>
  /**
   * The alias is free afterwards. False when there is no such ingest. Throws Problem `conflict` where data is to be dropped and another ingest
   * feeds the same entity.
   */
  delete(alias: string, data: DeletedData, deletedMs: number): Promise<boolean>
  /** False, and nothing is changed, when there is no such series entity, or what it keeps is not `known` any more: another process was first. */
  retain(entityId: number, retention: Retention, known: Retention): Promise<boolean>
  /** Changes how a series entity is read. False when there is none of this id. */
  setReading(entityId: number, change: ReadingChange): Promise<boolean>
  /** All series entities, by name. */
  entities(): Promise<readonly Entity[]>
  /** All metadata entities, by name. */
  metadataEntities(): Promise<readonly MetadataEntity[]>
  /** Goes up with every change of an ingest or entity. */
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

/** `"*"` means every one. `untilMs` is not included. */
export interface Subscription {
  readonly ingest: string | null
  readonly entity: string | null
  readonly fromMs: number | null
  readonly untilMs: number | null
  readonly suspended: boolean
}

/** All that decides who may do what, as one value: it is small, and read from memory at each request. */
export interface AccessState {
  readonly version: number
  readonly subscribers: readonly Subscriber[]
  readonly keys: readonly Key[]
  /** By subscriber id. */
  readonly subscriptions: ReadonlyMap<number, readonly Subscription[]>
}

/** What decides what one subscriber may do. */
export interface SubscriberAccess {
  readonly subscriber: Subscriber
  readonly keys: readonly Key[]
  readonly subscriptions: readonly Subscription[]
}

export interface AccessCatalog {
  state(): Promise<AccessState>
  /** The subscriber of a name, or with the key of an id; null when there is none. */
  find(by: { readonly name: string } | { readonly keyId: string }): Promise<SubscriberAccess | null>
  /** Throws Problem `conflict` for a taken name. */
  createSubscriber(name: string, createdMs: number): Promise<Subscriber>
  /** Its keys and subscriptions go with it. False when there is no such subscriber. */
  deleteSubscriber(name: string): Promise<boolean>
  /** A key of the same id is replaced. Throws Problem `not_found` when the subscriber is gone, `conflict` when the hash is another key's. */
  putKey(key: Key): Promise<void>
  deleteKey(id: string): Promise<boolean>
  /** Replaces all of the subscriber's subscriptions. Throws Problem `not_found` when the subscriber is gone. */
  putSubscriptions(subscriberId: number, subscriptions: readonly Subscription[]): Promise<void>
}

/** How many rows of a batch replace an earlier one of it, as far as it is validated. */
export interface ReplacedInBatch {
  readonly ingestId: number
  readonly batchPosition: number
  readonly rows: number
}

/** What became of validated rows that is kept in the catalog. */
export interface Outcome {
  readonly rejected: readonly RejectedRow[]
  /** In the order of their positions. */
  readonly items: readonly ItemWrite[]
  /** Each batch once; only those with such rows. Of what was told of a batch the most stands. */
  readonly replaced?: readonly ReplacedInBatch[]
}

/** Where rows go that a replay stores, if that is another ingest than the one that rejected them. */
export interface ReplayTarget {
  readonly ingestId: number
  /** The position that each row of the replay gets there, by its own. */
  readonly places: ReadonlyMap<number, number>
}

/** What became of rejected rows of one ingest that were validated again. */
export interface ReplayOutcome {
  readonly ingestId: number
  /** That of the ingest that they were validated for. */
  readonly kind: IngestKind
  readonly into?: ReplayTarget
  /** That of the replay in the journal. */
  readonly position: number
  /** Positions of the rows that pass now. */
  readonly passed: readonly number[]
  /** Items of rows that pass, in the order of their positions. */
  readonly items: readonly ItemWrite[]
  /** Rows that stay rejected, with the new reason (not of mended rows, or for another ingest). A row that this replay stored before is rejected again. */
  readonly rejected: readonly RejectedRow[]
}

export interface ReplayedRows {
  /** The positions under which this replay stores rows, rising: their own, or those that they get in another ingest. */
  readonly stored: readonly number[]
  /** How many of them were taken out of the rejected ones now: none when it was told before. */
  readonly taken: number
}

/** Where the pipeline writes. The journal may be validated again: what was added before stays as it is. */
export interface OutcomeCatalog {
  /** Keeps the outcome, except that of dropped entities. The same transaction notes that everything before `throughPosition` was validated. */
  add(outcome: Outcome, throughPosition: number): Promise<void>
  /**
   * Takes the rows that pass out of the rejected ones and keeps their items, in one transaction. A row that was discarded or that another replay
   * stored is not stored by this one. The same replay told again changes nothing and stores the same rows.
   */
  replay(outcome: ReplayOutcome): Promise<ReplayedRows>
  /** As `stored` of `replay` when it was told last. Nothing is changed. */
  storedBy(replay: Pick<ReplayOutcome, 'ingestId' | 'position' | 'passed' | 'into'>): Promise<readonly number[]>
  /** The positions of an ingest's rejected rows from `fromPosition` up to, not including, `toPosition`, whatever has become of them. */
  rejectedIn(ingestId: number, fromPosition: number, toPosition: number): Promise<readonly number[]>
  /** The furthest position that `add` was told. */
  validatedPosition(): Promise<number>
}

export interface ItemLimits {
  readonly itemsMax: number
  /** The list ends early once its keys and attributes have more bytes than this together; it holds one item at least. */
  readonly bytesMax: number
}

export interface ItemPage {
  readonly items: readonly Item[]
  /** Whether there are items after the last one. */
  readonly more: boolean
}

/** Items of metadata entities; pushed ones come through `OutcomeCatalog`. */
export interface ItemCatalog {
  /** The first items with a key in the range, in the order of their keys. */
  list(entityId: number, range: KeyRange, limits: ItemLimits): Promise<ItemPage>
  /**
   * The items of the first of these keys, in their order. `keysRead` says how many keys were looked up before `bytesMax` was reached: at
   * least one.
   */
  find(
    entityId: number,
    keys: readonly Uint8Array[],
    bytesMax: number,
  ): Promise<{ items: readonly Item[]; keysRead: number }>
  /** Runs reads of items that all see one state of them, however long it takes. Those of one connection wait for each other. */
  inOneState<Result>(read: (list: ItemCatalog['list']) => Promise<Result>): Promise<Result>
  /** How many items each entity has, by entity id; one without items may be absent. */
  counts(): Promise<ReadonlyMap<number, number>>
  /**
   * Deletes an item as it was before a position: rows before that do not bring it back, later ones do. Everything before the position must
   * have been validated. False when there is no such item.
   */
  delete(entityId: number, key: Uint8Array, beforePosition: number): Promise<boolean>
}

export interface DroppedEntity {
  readonly entityId: number
  /** All ingests that ever fed it. */
  readonly ingestIds: readonly number[]
  /** Whether all that was kept of it is removed. */
  readonly isRemoved: boolean
}

/** Entities that were dropped. Their ids stay known, so that rows in the journal are told from those of an unknown ingest. */
export interface DroppedCatalog {
  list(): Promise<readonly DroppedEntity[]>
  /**
   * Removes the rejected rows and items of a dropped entity, and notes it as removed. False when it was aborted before that; it may be asked
   * again.
   */
  remove(entityId: number, signal: AbortSignal): Promise<boolean>
}

/** What the audit reads the state of a thing from, within the transaction that changes it. */
export interface StateSources {
  readonly ingests: Pick<IngestCatalog, 'find' | 'entities'>
  readonly access: Pick<AccessCatalog, 'find'>
  readonly hooks: Pick<HookCatalog, 'find'>
  readonly views: Pick<ViewCatalog, 'find'>
}

/** What is kept the same way by one machine and by a cluster. */
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

/** The catalog of one machine. */
export interface Catalog extends SharedCatalog {
  readonly manifest: ManifestCatalog & DiskSizes
  readonly deletions: DeletionCatalog
}

/** Random values that outlive restarts: what tokens and batch ids are signed with. */
export interface SecretCatalog {
  /** The secret of this name; made at first use. */
  secret(name: string): Promise<Uint8Array>
}
