// Rejected rows: rows that were not stored, kept as pushed until they are discarded or stored by a replay.
import type { LineFormat } from '../model/line-format.ts'
import type { RejectCode } from '../model/row-fault.ts'

/** Approximate size of a row in the list, in bytes, in addition to its texts. */
export const keptRowBytes = 128

/** Bytes of a row's texts in the list: the row, the message, and the property name, which is stored in the row and in both counts of its fault. */
export function keptTextBytes({ row, field, message }: Pick<RejectedRow, 'row' | 'field' | 'message'>): number {
  return Buffer.byteLength(row) + 3 * Buffer.byteLength(field ?? '') + Buffer.byteLength(message)
}

/** A row that was not stored, kept as it was pushed. */
export interface RejectedRow {
  readonly ingestId: number
  /** The row's place in the order of all accepted rows. Together with the ingest it identifies the row. */
  readonly position: number
  /** The batch of the push: its position, size and subscriber, from which a batch id is made. */
  readonly batchPosition: number
  readonly batchRows: number
  readonly subscriberId: number
  readonly index: number
  /** The row's text exactly as pushed. */
  readonly row: string
  /** The pushed property at fault; null when the fault is in the row as a whole. */
  readonly field: string | null
  readonly code: RejectCode
  readonly message: string
  readonly receivedMs: number
  /** The format of the text when it is a line of line protocol; absent for JSON. */
  readonly lineFormat?: LineFormat
}

export interface RejectedFilter {
  /** Only rows pushed by this subscriber; rows of all subscribers if absent. */
  readonly subscriberId?: number | undefined
  readonly batchPosition?: number | undefined
  readonly code?: RejectCode | undefined
  readonly field?: string | undefined
  readonly positions?: readonly number[] | undefined
  readonly afterPosition: number
  readonly limit: number
  /** The page ends early when the texts of its rows total more bytes than this. */
  readonly bytesMax: number
}

export interface RejectedPage {
  /** May be empty although more rows follow: with very many kinds of faults, one page scans few rows. */
  readonly rows: readonly RejectedRow[]
  /** The position after which the next page begins; null on the last page. */
  readonly after: number | null
}

export interface RejectedFates {
  readonly stored: number
  readonly rejected: number
}

/** The rows in the list with the same code and field. */
export interface RejectedKind {
  readonly code: RejectCode
  readonly field: string | null
  readonly rows: number
  /** Times at which the first and the last of these rows were received. */
  readonly firstMs: number
  readonly lastMs: number
  /** The position of one of these rows. */
  readonly examplePosition: number
}

export interface FaultsOfBatch {
  readonly count: number
  readonly first: readonly RejectedRow[]
  readonly replaced: number
}

export interface SummaryLimits {
  readonly kindsMax: number
  /** The summary ends early when its field names total more bytes than this. It has at least one kind. */
  readonly bytesMax: number
}

/** A batch with rejected rows, now or in the past. */
export interface RejectedBatch {
  readonly position: number
  readonly rows: number
  readonly subscriberId: number
  readonly receivedMs: number
  /** The number of its rejected rows, including discarded ones. */
  readonly rejected: number
}

/** A batch's place in the list of batches. */
export type RejectedBatchKey = Pick<RejectedBatch, 'receivedMs' | 'position'>

export interface RejectedCatalog {
  /** Ordered by position, without rows that were discarded or have been stored since. */
  list(ingestId: number, filter: RejectedFilter): Promise<RejectedPage>
  /** Number of rows in the list by code and field, largest first; of all subscribers together if `subscriberId` is null. */
  summary(ingestId: number, subscriberId: number | null, limits: SummaryLimits): Promise<readonly RejectedKind[]>
  /** Batches with rejected rows, now or in the past, newest first, from behind `after`; of all subscribers if `subscriberId` is null. */
  batches(
    ingestId: number,
    subscriberId: number | null,
    page: { readonly after: RejectedBatchKey | null; readonly limit: number },
  ): Promise<readonly RejectedBatch[]>
  /** Counts how many of these rejected rows a replay has stored and how many are in the list. Discarded rows are in neither count. */
  fates(ingestId: number, positions: readonly number[]): Promise<RejectedFates>
  /** Number of rejected rows in batches received since `fromMs`, including discarded rows but not those stored since. */
  since(ingestId: number, fromMs: number): Promise<number>
  /** Number of rejected rows, including discarded ones, by ingest id. */
  counts(): Promise<ReadonlyMap<number, number>>
  /** Approximate bytes of the rows in the list, by ingest id; an ingest without such rows may be absent. */
  keptBytes(): Promise<ReadonlyMap<number, number>>
  /**
   * Removes rows from the list, frees their space, and returns their number: all rows if `positions` is null, only those of one subscriber if `subscriberId` is
   * given. Counts and `ofBatch` do not change. A journal that is validated again does not restore the rows.
   */
  discard(ingestId: number, positions: readonly number[] | null, subscriberId?: number): Promise<number>
  /** The number of rejected rows of a batch, the first `limit` of them by index, and the number of rows that replace an earlier one of the batch. */
  ofBatch(ingestId: number, batchPosition: number, limit: number): Promise<FaultsOfBatch>
}
