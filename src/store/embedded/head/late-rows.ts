// Late rows are merged in when their series is read. Rows before the first late one are shared with the previous order, so that the cost
// depends on how late rows are, not on how long the series is.
import { forEachChunk } from '../../../lib/for-each-chunk.ts'
import type { Pacer } from '../../../lib/pacer.ts'
import { inOrder } from '../../../lib/sort-in-slices.ts'
import { type ReplacedColumn, replaceManyRows } from '../reading/replace-rows.ts'
import { orderByTime } from '../run/order-by-time.ts'
import { orderWithin } from '../run/order-within.ts'
import { type Chunk, copyRows, firstAtOrAfter, newChunk, newColumn, type RowSlice } from './chunk.ts'

/** A run of more ranges than `slicesMax`, with fewer rows than `sliceRowsMin` on average, is copied into one: reading it would cost more. */
const slicesMax = 64
const sliceRowsMin = 256

/**
 * Merges the rows of `ordered` and then `arrived`, whose rows came in any order, into one run ordered by time and position. With `replaced`,
 * rows of the same date become one.
 */
export async function mergeLate(
  ordered: readonly RowSlice[],
  arrived: readonly RowSlice[],
  columns: number,
  replaced: readonly ReplacedColumn[] | null,
  pacer: Pacer,
): Promise<readonly RowSlice[]> {
  const slices = ordered.length + arrived.length
  const scattered = slices > slicesMax && slices * sliceRowsMin > rowsOf(ordered) + rowsOf(arrived)
  const firstMs = scattered ? Number.NEGATIVE_INFINITY : await earliest(arrived, pacer)
  const { before, after } = splitAt(ordered, firstMs)
  const tail = [...after, ...arrived]
  if (after.length === 0 && (await isOrdered(arrived, replaced === null, pacer))) return [...before, ...arrived]
  const rows = rowsOf(tail)
  const chunk = await copyInOrder(tail, rows, columns, pacer)
  const end = replaced === null ? rows : await replaceManyRows(chunk, rows, replaced, pacer)
  return [...before, { chunk, start: 0, end }]
}

function rowsOf(slices: readonly RowSlice[]): number {
  return slices.reduce((sum, slice) => sum + slice.end - slice.start, 0)
}

async function earliest(slices: readonly RowSlice[], pacer: Pacer): Promise<number> {
  let earliestMs = Number.POSITIVE_INFINITY
  for (const { chunk, start, end } of slices) {
    await forEachChunk(start, end, pacer, (first, last) => {
      for (let row = first; row < last; row++) if (chunk.times[row] < earliestMs) earliestMs = chunk.times[row]
    })
  }
  return earliestMs
}

async function isOrdered(slices: readonly RowSlice[], mayTie: boolean, pacer: Pacer): Promise<boolean> {
  let lastMs = Number.NEGATIVE_INFINITY
  let lastPosition = Number.NEGATIVE_INFINITY
  let isSo = true
  for (const { chunk, start, end } of slices) {
    await forEachChunk(start, end, pacer, (first, last) => {
      for (let row = first; row < last && isSo; row++) {
        const ms = chunk.times[row]
        if (ms < lastMs || (ms === lastMs && !(mayTie && chunk.positions[row] >= lastPosition))) isSo = false
        lastMs = ms
        lastPosition = chunk.positions[row]
      }
    })
    if (!isSo) return false
  }
  return true
}

function splitAt(ordered: readonly RowSlice[], ms: number): { before: RowSlice[]; after: RowSlice[] } {
  const before: RowSlice[] = []
  const after: RowSlice[] = []
  for (const slice of ordered) {
    const { chunk, start, end } = slice
    const cut = firstAtOrAfter(chunk.times, start, end, ms)
    if (cut > start) before.push({ chunk, start, end: cut })
    if (cut < end) after.push({ chunk, start: cut, end })
  }
  return { before, after }
}

async function copyInOrder(slices: readonly RowSlice[], rows: number, columns: number, pacer: Pacer): Promise<Chunk> {
  const times = new Float64Array(rows)
  const positions = new Float64Array(rows)
  let length = 0
  for (const { chunk, start, end } of slices) {
    times.set(chunk.times.subarray(start, end), length)
    positions.set(chunk.positions.subarray(start, end), length)
    length += end - start
  }
  const order = (await orderByTime(times, pacer)) ?? inOrder(rows)
  if (!(await risesWithinTies(order, times, positions, pacer))) {
    const sameTime = (left: number, right: number): boolean => times[left] === times[right]
    await orderWithin(order, sameTime, (left, right) => positions[left] - positions[right], pacer)
  }
  const placeOf = new Int32Array(rows)
  const chunk = newChunk(rows)
  await forEachChunk(0, rows, pacer, (start, end) => {
    for (let place = start; place < end; place++) {
      const row = order[place]
      placeOf[row] = place
      chunk.times[place] = times[row]
      chunk.positions[place] = positions[row]
    }
  })
  for (let column = 0; column < columns; column++) await copyColumn(slices, column, placeOf, chunk, pacer)
  return chunk
}

/** Positions ascend as rows come, so rows of the same time are nearly always in order already. */
async function risesWithinTies(
  order: Int32Array,
  times: Float64Array,
  positions: Float64Array,
  pacer: Pacer,
): Promise<boolean> {
  let isSo = true
  await forEachChunk(1, order.length, pacer, (start, end) => {
    for (let place = start; place < end && isSo; place++) {
      const before = order[place - 1]
      const here = order[place]
      isSo = times[before] !== times[here] || positions[before] <= positions[here]
    }
  })
  return isSo
}

async function copyColumn(
  slices: readonly RowSlice[],
  index: number,
  placeOf: Int32Array,
  to: Chunk,
  pacer: Pacer,
): Promise<void> {
  let length = 0
  for (const { chunk, start, end } of slices) {
    const from = chunk.columns[index]
    const offset = length - start
    length += end - start
    if (from === undefined) continue
    const target =
      to.columns[index] ?? newColumn(from.type, placeOf.length, from.type === 'string' ? from.dictionary : [])
    to.columns[index] = target
    await forEachChunk(start, end, pacer, (first, last) =>
      copyRows(from, first, last, target, placeOf.subarray(offset + first, offset + last)),
    )
  }
}
