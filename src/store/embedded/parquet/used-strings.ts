import type { BorrowedArrays } from '../../../lib/spare-buffers.ts'
import { nullCode, type StringColumn } from '../../../model/column.ts'
import { ByteWriter } from './byte-writer.ts'
import { sliceRows } from './slices.ts'

/** The strings that a row group uses, numbered in the order of their first appearance. */
export interface UsedStrings {
  readonly entries: readonly string[]
  /** The entry of each row that has a value. */
  readonly codes: Int32Array
  /** All entries in UTF-8. */
  readonly bytes: Uint8Array
  /** The start of each entry in `bytes`, then the end of the last one. */
  readonly offsets: Int32Array
}

/** Collects the strings in use; a column's dictionary may have many strings that these rows do not use. */
export function* usedStrings(
  { codes, dictionary }: StringColumn,
  values: number,
  arrays: BorrowedArrays,
): Generator<void, UsedStrings> {
  const entryOf = arrays.int32(dictionary.length).fill(-1)
  const used: Used = { entryOf, codesOf: [], codes: arrays.int32(values) }
  let count = 0
  for (let start = 0; start < codes.length; start += sliceRows) {
    count = useSlice(codes, start, Math.min(start + sliceRows, codes.length), used, count)
    yield
  }
  const entries = used.codesOf.map((code) => dictionary[code])
  const out = new ByteWriter()
  const offsets = new Int32Array(entries.length + 1)
  for (let start = 0; start < entries.length; start += stepStrings) {
    encodeSlice(entries, start, Math.min(start + stepStrings, entries.length), offsets, out)
    yield
  }
  return { entries, codes: used.codes, bytes: out.written(), offsets }
}

interface Used {
  /** The entry of each code of the column's dictionary, -1 when it is not used. */
  readonly entryOf: Int32Array
  /** The column's code of each entry. */
  readonly codesOf: number[]
  readonly codes: Int32Array
}

/** Returns the new count of values. */
function useSlice(codes: Int32Array, start: number, end: number, used: Used, values: number): number {
  const { entryOf, codesOf, codes: dense } = used
  let count = values
  for (let row = start; row < end; row++) {
    const code = codes[row]
    if (code === nullCode) continue
    let entry = entryOf[code]
    if (entry < 0) {
      entry = codesOf.push(code) - 1
      entryOf[code] = entry
    }
    dense[count++] = entry
  }
  return count
}

const encoder = new TextEncoder()
/** Strings encoded between two yields. */
const stepStrings = 1 << 14

function encodeSlice(
  entries: readonly string[],
  start: number,
  end: number,
  offsets: Int32Array,
  out: ByteWriter,
): void {
  for (let entry = start; entry < end; entry++) {
    const text = entries[entry]
    out.reserve(text.length * 3)
    out.length += encoder.encodeInto(text, out.bytes.subarray(out.length)).written
    offsets[entry + 1] = out.length
  }
}
