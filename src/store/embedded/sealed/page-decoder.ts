import { messageOf } from '../../../lib/message-of.ts'
import type { ColumnVector } from '../../../model/column.ts'
import { type ColumnPages, pagePlace } from '../parquet/column-pages.ts'
import { decodeDictionary, decodePage, type PageDictionary } from '../parquet/decode-page.ts'
import { type BlockingFile, readWhole } from './blocking-file.ts'
import { DamagedFileError } from './damaged-file.ts'
import type { FileIndex } from './file-index.ts'

/** Bytes read from the file before they are decoded, in memory that is reused for the next page. */
let buffer = new Uint8Array(1 << 16)

export interface DecodedColumn {
  readonly column: ColumnVector
  /** Approximate memory in bytes; the dictionary of a row group is counted separately. */
  readonly bytes: number
}

export interface ReadableFile {
  readonly file: BlockingFile
  readonly path: string
  readonly index: FileIndex
}

/** Returns the dictionary of a column in a row group: a kept one, or the result of `load`. */
export type DictionaryOf = (group: number, column: number, load: () => PageDictionary) => PageDictionary

/**
 * Reads and decodes one column of a page; null when no row of its row group has a value. Throws DamagedFileError when the bytes are not as
 * they were written, or cannot be read.
 */
export function readPage(
  { file, path, index }: ReadableFile,
  page: number,
  column: number,
  dictionaryOf: DictionaryOf,
): DecodedColumn | null {
  const group = index.groupOf(page)
  if (index.isEmpty(group, column)) return null
  return decodeColumn({ file, path, index }, group, page, column, dictionaryOf)
}

/** As `readPage`, but decodes pages of nulls too. */
export function decodeColumn(
  { file, path, index }: ReadableFile,
  group: number,
  page: number,
  column: number,
  dictionaryOf: DictionaryOf,
): DecodedColumn {
  const pages = index.columnPages(group, column)
  const inGroup = page - (group === 0 ? 0 : index.groupEnds[group - 1])
  const what = `page ${page} of the column "${index.columns[column].name}"`
  const dictionary =
    pages.dictionary === null ? null : dictionaryOf(group, column, () => readDictionary(file, path, pages, what))
  const { offset, bytes } = pagePlace(pages, inGroup)
  const decoded = decoding(path, what, () => decodePage(readBytes(file, bytes, offset), pages, inGroup, dictionary))
  return { column: decoded, bytes: columnBytes(decoded, dictionary === null) }
}

function readDictionary(file: BlockingFile, path: string, pages: ColumnPages, what: string): PageDictionary {
  const { dictionary } = pages
  if (dictionary === null) throw new Error('the column has no dictionary')
  const { bytes, offset } = dictionary
  return decoding(path, `the dictionary of ${what}`, () => decodeDictionary(readBytes(file, bytes, offset), pages))
}

/** The bytes are valid until the next call. */
function readBytes(file: BlockingFile, bytes: number, offset: number): Uint8Array {
  if (bytes > buffer.length) buffer = new Uint8Array(2 * bytes)
  if (!readWhole(file, buffer, bytes, offset)) throw new Error('the file is cut short')
  return buffer.subarray(0, bytes)
}

function decoding<T>(path: string, what: string, work: () => T): T {
  try {
    return work()
  } catch (error) {
    const reason = messageOf(error)
    throw new DamagedFileError(path, `${what} cannot be read (${reason})`, error)
  }
}

/** The approximate memory of a dictionary. */
export function dictionaryBytes(dictionary: PageDictionary): number {
  if (dictionary.type === 'number') return dictionary.entries.byteLength
  return textBytes(dictionary.entries)
}

function columnBytes(column: ColumnVector, ownsStrings: boolean): number {
  if (column.type === 'string') return column.codes.byteLength + (ownsStrings ? textBytes(column.dictionary) : 0)
  return column.values.byteLength + (column.type === 'long' ? (column.exact?.byteLength ?? 0) : 0)
}

/** Bytes of a string in addition to its characters. */
const stringBytes = 32

function textBytes(strings: readonly string[]): number {
  let bytes = strings.length * stringBytes
  for (const text of strings) bytes += text.length
  return bytes
}
