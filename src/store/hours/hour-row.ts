// The data of an hour of a series that is kept after its rows expire. For the meaning of each part see docs/formats/kept-hours.md.
import { lostIn } from '../../lib/lost-in-sum.ts'
import type { EntityField } from '../../model/entity.ts'

/** The parts of a metric. Each is a column, such as `V@count` for the metric V. */
export const hourParts = [
  ...(['count', 'sum', 'lost', 'least', 'greatest', 'total'] as const),
  ...(['good_count', 'good_sum', 'good_lost'] as const),
  ...(['item_count', 'item_sum', 'item_lost', 'item_least', 'item_greatest'] as const),
  ...(['first', 'first_ms', 'last', 'last_ms', 'least_ms', 'greatest_ms'] as const),
  ...(['gap_ms', 'held', 'line', 'known_ms', 'ended_ms', 'end_ms'] as const),
  ...(['falls', 'fallen', 'restarted', 'deepest'] as const),
] as const
export type HourPart = (typeof hourParts)[number]

/** Parts that are values of the metric, and so longs if the metric is. `total` is the sum of longs, which wraps around at 64 bits. */
const ownParts: ReadonlySet<HourPart> = new Set([
  ...(['least', 'greatest', 'total', 'item_least', 'item_greatest', 'first', 'last'] as const),
])

const placeOf = new Map<HourPart, number>(hourParts.map((part, place) => [part, place]))

export interface HourMetric {
  readonly name: string
  readonly type: 'double' | 'long'
}

export const hourMetric = ({ name, type }: Pick<EntityField, 'name' | 'type'>): HourMetric => ({
  name,
  type: type === 'long' ? 'long' : 'double',
})

export const partColumn = ({ name, type }: HourMetric, part: HourPart): HourMetric => ({
  name: `${name}@${part}`,
  type: ownParts.has(part) ? type : 'double',
})

/** The parts of one metric in one hour. NaN means that a part is not known, or equals another part. */
export class HourOfMetric {
  readonly #values = new Float64Array(hourParts.length).fill(Number.NaN)
  #digits: Map<HourPart, bigint> | null = null

  get(part: HourPart): number {
    return this.#values[placeOf.get(part)!]!
  }

  /** The exact value of a long; null if the part is not a long or its double is exact. */
  digits(part: HourPart): bigint | null {
    return this.#digits?.get(part) ?? null
  }

  set(part: HourPart, value: number, digits: bigint | null = null): void {
    this.#values[placeOf.get(part)!] = value
    if (digits === null) return
    this.#digits ??= new Map()
    this.#digits.set(part, digits)
  }

  /** The part for the items alone. Where they have no parts of their own, the items are all values. */
  item(part: 'count' | 'sum' | 'lost' | 'least' | 'greatest'): HourPart {
    return Number.isNaN(this.get('item_count')) ? part : `item_${part}`
  }

  /** The part for the good values alone. Where they have no parts of their own, all values are good. */
  good(part: 'count' | 'sum' | 'lost'): HourPart {
    return Number.isNaN(this.get('good_count')) ? part : `good_${part}`
  }

  /** Whether the parts that depend on the order of the values are known. */
  get isOrdered(): boolean {
    return this.get('gap_ms') >= 0
  }

  get items(): number {
    return this.get(this.item('count'))
  }
}

/** An hour of a series. */
export interface HourRow {
  readonly hourMs: number
  /** The greatest position of its rows. */
  readonly position: number
  readonly rows: number
  /** In the order of the requested metrics; null for a metric without a value. */
  readonly metrics: readonly (HourOfMetric | null)[]
}

/** Merges the hours of several sources by date; equal hours become one. Each source is ascending, and may have an hour several times. */
export function* hoursTogether(sources: readonly Iterator<HourRow>[]): Generator<HourRow> {
  const heads = sources.map((source) => ({ source, next: source.next() }))
  let hour: HourRow | null = null
  for (;;) {
    let least: (typeof heads)[number] | null = null
    for (const head of heads) {
      if (head.next.done === true) continue
      if (least === null || isBefore(head.next.value, least.next.value)) least = head
    }
    if (least === null) break
    const next: HourRow = least.next.value
    least.next = least.source.next()
    if (hour?.hourMs === next.hourMs) hour = together(hour, next)
    else {
      if (hour !== null) yield hour
      hour = next
    }
  }
  if (hour !== null) yield hour
}

const isBefore = (left: HourRow, right: HourRow): boolean => left.hourMs < right.hourMs

/** Joins an hour with rows of it that came after it was kept. The parts that depend on the order of the values are unknown then. */
function together(left: HourRow, right: HourRow): HourRow {
  return {
    hourMs: left.hourMs,
    position: Math.max(left.position, right.position),
    rows: left.rows + right.rows,
    metrics: left.metrics.map((metric, place) => {
      const other = right.metrics[place] ?? null
      if (metric === null || other === null) return metric ?? other
      return left.position <= right.position ? joined(metric, other) : joined(other, metric)
    }),
  }
}

const sets = ['', 'good_', 'item_'] as const

/** `newer` was pushed later. */
function joined(older: HourOfMetric, newer: HourOfMetric): HourOfMetric {
  const made = new HourOfMetric()
  const both = [older, newer] as const
  for (const set of sets) {
    if (set !== '' && both.every((one) => Number.isNaN(one.get(`${set}count`)))) continue
    const partOf = (one: HourOfMetric, part: 'count' | 'sum' | 'lost'): number =>
      one.get(set === '' ? part : set === 'good_' ? one.good(part) : one.item(part))
    const sum = partOf(older, 'sum') + partOf(newer, 'sum')
    made.set(`${set}count`, partOf(older, 'count') + partOf(newer, 'count'))
    made.set(`${set}sum`, sum)
    const lost = lostIn(partOf(older, 'sum'), partOf(newer, 'sum'), sum)
    made.set(`${set}lost`, partOf(older, 'lost') + partOf(newer, 'lost') + lost)
  }
  for (const part of ['least', 'greatest'] as const) {
    const isLeast = part === 'least'
    const best = bestOf(
      both.map((one) => ({ of: one, from: part })),
      isLeast,
    )
    const item = bestOf(
      both
        .toSorted((left, right) => left.get(`${part}_ms`) - right.get(`${part}_ms`))
        .map((one) => ({ of: one, from: one.item(part) })),
      isLeast,
    )
    setBound(made, part, best)
    if (!Number.isNaN(made.get('item_count'))) setBound(made, `item_${part}`, item)
    if (item !== null) made.set(`${part}_ms`, item.of.get(`${part}_ms`))
  }
  const totals = both.map((one) => one.digits('total') ?? one.get('total'))
  if (totals.every((total) => typeof total === 'bigint' || !Number.isNaN(total))) {
    setLong(made, 'total', BigInt.asIntN(64, BigInt(totals[0]!) + BigInt(totals[1]!)))
  }
  const firstOf = older.get('first_ms') < newer.get('first_ms') || Number.isNaN(newer.get('first_ms')) ? older : newer
  const lastOf = older.get('last_ms') > newer.get('last_ms') || Number.isNaN(newer.get('last_ms')) ? older : newer
  for (const part of ['first', 'first_ms'] as const) made.set(part, firstOf.get(part), firstOf.digits(part))
  for (const part of ['last', 'last_ms'] as const) made.set(part, lastOf.get(part), lastOf.digits(part))
  return made
}

interface Bound {
  readonly of: HourOfMetric
  readonly from: HourPart
}

/** The first of equal bounds; null if there is none. */
function bestOf(bounds: readonly Bound[], isLeast: boolean): Bound | null {
  const [first, ...others] = bounds.filter(({ of, from }) => !Number.isNaN(of.get(from)))
  if (first === undefined) return null
  let best = first
  for (const one of others) if (isLeast ? isLess(one, best) : isLess(best, one)) best = one
  return best
}

function setBound(made: HourOfMetric, part: HourPart, bound: Bound | null): void {
  if (bound !== null) made.set(part, bound.of.get(bound.from), bound.of.digits(bound.from))
}

function isLess(left: Bound, right: Bound): boolean {
  const [a, b] = [left.of.get(left.from), right.of.get(right.from)]
  const [c, d] = [left.of.digits(left.from), right.of.digits(right.from)]
  return a === b && c !== null && d !== null ? c < d : a < b
}

export function setLong(hour: HourOfMetric, part: HourPart, value: bigint): void {
  const double = Number(value)
  hour.set(part, double, Math.abs(double) >= 2 ** 53 ? value : null)
}
