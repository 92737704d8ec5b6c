// fill(): what windows without a value have.
import type { Cell, Leaf, Point } from './columns.ts'
import { numberCell } from './columns.ts'
import { type SelectPlan, tooManyBuckets } from './plan-select.ts'
import type { Windows } from './windows.ts'

/** The windows of a series, each leaf filled by itself. Throws Problem `too_many_buckets`. */
export function fillSeries(
  { windows, fill, range, leaves, isDescending }: SelectPlan,
  given: readonly Point[],
  { bucketsMax, nowMs }: { readonly bucketsMax: number; readonly nowMs: number },
): readonly Point[] {
  const points = given.filter(({ cells }) => cells.some((cell) => cell !== undefined))
  if (windows === null || points.length === 0) return []
  const first = range.startNs === null ? null : windows.startOf(range.fromMs)
  const last = windows.startOf(range.hasEnd ? range.untilMs : nowMs)
  const [oldest, newest] = [points[0]!.ms, points.at(-1)!.ms].sort((a, b) => a - b) as [number, number]
  const [from, to] = [first ?? oldest, Math.max(last, newest)]
  const walked = startsOf(windows, from, to, bucketsMax)
  const starts = isDescending ? walked.reverse() : walked
  const places = new Map(starts.map((ms, place) => [ms, place]))
  const numbers = starts.map((ms) => Math.trunc(ms / windows.intervalMs))
  const filled = leaves.map((leaf, at) => {
    const cells = Array.from<Cell>({ length: starts.length })
    for (const point of points) {
      cells[places.get(point.ms)!] = point.cells[at]
    }
    return filledCells(cells, numbers, leaf, fill, first === null ? (isDescending ? 'end' : 'start') : null)
  })
  return starts.map((ms, place) => ({ ms, cells: filled.map((cells) => cells[place]) }))
}

function startsOf(windows: Windows, from: number, to: number, bucketsMax: number): number[] {
  const starts: number[] = []
  for (let start = from; start <= to; start = windows.after(start)) {
    if (starts.length === bucketsMax) throw tooManyBuckets(bucketsMax)
    starts.push(start)
  }
  return starts
}

/** Their values are doubles whatever their field is. */
const ofDoubles = new Set(['mean', 'median', 'stddev'])

const isCount = ({ call }: Leaf): boolean => call === 'count' || call === 'count_distinct'
const isWholeOf = (leaf: Leaf): boolean => isCount(leaf) || (leaf.field?.type === 'long' && !ofDoubles.has(leaf.call!))

/** What an empty window has, whatever is around it. As InfluxDB has it, a number is false where there are booleans, and no text. */
function constantOf(fill: SelectPlan['fill'], leaf: Leaf): string | null {
  if (typeof fill !== 'object') return isCount(leaf) && fill === 'null' ? '0' : null
  const { type } = leaf.field ?? {}
  if (!isCount(leaf) && type === 'boolean') return 'false'
  if (!isCount(leaf) && (type === 'string' || type === 'timestamp')) return '""'
  return String(isWholeOf(leaf) ? Math.trunc(Number(fill.digits)) : Number(fill.digits))
}

function filledCells(
  cells: readonly Cell[],
  /** Of the windows: how many there were since 1970. */
  numbers: readonly number[],
  leaf: Leaf,
  fill: SelectPlan['fill'],
  open: 'start' | 'end' | null,
): readonly Cell[] {
  const known = cells.flatMap((cell, place) => (cell === undefined ? [] : [place]))
  const isWhole = isWholeOf(leaf)
  const constant = constantOf(fill, leaf)
  // Without a point there is no series of it; only a number stands for one, also for a text or a boolean.
  const absent = typeof fill !== 'object' ? undefined : isWhole ? constant : String(Number(fill.digits))
  if (known.length === 0) return cells.map(() => absent)
  let next = 0
  return cells.map((cell, place) => {
    if (cell !== undefined) {
      next++
      return cell
    }
    const [before, behind] = [known[next - 1], known[next]]
    if (fill === 'previous' && before !== undefined) return cells[before]!
    // Where the range is open, a leaf begins with its own first point.
    const isBeyond = (open === 'start' && before === undefined) || (open === 'end' && behind === undefined)
    if (isBeyond) return absent
    if (fill !== 'linear') return constant
    if (before === undefined || behind === undefined) return null
    const [from, to] = [Number(cells[before]), Number(cells[behind])]
    const slope = (to - from) / (numbers[behind]! - numbers[before]!)
    const value = slope * (numbers[place]! - numbers[before]!) + from
    return Number.isNaN(value) ? null : numberCell(isWhole ? Math.trunc(value) : value)
  })
}
