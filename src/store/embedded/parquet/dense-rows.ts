// Pages store only the values of rows that have one; the definition levels before them record which rows these are.
import type { BorrowedArrays } from '../../../lib/spare-buffers.ts'
import { type ColumnVector, columnLength, nullBoolean, nullCode } from '../../../model/column.ts'

export interface DenseRows {
  /** 1 for a row with a value, 0 for a null; null when there is no null. */
  readonly defined: Int32Array | null
  /** The number of values up to the end of each page. */
  readonly ends: Int32Array
  /** The rows that have a value; null when all have one. */
  readonly rows: Int32Array | null
}

export function* denseRows(
  column: ColumnVector,
  pageEnds: Int32Array,
  arrays: BorrowedArrays,
): Generator<void, DenseRows> {
  const length = columnLength(column)
  const nulls = countNulls(column)
  if (nulls === 0) return { defined: null, ends: pageEnds, rows: null }
  yield
  const defined = definedRows(column, arrays.int32(length).fill(1))
  yield
  const rows = arrays.int32(length - nulls)
  const ends = new Int32Array(pageEnds.length)
  let count = 0
  let row = 0
  for (let page = 0; page < ends.length; page++) {
    for (; row < pageEnds[page]; row++) if (defined[row] === 1) rows[count++] = row
    ends[page] = count
  }
  return { defined, ends, rows }
}

function countNulls(column: ColumnVector): number {
  let nulls = 0
  if (column.type === 'string') {
    const { codes } = column
    for (let row = 0; row < codes.length; row++) if (codes[row] === nullCode) nulls++
  } else if (column.type === 'boolean') {
    const { values } = column
    for (let row = 0; row < values.length; row++) if (values[row] === nullBoolean) nulls++
  } else {
    const { values } = column
    for (let row = 0; row < values.length; row++) if (Number.isNaN(values[row])) nulls++
  }
  return nulls
}

/** Sets `defined` to 0 for the rows that are null. */
function definedRows(column: ColumnVector, defined: Int32Array): Int32Array {
  const { length } = defined
  if (column.type === 'string') {
    const { codes } = column
    for (let row = 0; row < length; row++) if (codes[row] === nullCode) defined[row] = 0
  } else if (column.type === 'boolean') {
    const { values } = column
    for (let row = 0; row < length; row++) if (values[row] === nullBoolean) defined[row] = 0
  } else {
    const { values } = column
    for (let row = 0; row < length; row++) if (Number.isNaN(values[row])) defined[row] = 0
  }
  return defined
}
