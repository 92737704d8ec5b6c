// The catalog's tables, written once for every SQL dialect: whole numbers, text and the keys of items, no boolean or auto-increment column.

/** A column that is part of the primary key, that holds each value once, or that may be null says so behind its type. */
type ColumnType = `${'text' | 'bigint' | 'integer' | 'bytea'}${'' | ' key' | ' unique' | ' null'}`
export type TableColumns = Readonly<Record<string, ColumnType>>

/** Versions and ids are handed out here, so that an id is never given twice, whatever is deleted. */
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
    /** An ISO 8601 duration; null keeps rows for ever. */
    retention: 'text null',
    /** Rows before this date have left. */
    since_ms: 'bigint null',
    /** How long hours outlive their rows, a JSON object: `retention`, null for ever, and `sinceMs`, before which none are. Null where none are kept. */
    hours: 'text null',
    /** How it is read where a request does not say it: a JSON object, null where nothing is set. */
    reading: 'text null',
  },
  entity_fields: {
    entity_id: 'bigint key',
    ordinal: 'integer key',
    name: 'text',
    type: 'text',
    role: 'text',
    /** What the numbers of a quality mean; null of other fields, and where nothing is said. */
    coding: 'text null',
  },
  /** An entity that was dropped: its id stays known, for the journal may still hold rows of its ingests. */
  dropped_entities: {
    entity_id: 'bigint key',
    dropped_ms: 'bigint',
    /** 0 until all that is kept of it is removed, then 1. */
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
    /** A JSON string, see text-column.ts; so is `source`. */
    reason: 'text null',
    /** The template of the tag where each field of a line is a row, a JSON string; null where a line is one row. */
    lines_tag: 'text null',
    /** The versions of the fields from which on `unknown` was another, as `1:add,5:reject`. */
    unknown: 'text',
    fields_version: 'integer',
    created_ms: 'bigint',
    deleted_ms: 'bigint null',
  },
  ingest_fields: {
    ingest_id: 'bigint key',
    ordinal: 'integer key',
    /** The version of the ingest's fields that brought this one. */
    version: 'integer',
    name: 'text',
    source: 'text',
    type: 'text',
    role: 'text',
    /** As of `entity_fields`. */
    coding: 'text null',
    /** `by_row` of one that a row brought. */
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
    /** Words, parted by spaces. */
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
    /** The size of `row_text`; it stands before it so that a page can be measured without reading the texts. */
    row_bytes: 'integer',
    code: 'text',
    /** JSON strings, see text-column.ts. */
    field: 'text null',
    /** Tells fields from each other in an index, see `fieldKeyOf` of rejected-tallies.ts. */
    field_key: 'text',
    message: 'text',
    received_ms: 'bigint',
    /** `kept`, `discarded` or `stored`: by a replay, then. */
    state: 'text',
    /** That of the replay that stored it: a replay that is validated again stores the same rows. */
    replay_position: 'bigint null',
    /** The format of the push where `row_text` is a line; null where it is JSON. */
    line_format: 'text null',
    /** As it was pushed; a line of line protocol as a JSON string, for it may hold NUL. */
    row_text: 'text',
  },
  rejected_counts: {
    ingest_id: 'bigint key',
    rows: 'bigint',
    /** What the rows that are neither discarded nor stored since take, about. */
    kept_bytes: 'bigint',
  },
  /** How many rows are in the list, by subscriber, code and field; under the subscriber 0, who is nobody, those of all. */
  rejected_kinds: {
    ingest_id: 'bigint key',
    subscriber_id: 'bigint key',
    code: 'text key',
    field_key: 'text key',
    rows: 'bigint',
    field: 'text null',
  },
  /** Batches that have, or had, rejected rows. */
  rejected_batches: {
    ingest_id: 'bigint key',
    batch_position: 'bigint key',
    batch_rows: 'bigint',
    subscriber_id: 'bigint',
    received_ms: 'bigint',
    /** Those that were discarded included, those that were stored since not. */
    rejected: 'bigint',
  },
  /** Batches with rows that replace an earlier one of the same batch. */
  replaced_rows: {
    ingest_id: 'bigint key',
    batch_position: 'bigint key',
    rows: 'bigint',
  },
  /** What a replay stored in an ingest of the rejected rows of another. */
  replays_into: {
    /** The ingest that they went to. */
    ingest_id: 'bigint key',
    /** That of the replay. */
    position: 'bigint key',
    /** Which of its rows: pairs of first and last, as JSON. */
    stored: 'text',
  },
  items: {
    entity_id: 'bigint key',
    /** Bytes, which every database compares one by one. */
    item_key: 'bytea key',
    /** That of the row it was pushed in. */
    position: 'bigint',
    /** The size of key and attributes; it stands before these so that a page can be measured without reading them. */
    item_bytes: 'integer',
    attributes: 'text',
  },
  /** What was deleted: rows that were pushed before that do not bring it back. */
  deleted_items: {
    entity_id: 'bigint key',
    item_key: 'bytea key',
    before_position: 'bigint',
  },
  item_counts: {
    entity_id: 'bigint key',
    items: 'bigint',
  },
  /** What was deleted of a series entity, until it is taken back. */
  deletions: {
    id: 'bigint key',
    entity_id: 'bigint',
    /** A JSON object. */
    selection: 'text',
    reason: 'text',
    subscriber: 'text',
    created_ms: 'bigint',
    /** Rows before it were pushed before the deletion. */
    position: 'bigint',
    rows: 'bigint',
    erased_ms: 'bigint null',
    /** On a cluster, a JSON object: by partition what was pushed before, and the items that met its condition. Null on one machine. */
    hidden: 'text null',
  },
  /** Deletions that were made or taken back, as live readers are told them. */
  deletion_changes: {
    id: 'bigint key',
    entity_id: 'bigint',
    deletion_id: 'bigint',
    /** It follows the rows before this position; on a cluster `places` say that. */
    place: 'bigint',
    /** On a cluster, a JSON array: by partition of the entity's rows, the offset that it follows the rows before. Null on one machine. */
    places: 'text null',
    /** 0 or 1: it was taken back. */
    undone: 'integer',
    /** A JSON object. */
    selection: 'text',
    made_ms: 'bigint',
  },
  /** An entry of the journal that is not validated any more. */
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
    /** 0 or 1: its body is not kept any more. */
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
  /** What is the case, and was told to hooks. */
  hook_conditions: {
    key: 'text key',
    hook: 'text',
    since_ms: 'bigint',
  },
  /** How much of an ingest was heard of, and when last: of those that hooks watch. */
  hook_heard: {
    key: 'text key',
    heard: 'bigint',
    since_ms: 'bigint',
  },
  /** Events for hooks, the newest of each. */
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
    /** When it is tried next; null when it is not any more. */
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
  /** What one process of several does, and until when it is his. */
  leases: {
    name: 'text key',
    holder: 'text',
    until_ms: 'bigint',
  },
  /** Who changed what. In its key, lines are in the order of time. */
  audit_lines: {
    time_ms: 'bigint key',
    id: 'bigint key',
    /** The size of `before` and `after`; it stands before these so that a page can be measured without reading them. */
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

/** The tables of one machine. What is sealed has a checksum in each row: a wrong number here could hide rows. */
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
  /** Which rows of a sealed file a deletion selects. */
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
  /** How many rows of an ingest were validated ever. */
  validated_rows: {
    ingest_id: 'bigint key',
    rows: 'bigint',
  },
  /** By partition and ingest: the rows that were handed on to be stored, and what queries were found to see of them. */
  stored_rows: {
    partition: 'integer key',
    ingest_id: 'bigint key',
    entity_id: 'bigint',
    rows: 'bigint',
    /** Of the last row. */
    position: 'bigint',
    ms: 'bigint',
    through_position: 'bigint',
    replayed_position: 'bigint',
    seen_position: 'bigint',
    seen_rows: 'bigint',
  },
  /** One row a key: what it stands for, or that a push is under way with it. */
  push_keys: {
    /** SHA-256 of the key with its subscriber and ingest. */
    key_hash: 'bytea key',
    body_hash: 'bytea',
    /** When the push came, or the key was reserved. */
    received_ms: 'bigint',
    /** Names the reservation; null once a position is known. */
    reservation: 'text null',
    /** 1 when another push with the key may be in the journal, unknown to us. */
    uncertain: 'integer',
    position: 'bigint null',
    batch_rows: 'integer',
    /** Whether a pipeline has met it: 0 or 1. */
    validated: 'integer',
    /** Where the push stood that held the key until it was a day old: it may be validated again. */
    previous_position: 'bigint null',
  },
  /** Entities of which a deletion is being made or taken back, by whom and until when at most: live readers are told nothing behind its place. */
  deletions_under_way: {
    entity_id: 'bigint key',
    name: 'text',
    /** By the clock of the database. */
    until_ms: 'bigint',
  },
  /** Entities that have rows and no slots of Druid to be read in. */
  slot_waits: {
    entity_id: 'bigint key',
    since_ms: 'bigint',
  },
  /** What the validator of a partition was at, as JSON. */
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
