// The catalog's tables, defined once for every SQL dialect: integers, text and the keys of items, no boolean or auto-increment columns.

/** A column type, followed by a mark if the column is part of the primary key, unique or nullable. */
type ColumnType = `${'text' | 'bigint' | 'integer' | 'bytea'}${'' | ' key' | ' unique' | ' null'}`
export type TableColumns = Readonly<Record<string, ColumnType>>

/** Versions and ids are taken from these counters, so that an id is never reused, whatever is deleted. */
export const counterNames = [
  'definitions_version',
  'access_version',
  'ingest_id',
  'entity_id',
  'subscriber_id',
  'validated_position',
  'audit_id',
  'hooks_version',
  'hook_event_id',
  'deletion_id',
  'views_version',
  'deletion_change',
] as const
export type CounterName = (typeof counterNames)[number]

const sharedTables = {
  counters: {
    name: 'text key',
    value: 'bigint',
  },
  secrets: {
    name: 'text key',
    /** In hexadecimal. */
    value: 'text',
  },
  entities: {
    id: 'bigint key',
    name: 'text unique',
    kind: 'text',
    duplicates: 'text',
    /** An ISO 8601 duration; null keeps rows forever. */
    retention: 'text null',
    /** Rows before this date have expired. */
    since_ms: 'bigint null',
    /** How long hours are kept after their rows, a JSON object: `retention` (null for forever) and `sinceMs`, before which there are none. Null if not kept. */
    hours: 'text null',
    /** Defaults for reading it, used where a request sets none: a JSON object, null if there are none. */
    reading: 'text null',
  },
  entity_fields: {
    entity_id: 'bigint key',
    ordinal: 'integer key',
    name: 'text',
    type: 'text',
    role: 'text',
    /** The meaning of a quality's numbers; null for other fields, and where it is not set. */
    coding: 'text null',
  },
  /** Dropped entities. Their ids stay known because the journal may still contain rows of their ingests. */
  dropped_entities: {
    entity_id: 'bigint key',
    dropped_ms: 'bigint',
    /** 0 until all of its data is removed, then 1. */
    removed: 'integer',
  },
  dropped_ingests: {
    ingest_id: 'bigint key',
    entity_id: 'bigint',
  },
  ingests: {
    id: 'bigint key',
    alias: 'text',
    kind: 'text',
    entity_id: 'bigint',
    state: 'text',
    /** A JSON string, see text-column.ts. The same applies to `source` of `ingest_fields`. */
    reason: 'text null',
    /** The template of the tag when each field of a line becomes a row, a JSON string; null when a line is one row. */
    lines_tag: 'text null',
    /** The versions of the fields at which `unknown` changed, as `1:add,5:reject`. */
    unknown: 'text',
    fields_version: 'integer',
    created_ms: 'bigint',
    deleted_ms: 'bigint null',
  },
  ingest_fields: {
    ingest_id: 'bigint key',
    ordinal: 'integer key',
    /** The version of the ingest's fields that added this one. */
    version: 'integer',
    name: 'text',
    source: 'text',
    type: 'text',
    role: 'text',
    /** As in `entity_fields`. */
    coding: 'text null',
    /** `by_row` for a field that a row added. */
    added: 'text null',
  },
  field_places: {
    ingest_id: 'bigint key',
    source: 'text key',
    partition: 'integer key',
    position: 'bigint',
  },
  subscribers: {
    id: 'bigint key',
    name: 'text unique',
    created_ms: 'bigint',
  },
  keys: {
    id: 'text key',
    subscriber_id: 'bigint',
    hash: 'text unique',
    /** Words separated by spaces. */
    rights: 'text',
    created_ms: 'bigint',
    expires_ms: 'bigint null',
  },
  subscriptions: {
    subscriber_id: 'bigint key',
    ordinal: 'integer key',
    ingest: 'text null',
    entity: 'text null',
    from_ms: 'bigint null',
    until_ms: 'bigint null',
    /** 0 or 1. */
    suspended: 'integer',
  },
  rejected_rows: {
    ingest_id: 'bigint key',
    position: 'bigint key',
    batch_position: 'bigint',
    batch_rows: 'integer',
    subscriber_id: 'bigint',
    row_index: 'integer',
    /** The size of `row_text`. It precedes that column so that a page can be measured without reading the texts. */
    row_bytes: 'integer',
    code: 'text',
    /** JSON strings, see text-column.ts. */
    field: 'text null',
    /** Identifies the field in an index; see `fieldKeyOf` in rejected-tallies.ts. */
    field_key: 'text',
    message: 'text',
    received_ms: 'bigint',
    /** `kept`, `discarded`, or `stored` (by a replay). */
    state: 'text',
    /** Position of the replay that stored it. A replay that is validated again stores the same rows. */
    replay_position: 'bigint null',
    /** The format of the push if `row_text` is a line; null if it is JSON. */
    line_format: 'text null',
    /** As pushed; a line of line protocol is a JSON string, because it may contain NUL. */
    row_text: 'text',
  },
  rejected_counts: {
    ingest_id: 'bigint key',
    rows: 'bigint',
    /** Approximate size of the rows that are neither discarded nor stored since. */
    kept_bytes: 'bigint',
  },
  /** The number of rows in the list, by subscriber, code and field. Subscriber 0, which nobody has, counts the rows of all subscribers. */
  rejected_kinds: {
    ingest_id: 'bigint key',
    subscriber_id: 'bigint key',
    code: 'text key',
    field_key: 'text key',
    rows: 'bigint',
    field: 'text null',
  },
  /** Batches with rejected rows, now or in the past. */
  rejected_batches: {
    ingest_id: 'bigint key',
    batch_position: 'bigint key',
    batch_rows: 'bigint',
    subscriber_id: 'bigint',
    received_ms: 'bigint',
    /** Includes discarded rows, but not rows stored since. */
    rejected: 'bigint',
  },
  /** Batches with rows that replace an earlier row of the same batch. */
  replaced_rows: {
    ingest_id: 'bigint key',
    batch_position: 'bigint key',
    rows: 'bigint',
  },
  /** Rejected rows of one ingest that a replay stored in another. */
  replays_into: {
    /** The ingest that received the rows. */
    ingest_id: 'bigint key',
    /** Position of the replay. */
    position: 'bigint key',
    /** Ranges of stored rows: pairs of first and last index, as JSON. */
    stored: 'text',
  },
  items: {
    entity_id: 'bigint key',
    /** Bytes, because every database compares them bytewise. */
    item_key: 'bytea key',
    /** Position of the row that pushed it. */
    position: 'bigint',
    /** The size of key and attributes. It precedes the attributes so that a page can be measured without reading them. */
    item_bytes: 'integer',
    attributes: 'text',
  },
  /** Deleted items. Rows pushed before the deletion do not restore them. */
  deleted_items: {
    entity_id: 'bigint key',
    item_key: 'bytea key',
    before_position: 'bigint',
  },
  item_counts: {
    entity_id: 'bigint key',
    items: 'bigint',
  },
  /** Deletions of rows of a series entity; removed when taken back. */
  deletions: {
    id: 'bigint key',
    entity_id: 'bigint',
    /** A JSON object. */
    selection: 'text',
    reason: 'text',
    subscriber: 'text',
    created_ms: 'bigint',
    /** Rows before this position were pushed before the deletion. */
    position: 'bigint',
    rows: 'bigint',
    erased_ms: 'bigint null',
    /** On a cluster, a JSON object: the rows pushed before, by partition, and the items that met its condition. Null on one machine. */
    hidden: 'text null',
  },
  /** Deletions made or taken back, in the order in which live readers are notified. */
  deletion_changes: {
    id: 'bigint key',
    entity_id: 'bigint',
    deletion_id: 'bigint',
    /** The change follows the rows before this position. On a cluster `places` is used instead. */
    place: 'bigint',
    /** On a cluster, a JSON array: for each partition of the entity's rows, the offset before which rows precede the change. Null on one machine. */
    places: 'text null',
    /** 0 or 1: whether the deletion was taken back. */
    undone: 'integer',
    /** A JSON object. */
    selection: 'text',
    made_ms: 'bigint',
  },
  /** Journal entries that are no longer validated. */
  quarantine: {
    position: 'bigint key',
    from_position: 'bigint',
    level: 'integer',
    ingest_id: 'bigint',
    fields_version: 'integer',
    subscriber_id: 'bigint',
    received_ms: 'bigint',
    format: 'text',
    rows: 'bigint',
    body_bytes: 'bigint',
    quarantined_ms: 'bigint',
    /** 0 or 1: whether its body has been deleted. */
    let_go: 'integer',
  },
  quarantine_bodies: {
    position: 'bigint key',
    part: 'integer key',
    bytes: 'bytea',
  },
  hooks: {
    /** JSON strings, see text-column.ts: `name`, `url` and `secret`. */
    name: 'text key',
    url: 'text',
    /** JSON. */
    kinds: 'text',
    secret: 'text null',
    secret_set_ms: 'bigint null',
    created_ms: 'bigint',
  },
  /** Current conditions of which hooks have been notified. */
  hook_conditions: {
    key: 'text key',
    hook: 'text',
    since_ms: 'bigint',
  },
  /** For each ingest that hooks watch: the number of rows received, and when the last was received. */
  hook_heard: {
    key: 'text key',
    heard: 'bigint',
    since_ms: 'bigint',
  },
  /** The newest events of each hook. */
  hook_deliveries: {
    id: 'bigint key',
    /** JSON strings; so is `error`. */
    hook: 'text',
    kind: 'text',
    time_ms: 'bigint',
    /** JSON. */
    event: 'text',
    /** `waiting`, `delivered` or `given_up`. */
    state: 'text',
    attempts: 'integer',
    /** Time of the next attempt; null when there is none. */
    next_ms: 'bigint null',
    status: 'integer null',
    error: 'text null',
    ended_ms: 'bigint null',
  },
  views: {
    /** JSON strings, see text-column.ts; so is `subscriber`. */
    name: 'text key',
    subscriber_id: 'bigint',
    subscriber: 'text',
    /** JSON; so is `definition`. */
    entities: 'text',
    cells: 'integer',
    definition: 'text',
    changed_ms: 'bigint',
  },
  /** Tasks that one of several processes performs, with the current holder and when its lease expires. */
  leases: {
    name: 'text key',
    holder: 'text',
    until_ms: 'bigint',
  },
  /** The audit log. The key orders lines by time. */
  audit_lines: {
    time_ms: 'bigint key',
    id: 'bigint key',
    /** The size of `before` and `after`. It precedes these columns so that a page can be measured without reading them. */
    line_bytes: 'bigint',
    /** JSON strings, see text-column.ts; so is `name`. */
    key_id: 'text null',
    subscriber: 'text null',
    address: 'text null',
    request: 'text null',
    what: 'text',
    name: 'text null',
    /** JSON. */
    before: 'text null',
    after: 'text null',
  },
} as const satisfies Readonly<Record<string, TableColumns>>

/** The tables of one machine. Rows about sealed data have a checksum, because a wrong number here could hide rows. */
export const machineTables = {
  ...sharedTables,
  store_files: {
    entity_id: 'bigint key',
    name: 'text key',
    kind: 'text',
    day: 'integer null',
    rows: 'bigint',
    first_ms: 'bigint',
    last_ms: 'bigint',
    first_position: 'bigint',
    last_position: 'bigint',
    bytes: 'bigint',
    index_bytes: 'bigint',
    checksum: 'bigint',
  },
  store_registries: {
    entity_id: 'bigint key',
    series: 'bigint',
    bytes: 'bigint',
    checksum: 'bigint',
  },
  /** The rows of a sealed file that a deletion selects. */
  deletion_vectors: {
    entity_id: 'bigint key',
    name: 'text key',
    deletion_id: 'bigint key',
    bytes: 'bytea',
    checksum: 'bigint',
  },
  ingest_counts: {
    ingest_id: 'bigint key',
    validated: 'bigint',
    rejected: 'bigint',
    checksum: 'bigint',
  },
  store_state: {
    id: 'integer key',
    sealed_position: 'bigint',
    checksum: 'bigint',
  },
  journal_end: {
    id: 'integer key',
    position: 'bigint',
    checksum: 'bigint',
  },
} as const satisfies Readonly<Record<string, TableColumns>>

/** The tables of a cluster. */
export const clusterTables = {
  ...sharedTables,
  partitions: {
    partition: 'integer key',
    kept_position: 'bigint',
    processed_position: 'bigint',
  },
  /** The total number of rows of an ingest ever validated. */
  validated_rows: {
    ingest_id: 'bigint key',
    rows: 'bigint',
  },
  /** By partition and ingest: the rows passed on for storage, and the part of them known to be visible to queries. */
  stored_rows: {
    partition: 'integer key',
    ingest_id: 'bigint key',
    entity_id: 'bigint',
    rows: 'bigint',
    /** Position of the last row; `ms` is its time. */
    position: 'bigint',
    ms: 'bigint',
    through_position: 'bigint',
    replayed_position: 'bigint',
    seen_position: 'bigint',
    seen_rows: 'bigint',
  },
  /** One row per key: the push that holds it, or the reservation of a push in progress. */
  push_keys: {
    /** SHA-256 of subscriber, ingest and key. */
    key_hash: 'bytea key',
    body_hash: 'bytea',
    /** When the push was received or the key was reserved. */
    received_ms: 'bigint',
    /** Id of the reservation; null after a position is known. */
    reservation: 'text null',
    /** 1 if the journal may contain another push with the key whose outcome is unknown. */
    uncertain: 'integer',
    position: 'bigint null',
    batch_rows: 'integer',
    /** 0 or 1: whether a pipeline has met the push. */
    validated: 'integer',
    /** Position of the push that held the key until it was a day old; that push may be validated again. */
    previous_position: 'bigint null',
  },
  /** Entities with a deletion in progress: its name and latest end. Live readers receive nothing behind its place until then. */
  deletions_under_way: {
    entity_id: 'bigint key',
    name: 'text',
    /** By the database's clock. */
    until_ms: 'bigint',
  },
  /** Entities that have rows but no slots of Druid to be read with. */
  slot_waits: {
    entity_id: 'bigint key',
    since_ms: 'bigint',
  },
  /** The progress of a partition's validator, as JSON. */
  partition_notes: {
    partition: 'integer key',
    note: 'text',
  },
} as const satisfies Readonly<Record<string, TableColumns>>

type ValueOf<Type extends ColumnType> =
  | (Type extends `text${string}` ? string : Type extends `bytea${string}` ? Uint8Array : number)
  | (Type extends `${string} null` ? null : never)
type RowOf<Columns extends TableColumns> = { -readonly [Name in keyof Columns]: ValueOf<Columns[Name]> }
type AllTables = typeof machineTables & typeof clusterTables

export type Tables = { [Name in keyof AllTables]: RowOf<AllTables[Name]> } & { catalog_version: { version: number } }
