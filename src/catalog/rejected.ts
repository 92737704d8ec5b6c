// Rejected rows: those that were not stored, kept as they were pushed until somebody discards them or a replay stores them.
import type { LineFormat } from '../model/line-format.ts'
import type { RejectCode } from '../model/row-fault.ts'

/** What a row in the list takes beside its texts, about. */
export const keptRowBytes = 128

/** Bytes of a row's texts in the list: the row, the message, and the property's name, which stands in the row and in both counts of its fault. */
export function keptTextBytes({ row, field, message }: Pick<RejectedRow, 'row' | 'field' | 'message'>): number {
  return Buffer.byteLength(row) + 3 * Buffer.byteLength(field ?? '') + Buffer.byteLength(message)
}

/** A row that was not stored, kept as it was pushed. */
export interface RejectedRow {
  readonly ingestId: number
  /** The row's place in the one order of all that was accepted; with the ingest it names the row. */
  readonly position: number
  /** The batch it was pushed in: its place, its size and its pusher, which are what a batch id is made of. */
  readonly batchPosition: number
  readonly batchRows: number
  readonly subscriberId: number
  readonly index: number
  /** The row's own text, character for character. */
  readonly row: string
  /** The pushed property at fault, null where the row as a whole is. */
  readonly field: string | null
  readonly code: RejectCode
  readonly message: string
  readonly receivedMs: number
  /** How its text is read where it is a line of line protocol; left out where it is JSON. */
  readonly lineFormat?: LineFormat
}

export interface RejectedFilter {
  /** Whose rows; those of all where it is left out. */
  readonly subscriberId?: number | undefined
  readonly batchPosition?: number | undefined
  readonly code?: RejectCode | undefined
  readonly field?: string | undefined
  readonly positions?: readonly number[] | undefined
  readonly afterPosition: number
  readonly limit: number
  /** The list ends early once the texts of its rows are longer than this together. */
  readonly bytesMax: number
}

export interface RejectedPage {
  /** A page may be empty although more rows follow: where there are very many kinds of faults, a page looks at few rows. */
  readonly rows: readonly RejectedRow[]
  /** The position after which the next page begins; null on the last one. */
  readonly after: number | null
}

export interface RejectedFates {
  readonly stored: number
  readonly rejected: number
}

/** The rows in the list that have one code and field. */
export interface RejectedKind {
  readonly code: RejectCode
  readonly field: string | null
  readonly rows: number
  /** When the first and the last of them were received. */
  readonly firstMs: number
  readonly lastMs: number
  /** The position of one of them. */
  readonly examplePosition: number
}

export interface FaultsOfBatch {
  readonly count: number
  readonly first: readonly RejectedRow[]
  readonly replaced: number
}

export interface SummaryLimits {
  readonly kindsMax: number
  /** The summary ends early once the names of its fields are longer than this together; it holds one kind at least. */
  readonly bytesMax: number
}

/** A batch that has, or had, rejected rows. */
export interface RejectedBatch {
  readonly position: number
  readonly rows: number
  readonly subscriberId: number
  readonly receivedMs: number
  /** How many of its rows are rejected, discarded ones included. */
  readonly rejected: number
}

/** A batch's place in the list of batches. */
export type RejectedBatchKey = Pick<RejectedBatch, 'receivedMs' | 'position'>

export interface RejectedCatalog {
  /** In the order of their positions, without those that were discarded, or stored since. */
  list(ingestId: number, filter: RejectedFilter): Promise<RejectedPage>
  /** The rows in the list by code and field, most first; of one subscriber unless that is null. */
  summary(ingestId: number, subscriberId: number | null, limits: SummaryLimits): Promise<readonly RejectedKind[]>
  /** Batches that have, or had, rejected rows, newest first, those behind `after`; of one subscriber unless that is null. */
  batches(
    ingestId: number,
    subscriberId: number | null,
    page: { readonly after: RejectedBatchKey | null; readonly limit: number },
  ): Promise<readonly RejectedBatch[]>
  /**
   * What became of rejected rows: how many of them a replay has stored, and how many are in the list. Discarded rows are in neither
   * number.
   */
  fates(ingestId: number, positions: readonly number[]): Promise<RejectedFates>
  /** How many rows of batches that were received since then are rejected, discarded ones included, those that were stored since not. */
  since(ingestId: number, fromMs: number): Promise<number>
  /** How many rows of each ingest are rejected, discarded ones included, by ingest id. */
  counts(): Promise<ReadonlyMap<number, number>>
  /** About how many bytes the rows in the list of each ingest take, by ingest id; an ingest without any may be absent. */
  keptBytes(): Promise<ReadonlyMap<number, number>>
  /**
   * Takes rows out of the list and resolves with how many these were. It takes all rows when `positions` is null, and only those of one
   * subscriber when it is named. Their room is given back. Counts and `ofBatch` stay as they are, and a journal that is validated again does
   * not bring the rows back.
   */
  discard(ingestId: number, positions: readonly number[] | null, subscriberId?: number): Promise<number>
  /**
   * How many rows of one batch are rejected, and the first of them (at most `limit`, by index); and how many rows were told to replace an
   * earlier one of the batch.
   */
  ofBatch(ingestId: number, batchPosition: number, limit: number): Promise<FaultsOfBatch>
}
