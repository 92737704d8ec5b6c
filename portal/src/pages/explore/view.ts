// What Explore shows, as it stands in the address, and the request that is asked for it.
import type { EntityDescription } from '../../../../src/client/answers.ts'
import type { DataQueryRequest } from '../../../../src/client/request-options.ts'
import type { granularityNames } from '../../../../src/model/granularity.ts'
import type { QueryKind } from '../../../../src/model/query-kind.ts'
import { linkTo } from '../../shell/link.ts'

const hows = ['average', 'select', 'snap', 'latest'] as const
export type How = (typeof hows)[number] & QueryKind

export interface View {
  readonly entity: string
  /** Which of the entity's tags is asked for alone; empty is each combination of all of them, chosen by the first. */
  readonly by: string
  readonly tags: readonly string[]
  readonly fields: readonly string[]
  readonly how: How
  /** Until now, so far back: `PT1H`. Empty where `from` and `to` say it. */
  readonly range: string
  readonly from: string
  readonly to: string
  /** Empty is chosen by the range. */
  readonly granularity: string
  /** Lines that are drawn against the axis at the right. */
  readonly right: readonly string[]
  readonly live: boolean
}

export function viewOf(query: URLSearchParams): View {
  return {
    entity: query.get('entity') ?? '',
    by: query.get('by') ?? '',
    tags: query.getAll('tag'),
    fields: query.getAll('field'),
    how: hows.find((how) => how === query.get('how')) ?? 'average',
    range: query.get('range') ?? '',
    from: query.get('from') ?? '',
    to: query.get('to') ?? '',
    granularity: query.get('granularity') ?? '',
    right: query.getAll('right'),
    live: query.get('live') === '1',
  }
}

export function viewLink(view: View): string {
  const { tags, fields, right, live, how, ...others } = view
  const shown = { ...others, how: how === 'average' ? '' : how, live: live ? '1' : '' }
  return linkTo(['explore'], { ...shown, tag: tags, field: fields, right })
}

export interface Span {
  readonly fromMs: number
  readonly toMs: number
}

const hourMs = 3_600_000
const dayMs = 24 * hourMs

export const quickRanges: readonly { readonly value: string; readonly text: string; readonly ms: number }[] = [
  { value: 'PT15M', text: '15 min', ms: hourMs / 4 },
  { value: 'PT1H', text: '1 h', ms: hourMs },
  { value: 'PT6H', text: '6 h', ms: 6 * hourMs },
  { value: 'P1D', text: '1 day', ms: dayMs },
  { value: 'P7D', text: '7 days', ms: 7 * dayMs },
  { value: 'P30D', text: '30 days', ms: 30 * dayMs },
]

/** Null where the view has no range that can be read. */
export function rangeOf({ range, from, to }: View, nowMs: number): Span | null {
  const quick = quickRanges.find(({ value }) => value === range)
  if (quick !== undefined) return { fromMs: nowMs - quick.ms, toMs: nowMs }
  const [fromMs, toMs] = [instant(from), instant(to)]
  return Number.isNaN(fromMs) || Number.isNaN(toMs) || fromMs > toMs ? null : { fromMs, toMs }
}

/** Without a zone it is UTC, as in the service. */
function instant(text: string): number {
  return Date.parse(/[Zz]|[+-]\d\d:?\d\d$/.test(text) || text.length <= 10 ? text : `${text.replace(' ', 'T')}Z`)
}

const steps: readonly (readonly [name: keyof typeof granularityNames, ms: number])[] = [
  ['second', 1000],
  ['minute', 60_000],
  ['five_minute', 300_000],
  ['ten_minute', 600_000],
  ['fifteen_minute', 900_000],
  ['thirty_minute', 1_800_000],
  ['hour', hourMs],
  ['six_hour', 6 * hourMs],
  ['day', dayMs],
  ['week', 7 * dayMs],
  ['month', 30 * dayMs],
  ['quarter', 91 * dayMs],
]

export const granularities: readonly string[] = steps.map(([name]) => name)

/** `five_minute` as one reads it behind "every": five minutes. */
export function stepText(granularity: string): string {
  const words = granularity.split('_')
  return words.length === 1 ? granularity : `${words.join(' ')}s`
}

/** The finest one of which not more buckets lie in the range. */
export function granularityFor(spanMs: number, buckets: number): string {
  return steps.find(([, ms]) => spanMs / ms <= buckets)?.[0] ?? 'year'
}

/** The tags that rows are told apart by. */
export function tagsShown({ by }: View, { fields }: Pick<EntityDescription, 'fields'>): readonly string[] {
  return by === '' ? fields.filter(({ role }) => role === 'tag').map(({ name }) => name) : [by]
}

export function requestOf(view: View, { fromMs, toMs }: Span, buckets: number): DataQueryRequest {
  const { entity, by, tags, fields, how, granularity } = view
  const iso = (ms: number): string => new Date(ms).toISOString()
  const range = how === 'latest' ? { date: iso(fromMs) } : { start_date: iso(fromMs), end_date: iso(toMs) }
  const bucketed = how === 'average' || how === 'snap'
  return {
    entity,
    ...(by === '' ? {} : { id_name_field: by }),
    ids: tags,
    metric_name_field: fields,
    ...range,
    ...(bucketed ? { granularity: granularity === '' ? granularityFor(toMs - fromMs, buckets) : granularity } : {}),
  }
}
