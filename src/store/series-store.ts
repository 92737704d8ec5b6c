import type { AggregationPlan, Groups, TimeBuckets } from '../algebra/aggregation.ts'
import type { ScannedRow, ScanPlan } from '../algebra/scan-plan.ts'
import type { CancelSignal } from '../lib/cancellation.ts'
import type { ColumnVector } from '../model/column.ts'
import type { Plan, PlanLimits, Selection } from '../model/plan.ts'
import type { RowBatch } from '../model/row-batch.ts'

/** Makes rows queryable. */
export interface SeriesWriter {
  /**
   * Accepts the rows of one batch; a query that starts afterwards sees all of them. Batches arrive in the order of their positions, each position once.
   * After a restart the pipeline resumes at `position`.
   */
  write(batch: RowBatch): void
  /** Rows before this position are stored permanently; after a restart the journal is read from here. */
  readonly position: number
}

/**
 * A part of a result: the columns of the plan's output, all of the same length. They are valid until the next batch is requested, which may reuse their
 * memory.
 */
export interface ResultBatch {
  readonly rows: number
  readonly columns: readonly ColumnVector[]
}

export interface EntityStatistics {
  readonly rows: number
  readonly firstMs: number | null
  readonly lastMs: number | null
  /** The first hour kept of expired rows; absent if there is none. */
  readonly hoursFromMs?: number
}

/** A page of the values of a selection's first tag. */
export interface TagRequest {
  readonly selection: Selection
  /** The page starts after this value; null for the first page. */
  readonly after: string | null
  readonly limit: number
  /** The page ends early if its values would exceed this number of bytes; it has at least one value. */
  readonly bytesMax: number
}

export interface TagPage {
  readonly tags: readonly string[]
  /** Whether there are values after the last one. */
  readonly more: boolean
}

export interface SeriesQuerier {
  /**
   * Runs a plan on one consistent state: rows written meanwhile are not visible. Result batches arrive in the plan's order.
   * Throws Problem `result_too_large` or `too_many_buckets` when a limit is exceeded, and the signal's reason when it is aborted.
   * A long run yields to the event loop every few milliseconds. `buckets` divides time where the granularity of an average is in the local time of a zone.
   */
  run(plan: Plan, limits: PlanLimits, signal: CancelSignal, buckets?: TimeBuckets | null): AsyncIterable<ResultBatch>
  /** Statistics of the rows that have not expired: those from `sinceMs` on, or all when it is null. Throws the signal's reason when it is aborted. */
  statistics(entityId: number, sinceMs: number | null, signal: AbortSignal): Promise<EntityStatistics>
  /** The tags that have an item, by code point; null is never among them. Throws the signal's reason when it is aborted. */
  tags(request: TagRequest, signal: AbortSignal): Promise<TagPage>
}

export interface GroupsQuerier {
  /**
   * Runs an aggregation on one consistent state. Null where another way is needed: there are more groups, or there is more work, than the plan allows.
   * `buckets` divides time where the plan's granularity is in the local time of a zone.
   * Throws the signal's reason when it is aborted; a long run yields to the event loop every few milliseconds.
   */
  aggregate(plan: AggregationPlan, signal: CancelSignal, buckets: TimeBuckets | null): Promise<Groups | null>
  /** The rows of a scan, in order; otherwise like `aggregate`. Null also where newer rows replace older ones. */
  scan(plan: ScanPlan, signal: CancelSignal): Promise<readonly ScannedRow[] | null>
}
