// A native query that the store executes on its own columns, as plain data: an aggregation and the processing of its groups, or a scan.

import type { AggregationPlan } from '../../algebra/aggregation.ts'
import type { GroupFinish } from '../../algebra/finish-groups.ts'
import type { Scalar } from '../../algebra/scalar.ts'
import type { ScanPlan } from '../../algebra/scan-plan.ts'
import type { Interval } from '../../druid-time/iso.ts'
import type { OutputColumn } from '../run/json-text.ts'
import type { ValueType } from '../values/typed.ts'

export interface GroupOutput {
  readonly name: string
  readonly type: Extract<ValueType, 'STRING' | 'LONG' | 'DOUBLE'>
  /** Evaluated over the row of a group (bucket, keys, aggregates), followed by the earlier outputs. */
  readonly value: Scalar
}

export interface NativePlan {
  readonly aggregation: AggregationPlan
  readonly outputs: readonly GroupOutput[]
  /** Number of nodes in the expressions evaluated for each group. */
  readonly steps: number
  /** `isByBucket`: `limit` applies to each bucket separately. */
  readonly finish: GroupFinish & { readonly isByBucket: boolean }
  readonly intervals: readonly Interval[]
  readonly timesAsLong: boolean
  /** The time zone in which times are written. */
  readonly zone: string
  readonly skipsEmptyBuckets: boolean
  readonly shape:
    | { readonly kind: 'timeseries'; readonly isDescending: boolean; readonly limit: number }
    | { readonly kind: 'topN' }
    | { readonly kind: 'groupBy'; readonly asArray: boolean; readonly showsBucket: boolean }
}

/** A query that the store executes. */
export type PlannedNative = NativePlan | NativeScanPlan

/** The plan as a request to the store. */
export interface PlannedNativeQuery {
  readonly language: 'native'
  readonly plan: PlannedNative
}

export interface NativeScanPlan {
  readonly kind: 'scan'
  readonly scan: ScanPlan
  /** The columns of the response; `at` is the index in a row of the scan. */
  readonly outputs: readonly (Pick<OutputColumn, 'name' | 'type'> & { readonly at: number })[]
  /** The entity to name in segment ids if rows are returned by segment; null if they are ordered by time. */
  readonly segmentsOf: string | null
  readonly compact: boolean
  readonly batchSize: number
  /** Number of leading rows of the scan to skip. */
  readonly offset: number
}
