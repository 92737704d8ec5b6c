import { colon, digitNine, digitZero, dot, minus, plus, quote, space, upperT, upperZ } from '../../lib/ascii.ts'
import { daysFromCivil, daysInMonth, earliestMs, latestMs, msPerDay, parseInstant } from '../../model/instant.ts'
import { skipString } from './skip.ts'

/** Returned instead of the next place for text that is not a timestamp. */
const noTimestamp = -1

function twoDigits(bytes: Buffer, at: number): number {
  const tens = bytes[at]! - digitZero
  const ones = bytes[at + 1]! - digitZero
  return tens >= 0 && tens <= 9 && ones >= 0 && ones <= 9 ? tens * 10 + ones : -1
}

function readAnyForm(bytes: Buffer, start: number, values: Float64Array, row: number): number {
  const end = skipString(bytes, start - 1)
  const ms = parseInstant(JSON.parse(bytes.toString('utf8', start - 1, end)))
  if (ms === null) return noTimestamp
  values[row] = ms
  return end
}

/**
 * Parses timestamps. The usual form, `2026-01-01T00:00:00.000Z` with or without fraction, zone or offset, or with a space
 * for its T, is read in place; all other forms go through `parseInstant`.
 */
export class TimestampParser {
  /**
   * The day read last: rows pushed together are mostly of one day, so its midnight is computed once. It starts as a valid day, because digits that
   * are invalid read as -1 and must never match it.
   */
  #century = 19
  #year = 70
  #month = 1
  #day = 1
  #midnightMs = 0

  /**
   * Writes the milliseconds of the string that begins after the quote at `start - 1` to `values[row]`. Returns the place after its
   * closing quote, or -1 if the text is not a timestamp.
   */
  read(bytes: Buffer, start: number, values: Float64Array, row: number): number {
    const end = this.#readUsualForm(bytes, start, values, row)
    return end === noTimestamp ? readAnyForm(bytes, start, values, row) : end
  }

  #readUsualForm(bytes: Buffer, start: number, values: Float64Array, row: number): number {
    const mark = bytes[start + 10]
    if (bytes[start + 4] !== minus || bytes[start + 7] !== minus || (mark !== upperT && mark !== space))
      return noTimestamp
    if (bytes[start + 13] !== colon || bytes[start + 16] !== colon) return noTimestamp
    if (!this.#readDay(bytes, start)) return noTimestamp
    const hour = twoDigits(bytes, start + 11)
    const minute = twoDigits(bytes, start + 14)
    const second = twoDigits(bytes, start + 17)
    if (hour < 0 || hour > 23 || minute < 0 || minute > 59 || second < 0 || second > 59) return noTimestamp
    let at = start + 19
    let ms = ((hour * 60 + minute) * 60 + second) * 1000
    if (bytes[at] === dot) {
      let unit = 100
      const first = ++at
      for (let byte = bytes[at]!; byte >= digitZero && byte <= digitNine; byte = bytes[++at]!) {
        ms += (byte - digitZero) * unit
        unit = (unit / 10) | 0
      }
      if (at === first) return noTimestamp
    }
    if (bytes[at] === upperZ) at++
    else if (bytes[at] !== quote) return this.#readOffset(bytes, at, ms, values, row)
    if (bytes[at] !== quote) return noTimestamp
    values[row] = this.#midnightMs + ms
    return at + 1
  }

  #readOffset(bytes: Buffer, at: number, msOfDay: number, values: Float64Array, row: number): number {
    const sign = bytes[at]
    if ((sign !== plus && sign !== minus) || bytes[at + 3] !== colon || bytes[at + 6] !== quote) return noTimestamp
    const hours = twoDigits(bytes, at + 1)
    const minutes = twoDigits(bytes, at + 4)
    if (hours < 0 || hours > 23 || minutes < 0 || minutes > 59) return noTimestamp
    const offsetMs = (hours * 60 + minutes) * 60_000
    const ms = this.#midnightMs + msOfDay + (sign === plus ? -offsetMs : offsetMs)
    if (ms < earliestMs || ms > latestMs) return noTimestamp
    values[row] = ms
    return at + 7
  }

  #readDay(bytes: Buffer, start: number): boolean {
    const century = twoDigits(bytes, start)
    const year = twoDigits(bytes, start + 2)
    const month = twoDigits(bytes, start + 5)
    const day = twoDigits(bytes, start + 8)
    if (day === this.#day && month === this.#month && year === this.#year && century === this.#century) return true
    const fullYear = century * 100 + year
    if (century < 0 || year < 0 || fullYear < 1 || month < 1 || month > 12) return false
    if (day < 1 || day > daysInMonth(fullYear, month)) return false
    this.#midnightMs = daysFromCivil(fullYear, month, day) * msPerDay
    this.#century = century
    this.#year = year
    this.#month = month
    this.#day = day
    return true
  }
}
