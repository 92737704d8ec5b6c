import { nullCode, type StringColumn } from '../../../model/column.ts'
import { ByteWriter } from './byte-writer.ts'

/** The strings that a row group uses, numbered in the order of their first appearance. */
export interface UsedStrings {
  readonly entries: readonly string[]
  /** The entry of each row that has a value. */
  readonly codes: Int32Array
  /** All entries in UTF-8. */
  readonly bytes: Uint8Array
  /** Where each entry begins in `bytes`, and where the last one ends. */
  readonly offsets: Int32Array
}

/** A column's dictionary may hold many strings that these rows do not use. */
export function usedStrings({ codes, dictionary }: StringColumn, values: number): UsedStrings {
  const entryOf = new Int32Array(dictionary.length).fill(-1)
  const entries: string[] = []
  const dense = new Int32Array(values)
  let count = 0
  for (let row = 0; row < codes.length; row++) {
    const code = codes[row]
    if (code === nullCode) continue
    let entry = entryOf[code]
    if (entry < 0) {
      entry = entries.length
      entryOf[code] = entry
      entries.push(dictionary[code])
    }
    dense[count++] = entry
  }
  return { entries, codes: dense, ...encode(entries) }
}

const encoder = new TextEncoder()

function encode(entries: readonly string[]): { bytes: Uint8Array; offsets: Int32Array } {
  const out = new ByteWriter()
  const offsets = new Int32Array(entries.length + 1)
  entries.forEach((text, entry) => {
    out.reserve(text.length * 3)
    out.length += encoder.encodeInto(text, out.bytes.subarray(out.length)).written
    offsets[entry + 1] = out.length
  })
  return { bytes: out.written(), offsets }
}
