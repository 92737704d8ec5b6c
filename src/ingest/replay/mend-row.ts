// Mends the text of a row. Values that the mapping does not change keep their characters: numbers of any length keep their digits.

import { closeBrace, comma, openBrace, quote } from '../../lib/ascii.ts'
import { withoutGroups, writtenBoolean, writtenNumber } from '../../lib/written-value.ts'
import { type EpochUnit, epochMs } from '../../model/epoch.ts'
import { formatInstant, parseInstant } from '../../model/instant.ts'
import type { Conversion, RowMapping } from '../../model/row-mapping.ts'
import { skipSpace, skipValue } from '../scan/skip.ts'
import type { RowText } from './replayed-rows.ts'
import type { UnusedNames } from './unused-names.ts'

export interface Member {
  readonly key: string
  /** Its JSON text, with quotes. */
  readonly name: string
  readonly value: string
  readonly isLong: boolean
}

/** Returns the row unchanged if it is not an object. A renamed property stays a long if it was one; a number from `set` is not a long. */
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

/** Null if the row is not an object. */
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

/** A property is not renamed if the row already has one of the new name. */
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

/** A property that is null counts as missing too. */
function withMissing(members: readonly Member[], setMissing: RowMapping['setMissing']): readonly Member[] {
  if (setMissing.size === 0) return members
  const there = new Set(members.filter(({ value }) => value !== 'null').map(({ key }) => key))
  return withSet(members, new Map([...setMissing].filter(([key]) => !there.has(key))))
}

const isText = (value: string): boolean => value.startsWith('"')
const isScalar = (value: string): boolean => /^[-\dtf]/.test(value)
/** Converts a count since 1970, given as number or text, to a date-time. */
function timeOf(unit: EpochUnit): (value: string) => string {
  return (value) => {
    const text: string = isText(value) ? JSON.parse(value) : value
    const ms = epochMs(writtenNumber(text) ?? '', unit)
    return ms === null ? value : JSON.stringify(formatInstant(ms))
  }
}

/** Each maps the text of a JSON value to another. */
const converters: Readonly<Record<Conversion, (value: string) => string>> = {
  number: (value) => {
    if (!isText(value)) return value
    const text: string = JSON.parse(value)
    return writtenNumber(withoutGroups(text.trim(), 'point') ?? text) ?? value
  },
  decimal_comma: (value) => {
    const text: string = isText(value) ? JSON.parse(value) : ''
    const number = withoutGroups(text.trim(), 'comma')
    if (number !== null) return number
    return text.includes('.') ? value : (writtenNumber(text.replace(',', '.')) ?? value)
  },
  text: (value) => (isScalar(value) ? JSON.stringify(value) : value),
  boolean: (value) => {
    const text: string = isText(value) ? JSON.parse(value) : value
    return writtenBoolean(text) ?? value
  },
  iso: (value) => {
    const ms = isText(value) ? parseInstant(JSON.parse(value)) : null
    return ms === null ? value : JSON.stringify(formatInstant(ms))
  },
  seconds: timeOf('seconds'),
  milliseconds: timeOf('milliseconds'),
  microseconds: timeOf('microseconds'),
  nanoseconds: timeOf('nanoseconds'),
}
