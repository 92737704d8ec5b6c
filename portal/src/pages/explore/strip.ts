// The strip below a chart: the whole time of an entity, with the chart's range as a window.
import type { EntityDescription } from '../../../../src/client/answers.ts'
import type { Span } from '../../parts/span.ts'
import type { Lines } from './lines.ts'
import { firstDate } from './view.ts'

/** From the entity's first item or hour to its last, extended to include the shown range; null if the entity has no items. */
export function wholeSpan(entity: EntityDescription, { fromMs, toMs }: Span): Span | null {
  const [first, last] = [firstDate(entity), entity.last_date]
  if (first === null || last === null) return null
  return { fromMs: Math.min(Date.parse(first), fromMs), toMs: Math.max(Date.parse(last), toMs) }
}

/** The range moved within the whole, with the same length. */
export function slid(span: Span, byMs: number, whole: Span): Span {
  const lengthMs = span.toMs - span.fromMs
  const fromMs = Math.max(whole.fromMs, Math.min(whole.toMs - lengthMs, span.fromMs + byMs))
  return { fromMs, toMs: fromMs + lengthMs }
}

/** The distance that a key moves the window, in multiples of its length. */
const lengthsByKey = new Map([
  ['ArrowLeft', -0.25],
  ['ArrowDown', -0.25],
  ['ArrowRight', 0.25],
  ['ArrowUp', 0.25],
  ['PageDown', -1],
  ['PageUp', 1],
  ['Home', Number.NEGATIVE_INFINITY],
  ['End', Number.POSITIVE_INFINITY],
])

/** The window after a key press; null if the key does not move it. */
export function slidByKey(span: Span, key: string, whole: Span): Span | null {
  const lengths = lengthsByKey.get(key)
  if (lengths === undefined) return null
  return slid(span, Number.isFinite(lengths) ? Math.round(lengths * (span.toMs - span.fromMs)) : lengths, whole)
}

export const stripSize = { width: 1000, height: 40 } as const

/** The finest granularity with at most `bucketsMax` equal buckets. Beyond an hour, buckets are whole hours, since only hours may be kept. */
export function stripGranularity({ fromMs, toMs }: Span, bucketsMax: number): string {
  const seconds = Math.max(1, Math.ceil((toMs - fromMs) / 1000 / bucketsMax))
  return seconds > 3600 ? `PT${Math.ceil(seconds / 3600)}H` : `PT${seconds}S`
}

/** For each line with a band, the areas between least and greatest. Each bucket covers its whole time; each line is scaled to the height of the strip. */
export function stripAreas(
  { lines, bands, data: [seconds, ...columns] }: Lines,
  { fromMs, toMs }: Span,
  bucketMs: number,
) {
  const x = (ms: number): number =>
    (stripSize.width * (Math.min(Math.max(ms, fromMs), toMs) - fromMs)) / (toMs - fromMs)
  return bands.map(({ low, high }) => {
    const pieces: [x: number, low: number, high: number][][] = [[]]
    let [least, greatest] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]
    for (const [place, second] of seconds.entries()) {
      const [from, to] = [columns[low]?.[place], columns[high]?.[place]]
      if (from === null) pieces.push([])
      if (from == null || to == null) continue
      ;[least, greatest] = [Math.min(least, from), Math.max(greatest, to)]
      const startMs = second * 1000
      pieces.at(-1)!.push([x(startMs), from, to], [x(startMs + bucketMs), from, to])
    }
    const y = (value: number): number =>
      greatest === least
        ? stripSize.height / 2
        : stripSize.height - 1 - ((value - least) / (greatest - least)) * (stripSize.height - 2)
    const point = (at: number, value: number): string => `${at.toFixed(1)},${y(value).toFixed(1)}`
    return {
      color: lines[low]!.color,
      areas: pieces
        .filter(({ length }) => length > 0)
        .map((piece) =>
          [
            ...piece.map(([at, from]) => point(at, from)),
            ...piece.toReversed().map(([at, , to]) => point(at, to)),
          ].join(' '),
        ),
    }
  })
}
