// Guesses the formats of times and numbers in rejected rows, for the user to decide on.
import { isAmbiguous, withoutGroups, writtenBoolean, writtenNumber } from '../lib/written-value.ts'
import { epochUnits, likelyUnits } from '../model/epoch.ts'
import { compactDate } from '../model/instant.ts'
import { patternParser } from './time-pattern.ts'

interface Rejection {
  readonly code: string
  readonly message: string
}

export interface TimeHint {
  /** A time as written in the file. */
  readonly example: string
  /** Formats that fit it, most likely first. */
  readonly formats: readonly string[]
}

const refusedText = /: expected an ISO 8601 date-time [^":]*, got "([^"]{6,40})"(?:$|; it reads)/s
const refusedCount = /: (\d{14,30}) is outside the years/
const clock = /^(.*?)(?:(,? )(\d{1,2}):\d\d(:\d\d)?([.,]\d{1,9})?( ?[AaPp][Mm])?)?$/
const numbers = /^(\d{1,4})([-./])\d{1,2}\2(\d{4}|\d\d?)$/
const named = /^(?:(\d{1,2})([-./ ])[A-Za-z]{3,9}\2(\d{4}|\d\d)|[A-Za-z]{3,9} \d{1,2}, \d{4})$/

/** Patterns of a date without its time, most likely first. */
function datePatterns(date: string): readonly string[] {
  const [, first = '', mark = '', last = ''] = numbers.exec(date) ?? []
  if (first.length === 4) return [`yyyy${mark}MM${mark}dd`]
  if (last !== '') {
    const year = last.length === 4 ? 'yyyy' : 'yy'
    const yearLast = [`dd${mark}MM${mark}${year}`, `MM${mark}dd${mark}${year}`]
    return year === 'yy' ? [...yearLast, `yy${mark}MM${mark}dd`] : yearLast
  }
  const month = named.exec(date)
  if (month === null) return []
  const [, , between = '', year = ''] = month
  return [year === '' ? 'MMM d, yyyy' : `dd${between}MMM${between}${year.length === 4 ? 'yyyy' : 'yy'}`]
}

function patternsOf(text: string): readonly string[] {
  const [, date = '', space, hour, seconds, fraction, half] = clock.exec(text) ?? []
  const fractionPattern = fraction === undefined ? '' : `${fraction[0]}S`
  const halfPattern = half === undefined ? '' : `${half.slice(0, -2)}a`
  const time =
    hour === undefined
      ? ''
      : `${space}${half ? 'h' : 'HH'}:mm${seconds === undefined ? '' : ':ss'}${fractionPattern}${halfPattern}`
  const patterns = datePatterns(date)
    .map((pattern) => pattern + time)
    .filter((pattern) => patternParser(pattern)(text) !== null)
  const usual = patterns.filter((pattern) => isUsual(patternParser(pattern)(text)!.localMs))
  return usual.length > 0 ? usual : patterns
}

const usualFromMs = Date.UTC(2015, 0, 1)
const usualUntilMs = Date.UTC(2036, 0, 1)

/** Whether the year is plausible for readings; used when its digits may also be a day. */
const isUsual = (ms: number): boolean => ms >= usualFromMs && ms < usualUntilMs

/** The patterns that read most of the rejected times. */
function readingMost(formats: readonly string[], times: readonly string[]): readonly string[] {
  const read = (format: string): number => {
    if (isUnit(format)) return times.length
    const parse = patternParser(format)
    return times.filter((time) => parse(time) !== null).length
  }
  const counts = formats.map(read)
  const most = Math.max(...counts)
  return formats.filter((_, place) => counts[place] === most)
}

const isUnit = (format: string): boolean => epochUnits.some((unit) => unit === format)

/** Null if no rejected row has a time that fits a format other than `given`. */
export function timeHint(rejections: readonly Rejection[], given = ''): TimeHint | null {
  const times = rejections.flatMap(
    ({ message }) => (refusedText.exec(message) ?? refusedCount.exec(message))?.[1] ?? [],
  )
  for (const example of times) {
    const date = compactDate(example)
    const all = [
      ...(date === null ? [] : [date.pattern]),
      ...likelyUnits(example.replace(',', '.')),
      ...patternsOf(example),
    ]
    const formats = all.filter((format) => format !== given)
    if (formats.length > 0) return { example, formats: readingMost(formats, times) }
  }
  return null
}

const refusedNumber = /: expected a (?:whole )?number, got "([-\d., '’\u00a0\u202f]{3,40})"$/

export interface NumberHint {
  /** A number as written in the file. */
  readonly example: string
  /** How it is meant: with a decimal comma, with a decimal point, or with a mark that may also separate thousands. */
  readonly is: 'comma' | 'point' | 'ambiguous'
}

const refusedValue = /: expected (a number|a whole number|true or false), got ("(?:[^"\\]|\\.)*")$/

export interface ConversionHint {
  readonly property: string
  /** A value as written in the file. */
  readonly example: string
  readonly conversion: 'number' | 'boolean'
}

/** The first value of each property that was rejected as written, but is recognizable as a number or boolean: " 1.5", "+1", "TRUE". */
export function conversionHints(
  rejections: readonly (Rejection & { readonly field: string | null })[],
): readonly ConversionHint[] {
  const hints = new Map<string, ConversionHint>()
  for (const { field, message } of rejections) {
    const [, expected, text] = refusedValue.exec(message) ?? []
    if (field === null || text === undefined || hints.has(field)) continue
    const example: string = JSON.parse(text)
    const conversion = expected === 'true or false' ? 'boolean' : 'number'
    const value = conversion === 'boolean' ? writtenBoolean(example) : writtenNumber(example)
    if (value !== null) hints.set(field, { property: field, example, conversion })
  }
  return [...hints.values()]
}

/** How a rejected number is meant; null if no rejected row has one. */
export function numberHint(rejections: readonly Rejection[]): NumberHint | null {
  for (const { message } of rejections) {
    const example = refusedNumber.exec(message)?.[1]
    if (example === undefined) continue
    if (isAmbiguous(example)) return { example, is: 'ambiguous' }
    if (/^-?\d+,\d+$/.test(example) || withoutGroups(example, 'comma') !== null) return { example, is: 'comma' }
    if (/^-?\d+\.\d+$/.test(example) || withoutGroups(example, 'point') !== null) return { example, is: 'point' }
  }
  return null
}
