import type { BorrowedArrays } from '../../../lib/spare-buffers.ts'
import { sliceRows } from './slices.ts'

export interface NumberDictionary {
  /** The distinct numbers, in the order of their first appearance. */
  readonly entries: Float64Array
  /** For each number, the index of its entry. */
  readonly codes: Int32Array
}

/** Slots per possible entry: few collisions, and the table stays in the processor's cache. */
const slotsPerEntry = 2

/** Collects the distinct numbers, compared by their bits: -0 is not 0. Returns null when there are more than `entriesMax`. */
export function* buildNumberDictionary(
  values: Float64Array,
  entriesMax: number,
  arrays: BorrowedArrays,
): Generator<void, NumberDictionary | null> {
  const bits = 32 - Math.clz32(Math.max(1, entriesMax * slotsPerEntry - 1))
  const slots = arrays.int32(1 << bits).fill(-1)
  const entries = arrays.float64(entriesMax)
  const known = new Int32Array(entries.buffer, 0, entriesMax * 2)
  const words = new Int32Array(values.buffer, values.byteOffset, values.length * 2)
  const codes = arrays.int32(values.length)
  let length = 0
  for (let start = 0; start < values.length; start += sliceRows) {
    length = indexSlice(words, start, Math.min(start + sliceRows, values.length), { slots, bits, known, codes }, length)
    if (length < 0) return null
    yield
  }
  return { entries: entries.subarray(0, length), codes }
}

interface IndexState {
  readonly slots: Int32Array
  readonly bits: number
  /** The entries as 32-bit words, two for each. */
  readonly known: Int32Array
  readonly codes: Int32Array
}

/** Returns the new number of entries, or -1 when there is no space for another. */
function indexSlice(words: Int32Array, start: number, end: number, state: IndexState, entries: number): number {
  const { slots, bits, known, codes } = state
  const mask = slots.length - 1
  let length = entries
  let lastCode = -1
  for (let index = start; index < end; index++) {
    const low = words[2 * index]
    const high = words[2 * index + 1]
    if (lastCode < 0 || known[2 * lastCode] !== low || known[2 * lastCode + 1] !== high) {
      const hash = Math.imul(Math.imul(low, 0x2c1b3c6d) ^ high, 0x297a2d39)
      let slot = (hash ^ (hash >>> 15)) >>> (32 - bits)
      for (lastCode = slots[slot]; lastCode >= 0; lastCode = slots[slot]) {
        if (known[2 * lastCode] === low && known[2 * lastCode + 1] === high) break
        slot = (slot + 1) & mask
      }
      if (lastCode < 0) {
        if (2 * length === known.length) return -1
        known[2 * length] = low
        known[2 * length + 1] = high
        lastCode = length++
        slots[slot] = lastCode
      }
    }
    codes[index] = lastCode
  }
  return length
}
