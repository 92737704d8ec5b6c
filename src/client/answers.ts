// What the service answers, as its clients see it. Names and shapes are those of the interface (docs/guides).

import type { EntityField } from '../model/entity.ts'
import type { Field, FieldRole, FieldType } from '../model/field.ts'
import type { Duplicates, IngestCounters, IngestKind, IngestState } from '../model/ingest.ts'

export type KeyRight = 'ingest' | 'consume' | 'admin'

export interface Page<Item> {
  readonly Items: readonly Item[]
  readonly NextToken: string | null
}

export interface PageRequest {
  readonly limit?: number
  readonly token?: string
}

export interface Accepted {
  readonly batch: string
  readonly rows: number
}

export interface RowError {
  readonly index: number
  readonly field: string | null
  readonly code: string
  readonly message: string
}

/** `rows = stored + rejected + pending`; `errors` holds the first ones, by index. */
export interface Receipt extends Accepted {
  readonly stored: number
  readonly rejected: number
  readonly pending: number
  readonly errors: readonly RowError[]
}

/** A folder on the service's own machine. */
export interface MadeBackup {
  readonly path: string
  readonly bytes: number
}

export interface EntityDescription {
  readonly entity: string
  readonly ingests: readonly string[]
  readonly time_field: string
  readonly fields: readonly EntityField[]
  readonly rows: number
  readonly first_date: string | null
  readonly last_date: string | null
}

/** As the operator sees it. */
export interface EntityAnswer {
  readonly entity: string
  readonly ingests: readonly string[]
  readonly time_field: string
  readonly fields: readonly EntityField[]
  readonly duplicates: Duplicates
  /** An ISO 8601 duration; null keeps items for ever. */
  readonly retention: string | null
}

export interface MetadataDescription {
  readonly entity: string
  readonly index_field: string
  readonly fields: readonly EntityField[]
  readonly items: number
}

/** An item under the field names of its table. */
export type MetadataItem = Readonly<Record<string, unknown>>

export interface NewField {
  readonly name: string
  readonly source?: string
  readonly type: FieldType
  readonly role: FieldRole
}

export interface NewIngest {
  readonly alias: string
  readonly kind: IngestKind
  readonly entity?: string
  readonly fields?: readonly NewField[]
  readonly duplicates?: Duplicates
}

export interface IngestChange {
  readonly state?: IngestState
  readonly reason?: string
  readonly add_fields?: readonly NewField[]
}

export interface IngestAnswer {
  readonly alias: string
  readonly kind: IngestKind
  readonly entity?: string | null
  readonly fields: readonly Field[]
  readonly duplicates?: Duplicates
  readonly state: IngestState
  readonly reason?: string | null
  readonly counters: IngestCounters
}

export interface RejectedRowAnswer {
  readonly id: string
  readonly batch: string
  readonly index: number
  readonly row: string
  readonly field: string | null
  readonly code: string
  readonly message: string
  readonly received: string
}

/** `replayed = stored + rejected`. */
export interface ReplayAnswer {
  readonly replayed: number
  readonly stored: number
  readonly rejected: number
}

export interface KeySummary {
  readonly id: string
  readonly rights: readonly KeyRight[]
  readonly expires: string | null
}

export interface SubscriberAnswer {
  readonly name: string
  readonly keys?: readonly KeySummary[]
}

export interface NewKey {
  readonly rights: readonly KeyRight[]
  readonly expires?: string
}

/** The only answer that ever shows the key. */
export interface CreatedKey {
  readonly id: string
  readonly key: string
}

export interface SubscriptionEntry {
  readonly ingest?: string | null
  readonly entity?: string | null
  readonly from?: string | null
  readonly until?: string | null
  readonly suspended?: boolean
}

export interface OwnSubscription {
  readonly subscriber: string
  readonly rights: readonly KeyRight[]
  readonly subscriptions: readonly (SubscriptionEntry & { readonly valid: boolean })[]
}

export interface ServiceAnswer {
  readonly service: string
  readonly version: string
  readonly links: Readonly<Record<string, string>>
}

/** What of the service is ready; an engine tells only of the parts that it has. */
export interface ReadinessAnswer {
  readonly ready: boolean
  readonly store?: { readonly ready: boolean; readonly files: number; readonly rows: number; readonly bytes: number }
  readonly sql?: { readonly state: string }
  readonly setAside?: { readonly entries: number; readonly rows: number }
  readonly cluster?: {
    readonly kafka: { readonly reachable: boolean }
    readonly druid: { readonly reachable: boolean; readonly waiting: readonly string[] }
    readonly postgres: { readonly reachable: boolean }
  }
}
