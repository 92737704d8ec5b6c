// Plans how a column is written: its dense values, the candidate encodings of its type, and its bounds.
import type { BorrowedArrays } from '../../../lib/spare-buffers.ts'
import type { BooleanColumn, ColumnVector, LongColumn, StringColumn } from '../../../model/column.ts'
import { type ChosenBody, chooseBody } from './choose-body.ts'
import {
  type ColumnBody,
  dictionaryDoubles,
  dictionaryLongs,
  dictionaryStrings,
  numberDifferences,
  plainDoubles,
  plainLongs,
  plainStrings,
  runsOfBooleans,
  splitDoubles,
} from './column-body.ts'
import { toWholeNumbers } from './decimals.ts'
import type { DenseRows } from './dense-rows.ts'
import { differenceValueMax } from './differences.ts'
import { buildNumberDictionary } from './number-dictionary.ts'
import { type ChunkBounds, chunkBounds, type PageBounds, pageBounds, stringBounds } from './page-bounds.ts'
import { usedStrings } from './used-strings.ts'

export interface EncodingOptions {
  /** Whether pages may be compressed where that saves enough. */
  readonly compress: boolean
  /** Limits of a row group's dictionary, which must be in memory to read any of its pages. */
  readonly dictionaryEntriesMax: number
  readonly dictionaryBytesMax: number
}

export interface PlannedColumn extends ChosenBody {
  readonly bounds: ChunkBounds | null
  readonly pages: PageBounds | null
}

export function* planColumn(
  column: ColumnVector,
  digits: number | null,
  dense: DenseRows,
  options: EncodingOptions,
  arrays: BorrowedArrays,
): Generator<void, PlannedColumn> {
  switch (column.type) {
    case 'double': {
      const values = denseNumbers(column.values, dense.rows, arrays)
      if (digits === null) return yield* planDoubles(values, dense.ends, options, arrays)
      const whole = yield* toWholeNumbers(values, digits, arrays)
      return yield* planWholeNumbers(whole, pageBounds(whole, dense.ends), dense.ends, options, arrays)
    }
    case 'long':
      return yield* planLongs(column, dense, options, arrays)
    case 'timestamp':
      return yield* planTimestamps(denseNumbers(column.values, dense.rows, arrays), dense.ends, options)
    case 'boolean':
      return yield* planBooleans(column, dense, options, arrays)
    case 'string':
      return yield* planStrings(column, dense.ends, options, arrays)
  }
}

function* planDoubles(
  values: Float64Array,
  ends: Int32Array,
  options: EncodingOptions,
  arrays: BorrowedArrays,
): Generator<void, PlannedColumn> {
  const dictionary = yield* buildNumberDictionary(values, numberEntriesMax(options), arrays)
  const candidates = [plainDoubles(values), splitDoubles(values)]
  if (dictionary !== null) candidates.push(dictionaryDoubles(dictionary))
  const pages = pageBounds(values, ends)
  yield
  return { ...(yield* chooseBody(candidates, ends, options.compress)), pages, bounds: chunkBounds('double', pages) }
}

function* planLongs(
  column: LongColumn,
  dense: DenseRows,
  options: EncodingOptions,
  arrays: BorrowedArrays,
): Generator<void, PlannedColumn> {
  const values = denseNumbers(column.values, dense.rows, arrays)
  const pages = pageBounds(values, dense.ends)
  yield
  if (mostInSize(pages) <= Number.MAX_SAFE_INTEGER)
    return yield* planWholeNumbers(values, pages, dense.ends, options, arrays)
  const longs = { values, exact: denseExact(column.exact, dense.rows) }
  // Their bounds would need all digits; without bounds an engine reads all of them.
  return { ...(yield* chooseBody([plainLongs(longs)], dense.ends, options.compress)), pages: null, bounds: null }
}

/** All values must be within 2^53. */
function* planWholeNumbers(
  values: Float64Array,
  pages: PageBounds,
  ends: Int32Array,
  options: EncodingOptions,
  arrays: BorrowedArrays,
): Generator<void, PlannedColumn> {
  const candidates: ColumnBody[] = [
    mostInSize(pages) <= differenceValueMax ? numberDifferences(values) : plainLongs({ values, exact: null }),
  ]
  const dictionary = yield* buildNumberDictionary(values, numberEntriesMax(options), arrays)
  if (dictionary !== null) candidates.push(dictionaryLongs(dictionary))
  return { ...(yield* chooseBody(candidates, ends, options.compress)), pages, bounds: chunkBounds('long', pages) }
}

function* planTimestamps(
  values: Float64Array,
  ends: Int32Array,
  options: EncodingOptions,
): Generator<void, PlannedColumn> {
  const pages = pageBounds(values, ends)
  if (mostInSize(pages) > differenceValueMax) throw new Error('a timestamp is beyond the years that can be stored')
  return {
    ...(yield* chooseBody([numberDifferences(values)], ends, options.compress)),
    pages,
    bounds: chunkBounds('timestamp', pages),
  }
}

function* planBooleans(
  column: BooleanColumn,
  dense: DenseRows,
  options: EncodingOptions,
  arrays: BorrowedArrays,
): Generator<void, PlannedColumn> {
  const values = denseIntegers(column.values, dense.rows, arrays)
  const pages = pageBounds(values, dense.ends)
  const chosen = yield* chooseBody([runsOfBooleans(values)], dense.ends, options.compress)
  return { ...chosen, pages, bounds: chunkBounds('boolean', pages) }
}

function* planStrings(
  column: StringColumn,
  ends: Int32Array,
  options: EncodingOptions,
  arrays: BorrowedArrays,
): Generator<void, PlannedColumn> {
  const used = yield* usedStrings(column, ends.at(-1) ?? 0, arrays)
  const candidates = [plainStrings(used)]
  const dictionaryBytes = used.bytes.length + 4 * used.entries.length
  if (used.entries.length <= options.dictionaryEntriesMax && dictionaryBytes <= options.dictionaryBytesMax)
    candidates.push(dictionaryStrings(used))
  const bounds = yield* stringBounds(used.entries)
  return { ...(yield* chooseBody(candidates, ends, options.compress)), pages: null, bounds }
}

function numberEntriesMax({ dictionaryEntriesMax, dictionaryBytesMax }: EncodingOptions): number {
  return Math.min(dictionaryEntriesMax, Math.floor(dictionaryBytesMax / 8))
}

function mostInSize({ least, greatest }: PageBounds): number {
  let most = 0
  for (const value of least) if (-value > most) most = -value
  for (const value of greatest) if (value > most) most = value
  return most
}

function denseNumbers(values: Float64Array, rows: Int32Array | null, arrays: BorrowedArrays): Float64Array {
  if (rows === null) return values
  const dense = arrays.float64(rows.length)
  for (let index = 0; index < rows.length; index++) dense[index] = values[rows[index]]
  return dense
}

function denseExact(exact: BigInt64Array | null, rows: Int32Array | null): BigInt64Array {
  if (exact === null) throw new Error('a long beyond 2^53 came without its digits')
  if (rows === null) return exact
  const dense = new BigInt64Array(rows.length)
  for (let index = 0; index < rows.length; index++) dense[index] = exact[rows[index]]
  return dense
}

function denseIntegers(values: Uint8Array, rows: Int32Array | null, arrays: BorrowedArrays): Int32Array {
  const dense = arrays.int32(rows?.length ?? values.length)
  for (let index = 0; index < dense.length; index++) dense[index] = values[rows === null ? index : rows[index]]
  return dense
}
