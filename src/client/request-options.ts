import type { Shape } from '../model/entity.ts'
import type { LinePrecision } from '../model/line-format.ts'
import type { AggregateName } from '../model/plan.ts'
import type { QualityWord } from '../model/quality.ts'
import type { PageRequest } from './answers.ts'
import type { PushFormat } from './transport.ts'

export interface PushOptions {
  /** `json`, an object or an array of objects, or `ndjson`, an object a line. Default `json`. */
  readonly format?: PushFormat
  readonly idempotencyKey?: string
  /** Answers with the receipt once the rows can be queried; after `limits.ingestWaitMs` as without it. */
  readonly wait?: boolean
  /** Breaks the request off: nobody knows then whether the rows are stored. */
  readonly signal?: AbortSignal
}

export interface PushLinesOptions extends Pick<PushOptions, 'idempotencyKey' | 'signal'> {
  /** The unit of the lines' times; without it nanoseconds. */
  readonly precision?: LinePrecision
}

export interface TagsRequest extends PageRequest {
  readonly prefix?: string
  readonly id_name_field?: string
}

/** Which rows are told, and what is shown of them: as a select asks. */
export type LiveRequest = Pick<
  DataQueryRequest,
  'entity' | 'ids' | 'prefixes' | 'id_name_field' | 'metric_name_field' | 'fields' | 'quality'
>

export interface LiveOptions {
  /** The last id of an earlier stream of this entity: it goes on behind that. */
  readonly after?: string | undefined
  /** Ends the stream. */
  readonly signal?: AbortSignal | undefined
  /** Told of each cut, after which it connects again by itself. */
  readonly onRetry?: (error: Error, waitMs: number) => void
}

/** All that a data query may ask; which of it a kind takes, the service says. */
export interface DataQueryRequest {
  readonly entity: string
  readonly ids?: readonly string[]
  readonly prefixes?: readonly string[]
  readonly id_name_field?: string
  readonly metric_name_field?: readonly string[]
  readonly fields?: readonly string[]
  readonly quality?: readonly QualityWord[]
  readonly granularity?: string
  readonly start_date?: string
  readonly end_date?: string
  readonly date?: string
  readonly offset?: number
  readonly time_zone?: string
  readonly fill?: 'none' | 'null' | 'previous' | 'linear'
  readonly max_gap?: string
  readonly weight?: 'rows' | 'time'
  readonly shape?: Shape
  readonly aggregates?: readonly AggregateName[]
  readonly total_unit?: 'second' | 'minute' | 'hour' | 'day'
  readonly reset?: 'zero' | 'skip'
  readonly wrap?: number
  readonly points?: number
}
