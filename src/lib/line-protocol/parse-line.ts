// Tested by `src/ingest/line-validator.test.ts`.

// A line of line protocol as InfluxDB reads it (`line-validator.test.ts` has the differences). Parses any line, and reports the error of an invalid one.
// Plain lines are read by `line-scanner.ts` instead.

import { backslash, comma, equals, space } from '../ascii.ts'

/** Numbers are JSON numbers, digit for digit. */
export type LineValue =
  | { readonly type: 'string'; readonly value: string }
  | { readonly type: 'boolean'; readonly value: boolean }
  | { readonly type: 'long' | 'double'; readonly json: string }

export interface LineField {
  readonly name: string
  readonly value: LineValue
  /** The value as written in the line. */
  readonly text: string
}

export interface ParsedLine {
  readonly measurement: string
  readonly tags: readonly (readonly [name: string, value: string])[]
  /** At least one. */
  readonly fields: readonly LineField[]
  /** In the unit of the push; null if the line has no time. */
  readonly time: bigint | null
  /** Measurement and tags as written in the line. */
  readonly head: string
}

/** Why a text is not a valid line. */
export class NoLine extends Error {}

/** Throws `NoLine`. The text must not be empty or begin with white space. */
export function parseLine(text: string): ParsedLine {
  const measurementEnd = endOf(text, 0, ', ')
  if (measurementEnd === 0) throw new NoLine('the measurement is missing')
  const { tags, end } = readTags(text, measurementEnd)
  const { fields, end: fieldsEnd } = readFields(text, skipBlanks(text, end))
  return {
    measurement: unescaped(text.slice(0, measurementEnd)),
    tags,
    fields,
    time: readTime(text.slice(skipBlanks(text, fieldsEnd))),
    head: text.slice(0, end),
  }
}

export function isLine(text: string): boolean {
  try {
    parseLine(text)
    return true
  } catch (error) {
    if (error instanceof NoLine) return false
    throw error
  }
}

/** The index of the first of these characters that is not escaped with a backslash; the end of the text if there is none. */
function endOf(text: string, start: number, stops: ', ' | '=, '): number {
  const stopsAtEquals = stops !== ', '
  let at = start
  for (; at < text.length; at++) {
    const code = text.charCodeAt(at)
    const isStop = code === comma || code === space || (code === equals && stopsAtEquals)
    if (isStop && (at === start || text.charCodeAt(at - 1) !== backslash)) return at
  }
  return at
}

function readTags(text: string, start: number): { readonly tags: readonly [string, string][]; readonly end: number } {
  const tags: [string, string][] = []
  const names = new Set<string>()
  let at = start
  while (text[at] === ',') {
    const keyEnd = endOf(text, at + 1, '=, ')
    if (keyEnd === at + 1) throw new NoLine('the name of a tag is missing')
    if (text[keyEnd] !== '=') throw new NoLine('a tag has no value')
    const valueEnd = endOf(text, keyEnd + 1, '=, ')
    if (text[valueEnd] === '=') throw new NoLine('the value of a tag has an = without a backslash before it')
    if (valueEnd === keyEnd + 1) throw new NoLine('a tag has no value')
    const name = unescaped(text.slice(at + 1, keyEnd))
    if (names.has(name)) throw new NoLine('two tags have the same name')
    names.add(name)
    tags.push([name, unescaped(text.slice(keyEnd + 1, valueEnd))])
    at = valueEnd
  }
  if (at >= text.length) throw new NoLine('the fields are missing')
  return { tags, end: at }
}

function readFields(text: string, start: number): { readonly fields: readonly LineField[]; readonly end: number } {
  const fields: LineField[] = []
  let at = start
  if (at >= text.length) throw new NoLine('the fields are missing')
  for (;;) {
    const keyEnd = endOf(text, at, '=, ')
    if (keyEnd === at) throw new NoLine('the name of a field is missing')
    if (text[keyEnd] !== '=') throw new NoLine('a field has no value')
    const valueAt = keyEnd + 1
    const end = text[valueAt] === '"' ? stringEnd(text, valueAt) : endOf(text, valueAt, ', ')
    if (end === valueAt) throw new NoLine('a field has no value')
    const name = unescaped(text.slice(at, keyEnd))
    fields.push({ name, value: lineValueOf(text.slice(valueAt, end)), text: text.slice(at, end) })
    if (text[end] !== ',') {
      if (end < text.length && text[end] !== ' ') throw new NoLine('there is text after the closing quote of a value')
      return { fields, end }
    }
    at = end + 1
  }
}

/** The index after the quote that closes a string. */
function stringEnd(text: string, start: number): number {
  let at = start + 1
  while (at < text.length && text[at] !== '"') at += text[at] === '\\' ? 2 : 1
  if (at >= text.length) throw new NoLine('a quoted value does not end')
  return at + 1
}

const truths = new Set(['t', 'T', 'true', 'True', 'TRUE'])
const untruths = new Set(['f', 'F', 'false', 'False', 'FALSE'])
const doubleForm = /^(-?)(\d*)(?:\.(\d*))?(?:[eE]([+-]?\d+))?$/
const longMin = -(2n ** 63n)
const longMax = 2n ** 63n - 1n
const unsignedMax = 2n ** 64n - 1n

function lineValueOf(text: string): LineValue {
  if (text[0] === '"') return { type: 'string', value: text.slice(1, -1).replace(/\\(["\\])/g, '$1') }
  if (truths.has(text)) return { type: 'boolean', value: true }
  if (untruths.has(text)) return { type: 'boolean', value: false }
  if (/^-?\d+i$/.test(text) || /^\d+u$/.test(text)) return longOf(text)
  const [, sign, whole = '', fraction = '', exponent] = doubleForm.exec(text) ?? []
  if (whole === '' && fraction === '') throw new NoLine(`${clipped(text)} is no value`)
  if (!Number.isFinite(Number(text))) throw new NoLine(`${clipped(text)} is beyond the range of a double`)
  const digits = whole.replace(/^0+/, '') || '0'
  const decimals = fraction === '' ? '' : `.${fraction}`
  return { type: 'double', json: `${sign}${digits}${decimals}${exponent === undefined ? '' : `e${exponent}`}` }
}

function longOf(text: string): LineValue {
  const value = wholeOf(text.slice(0, -1))
  const isInRange = text.endsWith('u') ? value <= unsignedMax : value >= longMin && value <= longMax
  if (!isInRange) throw new NoLine(`${clipped(text)} is beyond the range of a 64-bit integer`)
  return { type: 'long', json: String(value) }
}

function readTime(text: string): bigint | null {
  if (text === '') return null
  const [, digits] = /^(-?\d+) *$/.exec(text) ?? []
  if (digits === undefined) throw new NoLine(`${clipped(text)} is not a time, which is a whole number`)
  const time = wholeOf(digits)
  if (time < longMin || time > longMax) throw new NoLine(`${clipped(text)} is beyond the range of a 64-bit integer`)
  return time
}

/** For a very long number, some number beyond 64 bits: parsing all digits takes long. */
function wholeOf(text: string): bigint {
  const digits = text.replace(/^(-?)0+(?=\d)/, '$1')
  return digits.length > 20 ? unsignedMax + 1n : BigInt(digits)
}

function skipBlanks(text: string, start: number): number {
  let at = start
  while (text[at] === ' ' || text[at] === '\t' || text[at] === '\0') at++
  return at
}

/** Unescapes a measurement, a name or a tag value: a backslash is literal unless a comma, an equals sign or a space follows it. */
export function unescaped(text: string): string {
  return text.includes('\\') ? text.replace(/\\([,= ])/g, '$1') : text
}

const shownMax = 60

function clipped(text: string): string {
  return text.length > shownMax ? `${text.slice(0, shownMax)}...` : text
}
