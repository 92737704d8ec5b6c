import type { StringColumn } from '../../../model/column.ts'
import { readDeltas } from './deltas.ts'
import type { PageInput } from './page-input.ts'

export interface PlainLongs {
  readonly values: Float64Array
  /** All digits, where one of them is beyond 2^53. */
  readonly exact: BigInt64Array | null
}

/** Reads `count` doubles into the start of `out`. */
export function readPlainDoubles(input: PageInput, count: number, out: Float64Array): void {
  const { bytes, position } = input
  new Uint8Array(out.buffer, out.byteOffset, count * 8).set(bytes.subarray(position, position + count * 8))
  input.position += count * 8
}

/** Reads `count` longs into the start of arrays of the length `rows`. */
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

/** Reads strings that each stand behind their length, as in a dictionary. */
export function readSizedStrings(input: PageInput, count: number): string[] {
  const starts = new Float64Array(count)
  const ends = new Float64Array(count)
  for (let index = 0; index < count; index++) {
    const length = input.uint32()
    starts[index] = input.position
    input.position += length
    ends[index] = input.position
  }
  return decodeStrings(input, starts, ends)
}

/** Reads DELTA_LENGTH_BYTE_ARRAY into the start of `rows` codes, and gives each different string one code. */
export function readPlainStrings(input: PageInput, count: number, rows: number): StringColumn {
  const lengths = new Float64Array(count)
  readDeltas(input, lengths)
  const ends = new Float64Array(count)
  let end = input.position
  for (let index = 0; index < count; index++) {
    end += lengths[index]
    ends[index] = end
  }
  const starts = ends.map((value, index) => value - lengths[index])
  const codes = new Int32Array(rows)
  const dictionary: string[] = []
  const codeOf = new Map<string, number>()
  decodeStrings(input, starts, ends).forEach((text, index) => {
    let code = codeOf.get(text)
    if (code === undefined) {
      code = dictionary.length
      codeOf.set(text, code)
      dictionary.push(text)
    }
    codes[index] = code
  })
  return { type: 'string', codes, dictionary }
}

function decodeStrings({ bytes }: PageInput, starts: Float64Array, ends: Float64Array): string[] {
  if (starts.length === 0) return []
  const from = starts[0]
  const buffer = Buffer.from(bytes.buffer, from, ends[ends.length - 1] - from)
  const strings = new Array<string>(starts.length)
  for (let index = 0; index < strings.length; index++)
    strings[index] = buffer.toString('utf8', starts[index] - from, ends[index] - from)
  return strings
}
