// The catalog's tables, written once for every SQL dialect: whole numbers, text and the keys of items, no boolean or auto-increment column.
import type { RejectedTables } from './rejected-tables.ts'
import type { SetAsideTables } from './set-aside-tables.ts'

interface Counters {
  name: CounterName
  value: number
}

/** Versions and ids are handed out here, so that an id is never given twice, whatever is deleted. */
export const counterNames = [
  'definitions_version',
  'access_version',
  'ingest_id',
  'entity_id',
  'subscriber_id',
  'judged_position',
] as const
export type CounterName = (typeof counterNames)[number]

interface Entities {
  id: number
  name: string
  kind: string
  duplicates: string
  /** An ISO 8601 duration; null keeps rows for ever. */
  retention: string | null
  /** Rows before this date have left. */
  since_ms: number | null
}

/** An entity that was dropped: its id stays known, for the journal may still hold rows of its ingests. */
interface DroppedEntities {
  entity_id: number
  dropped_ms: number
  /** 0 until all that is kept of it is removed, then 1. */
  removed: number
}

interface DroppedIngests {
  ingest_id: number
  entity_id: number
}

interface EntityFields {
  entity_id: number
  ordinal: number
  name: string
  type: string
  role: string
}

interface Ingests {
  id: number
  alias: string
  kind: string
  entity_id: number
  state: string
  /** A JSON string, see text-column.ts; so is `source`. */
  reason: string | null
  /** The template of the tag where each field of a line is a row, a JSON string; null where a line is one row. */
  lines_tag: string | null
  /** The versions of the fields from which on `unknown` was another, as `1:add,5:reject`. */
  unknown: string
  fields_version: number
  created_ms: number
  deleted_ms: number | null
}

interface IngestFields {
  ingest_id: number
  ordinal: number
  /** The version of the ingest's fields that brought this one. */
  version: number
  name: string
  source: string
  type: string
  role: string
  /** `by_row` of one that a row brought. */
  added: string | null
}

interface FieldPlaces {
  ingest_id: number
  source: string
  lane: number
  position: number
}

interface Subscribers {
  id: number
  name: string
  created_ms: number
}

interface Keys {
  id: string
  subscriber_id: number
  hash: string
  /** Words, parted by spaces. */
  rights: string
  created_ms: number
  expires_ms: number | null
}

interface Subscriptions {
  subscriber_id: number
  ordinal: number
  ingest: string | null
  entity: string | null
  from_ms: number | null
  until_ms: number | null
  /** 0 or 1. */
  suspended: number
}

interface Items {
  entity_id: number
  /** Bytes, which every database compares one by one. */
  item_key: Uint8Array
  /** That of the row it was pushed in. */
  position: number
  /** The size of key and attributes; it stands before these so that a page can be measured without reading them. */
  item_bytes: number
  attributes: string
}

/** What was deleted: rows that were pushed before that do not bring it back. */
interface DeletedItems {
  entity_id: number
  item_key: Uint8Array
  before_position: number
}

interface ItemCounts {
  entity_id: number
  items: number
}

interface Secrets {
  name: string
  /** In hexadecimal. */
  value: string
}

interface StoreFiles {
  entity_id: number
  name: string
  kind: string
  day: number | null
  rows: number
  first_ms: number
  last_ms: number
  first_position: number
  last_position: number
  bytes: number
  index_bytes: number
  checksum: number
}

interface StoreRegistries {
  entity_id: number
  series: number
  bytes: number
  checksum: number
}

interface IngestCounts {
  ingest_id: number
  judged: number
  rejected: number
  checksum: number
}

interface StoreState {
  id: number
  sealed_position: number
  checksum: number
}

interface JournalEnd {
  id: number
  position: number
  checksum: number
}

interface Lanes {
  lane: number
  kept_position: number
  processed_position: number
}

/** How many rows of an ingest were judged ever. */
interface JudgedRows {
  ingest_id: number
  rows: number
}

/** By lane and ingest: the rows that were handed on to be stored, and what queries were found to see of them. */
interface StoredRows {
  lane: number
  ingest_id: number
  entity_id: number
  rows: number
  /** Of the last row. */
  position: number
  ms: number
  through_position: number
  replayed_position: number
  seen_position: number
  seen_rows: number
}

/** One row a key: what it stands for, or that a push is under way with it. */
interface PushKeys {
  /** SHA-256 of the key with its subscriber and ingest. */
  key_hash: Uint8Array
  body_hash: Uint8Array
  /** When the push came, or the key was reserved. */
  received_ms: number
  /** Names the reservation; null once a position is known. */
  reservation: string | null
  /** 1 when another push with the key may be in the journal, unknown to us. */
  uncertain: number
  position: number | null
  batch_rows: number
  /** Whether a pipeline has met it: 0 or 1. */
  judged: number
  /** Where the push stood that held the key until it was a day old: it may be judged again. */
  previous_position: number | null
}

/** Entities that have rows and no slots of Druid to be read in. */
interface SlotWaits {
  entity_id: number
  since_ms: number
}

interface Migrations {
  number: number
  name: string
}

export interface Tables extends RejectedTables, SetAsideTables {
  counters: Counters
  entities: Entities
  dropped_entities: DroppedEntities
  dropped_ingests: DroppedIngests
  entity_fields: EntityFields
  ingests: Ingests
  ingest_fields: IngestFields
  field_places: FieldPlaces
  subscribers: Subscribers
  keys: Keys
  subscriptions: Subscriptions
  items: Items
  deleted_items: DeletedItems
  item_counts: ItemCounts
  secrets: Secrets
  store_files: StoreFiles
  store_registries: StoreRegistries
  ingest_counts: IngestCounts
  store_state: StoreState
  journal_end: JournalEnd
  lanes: Lanes
  judged_rows: JudgedRows
  stored_rows: StoredRows
  push_keys: PushKeys
  slot_waits: SlotWaits
  migrations: Migrations
}
