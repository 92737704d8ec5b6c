// What Explore shows, as it stands in the address.

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
  /** Which of the entity's tags is asked for alone; empty is each combination of all of them, chosen by the first. */
  readonly by: string
  readonly tags: readonly string[]
  readonly fields: readonly string[]
  readonly how: How
  /** Until now, so far back: `PT1H`. Empty where `from` and `to` say it. */
  readonly range: string
  readonly from: string
  readonly to: string
  /** Whose clocks show the times, and begin the buckets; empty until it is known. */
  readonly zone: string
  /** Empty is chosen by the range. */
  readonly granularity: string
  /** Lines that are drawn against the axis at the right. */
  readonly right: readonly string[]
  /** How much earlier the lines are that it is compared with, a duration; empty is none. */
  readonly shift: string
  /** Whether the axis at the left is logarithmic. */
  readonly log: boolean
  /** Its limits, as they were typed; empty is that of the lines. */
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

/** How the axis at the left is drawn, which is nothing to ask for. */
export type Axes = Pick<View, 'right' | 'log' | 'least' | 'greatest'>

/** What was typed as a limit: a number, with a point or a comma; null of what is none. */
export function limitOf(text: string): number | null {
  const number = Number(text.trim().replace(',', '.'))
  return text.trim() === '' || !Number.isFinite(number) ? null : number
}

/** Why the limits that were typed are not those of the axis. */
export function limitFaults({ log, least, greatest }: Omit<Axes, 'right'>): string[] {
  const typed = { Least: least, Greatest: greatest }
  const faults = Object.entries(typed).flatMap(([name, text]) => {
    const limit = limitOf(text)
    if (limit === null) return text.trim() === '' ? [] : [`${name}: “${text}” is no number.`]
    return log && limit <= 0 ? [`${name}: a logarithmic axis has only numbers above zero.`] : []
  })
  const [from, to] = [limitOf(least), limitOf(greatest)]
  const isTurned = faults.length === 0 && from !== null && to !== null && from >= to
  return isTurned ? ['Least must be below greatest: neither limit is taken.'] : faults
}

/** Whether it says nothing of what is to be drawn. */
export const isBare = (view: View): boolean => view.tags.length === 0 && view.fields.length === 0 && !saysRange(view)

const kept = 'tidemark.explore'

/** The view that was drawn last in this browser, to open with. */
export function keepView(view: View): void {
  try {
    localStorage.setItem(kept, viewLink({ ...view, live: false }))
  } catch {
    // A browser that keeps nothing opens with the freshest tags.
  }
}

export function keptView(): View | null {
  const link = localStorage.getItem(kept)
  return link === null ? null : viewOf(new URLSearchParams(link.split('?')[1]))
}

/** As it stands in the address: the same instants on whichever clock. */
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

/** Whether there is anything of a range: half of one is one that cannot be read. */
export const saysRange = ({ range, from, to }: Pick<View, 'range' | 'from' | 'to'>): boolean =>
  range !== '' || from !== '' || to !== ''

/** Where none is said: a day that has something in it. */
export function openingRange(
  view: View,
  { last_date }: Pick<EntityDescription, 'last_date'>,
  nowMs: number,
): Partial<View> {
  if (saysRange(view)) return {}
  const last = last_date === null ? nowMs : Date.parse(last_date)
  return last > nowMs - msPerDay ? { range: 'P1D' } : fixed({ fromMs: last - msPerDay, toMs: last })
}

/** Null where the view has no range that can be read, or one that ends before it begins. */
export function rangeOf({ range, from, to, zone }: View, nowMs: number): Span | null {
  if (range !== '') {
    const fromMs = earlierMs(nowMs, range)
    return fromMs === null ? null : { fromMs, toMs: nowMs }
  }
  const start = readWhen(from, zone, nowMs)
  const end = readWhen(to, zone, nowMs)
  return start === null || end === null || start.ms > end.ms ? null : { fromMs: start.ms, toMs: end.ms }
}

/** What was typed as a range: a day alone is all of it, and `-6h` alone goes until now. What cannot be read stays as it is. */
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

/** An instant as an input of date and time has it: on the zone's clock, to the second. */
export const calendarText = (ms: number, zone: string): string =>
  clockText(Math.floor(ms / 1000) * 1000, zone).replace(' ', 'T')

/** From when on there is something of an entity: its first hour that is kept, else its first row. */
export const firstDate = ({
  hours_from,
  first_date,
}: Pick<EntityDescription, 'hours_from' | 'first_date'>): string | null => hours_from ?? first_date

/** The tags that rows are told apart by. */
export function tagsShown({ by }: View, { fields }: Pick<EntityDescription, 'fields'>): readonly string[] {
  return by === '' ? fields.filter(({ role }) => role === 'tag').map(({ name }) => name) : [by]
}

/** The metrics of which there is something to draw in this way, by their types. */
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
