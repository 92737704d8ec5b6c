// Parses times by patterns such as `dd/MM/yyyy HH:mm`, with the letters of Java and Joda.
import { daysFromCivil, daysInMonth, isClockTime, msPerDay, parseInstant } from '../model/instant.ts'

/** A time as written in a file: milliseconds since 1970 in local time. `offsetMs` is how far that is ahead of UTC; null if not stated. */
export interface WrittenTime {
  readonly localMs: number
  readonly offsetMs: number | null
  /** Whether it is the beginning or end of a day, even if the clock skips midnight: a date alone, or 24:00. */
  readonly isDayBound: boolean
}

/** Returns null if the text does not match. */
export type TimeParser = (text: string) => WrittenTime | null

interface PatternPart {
  readonly letter: string
  readonly expression: string
}

/** The letters of a pattern, and their meanings. */
const patternLetters: ReadonlyMap<string, string> = new Map([
  ['y', 'year'],
  ['M', 'month'],
  ['d', 'day'],
  ['H', 'hour from 0 to 24'],
  ['h', 'hour from 1 to 12'],
  ['m', 'minute'],
  ['s', 'second'],
  ['S', 'fraction of a second'],
  ['a', 'AM or PM'],
  ['X', 'offset'],
])

const monthNames = [
  'january',
  'february',
  'march',
  'april',
  'may',
  'june',
  'july',
  'august',
  'september',
  'october',
  'november',
  'december',
]
/** The months by their English names, full and abbreviated. */
const months: ReadonlyMap<string, number> = new Map([
  ...monthNames.flatMap((name, index): [string, number][] => [
    [name, index + 1],
    [name.slice(0, 3), index + 1],
  ]),
  ['sept', 9],
])
const letterExpression = /^[A-Za-z]$/
const special = /[.*+?^${}()|[\]\\/-]/

/** `dd` and `d` match one or two digits, unless digits follow directly: then as many as there are letters. */
function expressionOf(letter: string, count: number, digitsFollow: boolean): string {
  if (letter === 'a') return '[AaPp]\\.?\\s?[Mm]\\.?'
  if (letter === 'X') return 'Z|[+-]\\d\\d(?::?\\d\\d)?'
  if (letter === 'M' && count >= 3) return '[A-Za-z]{3,9}\\.?'
  if (letter === 'y') return count === 2 ? '\\d\\d' : '\\d{4}'
  if (letter === 'S') return digitsFollow ? `\\d{${count}}` : '\\d{1,9}'
  return digitsFollow ? `\\d{${count}}` : '\\d{1,2}'
}

const isDigits = (letter: string | undefined): boolean => letter !== undefined && 'yMdHhmsS'.includes(letter)

/** Splits into runs of a letter and single other characters; text in single quotes is literal. */
function wordsOf(pattern: string): readonly string[] {
  return pattern.match(/'[^']*'|([A-Za-z])\1*|[^A-Za-z]/g) ?? []
}

function partsOf(pattern: string): readonly (PatternPart | string)[] {
  const words = wordsOf(pattern)
  return words.map((word, place) => {
    const letter = word[0]!
    if (letter === "'" && word.length > 1) return word === "''" ? "'" : word.slice(1, -1)
    if (!letterExpression.test(letter)) return word
    if (!patternLetters.has(letter)) throw new Error(unknownLetter(letter, pattern))
    if (letter === 'M' && word.length > 4)
      throw new Error(
        `"${word}" in the pattern "${pattern}" is not a month: MM is its number, MMM or MMMM its English name.`,
      )
    return { letter, expression: expressionOf(letter, word.length, isDigits(words[place + 1]?.[0])) }
  })
}

function unknownLetter(letter: string, pattern: string): string {
  const known = [...patternLetters].map(([one, meaning]) => `${one} ${meaning}`).join(', ')
  const hint = 'YDA'.includes(letter) ? ' Capital and small letters differ.' : ''
  return `"${letter}" in the pattern "${pattern}" is not a letter of a time. There are: ${known}.${hint} Write text in single quotes: 'T'.`
}

/** Throws an `Error` if the pattern lacks a letter that a time needs, or has one twice. */
function checkLetters(pattern: string, letters: readonly string[]): void {
  const twice = letters.find((letter, place) => letters.indexOf(letter) !== place)
  const minutes = twice === 'm' || (letters.includes('m') && !letters.includes('M'))
  const hint = minutes ? ' Months are MM, and minutes mm.' : ''
  if (twice !== undefined) throw new Error(`The pattern "${pattern}" has "${twice}" twice.${hint}`)
  for (const letter of ['y', 'M', 'd']) {
    if (letters.includes(letter)) continue
    throw new Error(`The pattern "${pattern}" has no ${patternLetters.get(letter)}: "${letter}".${hint}`)
  }
  const half = letters.includes('h')
  if (half !== letters.includes('a')) {
    throw new Error(`In the pattern "${pattern}" h (1 to 12) needs a (AM or PM), and a needs h; H is the hour from 0.`)
  }
}

const literal = (text: string): string =>
  [...text].map((one) => (/\s/.test(one) ? '\\s' : one.replace(special, '\\$&'))).join('')

type Found = ReadonlyMap<string, string>

/** 69 to 99 are in the last century, as in POSIX. */
function yearOf(text: string): number {
  const year = Number(text)
  if (text.length > 2) return year
  return year >= 69 ? 1900 + year : 2000 + year
}

const monthOf = (text: string): number =>
  /^\d/.test(text) ? Number(text) : (months.get(text.replace('.', '').toLowerCase()) ?? 0)

function hourOf(found: Found): number | null {
  const half = found.get('h')
  if (half === undefined) return Number(found.get('H') ?? 0)
  const hour = Number(half)
  if (hour < 1 || hour > 12) return null
  return (hour % 12) + (/^p/i.test(found.get('a')!) ? 12 : 0)
}

/** Accepts the offsets of `parseInstant`; null for others. */
function offsetOf(text: string): number | null {
  const ms = parseInstant(`1970-01-01T00:00${text}`)
  return ms === null ? null : -ms
}

function timeOf(found: Found): WrittenTime | null {
  const year = yearOf(found.get('y')!)
  const month = monthOf(found.get('M')!)
  const day = Number(found.get('d'))
  const [hour, minute, second] = [hourOf(found), Number(found.get('m') ?? 0), Number(found.get('s') ?? 0)]
  if (year < 1 || month < 1 || month > 12 || day < 1 || day > daysInMonth(year, month)) return null
  const ms = Number((found.get('S') ?? '').slice(0, 3).padEnd(3, '0'))
  if (hour === null || !isClockTime(hour, minute, second, ms)) return null
  const clockMs = ((hour * 60 + minute) * 60 + second) * 1000 + ms
  const localMs = daysFromCivil(year, month, day) * msPerDay + clockMs
  const isDayBound = hour === 24 || !(found.has('H') || found.has('h'))
  const offset = found.get('X')
  if (offset === undefined) return { localMs, offsetMs: null, isDayBound }
  const offsetMs = offsetOf(offset)
  return offsetMs === null ? null : { localMs, offsetMs, isDayBound }
}

/** Throws an `Error` that describes the fault of an invalid pattern. */
export function patternParser(pattern: string): TimeParser {
  const parts = partsOf(pattern)
  const letters = parts.flatMap((part) => (typeof part === 'string' ? [] : [part.letter]))
  checkLetters(pattern, letters)
  const source = parts.map((part) => (typeof part === 'string' ? literal(part) : `(${part.expression})`)).join('')
  const expression = new RegExp(`^${source}$`)
  return (text) => {
    const match = expression.exec(text.trim())
    return match === null ? null : timeOf(new Map(letters.map((letter, place) => [letter, match[place + 1]!])))
  }
}
