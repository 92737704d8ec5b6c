import type { Field } from './field.ts'

export type IngestKind = 'series' | 'metadata'
export type IngestState = 'active' | 'blocked'
/** Tag template for ingests that store each field of a line as a row; may contain `{measurement}`, `{field}` and tags of the line. */
export interface LineMapping {
  readonly tag: string
}

/** How a property that is not a field is handled: the row is rejected, or the property is added as a field. */
export type Unknown = 'reject' | 'add'

export type Duplicates = 'keep' | 'replace'

/** A named target for pushed rows, defined by an operator. A deleted ingest has no object. */
export interface Ingest {
  /** Never reused, so a new ingest with a former alias has a different id. */
  readonly id: number
  readonly alias: string
  readonly kind: IngestKind
  /** The entity that a series ingest feeds. A metadata ingest feeds the metadata entity of its own alias. */
  readonly entity: string
  readonly entityId: number
  readonly fields: readonly Field[]
  /** Incremented by each `add_fields`, change of `unknown` and row that adds fields. A journal entry names the version to validate it with. */
  readonly fieldsVersion: number
  readonly duplicates: Duplicates
  /** As of `fieldsVersion`; omitted: `reject`. */
  readonly unknown?: Unknown
  /** Omitted if a line of line protocol is one row. */
  readonly lines?: LineMapping
  readonly state: IngestState
  readonly reason: string | null
  readonly createdMs: number
}

/** Row counts of one ingest: `received = stored + rejected + pending`. */
export interface IngestCounters {
  readonly received: number
  readonly stored: number
  readonly rejected: number
  readonly pending: number
}
