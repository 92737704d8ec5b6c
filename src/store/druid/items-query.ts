import type { Range, Selection } from '../../model/plan.ts'
import type { NativeFilter } from './native-query.ts'

export interface ItemsQuery {
  readonly selection: Selection
  readonly ranges: readonly Range[]
  /** Of tags and dates, besides those of the selection. */
  readonly filter: NativeFilter | null
  /** The most rows that are read; null for all. */
  readonly limit: number | null
}
