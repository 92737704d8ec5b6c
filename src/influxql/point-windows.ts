// Aggregates computed from the points of a series themselves: integrals and medians, of windows or of all points.
import { addTo } from '../lib/add-to.ts'
import { forEachChunk } from '../lib/for-each-chunk.ts'
import type { Pacer } from '../lib/pacer.ts'
import { type Cell, type Leaf, numberCell, type Point } from './columns.ts'
import type { SelectPlan } from './plan-select.ts'

export async function computedWindows(
  { leaves, windows, isDescending }: SelectPlan,
  points: readonly Point[],
  pacer: Pacer,
): Promise<readonly Point[]> {
  const byStart = new Map<number, Cell[]>()
  for (const [at, leaf] of leaves.entries()) {
    const known: Known[] = []
    await forEachChunk(0, points.length, pacer, (start, end) => {
      for (const { ms, cells } of points.slice(start, end))
        if (cells[at] != null) known.push({ ms, value: Number(cells[at]) })
    })
    const startOf = (ms: number): number => windows?.startOf(ms) ?? 0
    const values =
      leaf.call === 'median'
        ? await mediansOf(known, startOf, pacer)
        : await integralsOf(
            isDescending && windows !== null ? known.reverse() : known,
            leaf,
            startOf,
            (ms) => windows?.endOf(ms) ?? Number.POSITIVE_INFINITY,
            pacer,
          )
    for (const [start, value] of values) {
      const cells = byStart.get(start) ?? Array.from<Cell>({ length: leaves.length })
      cells[at] = numberCell(value)
      byStart.set(start, cells)
    }
  }
  const sorted = [...byStart].map(([ms, cells]) => ({ ms, cells })).sort((a, b) => a.ms - b.ms)
  return isDescending ? sorted.reverse() : sorted
}

interface Known {
  readonly ms: number
  readonly value: number
}

/** Pacer units for a point that is sorted or whose window is looked up. */
const unitsPerPoint = 16

async function mediansOf(
  points: readonly Known[],
  startOf: (ms: number) => number,
  pacer: Pacer,
): Promise<Map<number, number>> {
  const groups = new Map<number, number[]>()
  for (const { ms, value } of points) {
    const start = startOf(ms)
    addTo(groups, start, value)
    if (pacer.spend(unitsPerPoint)) await pacer.rest()
  }
  const medians = new Map<number, number>()
  for (const [start, values] of groups) {
    medians.set(start, medianOf(Float64Array.from(values).sort()))
    if (pacer.spend(values.length * unitsPerPoint)) await pacer.rest()
  }
  return medians
}

function medianOf(sorted: Float64Array): number {
  const middle = Math.floor(sorted.length / 2)
  const [low, high] = [sorted[sorted.length % 2 === 0 ? middle - 1 : middle]!, sorted[middle]!]
  return low + (high - low) / 2
}

/**
 * The area below the lines between points, divided among windows as in InfluxDB: a line is cut at the end of the window in which it starts, and the
 * rest of it belongs to the window in which it ends. A window whose only point is at its start has no value.
 */
async function integralsOf(
  points: readonly Known[],
  { unitMs }: Leaf,
  startOf: (ms: number) => number,
  endOf: (ms: number) => number,
  pacer: Pacer,
): Promise<Map<number, number>> {
  const sums = new Map<number, number>()
  let [before] = points
  if (before === undefined) return sums
  let [start, end, sum] = [startOf(before.ms), endOf(before.ms), 0]
  const add = (from: Known, to: Known): void => {
    sum += (0.5 * (from.value + to.value) * (to.ms - from.ms)) / unitMs
  }
  for (const point of points.slice(1)) {
    if (pacer.spend(unitsPerPoint)) await pacer.rest()
    if (point.ms >= end) {
      const cut = {
        ms: end,
        value: before.value + ((point.value - before.value) * (end - before.ms)) / (point.ms - before.ms),
      }
      add(before, cut)
      sums.set(start, sum)
      before = cut
      ;[start, end, sum] = [startOf(point.ms), endOf(point.ms), 0]
    }
    add(before, point)
    before = point
  }
  if (before.ms !== start) sums.set(start, sum)
  return sums
}
