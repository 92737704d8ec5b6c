// Decodes the bytes of one page into a column. Decoding is synchronous, and its working memory is reused from page to page.
import { crc32 } from 'node:zlib'
import {
  type BooleanColumn,
  type ColumnVector,
  type LongColumn,
  nullBoolean,
  nullCode,
  type StringColumn,
} from '../../../model/column.ts'
import { readSplit } from './byte-stream-split.ts'
import { type ColumnPages, type Encoding, storedType } from './column-pages.ts'
import { divisorOf } from './decimals.ts'
import { readDifferences } from './differences.ts'
import { decompress } from './lz4.ts'
import { type DataPageHeader, readDataPageHeader, readDictionaryPageHeader } from './page-header.ts'
import { PageInput } from './page-input.ts'
import { readPlainDoubles, readPlainLongs, readPlainStrings, readSizedStrings } from './plain-values.ts'
import { readRuns } from './run-lengths.ts'

/** The entries that the codes in the pages of one column chunk refer to. */
export type PageDictionary =
  | { readonly type: 'string'; readonly entries: readonly string[] }
  | { readonly type: 'number'; readonly entries: Float64Array }

const input = new PageInput()
let codesBuffer = new Int32Array(1 << 14)
let levelsBuffer = new Int32Array(1 << 14)

/** Decodes the dictionary page of a column chunk. Throws an Error `damaged page` when the page's checksum does not match. */
export function decodeDictionary(bytes: Uint8Array, column: ColumnPages): PageDictionary {
  requireSound(bytes, column.dictionary?.checksum)
  const { header, end } = readDictionaryPageHeader(bytes)
  begin(bytes.subarray(end), header.valueBytes, column.codec === 'LZ4_RAW')
  if (column.type === 'string') return { type: 'string', entries: readSizedStrings(input, header.entries) }
  if (storedType(column) === 'long') {
    const divisor = divisorOf(column.digits)
    return { type: 'number', entries: readPlainLongs(input, header.entries).values.map((value) => value / divisor) }
  }
  const entries = new Float64Array(header.entries)
  readPlainDoubles(input, header.entries, entries)
  return { type: 'number', entries }
}

/**
 * Decodes page number `page` of a column chunk; `dictionary` is the chunk's own, null when it has none. Throws an Error `damaged page` when
 * the page's checksum does not match.
 */
export function decodePage(
  bytes: Uint8Array,
  column: ColumnPages,
  page: number,
  dictionary: PageDictionary | null,
): ColumnVector {
  requireSound(bytes, column.checksums[page])
  const { header, end } = readDataPageHeader(bytes)
  const levels = bytes.subarray(end, end + header.levelBytes)
  const rows = { count: header.rows, values: header.rows - header.nulls, defined: readLevels(levels, header) }
  begin(bytes.subarray(end + header.levelBytes), header.valueBytes, header.isCompressed)
  switch (column.type) {
    case 'string':
      return decodeStrings(dictionary, rows)
    case 'boolean':
      return decodeBooleans(rows)
    case 'long':
      return decodeLongs(column.encoding, dictionary, rows)
    default: {
      const values = decodeNumbers(column.encoding, dictionary, rows, divisorOf(column.digits))
      return { type: column.type, values: spreadNumbers(values, rows) }
    }
  }
}

interface PageRows {
  readonly count: number
  /** The number of rows with a value. */
  readonly values: number
  /** 1 for a row with a value; null when all have one. */
  readonly defined: Int32Array | null
}

function requireSound(bytes: Uint8Array, checksum: number | undefined): void {
  if (crc32(bytes) !== checksum) throw new Error('damaged page')
}

/** Loads stored bytes into the input, decompressed to `bytes` bytes if needed. */
function begin(stored: Uint8Array, bytes: number, isCompressed: boolean): void {
  input.begin(bytes)
  if (isCompressed) decompress(stored, input)
  else input.bytes.set(stored)
}

function readLevels(stored: Uint8Array, { rows, nulls }: DataPageHeader): Int32Array | null {
  if (nulls === 0) return null
  if (levelsBuffer.length < rows) levelsBuffer = new Int32Array(2 * rows)
  begin(stored, stored.length, false)
  readRuns(input, 1, rows, levelsBuffer)
  return levelsBuffer
}

function readCodes(count: number): Int32Array {
  if (codesBuffer.length < count) codesBuffer = new Int32Array(2 * count)
  readRuns(input, input.byte(), count, codesBuffer)
  return codesBuffer
}

function decodeStrings(dictionary: PageDictionary | null, rows: PageRows): StringColumn {
  if (dictionary === null) {
    const plain = readPlainStrings(input, rows.values, rows.count)
    return { ...plain, codes: spreadCodes(plain.codes, rows, nullCode) }
  }
  if (dictionary.type !== 'string') throw new Error('the dictionary is not of strings')
  const codes = new Int32Array(rows.count)
  readRuns(input, input.byte(), rows.values, codes)
  return { type: 'string', codes: spreadCodes(codes, rows, nullCode), dictionary: dictionary.entries }
}

function decodeBooleans(rows: PageRows): BooleanColumn {
  // Skips the length that precedes the runs.
  input.uint32()
  const codes = new Int32Array(rows.count)
  readRuns(input, 1, rows.values, codes)
  return { type: 'boolean', values: new Uint8Array(spreadCodes(codes, rows, nullBoolean)) }
}

function decodeLongs(encoding: Encoding, dictionary: PageDictionary | null, rows: PageRows): LongColumn {
  if (encoding !== 'PLAIN') {
    return { type: 'long', values: spreadNumbers(decodeNumbers(encoding, dictionary, rows, 1), rows), exact: null }
  }
  const { values, exact } = readPlainLongs(input, rows.values, rows.count)
  spreadNumbers(values, rows)
  return { type: 'long', values, exact: exact === null ? null : spreadExact(exact, rows) }
}

/** `divisor` applies to differences only: the entries of a dictionary are already divided, and other numbers never are. */
function decodeNumbers(
  encoding: Encoding,
  dictionary: PageDictionary | null,
  rows: PageRows,
  divisor: number,
): Float64Array {
  const out = new Float64Array(rows.count)
  switch (encoding) {
    case 'PLAIN':
      readPlainDoubles(input, rows.values, out)
      return out
    case 'BYTE_STREAM_SPLIT':
      readSplit(input, rows.values, out)
      return out
    case 'DELTA_BINARY_PACKED':
      readDifferences(input, out, divisor)
      return out
    case 'RLE_DICTIONARY':
      if (dictionary?.type !== 'number') throw new Error('the dictionary is not of numbers')
      lookUp(dictionary.entries, readCodes(rows.values), rows.values, out)
      return out
    default:
      throw new Error(`numbers are never written as ${encoding}`)
  }
}

/** Unrolled by four, which halves the time. */
function lookUp(entries: Float64Array, codes: Int32Array, count: number, out: Float64Array): void {
  const whole = count - (count % 4)
  for (let index = 0; index < whole; index += 4) {
    out[index] = entries[codes[index]]
    out[index + 1] = entries[codes[index + 1]]
    out[index + 2] = entries[codes[index + 2]]
    out[index + 3] = entries[codes[index + 3]]
  }
  for (let index = whole; index < count; index++) out[index] = entries[codes[index]]
}

/** Moves the values from the start of the array to the rows that have one, in place: backwards, so that none is overwritten. */
function spreadNumbers(array: Float64Array, { count, values, defined }: PageRows): Float64Array {
  if (defined === null) return array
  for (let row = count - 1, from = values; row >= from; row--)
    array[row] = defined[row] === 1 ? array[--from] : Number.NaN
  return array
}

/** As `spreadNumbers`. Each array type has its own loop, which keeps it fast. */
function spreadCodes(array: Int32Array, { count, values, defined }: PageRows, nullValue: number): Int32Array {
  if (defined === null) return array
  for (let row = count - 1, from = values; row >= from; row--)
    array[row] = defined[row] === 1 ? array[--from] : nullValue
  return array
}

function spreadExact(array: BigInt64Array, { count, values, defined }: PageRows): BigInt64Array {
  if (defined === null) return array
  for (let row = count - 1, from = values; row >= from; row--) array[row] = defined[row] === 1 ? array[--from] : 0n
  return array
}
