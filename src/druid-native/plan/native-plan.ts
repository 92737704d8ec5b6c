// A native query that the store answers from its own columns, as plain data: what is aggregated, and what becomes of the groups; or the rows that are
// scanned.

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
  /** Over the row of a group (its bucket, its keys, its aggregates) and the outputs that come before, behind it. */
  readonly value: Scalar
}

export interface NativePlan {
  readonly aggregation: AggregationPlan
  readonly outputs: readonly GroupOutput[]
  /** How many parts the expressions have that are evaluated over each group. */
  readonly steps: number
  /** `isByBucket` says whether `limit` is that of each bucket. */
  readonly finish: GroupFinish & { readonly isByBucket: boolean }
  readonly intervals: readonly Interval[]
  readonly timesAsLong: boolean
  /** By whose clocks times are written. */
  readonly zone: string
  readonly skipsEmptyBuckets: boolean
  readonly shape:
    | { readonly kind: 'timeseries'; readonly isDescending: boolean; readonly limit: number }
    | { readonly kind: 'topN' }
    | { readonly kind: 'groupBy'; readonly asArray: boolean; readonly showsBucket: boolean }
}

/** What the store answers. */
export type PlannedNative = NativePlan | NativeScanPlan

/** The same as a question to the store. */
export interface PlannedNativeQuery {
  readonly language: 'native'
  readonly plan: PlannedNative
}

export interface NativeScanPlan {
  readonly kind: 'scan'
  readonly scan: ScanPlan
  /** Of the answer; `at` is the place in a row of the scan. */
  readonly outputs: readonly (Pick<OutputColumn, 'name' | 'type'> & { readonly at: number })[]
  /** What rows that come by segment have it from: the entity; null where they come by time. */
  readonly segmentsOf: string | null
  readonly compact: boolean
  readonly batchSize: number
  /** Of the scan's rows, which begin at the first, those before are left out. */
  readonly offset: number
}
