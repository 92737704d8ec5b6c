// Draws the count of each bucket as a bar from zero.
import type { Canvas } from '../../parts/chart.tsx'
import type { LineData } from '../../parts/line-data.ts'

export interface Bars {
  readonly data: LineData
  /** The number of data columns drawn as bars, side by side. */
  readonly count: number
  /** Start and end of a bucket, limited by the range and by now. */
  boundsOf(second: number): readonly [from: number, to: number]
  /** Partial buckets are drawn as a dashed outline. */
  isPartial(second: number): boolean
  colorOf(place: number): string
  /** The index of a line's axis. */
  axisOf(place: number): number
}

const dash = [4, 4]
/** The share of a bucket's width that bars fill; the rest separates it from the next one. */
const filled = 0.84

export function paintBars({ ctx, at }: Canvas, { data, count, boundsOf, isPartial, colorOf, axisOf }: Bars): void {
  const [seconds, ...columns] = data
  for (let line = 0; line < count; line++) {
    const [color, axis] = [colorOf(line), axisOf(line)]
    const zero = at(0, axis)
    for (const [place, value] of columns[line]!.entries()) {
      if (value == null) continue
      const second = seconds[place]!
      const [from, to] = boundsOf(second)
      const [begin, end] = [at(from, 'x'), at(to, 'x')]
      const width = ((end - begin) * filled) / count
      const x = begin + ((end - begin) * (1 - filled)) / 2 + line * width
      const y = at(value, axis)
      const box = [x, Math.min(zero, y), Math.max(1, width), Math.max(1, Math.abs(zero - y))] as const
      ctx.save()
      ctx.fillStyle = color
      ctx.strokeStyle = color
      if (isPartial(second)) {
        ctx.setLineDash(dash)
        ctx.strokeRect(...box)
        ctx.globalAlpha = 0.2
      }
      ctx.fillRect(...box)
      ctx.restore()
    }
  }
}
