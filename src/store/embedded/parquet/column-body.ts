// The encodings available for the values of a column chunk. Rows here are dense: only those with a value.
import { bitWidth } from './bit-packing.ts'
import { writeSplit } from './byte-stream-split.ts'
import type { ByteWriter } from './byte-writer.ts'
import type { Encoding } from './column-pages.ts'
import { writeDifferences } from './differences.ts'
import type { NumberDictionary } from './number-dictionary.ts'
import { writeRuns } from './run-lengths.ts'
import type { UsedStrings } from './used-strings.ts'

export interface ColumnBody {
  readonly encoding: Encoding
  /** The size is multiplied by this factor in comparisons: higher for encodings that are slower to read. */
  readonly readingFactor: number
  /** The entries that the codes of RLE_DICTIONARY refer to; null for other encodings. */
  readonly dictionary: DictionaryBody | null
  /** Appends the values from `start` up to `end` as the values of one page. */
  readonly writeValues: (start: number, end: number, out: ByteWriter) => void
}

interface DictionaryBody {
  readonly entries: number
  readonly write: (out: ByteWriter) => void
}

/** The whole dictionary must be loaded to read one page. */
const dictionaryFactor = 1.15
/** Plain strings are decoded page by page; the strings of a dictionary are decoded once for all pages. */
const stringsFactor = 1.5

/** Longs with all their digits: `exact` applies to values beyond 2^53. */
export interface DenseLongs {
  readonly values: Float64Array
  readonly exact: BigInt64Array | null
}

export function plainDoubles(values: Float64Array): ColumnBody {
  const writeValues = (start: number, end: number, out: ByteWriter) => appendDoubles(values, start, end, out)
  return { encoding: 'PLAIN', readingFactor: 1, dictionary: null, writeValues }
}

export function splitDoubles(values: Float64Array): ColumnBody {
  const writeValues = (start: number, end: number, out: ByteWriter) => writeSplit(values, start, end, out)
  return { encoding: 'BYTE_STREAM_SPLIT', readingFactor: 1, dictionary: null, writeValues }
}

export function numberDifferences(values: Float64Array): ColumnBody {
  const writeValues = (start: number, end: number, out: ByteWriter) => writeDifferences(values, start, end, out)
  return { encoding: 'DELTA_BINARY_PACKED', readingFactor: 1, dictionary: null, writeValues }
}

export function plainLongs(longs: DenseLongs): ColumnBody {
  const writeValues = (start: number, end: number, out: ByteWriter) => appendLongs(longs, start, end, out)
  return { encoding: 'PLAIN', readingFactor: 1, dictionary: null, writeValues }
}

export function dictionaryDoubles({ entries, codes }: NumberDictionary): ColumnBody {
  return dictionaryCodes(codes, dictionaryFactor, entries.length, (out) =>
    appendDoubles(entries, 0, entries.length, out),
  )
}

/** All values must be within 2^53. */
export function dictionaryLongs({ entries, codes }: NumberDictionary): ColumnBody {
  const longs = { values: entries, exact: null }
  return dictionaryCodes(codes, dictionaryFactor, entries.length, (out) => appendLongs(longs, 0, entries.length, out))
}

export function dictionaryStrings(strings: UsedStrings): ColumnBody {
  return dictionaryCodes(strings.codes, 1, strings.entries.length, (out) => {
    for (let entry = 0; entry < strings.entries.length; entry++) {
      const start = strings.offsets[entry]
      const end = strings.offsets[entry + 1]
      out.uint32(end - start)
      out.append(strings.bytes.subarray(start, end))
    }
  })
}

/** All lengths, then all bytes: the lengths are decoded together, not string by string. */
export function plainStrings({ codes, offsets, bytes }: UsedStrings): ColumnBody {
  const writeValues = (start: number, end: number, out: ByteWriter) => {
    const lengths = new Float64Array(end - start)
    for (let row = start; row < end; row++) lengths[row - start] = offsets[codes[row] + 1] - offsets[codes[row]]
    writeDifferences(lengths, 0, lengths.length, out)
    for (let row = start; row < end; row++) appendString(bytes, offsets[codes[row]], offsets[codes[row] + 1], out)
  }
  return { encoding: 'DELTA_LENGTH_BYTE_ARRAY', readingFactor: stringsFactor, dictionary: null, writeValues }
}

/** Byte by byte, because most strings are so short that a call to copy them would take longer. */
function appendString(bytes: Uint8Array, start: number, end: number, out: ByteWriter): void {
  out.reserve(end - start)
  const to = out.bytes
  for (let at = start; at < end; at++) to[out.length++] = bytes[at]
}

/** `values` contains only 0 and 1. */
export function runsOfBooleans(values: Int32Array): ColumnBody {
  const writeValues = (start: number, end: number, out: ByteWriter) => {
    const lengthAt = out.length
    out.uint32(0)
    writeRuns(values, start, end, 1, out)
    out.view.setUint32(lengthAt, out.length - lengthAt - 4, true)
  }
  return { encoding: 'RLE', readingFactor: 1, dictionary: null, writeValues }
}

function dictionaryCodes(
  codes: Int32Array,
  readingFactor: number,
  entries: number,
  write: (out: ByteWriter) => void,
): ColumnBody {
  const writeValues = (start: number, end: number, out: ByteWriter) => {
    let most = 0
    for (let row = start; row < end; row++) if (codes[row] > most) most = codes[row]
    // Some readers reject a width of 0.
    const width = Math.max(1, bitWidth(most))
    out.byte(width)
    writeRuns(codes, start, end, width, out)
  }
  return { encoding: 'RLE_DICTIONARY', readingFactor, dictionary: { entries, write }, writeValues }
}

function appendDoubles(values: Float64Array, start: number, end: number, out: ByteWriter): void {
  out.append(new Uint8Array(values.buffer, values.byteOffset + start * 8, (end - start) * 8))
}

function appendLongs({ values, exact }: DenseLongs, start: number, end: number, out: ByteWriter): void {
  out.reserve((end - start) * 8)
  const { view } = out
  for (let row = start; row < end; row++, out.length += 8) {
    const value = values[row]
    if (exact !== null && !Number.isSafeInteger(value)) {
      view.setBigInt64(out.length, exact[row], true)
    } else {
      const high = Math.floor(value / 2 ** 32)
      view.setUint32(out.length, value - high * 2 ** 32, true)
      view.setInt32(out.length + 4, high, true)
    }
  }
}
