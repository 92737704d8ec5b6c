// Validated native queries.

import type { Interval } from '../../druid-time/iso.ts'
import type { NativeGranularity } from '../../druid-time/native-granularity.ts'
import type { Expression } from '../expression/syntax.ts'
import type { NativeType } from '../values/typed.ts'
import type { Scalar } from './json-reader.ts'
import type {
  Aggregator,
  DimensionSpec,
  Filter,
  Having,
  LimitSpec,
  Ordering,
  PostAggregator,
  SearchSpec,
  VirtualColumn,
} from './query-nodes.ts'

export type DataSource =
  | { readonly kind: 'table'; readonly name: string; readonly path: string }
  | { readonly kind: 'union'; readonly tables: readonly (DataSource & { readonly kind: 'table' })[] }
  | { readonly kind: 'query'; readonly query: NativeQuery }
  | {
      readonly kind: 'inline'
      readonly columns: readonly InlineColumn[]
      readonly rows: readonly (readonly (Scalar | null)[])[]
    }
  | {
      readonly kind: 'join'
      readonly left: DataSource
      readonly right: DataSource
      readonly prefix: string
      readonly condition: Expression
      readonly joinType: 'INNER' | 'LEFT' | 'RIGHT' | 'FULL'
      readonly leftFilter: Filter | null
      readonly path: string
    }

export interface InlineColumn {
  readonly name: string
  /** Null: the type of the values. */
  readonly type: NativeType | null
}

/** The context flags that affect the result. */
export interface Context {
  readonly skipEmptyBuckets: boolean
  readonly grandTotal: boolean
  readonly sortByDimsFirst: boolean
  readonly timesAsLong: boolean
  readonly resultAsArray: boolean
}

/** The properties of all queries. */
export interface Common {
  readonly dataSource: DataSource
  readonly intervals: readonly Interval[]
  readonly filter: Filter | null
  readonly virtualColumns: readonly VirtualColumn[]
  readonly context: Context
}

interface Aggregating extends Common {
  readonly granularity: NativeGranularity
  readonly aggregations: readonly Aggregator[]
  readonly postAggregations: readonly PostAggregator[]
}

export interface TimeseriesQuery extends Aggregating {
  readonly kind: 'timeseries'
  readonly descending: boolean
  readonly limit: number
}

export type TopNMetric =
  | { readonly kind: 'numeric'; readonly metric: string }
  | { readonly kind: 'dimension'; readonly ordering: Ordering; readonly previousStop: string | null }
  | { readonly kind: 'inverted'; readonly metric: TopNMetric }

export interface TopNQuery extends Aggregating {
  readonly kind: 'topN'
  readonly dimension: DimensionSpec
  readonly threshold: number
  readonly metric: TopNMetric
}

export interface GroupByQuery extends Aggregating {
  readonly kind: 'groupBy'
  readonly dimensions: readonly DimensionSpec[]
  readonly having: Having | null
  readonly limitSpec: LimitSpec
  readonly subtotals: readonly (readonly string[])[] | null
}

export interface ScanQuery extends Common {
  readonly kind: 'scan'
  /** Empty: all columns. */
  readonly columns: readonly string[]
  readonly compact: boolean
  readonly batchSize: number
  readonly limit: number | null
  readonly offset: number
  readonly order: 'none' | 'ascending' | 'descending'
}

export interface SearchQuery extends Common {
  readonly kind: 'search'
  readonly granularity: NativeGranularity
  /** Null: all text columns. */
  readonly dimensions: readonly DimensionSpec[] | null
  readonly query: SearchSpec
  readonly limit: number
  readonly ordering: Ordering
}

export interface TimeBoundaryQuery extends Common {
  readonly kind: 'timeBoundary'
  readonly bound: 'minTime' | 'maxTime' | null
}

export interface SegmentMetadataQuery extends Common {
  readonly kind: 'segmentMetadata'
  /** No intervals were specified: the query covers the newest week. */
  readonly newestWeek: boolean
  readonly toInclude: 'all' | 'none' | readonly string[]
  readonly merge: boolean
  readonly analyses: ReadonlySet<string>
}

export interface DataSourceMetadataQuery extends Common {
  readonly kind: 'dataSourceMetadata'
}

export type NativeQuery =
  | TimeseriesQuery
  | TopNQuery
  | GroupByQuery
  | ScanQuery
  | SearchQuery
  | TimeBoundaryQuery
  | SegmentMetadataQuery
  | DataSourceMetadataQuery
