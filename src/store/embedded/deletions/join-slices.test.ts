import { expect, test } from 'vitest'
import type { Chunk } from '../head/chunk.ts'
import { joinSlices } from './join-slices.ts'

const rows = Array.from({ length: 12 }, (_, row) => row)
const dictionary = rows.map((row) => `text ${row}`)
const chunk: Chunk = {
  times: Float64Array.from(rows),
  positions: Float64Array.from(rows, (row) => 100 + row),
  columns: [
    { type: 'double', values: Float64Array.from(rows, (row) => row / 2), exact: null },
    { type: 'string', codes: Int32Array.from(rows), dictionary },
    { type: 'boolean', values: Uint8Array.from(rows, (row) => row % 2) },
    { type: 'long', values: Float64Array.from(rows), exact: BigInt64Array.from(rows, (row) => BigInt(row)) },
    { type: 'double', values: Float64Array.from(rows), exact: null },
  ],
}
/** Every second row, and two rows at the end. */
const many = [1, 3, 5, 7, 9].map((start) => ({ start, end: start === 9 ? 11 : start + 1 }))

test('joins many slices of a page into one slice of the requested columns', () => {
  const kept = [1, 3, 5, 7, 9, 10]
  const [joined, ...others] = joinSlices(chunk, many, [0, 1, 2, 3, 9])
  expect(others).toEqual([])
  expect([joined!.start, joined!.end, [...joined!.chunk.times]]).toEqual([0, kept.length, kept])
  expect([...joined!.chunk.positions]).toEqual(kept.map((row) => 100 + row))
  expect(joined!.chunk.columns).toEqual([
    { type: 'double', values: Float64Array.from(kept, (row) => row / 2), exact: null },
    { type: 'string', codes: Int32Array.from(kept), dictionary },
    { type: 'boolean', values: Uint8Array.from(kept, (row) => row % 2) },
    { type: 'long', values: Float64Array.from(kept), exact: BigInt64Array.from(kept, (row) => BigInt(row)) },
  ])
})

test('returns a single slice unchanged', () => {
  const few = many.slice(0, 1)
  expect(joinSlices(chunk, few, [0])).toEqual(few.map((slice) => ({ chunk, ...slice })))
})
