// Reading is tested by `src/ingest/line-validator.test.ts`, caching by the test next to this file.

// Scans lines in which each field is a row. Lines of one series begin with the same bytes, so the scanner caches what these mean: the tag of each
// field's row, and the other tags. It learns them from lines that were parsed with care.
import { backslash, comma, equals, lowerI, lowerU, minus, newline, quote, space } from '../../../lib/ascii.ts'
import type { ParsedLine } from '../../../lib/line-protocol/parse-line.ts'
import type { Ingest } from '../../../model/ingest.ts'
import type { LinePrecision } from '../../../model/line-format.ts'
import type { FieldColumn } from '../../columns/field-column.ts'
import { readDouble } from '../read-number.ts'
import { fits, otherTags, tagByField } from './line-rows.ts'
import {
  afterLead,
  bareEnd,
  beginsPlainNumber,
  needsCare,
  readBooleanValue,
  readLineTime,
  readLongValue,
  readStringValue,
  valueEnd,
} from './line-value.ts'

/** Longer beginnings are not cached. */
const headBytesMax = 1024
/** Approximate limit of the cache: some 6,000 series of ten fields. */
const defaultKeptBytesMax = 16 * 1024 * 1024
/** When the cache is full, it is cleared after this many unknown lines per cached beginning: the series have changed by then. */
const strangeLinesPerHead = 4
/** Approximate bytes of an entry in addition to its texts. */
const entryBytes = 200
const orderBytes = 8
/** The most fields of a line whose order is cached. */
const orderMax = 1024

interface KnownField {
  /** Its name followed by the equals sign. */
  readonly lead: Uint8Array
  readonly tag: Buffer
}

interface OtherTag {
  readonly column: number
  readonly value: Buffer
}

/** The meaning of a line's beginning, up to the space before its fields. */
interface Head {
  readonly bytes: Uint8Array
  readonly others: readonly OtherTag[]
  readonly byName: Map<string, KnownField>
  /** The fields in the order of the last line. */
  readonly order: KnownField[]
  /** The beginning that followed it when it was last read. */
  next: Head | null
}

/** Plain in both a line and JSON: no space, quote, backslash or control character. */
const plain = /^[^\u0000- "\\]*$/
/** Also allows commas, equals signs and spaces escaped with a backslash. */
const plainHead = /^(?:[^\u0000- "\\]|\\[,= ])*$/

export class FieldScanner {
  readonly #ingest: Ingest
  readonly #columns: readonly FieldColumn[]
  readonly #time: number
  readonly #tag: number
  /** The metric columns for values, by type; -1 if there is none. */
  readonly #double: number
  readonly #long: number
  readonly #string: number
  readonly #boolean: number
  readonly #heads = new Map<string, Head>()
  #last: Head | null = null
  /** The metric column of the value read last. */
  #target = needsCare
  readonly #keptBytesMax: number
  #bytes = 0
  /** Unknown lines since the cache became full. */
  #strangeLines = 0
  #rows = 0

  constructor(ingest: Ingest, columns: readonly FieldColumn[], keptBytesMax = defaultKeptBytesMax) {
    this.#ingest = ingest
    this.#keptBytesMax = keptBytesMax
    this.#columns = columns
    this.#time = columns.findIndex(({ field }) => field.role === 'time')
    this.#tag = columns.findIndex(({ field }) => field.role === 'tag')
    const metric = (type: 'double' | 'long' | 'string' | 'boolean'): number =>
      columns.findIndex(({ field }) => field.role === 'metric' && fits(type, field.type))
    this.#double = metric('double')
    this.#long = metric('long')
    this.#string = metric('string')
    this.#boolean = metric('boolean')
  }

  /** An estimate of the memory used. */
  get bytes(): number {
    return this.#bytes
  }

  /** The number of rows of the line read last. */
  get rows(): number {
    return this.#rows
  }

  /**
   * Writes the rows of the line that begins at `start`, at most `rowsMax`, to the columns from `row` on. Returns the place of the newline after it,
   * or the end of the body; -1 if it must be read with care.
   */
  read(
    bytes: Buffer,
    start: number,
    row: number,
    rowsMax: number,
    precision: LinePrecision,
    receivedMs: number,
  ): number {
    const head = this.#headAt(bytes, start)
    if (head === null) return needsCare
    let at = start + head.bytes.length
    let rows = 0
    for (; ; at++) {
      const field = rows < rowsMax ? this.#fieldAt(head, rows, bytes, at) : null
      if (field === null) return needsCare
      at = this.#readValue(bytes, at + field.lead.length, row + rows)
      if (at < 0) return needsCare
      this.#writeRest(head, field, row + rows)
      rows++
      if (bytes[at] !== comma) break
    }
    const { numbers } = this.#columns[this.#time]!
    const end = readLineTime(bytes, at, numbers, row, precision, receivedMs)
    for (let other = row + 1; other < row + rows; other++) numbers[other] = numbers[row]!
    this.#rows = rows
    return end
  }

  /** Caches the beginning of a line that was parsed with care, if similar lines can be scanned. */
  learn(line: ParsedLine): void {
    if (line.head.length > headBytesMax || !plainHead.test(line.head) || !this.#hasSpace()) return
    const head = this.#heads.get(keyOf(line.head)) ?? this.#headOf(line)
    if (head === null) return
    const tagOf = tagByField(line, this.#ingest)
    for (const { name, text } of line.fields) {
      if (head.byName.has(name)) continue
      const tag = tagOf(name)
      // A name with a backslash is written differently from how it reads.
      const isPlain = plain.test(name) && text.startsWith(`${name}=`) && name.length <= headBytesMax && isPlainTag(tag)
      if (!isPlain) continue
      const known = { lead: Buffer.from(`${name}=`), tag: Buffer.from(tag) }
      head.byName.set(name, known)
      this.#bytes += entryBytes + 2 * known.lead.length + known.tag.length
    }
  }

  /** A full cache keeps its entries for a while: otherwise lines of more series than fit would evict each other. */
  #hasSpace(): boolean {
    if (this.#bytes < this.#keptBytesMax) return true
    if (++this.#strangeLines <= strangeLinesPerHead * this.#heads.size) return false
    this.#heads.clear()
    this.#last = null
    this.#bytes = 0
    this.#strangeLines = 0
    return true
  }

  /** Null if rows of such lines are faulty, or need columns other than strings. */
  #headOf(line: ParsedLine): Head | null {
    const others: OtherTag[] = []
    for (const [name, value] of otherTags(line, this.#ingest)) {
      const column = this.#columns.findIndex(({ field }) => field.source === name)
      if (this.#columns[column]!.type !== 'string' || !isPlainTag(value)) return null
      others.push({ column, value: Buffer.from(value) })
    }
    const written = new Set([this.#time, this.#tag, ...others.map(({ column }) => column)])
    if (this.#columns[this.#tag]?.type !== 'string') return null
    if (this.#columns.some(({ required }, column) => required && !written.has(column))) return null
    const bytes = Buffer.from(`${line.head} `)
    const head: Head = { bytes, others, byName: new Map(), order: [], next: null }
    this.#heads.set(keyOf(line.head), head)
    this.#bytes += entryBytes + 3 * bytes.length
    return head
  }

  /** Null if the field is not cached. */
  #fieldAt(head: Head, index: number, bytes: Buffer, at: number): KnownField | null {
    const likely = head.order[index]
    if (likely !== undefined && afterLead(bytes, at, likely.lead) >= 0) return likely
    const end = bareEnd(bytes, at)
    if (bytes[end] !== equals) return null
    const known = head.byName.get(bytes.toString('utf8', at, end))
    if (known === undefined) return null
    if (index >= orderMax) return known
    if (index === head.order.length) this.#bytes += orderBytes
    head.order[index] = known
    return known
  }

  #headAt(bytes: Buffer, start: number): Head | null {
    const last = this.#last
    const likely = last?.next ?? null
    const head = likely !== null && afterLead(bytes, start, likely.bytes) >= 0 ? likely : this.#find(bytes, start)
    if (head === null) return null
    if (last !== null) last.next = head
    this.#last = head
    return head
  }

  #find(bytes: Buffer, start: number): Head | null {
    let end = start
    while (end < bytes.length && bytes[end] !== newline && end - start <= headBytesMax) {
      if (bytes[end] === space && bytes[end - 1] !== backslash) break
      end++
    }
    return bytes[end] === space ? (this.#heads.get(bytes.toString('latin1', start, end)) ?? null) : null
  }

  /** Writes the value to the metric that it fits. Returns the place after the value. */
  #readValue(bytes: Buffer, at: number, row: number): number {
    const byte = bytes[at]!
    if (byte === quote) return this.#into(this.#string, readStringValue, bytes, at, row)
    if (byte !== minus && !beginsPlainNumber(bytes, at))
      return this.#into(this.#boolean, readBooleanValue, bytes, at, row)
    const double = this.#columns[this.#double]
    if (double !== undefined && beginsPlainNumber(bytes, at)) {
      const end = readDouble(bytes, at, double.numbers, row)
      this.#target = this.#double
      if (bytes[end] !== lowerI && bytes[end] !== lowerU)
        return Number.isFinite(double.numbers[row]!) ? valueEnd(bytes, end) : needsCare
    }
    const end = this.#into(this.#long, readLongValue, bytes, at, row)
    // Without its suffix it is a double, which fits no metric.
    return end >= 0 && (bytes[end - 1] === lowerI || bytes[end - 1] === lowerU) ? end : needsCare
  }

  #into(target: number, read: typeof readLongValue, bytes: Buffer, at: number, row: number): number {
    const column = this.#columns[target]
    this.#target = target
    return column === undefined ? needsCare : read(bytes, at, column, row)
  }

  /** Writes all fields of a row except its metric and time. */
  #writeRest(head: Head, { tag }: KnownField, row: number): void {
    const columns = this.#columns
    for (let index = 0; index < columns.length; index++) {
      if (index === this.#target || index === this.#time) continue
      const column = columns[index]!
      if (index === this.#tag) column.strings.readPlain(tag, 0, tag.length, column.codes, row)
      else column.setAbsent(row)
    }
    for (const { column, value } of head.others) {
      if (column === this.#target) continue
      const { strings, codes } = columns[column]!
      strings.readPlain(value, 0, value.length, codes, row)
    }
  }
}

function isPlainTag(text: string): boolean {
  return JSON.stringify(text).length === text.length + 2
}

/** The head's UTF-8 bytes, one character each. */
function keyOf(head: string): string {
  return Buffer.from(head).toString('latin1')
}
