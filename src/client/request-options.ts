import type { Shape } from '../model/entity.ts'
import type { LinePrecision } from '../model/line-format.ts'
import type { AggregateName } from '../model/plan.ts'
import type { QualityWord } from '../model/quality.ts'
import type { PageRequest } from './answers.ts'
import type { PushFormat } from './transport.ts'

export interface PushOptions {
  /** `json`: an object or an array of objects. `ndjson`: one object per line. Default `json`. */
  readonly format?: PushFormat
  readonly idempotencyKey?: string
  /** Resolves with the receipt when the rows can be queried, or, after `limits.ingestWaitMs`, as without it. */
  readonly wait?: boolean
  /** Aborts the request; it is then unknown whether the rows are stored. */
  readonly signal?: AbortSignal
}

export interface PushLinesOptions extends Pick<PushOptions, 'idempotencyKey' | 'signal'> {
  /** The unit of the lines' times. Default: nanoseconds. */
  readonly precision?: LinePrecision
}

export interface TagsRequest extends PageRequest {
  readonly prefix?: string
  readonly id_name_field?: string
}

/** The rows to send and the fields to show, with the members of a select. */
export type LiveRequest = Pick<
  DataQueryRequest,
  'entity' | 'ids' | 'prefixes' | 'id_name_field' | 'metric_name_field' | 'fields' | 'quality'
>

export interface LiveOptions {
  /** The last id of an earlier stream of this entity; the stream resumes after it. */
  readonly after?: string | undefined
  /** Ends the stream. */
  readonly signal?: AbortSignal | undefined
  /** Called for each cut, after which the stream reconnects automatically. */
  readonly onRetry?: (error: Error, waitMs: number) => void
}

/** The members of all kinds of data queries; the service refuses those that a kind does not accept. */
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
