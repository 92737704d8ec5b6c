import type { AggregationPlan, Groups, TimeBuckets } from '../algebra/aggregation.ts'
import type { ScannedRow, ScanPlan } from '../algebra/scan-plan.ts'
import type { CancelSignal } from '../lib/cancellation.ts'
import type { ColumnVector } from '../model/column.ts'
import type { Plan, PlanLimits, Selection } from '../model/plan.ts'
import type { RowBatch } from '../model/row-batch.ts'

/** Makes rows queryable. */
export interface SeriesWriter {
  /**
   * Takes the rows of one batch; a query that starts afterwards sees all of them. Batches come in the order of their positions,
   * each position once: on a restart the pipeline begins again at `position`.
   */
  write(batch: RowBatch): void
  /** Rows before this position are stored for good; the journal is read from here after a restart. */
  readonly position: number
}

/**
 * A part of a result: the columns of the plan's output, all of the same length. They are good until the next batch is asked for, which may be
 * written into the same memory.
 */
export interface ResultBatch {
  readonly rows: number
  readonly columns: readonly ColumnVector[]
}

export interface EntityStatistics {
  readonly rows: number
  readonly firstMs: number | null
  readonly lastMs: number | null
  /** The first hour that is kept of rows that left; absent where there is none. */
  readonly hoursFromMs?: number
}

/** A page of the values of a selection's first tag. */
export interface TagRequest {
  readonly selection: Selection
  /** The page begins behind this value; null is the first page. */
  readonly after: string | null
  readonly limit: number
  /** The page ends early once its values have more bytes than this together; it holds one value at least. */
  readonly bytesMax: number
}

export interface TagPage {
  readonly tags: readonly string[]
  /** Whether there are values after the last one. */
  readonly more: boolean
}

export interface SeriesQuerier {
  /**
   * Runs a plan on one consistent state: rows that are written meanwhile are not seen. Result batches come in the plan's order.
   * Throws Problem `result_too_large` or `too_many_buckets` when a limit is passed, and the signal's reason when it is aborted.
   * A long run yields to the event loop every few milliseconds. `buckets` cuts time where the granularity of an average is by the clocks of
   * a zone.
   */
  run(plan: Plan, limits: PlanLimits, signal: CancelSignal, buckets?: TimeBuckets | null): AsyncIterable<ResultBatch>
  /** Of the rows that have not left: those from `sinceMs` on, all of them when it is null. Throws the signal's reason when it is aborted. */
  statistics(entityId: number, sinceMs: number | null, signal: AbortSignal): Promise<EntityStatistics>
  /** The tags that have an item, by code point; null is none. Throws the signal's reason when it is aborted. */
  tags(request: TagRequest, signal: AbortSignal): Promise<TagPage>
}

export interface GroupsQuerier {
  /**
   * Runs an aggregation on one consistent state. Null where it has to be answered in another way: there are more groups, or more to do, than
   * the plan allows. `buckets` cuts time where the plan's granularity is by the clocks of a zone.
   * Throws the signal's reason when it is aborted; a long run yields to the event loop every few milliseconds.
   */
  aggregate(plan: AggregationPlan, signal: CancelSignal, buckets: TimeBuckets | null): Promise<Groups | null>
  /** The rows of a scan, in their order; otherwise as `aggregate`. Null also where newer rows replace older ones. */
  scan(plan: ScanPlan, signal: CancelSignal): Promise<readonly ScannedRow[] | null>
}
