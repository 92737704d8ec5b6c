import type { Field } from './field.ts'

export type IngestKind = 'series' | 'metadata'
export type IngestState = 'active' | 'blocked'
/** The template of the tag where each field of a line is a row: with `{measurement}`, `{field}` and tags of the line. */
export interface LineMapping {
  readonly tag: string
}

/** What becomes of a property that is no field: the row is rejected, or the property becomes a field. */
export type Unknown = 'reject' | 'add'

export type Duplicates = 'keep' | 'replace'

/** A named target for pushed rows, as an operator defined it. Deleted ingests are not represented: they do not exist. */
export interface Ingest {
  /** Never given twice, so that a new ingest of an old alias is another one. */
  readonly id: number
  readonly alias: string
  readonly kind: IngestKind
  /** The entity that a series ingest feeds. A metadata ingest feeds the metadata entity of its own alias. */
  readonly entity: string
  readonly entityId: number
  readonly fields: readonly Field[]
  /** One more with each `add_fields`, change of `unknown`, and row that brings fields. A journal entry names the version that validates it. */
  readonly fieldsVersion: number
  readonly duplicates: Duplicates
  /** Of its version; left out it is `reject`. */
  readonly unknown?: Unknown
  /** Left out where a line of line protocol is one row. */
  readonly lines?: LineMapping
  readonly state: IngestState
  readonly reason: string | null
  readonly createdMs: number
}

/** Rows of one ingest: `received = stored + rejected + pending`. */
export interface IngestCounters {
  readonly received: number
  readonly stored: number
  readonly rejected: number
  readonly pending: number
}
