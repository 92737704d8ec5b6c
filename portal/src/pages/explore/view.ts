// The state of Explore, as stored in the address.

import type { EntityDescription } from '../../../../src/client/answers.ts'
import { msPerDay } from '../../../../src/model/instant.ts'
import { agoMs, earlierMs } from '../../../../src/model/when.ts'
import type { Span } from '../../parts/span.ts'
import { clockText, isZone, midnight, readWhen } from '../../parts/zoned-time.ts'
import { linkTo } from '../../shell/link.ts'

const hows = ['auto', 'average', 'time_mean', 'band', 'rise', 'states', 'select', 'snap', 'latest'] as const
export type How = (typeof hows)[number]

export interface View {
  readonly entity: string
  /** The tag field to query; empty means every combination of all tag fields, selected by the first. */
  readonly by: string
  readonly tags: readonly string[]
  readonly fields: readonly string[]
  readonly how: How
  /** A duration back from now: `PT1H`. Empty if `from` and `to` are used. */
  readonly range: string
  readonly from: string
  readonly to: string
  /** The zone of times and of bucket starts; empty until it is known. */
  readonly zone: string
  /** Empty means: chosen by the range. */
  readonly granularity: string
  /** Lines moved to an axis at the right. */
  readonly right: readonly string[]
  /** The duration by which the compared lines are earlier; empty for no comparison. */
  readonly shift: string
  /** Whether the axis at the left is logarithmic. */
  readonly log: boolean
  /** Limits of the left axis, as typed; empty means those of the lines. */
  readonly least: string
  readonly greatest: string
  readonly live: boolean
}

export function viewOf(query: URLSearchParams): View {
  const zone = query.get('zone') ?? ''
  return {
    entity: query.get('entity') ?? '',
    by: query.get('by') ?? '',
    tags: query.getAll('tag'),
    fields: query.getAll('field'),
    how: hows.find((how) => how === query.get('how')) ?? 'auto',
    range: query.get('range') ?? '',
    from: query.get('from') ?? '',
    to: query.get('to') ?? '',
    zone: isZone(zone) ? zone : '',
    granularity: query.get('granularity') ?? '',
    right: query.getAll('right'),
    shift: query.get('shift') ?? '',
    log: query.get('log') === '1',
    least: query.get('least') ?? '',
    greatest: query.get('greatest') ?? '',
    live: query.get('live') === '1',
  }
}

export function viewLink(view: View): string {
  const { tags, fields, right, live, log, how, ...others } = view
  const shown = { ...others, how: how === 'auto' ? '' : how, live: live ? '1' : '', log: log ? '1' : '' }
  return linkTo(['explore'], { ...shown, tag: tags, field: fields, right })
}

/** How the axes are drawn; does not affect queries. */
export type Axes = Pick<View, 'right' | 'log' | 'least' | 'greatest'>

/** The number typed as a limit, with a decimal point or comma; null if it is not a number. */
export function limitOf(text: string): number | null {
  const number = Number(text.trim().replace(',', '.'))
  return text.trim() === '' || !Number.isFinite(number) ? null : number
}

/** Why typed limits are not applied to the axis. */
export function limitFaults({ log, least, greatest }: Omit<Axes, 'right'>): string[] {
  const typed = { Least: least, Greatest: greatest }
  const faults = Object.entries(typed).flatMap(([name, text]) => {
    const limit = limitOf(text)
    if (limit === null) return text.trim() === '' ? [] : [`${name}: “${text}” is not a number.`]
    return log && limit <= 0 ? [`${name}: a logarithmic axis needs numbers above zero.`] : []
  })
  const [from, to] = [limitOf(least), limitOf(greatest)]
  const isTurned = faults.length === 0 && from !== null && to !== null && from >= to
  return isTurned ? ['Least must be below greatest: neither limit is applied.'] : faults
}

/** Whether the view specifies nothing to draw. */
export const isBare = (view: View): boolean => view.tags.length === 0 && view.fields.length === 0 && !saysRange(view)

const kept = 'tidemark.explore'

/** Saves the last drawn view in this browser, for the next opening. */
export function keepView(view: View): void {
  try {
    localStorage.setItem(kept, viewLink({ ...view, live: false }))
  } catch {
    // Without storage, Explore opens with the tags that have the newest items.
  }
}

export function keptView(): View | null {
  const link = localStorage.getItem(kept)
  return link === null ? null : viewOf(new URLSearchParams(link.split('?')[1]))
}

/** A fixed range, as in the address: the same instants in every zone. */
export const fixed = ({ fromMs, toMs }: Span): Pick<View, 'range' | 'from' | 'to'> => ({
  range: '',
  from: new Date(fromMs).toISOString(),
  to: new Date(toMs).toISOString(),
})

export const quickRanges: readonly { readonly value: string; readonly text: string }[] = [
  { value: 'PT15M', text: '15 min' },
  { value: 'PT1H', text: '1 h' },
  { value: 'PT6H', text: '6 h' },
  { value: 'P1D', text: '1 day' },
  { value: 'P7D', text: '7 days' },
  { value: 'P30D', text: '30 days' },
]

/** Whether a range is given. Half a range counts, although it cannot be used. */
export const saysRange = ({ range, from, to }: Pick<View, 'range' | 'from' | 'to'>): boolean =>
  range !== '' || from !== '' || to !== ''

/** The range to open with if none is given: a day with data. */
export function openingRange(
  view: View,
  { last_date }: Pick<EntityDescription, 'last_date'>,
  nowMs: number,
): Partial<View> {
  if (saysRange(view)) return {}
  const last = last_date === null ? nowMs : Date.parse(last_date)
  return last > nowMs - msPerDay ? { range: 'P1D' } : fixed({ fromMs: last - msPerDay, toMs: last })
}

/** Null if the range cannot be parsed, or ends before it begins. */
export function rangeOf({ range, from, to, zone }: View, nowMs: number): Span | null {
  if (range !== '') {
    const fromMs = earlierMs(nowMs, range)
    return fromMs === null ? null : { fromMs, toMs: nowMs }
  }
  const start = readWhen(from, zone, nowMs)
  const end = readWhen(to, zone, nowMs)
  return start === null || end === null || start.ms > end.ms ? null : { fromMs: start.ms, toMs: end.ms }
}

/** Parses a typed range: a day alone is the whole day, and `-6h` alone ends now. Text that cannot be parsed is kept. */
export function typedRange(from: string, to: string, zone: string, nowMs: number): Pick<View, 'range' | 'from' | 'to'> {
  const alone = ['', 'now'].includes(to.trim().toLowerCase())
  const backMs = agoMs(from)
  if (alone && backMs !== null) return { range: `PT${Math.round(backMs / 1000)}S`, from: '', to: '' }
  const start = readWhen(from, zone, nowMs)
  const end = readWhen(to.trim() === '' ? 'now' : to, zone, nowMs)
  if (start === null || end === null) return { range: '', from, to }
  const toMs = to.trim() === '' && start.isDay ? midnight(start.ms, zone, 1) : end.ms
  return fixed({ fromMs: start.ms, toMs })
}

/** The value of a datetime-local input: on the zone's clock, to the second. */
export const calendarText = (ms: number, zone: string): string =>
  clockText(Math.floor(ms / 1000) * 1000, zone).replace(' ', 'T')

/** The first date with data: the first kept hour, else the first row. */
export const firstDate = ({
  hours_from,
  first_date,
}: Pick<EntityDescription, 'hours_from' | 'first_date'>): string | null => hours_from ?? first_date

/** The tag fields that distinguish rows. */
export function tagsShown({ by }: View, { fields }: Pick<EntityDescription, 'fields'>): readonly string[] {
  return by === '' ? fields.filter(({ role }) => role === 'tag').map(({ name }) => name) : [by]
}

/** The metrics that can be drawn in this way, by type. */
export function drawable(how: How, { fields }: Pick<EntityDescription, 'fields'>): EntityDescription['fields'] {
  const types: Readonly<Partial<Record<How, readonly string[]>>> = {
    auto: ['double', 'long', 'boolean'],
    average: ['double', 'long'],
    time_mean: ['double', 'long'],
    band: ['double', 'long'],
    rise: ['double', 'long'],
  }
  return fields.filter(({ role, type }) => role === 'metric' && (types[how]?.includes(type) ?? true))
}
