import type { StringColumn } from '../../../model/column.ts'
import { readDifferences } from './differences.ts'
import type { PageInput } from './page-input.ts'

export interface PlainLongs {
  readonly values: Float64Array
  /** All digits, when a value is beyond 2^53; otherwise null. */
  readonly exact: BigInt64Array | null
}

/** Reads `count` doubles into the start of `out`. */
export function readPlainDoubles(input: PageInput, count: number, out: Float64Array): void {
  const { bytes, position } = input
  new Uint8Array(out.buffer, out.byteOffset, count * 8).set(bytes.subarray(position, position + count * 8))
  input.position += count * 8
}

/** Reads `count` longs into the start of arrays of length `rows`. */
export function readPlainLongs(input: PageInput, count: number, rows = count): PlainLongs {
  const { view, bytes, position } = input
  const values = new Float64Array(rows)
  let isExact = true
  for (let index = 0; index < count; index++) {
    const at = position + index * 8
    const value = view.getInt32(at + 4, true) * 2 ** 32 + view.getUint32(at, true)
    if (!Number.isSafeInteger(value)) isExact = false
    values[index] = value
  }
  input.position += count * 8
  if (isExact) return { values, exact: null }
  const exact = new BigInt64Array(rows)
  new Uint8Array(exact.buffer).set(bytes.subarray(position, position + count * 8))
  return { values, exact }
}

/** Reads strings that are each preceded by their length, as in a dictionary. */
export function readSizedStrings(input: PageInput, count: number): string[] {
  const text = Buffer.from(input.bytes.buffer)
  const strings = new Array<string>(count)
  for (let index = 0; index < count; index++) {
    const length = input.uint32()
    strings[index] = text.toString('utf8', input.position, input.position + length)
    input.position += length
  }
  return strings
}

/** Reads DELTA_LENGTH_BYTE_ARRAY into the start of `rows` codes; each distinct string gets one code. */
export function readPlainStrings(input: PageInput, count: number, rows: number): StringColumn {
  const lengths = new Float64Array(count)
  readDifferences(input, lengths)
  const text = Buffer.from(input.bytes.buffer)
  const codes = new Int32Array(rows)
  const codeOf = new Map<string, number>()
  for (let index = 0, start = input.position; index < count; index++) {
    const length = lengths[index]
    if (index > 0 && length === lengths[index - 1] && repeats(input.bytes, start, length)) {
      codes[index] = codes[index - 1]
    } else {
      const string = text.toString('utf8', start, start + length)
      codes[index] = codeOf.get(string) ?? codeOf.set(string, codeOf.size).size - 1
    }
    start += length
  }
  return { type: 'string', codes, dictionary: [...codeOf.keys()] }
}

/** Whether the bytes from `start` on repeat those before it. Comparing is cheaper than decoding them again. */
function repeats(bytes: Uint8Array, start: number, length: number): boolean {
  for (let at = start; at < start + length; at++) if (bytes[at] !== bytes[at - length]) return false
  return true
}
