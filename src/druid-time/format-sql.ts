// Joda-Time's patterns in SQL: formats an instant on the zone's clock, and parses text by a pattern.

import { bind } from '../lib/bind-sql.ts'
import { type Sql, sql } from '../lib/sql-text.ts'
import { toLocal } from './bucket-sql.ts'
import { shownInstant } from './parse-sql.ts'
import type { Zone } from './zone.ts'

interface Moment {
  /** TIMESTAMP of the zone's clock. */
  readonly local: Sql
  readonly offsetMs: Sql
  readonly zone: Zone
  readonly locale: string
}

/** A pattern in pieces: runs of one letter, and literal text. */
export type PatternPiece = { readonly letter: string; readonly count: number } | { readonly text: string }

/** The pieces of a pattern; null when it is empty, has an unclosed quote, or has a letter that Joda-Time does not define. */
export function patternPieces(pattern: string): readonly PatternPiece[] | null {
  if (pattern === '') return null
  const pieces: PatternPiece[] = []
  for (let at = 0; at < pattern.length; ) {
    const char = pattern[at]!
    if (/[A-Za-z]/.test(char)) {
      let end = at + 1
      while (pattern[end] === char) end++
      if (!letters.has(char)) return null
      pieces.push({ letter: char, count: end - at })
      at = end
    } else if (char === "'") {
      const quoted = /^'((?:[^']|'')*)'/.exec(pattern.slice(at))
      if (quoted === null) return null
      pieces.push({ text: quoted[1] === '' ? "'" : quoted[1]!.replaceAll("''", "'") })
      at += quoted[0].length
    } else {
      pieces.push({ text: char })
      at++
    }
  }
  return pieces
}

const letters = new Set('GCYxweEyDMdaKhHkmsSzZ')

const padded = (value: Sql, width: number): Sql =>
  width <= 1 ? sql`CAST(${value} AS VARCHAR)` : sql`printf(${sql.literal(`%0${width}d`)}, CAST(${value} AS BIGINT))`

/** A name by its number, counted from 1. */
function named(index: Sql, names: readonly string[]): Sql {
  return sql`[${sql.list(names.map((name) => sql.literal(name)))}][${index}]`
}

function dayNames(locale: string, width: 'long' | 'short'): readonly string[] {
  const format = new Intl.DateTimeFormat(locale, { weekday: width, timeZone: 'UTC' })
  return Array.from({ length: 7 }, (_, day) => format.format(Date.UTC(1970, 0, 5 + day)))
}

function monthNames(locale: string, width: 'long' | 'short'): readonly string[] {
  const format = new Intl.DateTimeFormat(locale, { month: width, timeZone: 'UTC' })
  return Array.from({ length: 12 }, (_, month) => format.format(Date.UTC(1970, month, 1)))
}

function offsetText(offsetMs: Sql, colon: boolean): Sql {
  const minutes = sql`(abs(${offsetMs}) // 60000)`
  return sql`(CASE WHEN ${offsetMs} < 0 THEN '-' ELSE '+' END || printf(${sql.literal(colon ? '%02d:%02d' : '%02d%02d')}, ${minutes} // 60, ${minutes} % 60))`
}

/** The sign is not counted as a digit: `-0974`. */
function yearText(year: Sql, count: number): Sql {
  return count === 2
    ? padded(sql`(abs(${year}) % 100)`, 2)
    : sql`(${signOf(year)} || ${padded(sql`abs(${year})`, count)})`
}

const signOf = (year: Sql): Sql => sql`CASE WHEN ${year} < 0 THEN '-' ELSE '' END`

function letterText(moment: Moment, letter: string, count: number): Sql {
  const { local, offsetMs, zone, locale } = moment
  const width = count > 3 ? 'long' : 'short'
  switch (letter) {
    case 'G':
      return sql`(CASE WHEN year(${local}) > 0 THEN 'AD' ELSE 'BC' END)`
    case 'C':
      return padded(sql`(abs(year(${local})) // 100)`, count)
    case 'y':
      return yearText(sql`year(${local})`, count)
    case 'Y':
      return yearText(sql`(CASE WHEN year(${local}) > 0 THEN year(${local}) ELSE 1 - year(${local}) END)`, count)
    case 'x':
      return yearText(sql`isoyear(${local})`, count)
    case 'w':
      return padded(sql`week(${local})`, count)
    case 'e':
      return padded(sql`isodow(${local})`, count)
    case 'E':
      return named(sql`isodow(${local})`, dayNames(locale, width))
    case 'D':
      return padded(sql`dayofyear(${local})`, count)
    case 'M':
      return count > 2 ? named(sql`month(${local})`, monthNames(locale, width)) : padded(sql`month(${local})`, count)
    case 'd':
      return padded(sql`day(${local})`, count)
    case 'a':
      return sql`(CASE WHEN hour(${local}) < 12 THEN 'AM' ELSE 'PM' END)`
    case 'K':
      return padded(sql`(hour(${local}) % 12)`, count)
    case 'h':
      return padded(sql`((hour(${local}) + 11) % 12 + 1)`, count)
    case 'H':
      return padded(sql`hour(${local})`, count)
    case 'k':
      return padded(sql`((hour(${local}) + 23) % 24 + 1)`, count)
    case 'm':
      return padded(sql`minute(${local})`, count)
    case 's':
      return padded(sql`(second(${local}))`, count)
    case 'S':
      return sql`rpad(printf('%03d', millisecond(${local}) % 1000), ${sql.long(count)}::INTEGER, '0')`
    case 'z':
      return zone.name === 'UTC' ? sql`'UTC'` : offsetText(offsetMs, true)
    case 'Z':
      return count > 2 ? sql.literal(zone.name) : offsetText(offsetMs, count === 2)
    default:
      throw new Error(`the pattern letter ${letter} has no SQL`)
  }
}

/** The instant, in milliseconds, of a text parsed by a pattern, in `zone` if the text has no offset; NULL where the text does not match. */
export function parseTimeBy(text: Sql, { text: format, year, isOfEra, hasOffset }: ParseFormat, zone: Zone): Sql {
  // The engine ignores blanks around a text.
  const isExact = (x: Sql): Sql => sql`${x} = trim(${x})`
  const read = (x: Sql): Sql => sql`epoch_ms(${parsed(x, format, year)})`
  const exact =
    format === format.trim() ? bind(text, (x) => sql`CASE WHEN ${isExact(x)} THEN ${read(x)} END`) : read(text)
  const ms = isOfEra ? bind(exact, (x) => sql`CASE WHEN ${x} >= ${sql.long(eraMs)} THEN ${x} END`) : exact
  return hasOffset ? ms : shownInstant(ms, zone)
}

/** The start of the year 1. */
const eraMs = -62_135_596_800_000

/** If the pattern has no year, one is put before both the text and the pattern. */
function parsed(text: Sql, format: string, year: number | null): Sql {
  if (year === null) return sql`try_strptime(${text}, ${sql.literal(format)})`
  return sql`try_strptime(${sql.literal(`${year}|`)} || ${text}, ${sql.literal(`%Y|${format}`)})`
}

/** Formats an instant by a pattern's pieces; `null` is ISO 8601 with milliseconds and the offset. */
export function formatTime(ms: Sql, pieces: readonly PatternPiece[] | null, zone: Zone, locale = 'en'): Sql {
  return bind(ms, (x) =>
    bind(toLocal(x, zone), (localMs) => {
      const local = sql`make_timestamp_ms(${localMs})`
      const moment: Moment = { local, offsetMs: sql`(${localMs} - ${x})`, zone, locale }
      if (pieces === null) return isoText(moment)
      const parts = pieces.map((piece) =>
        'text' in piece ? sql.literal(piece.text) : letterText(moment, piece.letter, piece.count),
      )
      // Quoted text and some letters do not depend on the time, so a null time would still produce text.
      return sql`CASE WHEN ${x} IS NOT NULL THEN ${sql.join([...parts, sql`''`], ' || ')} END`
    }),
  )
}

function isoText(moment: Moment): Sql {
  const { local, offsetMs } = moment
  const seconds = sql`strftime(${local}, '-%m-%dT%H:%M:%S.')`
  const year = yearText(sql`year(${local})`, 4)
  const offset = sql`CASE WHEN ${offsetMs} = 0 THEN 'Z' ELSE ${offsetText(offsetMs, true)} END`
  return sql`(${year} || ${seconds} || printf('%03d', millisecond(${local}) % 1000) || ${offset})`
}

const parseLetters: ReadonlyMap<string, string> = new Map<string, string>([
  ['y', '%-Y'],
  ['Y', '%-Y'],
  ['M', '%-m'],
  ['MMM', '%b'],
  ['MMMM', '%B'],
  ['d', '%-d'],
  ['D', '%-j'],
  ['E', '%a'],
  ['EEEE', '%A'],
  ['a', '%p'],
  ['h', '%-I'],
  ['H', '%-H'],
  ['m', '%-M'],
  ['s', '%-S'],
  ['Z', '%z'],
])

/** The specifier for up to `count` digits of a fraction of a second. */
const fractionOf = (count: number): string => (count <= 3 ? '%g' : count <= 6 ? '%f' : '%n')

export interface ParseFormat {
  /** The format for the engine's parser. */
  readonly text: string
  /** The year of a text whose pattern has none; null when the pattern has one. */
  readonly year: number | null
  /** Whether years are years of an era, which start at 1. */
  readonly isOfEra: boolean
  /** Whether the text includes an offset. The parsed time is then an instant, whatever the zone. */
  readonly hasOffset: boolean
}

/** Letters of months and days: with one of these but no year, the year is 2000. A text with only a time of day is on 1970-01-01. */
const dateLetters = 'MdDE'

function yearOf(letters: ReadonlySet<string>): number | null {
  if (letters.has('y') || letters.has('Y')) return null
  return [...dateLetters].some((letter) => letters.has(letter)) ? 2000 : 1970
}

/** Translates a Joda-Time pattern for parsing; null where the engine has no counterpart. */
export function parseTimePattern(pattern: string): ParseFormat | null {
  const pieces = patternPieces(pattern)
  if (pieces === null) return null
  const letters = new Set(pieces.flatMap((piece) => ('letter' in piece ? [piece.letter] : [])))
  // A weekday alone picks a day in a week that the text does not contain.
  if (letters.has('E') && !letters.has('d') && !letters.has('D')) return null
  let format = ''
  let hasOffset = false
  for (const piece of pieces) {
    if ('text' in piece) format += piece.text.replaceAll('%', '%%')
    else {
      const { letter, count } = piece
      const found =
        letter === 'y' && count === 2
          ? '%y'
          : letter === 'S'
            ? fractionOf(count)
            : (parseLetters.get(letter.repeat(count)) ?? parseLetters.get(letter))
      if (found === undefined) return null
      hasOffset ||= letter === 'Z'
      format += found.replace('%-Y', '%Y')
    }
  }
  return { text: format, year: yearOf(letters), isOfEra: letters.has('Y'), hasOffset }
}
