// Counts the rows of a plain line in which each field is a row, without parsing it: pushes of such lines are counted before they are acknowledged.
import {
  carriageReturn,
  comma,
  digitNine,
  digitZero,
  dot,
  equals,
  lowerI,
  lowerU,
  minus,
  newline,
  quote,
  space,
} from '../../../lib/ascii.ts'
import { splitLineBytesMax } from '../../../model/line-format.ts'
import { bareEnd, needsCare, stringEnd, tagValueEnd, truthEnd, valueEnd } from './line-value.ts'

/** Integers of this many digits fit into 64 bits, and well into the range of a double. */
const digitsMax = 18
/** The most tags of a line whose names are compared with each other; a line with more needs care. */
const tagsMax = 16

export class PlainRowCounter {
  readonly #nameStarts = new Int32Array(tagsMax)
  readonly #nameEnds = new Int32Array(tagsMax)
  #rows = 0

  /** The number of rows of the line counted last. */
  get rows(): number {
    return this.#rows
  }

  /** Returns the place of the newline after the line that begins at `start`, or the end of the body; -1 if it must be counted with care. */
  count(bytes: Buffer, start: number): number {
    let at = this.#headEnd(bytes, start)
    let rows = 0
    while (at >= 0) {
      const nameEnd = bareEnd(bytes, at + 1)
      if (nameEnd === at + 1 || bytes[nameEnd] !== equals) return needsCare
      at = fieldValueEnd(bytes, nameEnd + 1)
      rows++
      if (bytes[at] !== comma) break
    }
    const end = at < 0 ? needsCare : timeEnd(bytes, at)
    this.#rows = rows
    return end - start > splitLineBytesMax ? needsCare : end
  }

  /** The place of the space after the measurement and the tags. */
  #headEnd(bytes: Buffer, start: number): number {
    let at = tagValueEnd(bytes, start)
    if (at === start) return needsCare
    for (let tags = 0; bytes[at] === comma; tags++) {
      const nameEnd = bareEnd(bytes, at + 1)
      if (nameEnd === at + 1 || bytes[nameEnd] !== equals || !this.#isNew(bytes, at + 1, nameEnd, tags))
        return needsCare
      at = tagValueEnd(bytes, nameEnd + 1)
      if (at === nameEnd + 1) return needsCare
    }
    return bytes[at] === space ? at : needsCare
  }

  /** Whether no earlier tag has this name. Duplicate names are a fault. */
  #isNew(bytes: Buffer, start: number, end: number, tags: number): boolean {
    if (tags >= tagsMax) return false
    for (let tag = 0; tag < tags; tag++) {
      const from = this.#nameStarts[tag]!
      if (this.#nameEnds[tag]! - from === end - start && isSame(bytes, from, start, end - start)) return false
    }
    this.#nameStarts[tags] = start
    this.#nameEnds[tags] = end
    return true
  }
}

function isSame(bytes: Buffer, one: number, other: number, length: number): boolean {
  for (let i = 0; i < length; i++) if (bytes[one + i] !== bytes[other + i]) return false
  return true
}

function fieldValueEnd(bytes: Buffer, start: number): number {
  const byte = bytes[start]!
  if (byte === quote) {
    const end = stringEnd(bytes, start + 1)
    return bytes[end] === quote ? valueEnd(bytes, end + 1) : needsCare
  }
  const from = byte === minus ? start + 1 : start
  let end = digitsEnd(bytes, from)
  if (end === from) return truthEnd(bytes, start)
  if (end - from > digitsMax) return needsCare
  if (bytes[end] === lowerI) return valueEnd(bytes, end + 1)
  if (bytes[end] === lowerU && byte !== minus) return valueEnd(bytes, end + 1)
  if (bytes[end] === dot) end = digitsEnd(bytes, end + 1)
  return valueEnd(bytes, end)
}

function timeEnd(bytes: Buffer, start: number): number {
  let end = start
  if (bytes[start] === space) {
    end = digitsEnd(bytes, start + 1)
    const digits = end - start - 1
    // 9223372036854775807 is the largest 64-bit integer.
    const isWithin64Bits = digits <= digitsMax || (digits === digitsMax + 1 && bytes[start + 1] !== digitNine)
    if (digits === 0 || !isWithin64Bits) return needsCare
  }
  if (bytes[end] === carriageReturn) end++
  return end >= bytes.length || bytes[end] === newline ? end : needsCare
}

function digitsEnd(bytes: Buffer, start: number): number {
  let end = start
  while (bytes[end]! >= digitZero && bytes[end]! <= digitNine) end++
  return end
}
