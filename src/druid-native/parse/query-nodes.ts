// The validated parts of a native query: plain tagged data, one type for each Druid component.

import type { Interval } from '../../druid-time/iso.ts'
import type { NativeGranularity } from '../../druid-time/native-granularity.ts'
import type { Zone } from '../../druid-time/zone.ts'
import type { Expression } from '../expression/syntax.ts'
import type { ElementType, NativeType, ValueType } from '../values/typed.ts'
import type { Scalar } from './json-reader.ts'

export type Ordering = 'lexicographic' | 'alphanumeric' | 'numeric' | 'strlen' | 'version' | 'natural'

export type SearchSpec =
  | { readonly kind: 'all' }
  | { readonly kind: 'contains'; readonly value: string | null; readonly caseSensitive: boolean }
  | { readonly kind: 'fragment'; readonly values: readonly string[]; readonly caseSensitive: boolean }
  | { readonly kind: 'regex'; readonly pattern: string }

export type Extraction =
  | {
      readonly kind: 'timeFormat'
      readonly format: string | null
      readonly zone: Zone
      readonly locale: string
      readonly granularity: NativeGranularity | null
      readonly asMillis: boolean
    }
  | { readonly kind: 'substring'; readonly index: number; readonly length: number | null }
  | { readonly kind: 'upper' | 'lower' | 'strlen' | 'identity' }
  | {
      readonly kind: 'regex'
      readonly pattern: string
      readonly index: number
      readonly replaceMissing: boolean
      readonly missing: string | null
    }
  | { readonly kind: 'partial'; readonly pattern: string }
  | { readonly kind: 'searchQuery'; readonly query: SearchSpec }
  | {
      readonly kind: 'lookup'
      readonly map: ReadonlyMap<string, string>
      readonly retain: boolean
      readonly missing: string | null
    }
  | { readonly kind: 'cascade'; readonly steps: readonly Extraction[] }
  | { readonly kind: 'bucket'; readonly size: number; readonly offset: number }
  | {
      readonly kind: 'stringFormat'
      readonly format: string
      readonly nulls: 'nullString' | 'emptyString' | 'returnNull'
    }

export interface DimensionSpec {
  readonly dimension: string
  readonly outputName: string
  readonly outputType: ValueType
  readonly extraction: Extraction | null
  /** The values to keep; all others become null. */
  readonly keep:
    | { readonly values: readonly (string | null)[]; readonly listed: boolean }
    | { readonly pattern: string }
    | { readonly prefix: string }
    | null
  readonly path: string
}

export type Filter =
  | { readonly kind: 'and' | 'or'; readonly fields: readonly Filter[] }
  | { readonly kind: 'not' | 'istrue' | 'isfalse'; readonly field: Filter }
  | { readonly kind: 'constant'; readonly value: boolean }
  | { readonly kind: 'null'; readonly column: string }
  | { readonly kind: 'expression'; readonly expression: Expression; readonly path: string }
  | { readonly kind: 'columnComparison'; readonly dimensions: readonly DimensionSpec[] }
  | ColumnFilter
  | DimensionFilter

/** Filters of a column without extraction, with typed constants. */
type ColumnFilter = { readonly column: string } & (
  | { readonly kind: 'equals'; readonly type: NativeType; readonly value: Scalar }
  | { readonly kind: 'containsElement'; readonly type: NativeType; readonly value: Scalar | null }
  | { readonly kind: 'equalsArray'; readonly element: ElementType; readonly values: readonly (Scalar | null)[] }
  | { readonly kind: 'inType'; readonly type: NativeType; readonly values: readonly (Scalar | null)[] }
  | {
      readonly kind: 'range'
      readonly type: NativeType
      readonly lower: Scalar | null
      readonly upper: Scalar | null
      readonly lowerOpen: boolean
      readonly upperOpen: boolean
    }
)

/** Filters of a dimension or an extraction of it, with texts as constants. */
type DimensionFilter = { readonly dimension: string; readonly extraction: Extraction | null } & (
  | { readonly kind: 'selector'; readonly value: string | null }
  | { readonly kind: 'in'; readonly values: readonly (string | null)[] }
  | {
      readonly kind: 'bound'
      readonly lower: string | null
      readonly upper: string | null
      readonly lowerStrict: boolean
      readonly upperStrict: boolean
      readonly ordering: Ordering
    }
  | { readonly kind: 'like'; readonly pattern: string; readonly escapedBy: string | null }
  | { readonly kind: 'regex'; readonly pattern: string }
  | { readonly kind: 'search'; readonly query: SearchSpec }
  | { readonly kind: 'interval'; readonly intervals: readonly Interval[] }
)

export interface FieldInput {
  readonly fieldName: string | null
  readonly expression: Expression | null
  readonly path: string
}

export type NumericType = 'LONG' | 'DOUBLE' | 'FLOAT'

export type Aggregator = { readonly name: string; readonly path: string } & (
  | { readonly kind: 'count' }
  | { readonly kind: 'sum' | 'min' | 'max'; readonly type: NumericType; readonly input: FieldInput }
  | { readonly kind: 'mean'; readonly fieldName: string }
  | {
      readonly kind: 'first' | 'last'
      readonly type: NativeType
      readonly fieldName: string
      readonly timeColumn: string
      readonly maxBytes: number
    }
  | { readonly kind: 'any'; readonly type: NativeType; readonly fieldName: string; readonly maxBytes: number }
  | {
      readonly kind: 'cardinality'
      readonly fields: readonly DimensionSpec[]
      readonly byRow: boolean
      readonly round: boolean
    }
  | {
      readonly kind: 'distinct'
      readonly sketch: 'hyperUnique' | 'theta' | 'hll'
      readonly fieldName: string
      readonly round: boolean
    }
  | { readonly kind: 'quantiles'; readonly fieldName: string }
  | { readonly kind: 'variance'; readonly fieldName: string; readonly population: boolean }
  | { readonly kind: 'grouping'; readonly groupings: readonly string[] }
  | { readonly kind: 'filtered'; readonly filter: Filter; readonly aggregator: Aggregator }
)

export type PostAggregator = { readonly name: string | null; readonly path: string } & (
  | {
      readonly kind: 'arithmetic'
      readonly fn: '+' | '-' | '*' | '/' | 'pow' | 'quotient'
      readonly fields: readonly PostAggregator[]
      readonly numericFirst: boolean
    }
  | { readonly kind: 'fieldAccess'; readonly fieldName: string }
  | { readonly kind: 'constant'; readonly value: number | bigint }
  | { readonly kind: 'expression'; readonly expression: Expression; readonly outputType: ValueType | null }
  | {
      readonly kind: 'extreme'
      readonly greatest: boolean
      readonly type: 'LONG' | 'DOUBLE'
      readonly fields: readonly PostAggregator[]
    }
  | { readonly kind: 'estimate'; readonly field: PostAggregator; readonly round: boolean }
  | {
      readonly kind: 'thetaSetOp'
      readonly fn: 'UNION' | 'INTERSECT' | 'NOT'
      readonly fields: readonly PostAggregator[]
    }
  | {
      readonly kind: 'quantile'
      readonly field: PostAggregator
      readonly fractions: readonly number[]
      readonly one: boolean
    }
  | {
      readonly kind: 'histogram'
      readonly field: PostAggregator
      readonly splitPoints: readonly number[] | null
      readonly bins: number
    }
  | { readonly kind: 'stddev'; readonly fieldName: string; readonly population: boolean }
)

export type Having =
  | {
      readonly kind: 'compare'
      readonly operator: '>' | '<' | '='
      readonly aggregation: string
      readonly value: number | bigint | null
    }
  | { readonly kind: 'and' | 'or'; readonly specs: readonly Having[] }
  | { readonly kind: 'not'; readonly spec: Having }
  | { readonly kind: 'filter'; readonly filter: Filter }
  | { readonly kind: 'dimSelector'; readonly dimension: DimensionSpec; readonly value: string | null }
  | { readonly kind: 'always' }

export interface OrderColumn {
  readonly dimension: string
  readonly descending: boolean
  readonly ordering: Ordering
  readonly path: string
}

export interface LimitSpec {
  readonly limit: number | null
  readonly offset: number
  readonly columns: readonly OrderColumn[]
}

export interface VirtualColumn {
  readonly name: string
  readonly expression: Expression
  readonly outputType: ValueType
  readonly path: string
}
