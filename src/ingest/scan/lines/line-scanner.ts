// The lines of one pusher look alike, as rows of JSON do: so the scanner keeps, for each value, the bytes that stood between it and the next one,
// and compares these first.

import {
  backslash,
  carriageReturn,
  comma,
  digitNine,
  digitZero,
  dot,
  equals,
  lowerF,
  lowerI,
  lowerT,
  lowerU,
  minus,
  newline,
  quote,
  space,
} from '../../../lib/ascii.ts'
import { earliestMs, latestMs } from '../../../model/instant.ts'
import type { LinePrecision } from '../../../model/line-format.ts'
import type { FieldSlot } from '../../columns/field-slot.ts'
import { readDouble, readPlainWhole } from '../read-number.ts'
import { measurementProperty } from './line-rows.ts'

/** Given back in place of the next place: the line is at fault, or is not plain. */
const needsCare = -1

/** Longer names are not worth keeping. */
const leadBytesMax = 512

/** What was found after a value: the bytes up to the next one, as far as its equals sign, and whose value that is. */
interface Step {
  readonly lead: Uint8Array
  readonly target: number
  readonly isField: boolean
}

const noStep: Step = { lead: new Uint8Array([0]), target: 0, isField: false }

/** 1 for bytes that end a plain name or value of a tag, or need care in one. */
const endsBare = new Uint8Array(256)
endsBare.fill(1, 0, space + 1)
for (const byte of [comma, equals, backslash, quote]) endsBare[byte] = 1

/** 1 for bytes that end a plain string, or need care in one. */
const endsString = new Uint8Array(256)
endsString.fill(1, 0, space)
for (const byte of [backslash, quote]) endsString[byte] = 1

/** Digits of a time that are finer than a millisecond, and how many milliseconds its last digit is. */
const finerDigits: Readonly<Record<LinePrecision, number>> = { ns: 6, us: 3, ms: 0, s: 0, m: 0, h: 0 }
const unitMs: Readonly<Record<LinePrecision, number>> = { ns: 1, us: 1, ms: 1, s: 1000, m: 60_000, h: 3_600_000 }
/** So many digits are exact in a double. */
const exactDigits = 15
/** Later times in nanoseconds may have more than 64 bits. */
const latestNsInMs = 9_223_372_036_853

/** Reads plain lines without fault, of which each is one row. Whatever else a line is, it is for `parseLine` and `readWithCare` to say. */
export class LineScanner {
  readonly #slots: readonly FieldSlot[]
  readonly #bySource: ReadonlyMap<string, number>
  /** Those of the measurement and of the time; -1 where the ingest has none. */
  readonly #measurement: number
  readonly #time: number
  /** By twice 1 + the field before, at 0 the measurement; the odd ones within the line's fields. */
  readonly #steps: Step[]
  /** The line in which each field was read last. */
  readonly #seenIn: Float64Array
  #linesRead = 0

  constructor(slots: readonly FieldSlot[], bySource: ReadonlyMap<string, number>) {
    this.#slots = slots
    this.#bySource = bySource
    const measurement = bySource.get(measurementProperty) ?? -1
    this.#measurement = slots[measurement]?.type === 'string' ? measurement : -1
    this.#time = slots.findIndex(({ field }) => field.role === 'time')
    this.#steps = Array.from({ length: 2 * (slots.length + 1) }, () => noStep)
    this.#seenIn = new Float64Array(slots.length)
  }

  /**
   * Writes the line that begins at `start` to the columns at `row`. The answer is the place of the newline after it, or the end of the body; -1
   * when it must be read with care.
   */
  read(bytes: Buffer, start: number, row: number, precision: LinePrecision, receivedMs: number): number {
    if (this.#measurement < 0 || this.#time < 0) return needsCare
    const slots = this.#slots
    const seenIn = this.#seenIn
    const steps = this.#steps
    const line = ++this.#linesRead
    seenIn[this.#measurement] = line
    let at = readBare(bytes, start, slots[this.#measurement]!, row)
    let from = 0
    let isField = false
    let found = 2
    while (at >= 0 && !(isField && bytes[at] !== comma)) {
      let step = steps[from]!
      let value = afterLead(bytes, at, step.lead)
      if (value < 0) {
        const learned = this.#learn(bytes, at, isField)
        if (learned === null) return needsCare
        step = learned
        value = at + step.lead.length
        if (step.lead.length <= leadBytesMax) steps[from] = step
      }
      const { target } = step
      if (seenIn[target] === line) return needsCare
      seenIn[target] = line
      isField = step.isField
      at = isField ? readFieldValue(bytes, value, slots[target]!, row) : readBare(bytes, value, slots[target]!, row)
      from = 2 * (target + 1) + (isField ? 1 : 0)
      found++
    }
    if (at < 0) return needsCare
    const end = this.#readTime(bytes, at, row, precision, receivedMs)
    seenIn[this.#time] = line
    if (end >= 0 && found < slots.length && !this.#fillAbsent(row)) return needsCare
    return end
  }

  /** From a comma or space to the equals sign after the next name; null where that is not plain, or names no field. */
  #learn(bytes: Buffer, at: number, isInFields: boolean): Step | null {
    const isField = isInFields || bytes[at] === space
    let keyEnd = at + 1
    while (endsBare[bytes[keyEnd]!] === 0) keyEnd++
    if (bytes[keyEnd] !== equals) return null
    const target = this.#bySource.get(bytes.toString('utf8', at + 1, keyEnd))
    if (target === undefined || target === this.#time) return null
    return { lead: Uint8Array.prototype.slice.call(bytes, at, keyEnd + 1), target, isField }
  }

  /** From the end of the last field to the end of the line. */
  #readTime(bytes: Buffer, start: number, row: number, precision: LinePrecision, receivedMs: number): number {
    const { numbers } = this.#slots[this.#time]!
    if (bytes[start] !== space) {
      numbers[row] = receivedMs
      return lineEndAt(bytes, start)
    }
    let digitsEnd = start + 1
    while (isDigit(bytes[digitsEnd])) digitsEnd++
    const used = digitsEnd - finerDigits[precision]
    if (used <= start + 1 || used - start - 1 > exactDigits) return needsCare
    let time = 0
    for (let at = start + 1; at < used; at++) time = time * 10 + (bytes[at]! - digitZero)
    const ms = time * unitMs[precision]
    if (ms < earliestMs || ms > (precision === 'ns' ? latestNsInMs : latestMs)) return needsCare
    numbers[row] = ms
    return lineEndAt(bytes, digitsEnd)
  }

  /** False where an absent field is one that each row must have. */
  #fillAbsent(row: number): boolean {
    for (let i = 0; i < this.#slots.length; i++) {
      if (this.#seenIn[i] === this.#linesRead) continue
      const slot = this.#slots[i]!
      if (slot.required) return false
      slot.setAbsent(row)
    }
    return true
  }
}

function afterLead(bytes: Buffer, at: number, lead: Uint8Array): number {
  for (let i = 0; i < lead.length; i++) if (bytes[at + i] !== lead[i]) return -1
  return at + lead.length
}

function isDigit(byte: number | undefined): boolean {
  return byte !== undefined && byte >= digitZero && byte <= digitNine
}

function lineEndAt(bytes: Buffer, at: number): number {
  if (at >= bytes.length || bytes[at] === newline) return at
  return bytes[at] === carriageReturn && (at + 1 >= bytes.length || bytes[at + 1] === newline) ? at + 1 : needsCare
}

/** A measurement, or the value of a tag: the answer is the place of the comma or space after it. */
function readBare(bytes: Buffer, start: number, slot: FieldSlot, row: number): number {
  if (slot.type !== 'string' || slot.isIdentifier) return needsCare
  let at = start
  while (endsBare[bytes[at]!] === 0) at++
  if (at === start || (bytes[at] !== comma && bytes[at] !== space)) return needsCare
  slot.strings.readPlain(bytes, start, at, slot.codes, row)
  return at
}

function readFieldValue(bytes: Buffer, start: number, slot: FieldSlot, row: number): number {
  switch (slot.type) {
    case 'double':
      return readDoubleValue(bytes, start, slot, row)
    case 'long':
      return readLongValue(bytes, start, slot, row)
    case 'string':
      return slot.isIdentifier ? needsCare : readStringValue(bytes, start, slot, row)
    case 'boolean':
      return readBooleanValue(bytes, start, slot, row)
    default:
      return needsCare
  }
}

function beginsPlainNumber(bytes: Buffer, start: number): boolean {
  return isDigit(bytes[bytes[start] === minus ? start + 1 : start])
}

/** The place after the value, if a value may end there. */
function valueEnd(bytes: Buffer, at: number): number {
  const byte = bytes[at]
  return byte === comma || byte === space || byte === newline || byte === carriageReturn || byte === undefined
    ? at
    : needsCare
}

function readDoubleValue(bytes: Buffer, start: number, slot: FieldSlot, row: number): number {
  if (!beginsPlainNumber(bytes, start)) return needsCare
  const end = readDouble(bytes, start, slot.numbers, row)
  if (!Number.isFinite(slot.numbers[row]!)) return needsCare
  const byte = bytes[end]
  if (byte !== lowerI && byte !== lowerU) return valueEnd(bytes, end)
  return readLongValue(bytes, start, slot, row)
}

function readLongValue(bytes: Buffer, start: number, slot: FieldSlot, row: number): number {
  if (!beginsPlainNumber(bytes, start)) return needsCare
  const end = readPlainWhole(bytes, start, slot.numbers, row)
  if (end < 0 || bytes[end] === dot) return needsCare
  if (bytes[end] === lowerI) return valueEnd(bytes, end + 1)
  if (bytes[end] !== lowerU) return valueEnd(bytes, end)
  return bytes[start] === minus ? needsCare : valueEnd(bytes, end + 1)
}

function readStringValue(bytes: Buffer, start: number, slot: FieldSlot, row: number): number {
  if (bytes[start] !== quote) return needsCare
  let at = start + 1
  while (endsString[bytes[at]!] === 0) at++
  if (bytes[at] !== quote) return needsCare
  slot.strings.readPlain(bytes, start + 1, at, slot.codes, row)
  return valueEnd(bytes, at + 1)
}

const spellings = [
  { first: lowerT, value: 1, text: Buffer.from('true') },
  { first: lowerF, value: 0, text: Buffer.from('false') },
] as const

function readBooleanValue(bytes: Buffer, start: number, slot: FieldSlot, row: number): number {
  for (const { first, value, text } of spellings) {
    if (bytes[start] !== first) continue
    slot.flags[row] = value
    const short = valueEnd(bytes, start + 1)
    if (short >= 0) return short
    const end = afterLead(bytes, start, text)
    return end < 0 ? needsCare : valueEnd(bytes, end)
  }
  return needsCare
}
