// DELTA_BINARY_PACKED: the first number, then blocks of differences. Each difference is reduced by the block's smallest one and packed in one
// of four parts, each with its own width. Numbers are doubles here; the writer uses the encoding only where every step is exact in doubles.
import { bitWidth, packBits, packWide, unpackBits, unpackWide } from './bit-packing.ts'
import type { ByteWriter } from './byte-writer.ts'
import type { PageInput } from './page-input.ts'

const blockLength = 128
const partLength = 32
const partsInBlock = blockLength / partLength

/** The differences of numbers up to this size, and the differences of those, are exact in a double. */
export const differenceValueMax = 2 ** 50

const differences = new Float64Array(blockLength)
const wide = new Float64Array(partLength)
/** Used as unsigned numbers. */
const narrow = new Int32Array(partLength)

/** Writes the numbers from `start` up to `end`. */
export function writeDifferences(values: Float64Array, start: number, end: number, out: ByteWriter): void {
  out.varint(blockLength)
  out.varint(partsInBlock)
  out.varint(end - start)
  out.zigzag(start < end ? values[start] : 0)
  for (let from = start + 1; from < end; from += blockLength) {
    const count = Math.min(blockLength, end - from)
    const least = takeDifferences(values, from, count)
    out.zigzag(least)
    out.reserve(partsInBlock)
    const widthsAt = out.length
    out.length += partsInBlock
    for (let part = 0; part < partsInBlock; part++) {
      const partCount = Math.min(partLength, count - part * partLength)
      const width = partCount <= 0 ? 0 : writePart(part * partLength, partCount, least, out)
      // Set only now, because writing the part may have moved the bytes.
      out.bytes[widthsAt + part] = width
    }
  }
}

/** Fills `differences` and returns the smallest of them. */
function takeDifferences(values: Float64Array, from: number, count: number): number {
  let previous = values[from - 1]
  let least = Number.POSITIVE_INFINITY
  for (let index = 0; index < count; index++) {
    const value = values[from + index]
    const difference = value - previous
    if (difference < least) least = difference
    differences[index] = difference
    previous = value
  }
  return least
}

/** Returns the width. A part is always complete, padded with zeros. */
function writePart(start: number, count: number, least: number, out: ByteWriter): number {
  let most = 0
  for (let index = 0; index < count; index++) {
    const value = differences[start + index] - least
    if (value > most) most = value
    narrow[index] = value
    wide[index] = value
  }
  if (most === 0) return 0
  narrow.fill(0, count)
  wide.fill(0, count)
  const width = bitWidth(most)
  if (width <= 32) packBits(narrow, 0, partLength, width, out)
  else packWide(wide, partLength, width, out)
  return width
}

/** Reads all numbers into `out`, divided by `divisor`, and returns their count. */
export function readDifferences(input: PageInput, out: Float64Array, divisor = 1): number {
  // Block and part lengths are always the ones above.
  input.varint()
  input.varint()
  const count = input.varint()
  let value = input.zigzag()
  if (count > 0) out[0] = value / divisor
  for (let done = 1; done < count; ) {
    const least = input.zigzag()
    const widthsAt = input.position
    input.position += partsInBlock
    for (let part = 0; part < partsInBlock && done < count; part++) {
      const end = Math.min(done + partLength, count)
      value = readPart(input, input.bytes[widthsAt + part], least, value, divisor, out, done, end)
      done = end
    }
  }
  return count
}

/** Adds up the differences of one part from `value` on, and returns the last number. Each division is independent, so they take no extra time. */
function readPart(
  input: PageInput,
  width: number,
  least: number,
  value: number,
  divisor: number,
  out: Float64Array,
  start: number,
  end: number,
): number {
  let last = value
  if (width === 0) {
    for (let index = start; index < end; index++) {
      last += least
      out[index] = last / divisor
    }
  } else if (width <= 32) {
    unpackBits(input, width, partLength, narrow, 0)
    for (let index = start; index < end; index++) {
      last += least + (narrow[index - start] >>> 0)
      out[index] = last / divisor
    }
  } else {
    unpackWide(input, width, partLength, wide)
    for (let index = start; index < end; index++) {
      last += least + wide[index - start]
      out[index] = last / divisor
    }
  }
  return last
}
