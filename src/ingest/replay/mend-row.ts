// Mends the text of a row. What it is not told to touch keeps its characters: numbers of any length keep their digits.

import { closeBrace, comma, openBrace, quote } from '../../lib/ascii.ts'
import { withoutGroups } from '../../lib/grouped-number.ts'
import { type EpochUnit, epochMs } from '../../model/epoch.ts'
import { formatInstant, parseInstant, withoutSpace } from '../../model/instant.ts'
import type { Conversion, RowMapping } from '../../model/row-mapping.ts'
import { skipSpace, skipValue } from '../scan/skip.ts'
import type { RowText } from './replayed-rows.ts'
import type { UnusedNames } from './unused-names.ts'

export interface Member {
  readonly key: string
  /** Its text, with quotes. */
  readonly name: string
  readonly value: string
  readonly isLong: boolean
}

/** The row as it was where it is no object. What came as a long stays one under another name; a number that is `set` is none. */
export function mendRow(row: RowText, mapping: RowMapping, unused?: UnusedNames): RowText {
  const { drop, rename, set, setMissing, convert } = mapping
  const members = membersOf(row)
  if (members === null) return row
  unused?.met('drop', members)
  const kept = members.filter(({ key }) => !drop.has(key))
  unused?.met('rename', kept)
  const complete = withMissing(withSet(renamed(kept, rename), set), setMissing)
  unused?.met('convert', complete)
  const mended = complete.map((member) => {
    const conversion = convert.get(member.key)
    return conversion === undefined ? member : { ...member, value: converters[conversion](member.value) }
  })
  const json = Buffer.from(`{${mended.map(({ name, value }) => `${name}:${value}`).join()}}`)
  const stillLongs = mended.flatMap(({ key, isLong }) => (isLong ? [key] : []))
  return { text: json, ...(stillLongs.length === 0 ? {} : { longs: stillLongs }) }
}

/** Null of a row that is no object. */
export function membersOf({ text, longs: longNames = [] }: RowText): readonly Member[] | null {
  const bytes = Buffer.from(text.buffer, text.byteOffset, text.byteLength)
  const longs = new Set(longNames)
  const start = skipSpace(bytes, 0)
  if (bytes[start] !== openBrace) return null
  const members: Member[] = []
  let at = skipSpace(bytes, start + 1)
  while (at < bytes.length && bytes[at] !== closeBrace) {
    if (bytes[at] !== quote) return null
    const nameEnd = skipValue(bytes, at)
    const name = bytes.toString('utf8', at, nameEnd)
    const valueStart = skipSpace(bytes, skipSpace(bytes, nameEnd) + 1)
    const valueEnd = skipValue(bytes, valueStart)
    const key: string = JSON.parse(name)
    members.push({ key, name, value: bytes.toString('utf8', valueStart, valueEnd), isLong: longs.has(key) })
    at = skipSpace(bytes, valueEnd)
    if (bytes[at] === comma) at = skipSpace(bytes, at + 1)
  }
  return members
}

/** A property whose new name the row has already keeps its old one. */
function renamed(members: readonly Member[], rename: RowMapping['rename']): readonly Member[] {
  const taken = new Set(members.map(({ key }) => key))
  return members.map((member) => {
    const key = rename.get(member.key)
    if (key === undefined || taken.has(key)) return member
    taken.add(key)
    return { ...member, key, name: JSON.stringify(key) }
  })
}

function withSet(members: readonly Member[], set: RowMapping['set']): readonly Member[] {
  if (set.size === 0) return members
  const others = members.filter(({ key }) => !set.has(key))
  const added = [...set].map(([key, value]): Member => ({ key, name: JSON.stringify(key), value, isLong: false }))
  return [...others, ...added]
}

/** What is there and null is missing too. */
function withMissing(members: readonly Member[], setMissing: RowMapping['setMissing']): readonly Member[] {
  if (setMissing.size === 0) return members
  const there = new Set(members.filter(({ value }) => value !== 'null').map(({ key }) => key))
  return withSet(members, new Map([...setMissing].filter(([key]) => !there.has(key))))
}

const number = /^([+-]?)0*((?:[1-9]\d*)?)(?:\.(\d*))?([eE][+-]?\d+)?$/

/** The number that a text says, as JSON writes it; null where it says none. */
function numberIn(text: string): string | null {
  const match = number.exec(text.trim())
  if (match === null || !/\d/.test(text.replace(/[eE].*$/, ''))) return null
  const [, sign = '', whole = '', fraction = '', exponent = ''] = match
  return `${sign === '-' ? '-' : ''}${whole || '0'}${fraction === '' ? '' : `.${fraction}`}${exponent}`
}

const isText = (value: string): boolean => value.startsWith('"')
const isScalar = (value: string): boolean => /^[-\dtf]/.test(value)
const booleans = new Map([
  ['true', 'true'],
  ['false', 'false'],
  ['1', 'true'],
  ['0', 'false'],
])

/** A count since 1970, a number or its text, as a date-time. */
function timeOf(unit: EpochUnit): (value: string) => string {
  return (value) => {
    const text: string = isText(value) ? JSON.parse(value) : value
    const ms = epochMs(numberIn(text) ?? '', unit)
    return ms === null ? value : JSON.stringify(formatInstant(ms))
  }
}

/** Each takes and gives the text of a JSON value. */
const converters: Readonly<Record<Conversion, (value: string) => string>> = {
  number: (value) => {
    if (!isText(value)) return value
    const text: string = JSON.parse(value)
    return numberIn(withoutGroups(text.trim(), 'point') ?? text) ?? value
  },
  decimal_comma: (value) => {
    const text: string = isText(value) ? JSON.parse(value) : ''
    const number = withoutGroups(text.trim(), 'comma')
    if (number !== null) return number
    return text.includes('.') ? value : (numberIn(text.replace(',', '.')) ?? value)
  },
  text: (value) => (isScalar(value) ? JSON.stringify(value) : value),
  boolean: (value) => {
    const text: string = isText(value) ? JSON.parse(value) : value
    return booleans.get(text.trim().toLowerCase()) ?? value
  },
  iso: (value) => {
    const ms = isText(value) ? parseInstant(withoutSpace(JSON.parse(value).trim())) : null
    return ms === null ? value : JSON.stringify(formatInstant(ms))
  },
  seconds: timeOf('seconds'),
  milliseconds: timeOf('milliseconds'),
  microseconds: timeOf('microseconds'),
  nanoseconds: timeOf('nanoseconds'),
}
