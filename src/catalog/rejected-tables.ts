// The tables of rejected rows: a part of schema.ts.

interface RejectedRows {
  ingest_id: number
  position: number
  batch_position: number
  batch_rows: number
  subscriber_id: number
  row_index: number
  /** The size of `row_text`; it stands before it so that a page can be measured without reading the texts. */
  row_bytes: number
  code: string
  /** JSON strings, see text-column.ts. */
  field: string | null
  message: string
  received_ms: number
  /** `kept`, `discarded` or `stored`: by a replay, then. */
  state: string
  /** That of the replay that stored it: a replay that is judged again stores the same rows. */
  replay_position: number | null
  /** As it was pushed; a line of line protocol as a JSON string, for it may hold NUL. */
  row_text: string
  /** The format of the push where `row_text` is a line; null where it is JSON. */
  line_format: string | null
  /** Tells fields from each other in an index, see field-key.ts. */
  field_key: string
}

/** How many rows are in the list, by subscriber, code and field; under the subscriber 0, who is nobody, those of all. */
interface RejectedKinds {
  ingest_id: number
  subscriber_id: number
  code: string
  field_key: string
  field: string | null
  rows: number
}

/** Batches that have, or had, rejected rows. */
interface RejectedBatches {
  ingest_id: number
  batch_position: number
  batch_rows: number
  subscriber_id: number
  received_ms: number
  /** Those that were discarded included, those that were stored since not. */
  rejected: number
}

interface RejectedCounts {
  ingest_id: number
  rows: number
  /** What the rows that are neither discarded nor stored since take, about. */
  kept_bytes: number
}

/** What a replay stored in an ingest of the rejected rows of another. */
interface ReplaysInto {
  /** The ingest that they went to. */
  ingest_id: number
  /** That of the replay. */
  position: number
  /** Which of its rows: pairs of first and last, as JSON. */
  stored: string
}

export interface RejectedTables {
  rejected_rows: RejectedRows
  rejected_counts: RejectedCounts
  rejected_kinds: RejectedKinds
  rejected_batches: RejectedBatches
  replays_into: ReplaysInto
}
