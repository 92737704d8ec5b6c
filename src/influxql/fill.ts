// fill(): the values of windows that have none.
import type { Pacer } from '../lib/pacer.ts'
import { type Cell, type Leaf, numberCell, type Point } from './columns.ts'
import { type SelectPlan, tooManyBuckets } from './plan-select.ts'

export interface Filling {
  /** The most windows, counted once for each column. */
  readonly bucketsMax: number
  /** The number of windows in the series before this one. */
  readonly windowsBefore: number
  readonly atOnce: number
  readonly nowMs: number
  readonly pacer: Pacer
}

/** Yields the windows of a series in slices, with each leaf filled separately. Throws Problem `too_many_buckets`. */
export async function* filledParts(
  plan: SelectPlan,
  given: readonly Point[],
  filling: Filling,
): AsyncGenerator<readonly Point[]> {
  const { windows, range, leaves } = plan
  const { atOnce, nowMs } = filling
  const points = given.filter(({ cells }) => cells.some((cell) => cell !== undefined))
  if (windows === null || points.length === 0) return
  const first = range.startNs === null ? null : windows.startOf(range.fromMs)
  const last = windows.startOf(range.hasEnd ? range.untilMs : nowMs)
  const [oldest, newest] = [points[0]!.ms, points.at(-1)!.ms].sort((a, b) => a - b) as [number, number]
  const starts = await startsOf(plan, first ?? oldest, Math.max(last, newest), filling)
  const fills = leaves.map((_, at) => fillOf(plan, points, at))
  for (let begin = 0; begin < starts.length; begin += atOnce) {
    yield starts.slice(begin, begin + atOnce).map((ms) => ({ ms, cells: fills.map((cellAt) => cellAt(ms)) }))
  }
}

async function startsOf(
  { windows, columns, isDescending }: SelectPlan,
  from: number,
  to: number,
  { bucketsMax, windowsBefore, pacer }: Filling,
): Promise<readonly number[]> {
  const most = Math.floor(bucketsMax / columns.length) - windowsBefore
  const starts: number[] = []
  for (let start = from; start <= to; start = windows!.after(start)) {
    if (starts.length === most) throw tooManyBuckets(bucketsMax)
    starts.push(start)
    if (pacer.spend(1)) await pacer.rest()
  }
  return isDescending ? starts.reverse() : starts
}

/** Calls that return doubles, whatever the type of the field. */
const ofDoubles = new Set(['mean', 'median', 'stddev'])

const isCount = ({ call }: Leaf): boolean => call === 'count' || call === 'count_distinct'
const isWholeOf = (leaf: Leaf): boolean => isCount(leaf) || (leaf.field?.type === 'long' && !ofDoubles.has(leaf.call!))

/** The value of an empty window, whatever its neighbours. As in InfluxDB, a fill number becomes false for booleans and '' for texts. */
function constantOf(fill: SelectPlan['fill'], leaf: Leaf): string | null {
  if (typeof fill !== 'object') return isCount(leaf) && fill === 'null' ? '0' : null
  const { type } = leaf.field ?? {}
  if (!isCount(leaf) && type === 'boolean') return 'false'
  if (!isCount(leaf) && (type === 'string' || type === 'timestamp')) return '""'
  return String(isWholeOf(leaf) ? Math.trunc(Number(fill.digits)) : Number(fill.digits))
}

/** Returns the cells of a leaf. Must be called for window after window, in the order of its points. */
function fillOf(
  { windows, fill, range, leaves, isDescending }: SelectPlan,
  points: readonly Point[],
  at: number,
): (ms: number) => Cell {
  const leaf = leaves[at]!
  const known = points.filter(({ cells }) => cells[at] !== undefined)
  const isWhole = isWholeOf(leaf)
  const constant = constantOf(fill, leaf)
  // A leaf without points has no series. Only a fill number is shown then, even for a text or a boolean.
  const absent = typeof fill !== 'object' ? undefined : isWhole ? constant : String(Number(fill.digits))
  // If the range is open, a leaf starts with its own first point.
  const [opensBefore, opensBehind] = [range.startNs === null && !isDescending, range.startNs === null && isDescending]
  /** The number of windows since 1970. */
  const numberOf = (ms: number): number => Math.trunc(ms / windows!.intervalMs)
  let next = 0
  return (ms) => {
    if (known.length === 0) return absent
    if (known[next]?.ms === ms) return known[next++]!.cells[at]
    const [before, behind] = [known[next - 1], known[next]]
    if (fill === 'previous' && before !== undefined) return before.cells[at]
    if ((opensBefore && before === undefined) || (opensBehind && behind === undefined)) return absent
    if (fill !== 'linear') return constant
    if (before === undefined || behind === undefined) return null
    const [from, to] = [Number(before.cells[at]), Number(behind.cells[at])]
    const slope = (to - from) / (numberOf(behind.ms) - numberOf(before.ms))
    const value = slope * (numberOf(ms) - numberOf(before.ms)) + from
    return Number.isNaN(value) ? null : numberCell(isWhole ? Math.trunc(value) : value)
  }
}
