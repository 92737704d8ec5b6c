// A native scan that the store answers from its own columns, as plain data.
import type { ScanPlan } from '../../algebra/scan-plan.ts'
import type { OutputColumn } from '../run/json-text.ts'
import type { NativePlan } from './native-plan.ts'

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
