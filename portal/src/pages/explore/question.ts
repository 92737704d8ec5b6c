// The query for a view: a request of the documented API, which the user can copy.
import type { EntityDescription } from '../../../../src/client/answers.ts'
import type { DataQueryRequest } from '../../../../src/client/request-options.ts'
import type { QueryKind } from '../../../../src/model/query-kind.ts'
import type { Span } from '../../parts/span.ts'
import { granularityFor } from './buckets.ts'
import type { How, View } from './view.ts'

export interface Question {
  readonly kind: QueryKind
  readonly request: DataQueryRequest
}

interface Asked {
  readonly kind: QueryKind
  /** The minimum width of a bucket in pixels; absent for kinds without buckets. */
  readonly bucketPixels?: number
  readonly more?: Partial<DataQueryRequest>
}

const asked: Readonly<Record<How, Asked>> = {
  auto: { kind: 'plot' },
  average: { kind: 'average', bucketPixels: 1 },
  time_mean: { kind: 'average', bucketPixels: 1, more: { weight: 'time' } },
  band: { kind: 'aggregate', bucketPixels: 1, more: { aggregates: ['mean', 'min', 'max'] } },
  rise: { kind: 'aggregate', bucketPixels: 12, more: { aggregates: ['rise'] } },
  states: { kind: 'states', bucketPixels: 1 },
  select: { kind: 'select' },
  snap: { kind: 'snap', bucketPixels: 1 },
  latest: { kind: 'latest' },
}

/** Identifies a query. The axes do not affect the query, and the comparison has a query of its own. */
export const wordsOf = (view: View): string =>
  JSON.stringify({ ...view, right: [], shift: '', log: false, least: '', greatest: '' })

export const isBucketed = (how: How): boolean => asked[how].bucketPixels !== undefined

/** The column by which the rows of a response are ordered. */
export const timeOf = (how: How, { time_field }: Pick<EntityDescription, 'time_field'>): string =>
  how === 'snap' ? 'snap' : time_field

const iso = (ms: number): string => new Date(ms).toISOString()

/** The finest granularity that fits a chart of this width. */
export const fittingGranularity = (how: How, { fromMs, toMs }: Span, pixels: number): string =>
  granularityFor(toMs - fromMs, pixels / (asked[how].bucketPixels ?? 1))

/** Requests one point per pixel, or buckets on the zone's clock. */
export function questionOf(view: View, span: Span, pixels: number): Question {
  const { fromMs, toMs } = span
  const { how, granularity, zone } = view
  const { kind, bucketPixels, more } = asked[how]
  const request = {
    ...selectionOf(view),
    ...(how === 'latest' ? { date: iso(fromMs) } : { start_date: iso(fromMs), end_date: iso(toMs) }),
    ...(how === 'auto' && { points: pixels }),
    ...(bucketPixels !== undefined && {
      granularity: granularity === '' ? fittingGranularity(how, span, pixels) : granularity,
      time_zone: zone,
    }),
    ...more,
  }
  return { kind, request }
}

function selectionOf({ entity, by, tags, fields }: View): DataQueryRequest {
  return { entity, ...(by === '' ? {} : { id_name_field: by }), ids: tags, metric_name_field: fields }
}

/** Queries for the items next to the range, to which lines are continued. None if the response already includes them, and none before the first rows. */
export function edgesOf(
  view: View,
  { fromMs, toMs }: Span,
  { rows_from }: Pick<EntityDescription, 'rows_from'>,
): readonly Question[] {
  if (view.how !== 'auto' && view.how !== 'select') return []
  const next: Question = { kind: 'next', request: { ...selectionOf(view), date: iso(toMs) } }
  if (fromMs <= Date.parse(rows_from ?? '')) return [next]
  return [{ kind: 'last', request: { ...selectionOf(view), date: iso(fromMs) } }, next]
}
