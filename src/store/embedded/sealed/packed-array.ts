// The number arrays of an index: most rise by equal steps, repeat or are decimals, and take a fraction of their bytes when packed.

import { readSplit, writeSplit } from '../parquet/byte-stream-split.ts'
import { ByteWriter } from '../parquet/byte-writer.ts'
import { digitsMax, digitsOf, divisorOf, toWholeNumbers } from '../parquet/decimals.ts'
import { readDifferences, writeDifferences } from '../parquet/differences.ts'
import { compress, decompress } from '../parquet/lz4.ts'
import { PageInput } from '../parquet/page-input.ts'
import { endOf } from '../parquet/slices.ts'

export type NumberArray = Float64Array | Int32Array | Uint32Array

/** How an array is packed: as it is in memory, as differences of whole numbers, or as split and compressed bytes. */
const packings = { plain: 0, differences: 1, split: 2 } as const
/** The packing, the digits after the decimal point, zeros, and the number of bytes that follow. */
export const packedHeaderBytes = 8

const arrays = { float64: (length: number) => new Float64Array(length) }
const input = new PageInput()

/** Appends an array: as differences when possible, otherwise split and compressed, or as it is in memory when that is shorter. */
export function packArray(values: NumberArray, out: ByteWriter): void {
  const plain = new Uint8Array(values.buffer, values.byteOffset, values.byteLength)
  const differences = packDifferences(values)
  const split = values instanceof Float64Array && differences === null ? packSplit(values) : null
  const packed = [differences, split].find((one) => one !== null && one.bytes.length < plain.length)
  const { packing, digits, bytes } = packed ?? { packing: packings.plain, digits: 0, bytes: plain }
  out.byte(packing)
  out.byte(digits)
  out.byte(0)
  out.byte(0)
  out.uint32(bytes.length)
  out.append(bytes)
}

interface Packed {
  readonly packing: number
  readonly digits: number
  readonly bytes: Uint8Array
}

/** Null when some of the values are not decimals. */
function packDifferences(values: NumberArray): Packed | null {
  const doubles = values instanceof Float64Array ? values : Float64Array.from(values)
  if (values instanceof Float64Array && values.some(Number.isNaN)) return null
  const digits = values instanceof Float64Array ? endOf(digitsOf(values, 0)) : 0
  if (digits === null) return null
  const out = new ByteWriter()
  const whole = digits === 0 ? doubles : endOf(toWholeNumbers(doubles, digits, arrays))
  writeDifferences(whole, 0, doubles.length, out)
  return { packing: packings.differences, digits, bytes: out.written() }
}

function packSplit(values: Float64Array): Packed {
  const split = new ByteWriter()
  writeSplit(values, 0, values.length, split)
  const out = new ByteWriter()
  compress(split, 0, split.length, out)
  return { packing: packings.split, digits: 0, bytes: out.written() }
}

/** Fills `into` from the packed array that `packed` consists of; returns false when it is not one of exactly as many numbers. */
export function unpackArray(packed: Uint8Array, into: NumberArray): boolean {
  const [packing, digits] = packed
  const content = packed.subarray(packedHeaderBytes)
  switch (packing) {
    case packings.plain: {
      if (content.length !== into.byteLength) return false
      new Uint8Array(into.buffer, into.byteOffset, into.byteLength).set(content)
      return true
    }
    case packings.differences:
      return digits <= digitsMax && unpackDifferences(content, digits, into)
    case packings.split: {
      if (!(into instanceof Float64Array)) return false
      input.begin(into.byteLength)
      decompress(content, input)
      readSplit(input, into.length, into)
      return true
    }
    default:
      return false
  }
}

function unpackDifferences(content: Uint8Array, digits: number, into: NumberArray): boolean {
  input.begin(content.length)
  input.bytes.set(content)
  const doubles = into instanceof Float64Array ? into : new Float64Array(into.length)
  if (readDifferences(input, doubles, divisorOf(digits)) !== into.length) return false
  if (doubles !== into) into.set(doubles)
  return true
}
