// Late rows are merged in when their series is read. What lies before the first of them is shared with what was there, so that the
// cost goes with how late they are, not with how long the series is.
import type { Pacer } from '../../../lib/pacer.ts'
import { inOrder } from '../../../lib/sort-in-slices.ts'
import { type ReplacedColumn, replaceRows } from '../reading/replace-rows.ts'
import { orderByTime } from '../run/order-by-time.ts'
import { orderWithin } from '../run/order-within.ts'
import { type Chunk, copyRows, firstAtOrAfter, newChunk, newColumn, type Segment } from './chunk.ts'

/** A run of more segments than this, and shorter ones than these, is laid down as one: reading it would cost more than its rows. */
const segmentsMax = 64
const segmentRowsMin = 256

/**
 * Rows of `ordered` and then `arrived`, whose rows came in any order, as one run ordered by time and position. With `replaced`, rows of one
 * date become one.
 */
export async function mergeLate(
  ordered: readonly Segment[],
  arrived: readonly Segment[],
  columns: number,
  replaced: readonly ReplacedColumn[] | null,
  pacer: Pacer,
): Promise<readonly Segment[]> {
  const segments = ordered.length + arrived.length
  const scattered = segments > segmentsMax && segments * segmentRowsMin > rowsOf(ordered) + rowsOf(arrived)
  const firstMs = scattered ? Number.NEGATIVE_INFINITY : earliest(arrived)
  const { before, after } = splitAt(ordered, firstMs)
  const tail = [...after, ...arrived]
  if (after.length === 0 && isOrdered(arrived, replaced === null)) return [...before, ...arrived]
  const rows = rowsOf(tail)
  const chunk = await layDown(tail, rows, columns, pacer)
  return [...before, { chunk, start: 0, end: replaced === null ? rows : replaceRows(chunk, rows, replaced) }]
}

function rowsOf(segments: readonly Segment[]): number {
  return segments.reduce((sum, segment) => sum + segment.end - segment.start, 0)
}

function earliest(segments: readonly Segment[]): number {
  let earliestMs = Number.POSITIVE_INFINITY
  for (const { chunk, start, end } of segments) {
    for (let row = start; row < end; row++) if (chunk.times[row] < earliestMs) earliestMs = chunk.times[row]
  }
  return earliestMs
}

function isOrdered(segments: readonly Segment[], mayTie: boolean): boolean {
  let lastMs = Number.NEGATIVE_INFINITY
  let lastPosition = Number.NEGATIVE_INFINITY
  for (const { chunk, start, end } of segments) {
    for (let row = start; row < end; row++) {
      const ms = chunk.times[row]
      if (ms < lastMs || (ms === lastMs && !(mayTie && chunk.positions[row] >= lastPosition))) return false
      lastMs = ms
      lastPosition = chunk.positions[row]
    }
  }
  return true
}

function splitAt(ordered: readonly Segment[], ms: number): { before: Segment[]; after: Segment[] } {
  const before: Segment[] = []
  const after: Segment[] = []
  for (const segment of ordered) {
    const { chunk, start, end } = segment
    const cut = firstAtOrAfter(chunk.times, start, end, ms)
    if (cut > start) before.push({ chunk, start, end: cut })
    if (cut < end) after.push({ chunk, start: cut, end })
  }
  return { before, after }
}

async function layDown(segments: readonly Segment[], rows: number, columns: number, pacer: Pacer): Promise<Chunk> {
  const times = new Float64Array(rows)
  const positions = new Float64Array(rows)
  let length = 0
  for (const { chunk, start, end } of segments) {
    times.set(chunk.times.subarray(start, end), length)
    positions.set(chunk.positions.subarray(start, end), length)
    length += end - start
  }
  const order = (await orderByTime(times, pacer)) ?? inOrder(rows)
  if (!risesWithinTies(order, times, positions)) {
    const sameTime = (left: number, right: number): boolean => times[left] === times[right]
    await orderWithin(order, sameTime, (left, right) => positions[left] - positions[right], pacer)
  }
  const placeOf = new Int32Array(rows)
  for (let place = 0; place < rows; place++) placeOf[order[place]] = place
  const chunk = newChunk(rows)
  for (let place = 0; place < rows; place++) {
    chunk.times[place] = times[order[place]]
    chunk.positions[place] = positions[order[place]]
  }
  for (let column = 0; column < columns; column++) {
    copyColumn(segments, column, placeOf, chunk)
    if (pacer.spend(rows)) await pacer.rest()
  }
  return chunk
}

/** Positions rise as rows come, so that rows of one time are nearly always in order already. */
function risesWithinTies(order: Int32Array, times: Float64Array, positions: Float64Array): boolean {
  for (let place = 1; place < order.length; place++) {
    const before = order[place - 1]
    const here = order[place]
    if (times[before] === times[here] && positions[before] > positions[here]) return false
  }
  return true
}

function copyColumn(segments: readonly Segment[], index: number, placeOf: Int32Array, to: Chunk): void {
  let length = 0
  for (const { chunk, start, end } of segments) {
    const from = chunk.columns[index]
    if (from !== undefined) {
      const target =
        to.columns[index] ?? newColumn(from.type, placeOf.length, from.type === 'string' ? from.dictionary : [])
      to.columns[index] = target
      copyRows(from, start, end, target, placeOf.subarray(length, length + end - start))
    }
    length += end - start
  }
}
