import type { Pacer } from '../lib/pacer.ts'
import { inOrder, sortInSlices } from '../lib/sort-in-slices.ts'

type Compare = (left: number, right: number) => number

/** The places 0 to `length` - 1 in the order of `compare`; equal ones keep their order. */
export function orderRows(length: number, compare: Compare, pacer: Pacer): Promise<Int32Array> {
  return sortInSlices(inOrder(length), 0, compare, pacer)
}
