// The reasons for rejecting a row, shared by the validator and the code that predicts its result.

import { epochMs, likelyUnits } from './epoch.ts'
import { type Field, type FieldType, identifierBytesMax } from './field.ts'
import { compactDate, formatInstant, isNoSuchDay } from './instant.ts'

/** All codes that may appear in the list of rejected rows. */
export const rejectCodes = [
  'not_an_object',
  'unknown_field',
  'missing_time',
  'invalid_time',
  'missing_tag',
  'missing_index',
  'wrong_type',
  'out_of_range',
  'too_large',
  'invalid_line',
  'too_many_fields',
  'not_validated',
  'row_deleted',
] as const
export type RejectCode = (typeof rejectCodes)[number]

/** `field` is the pushed property; null if the whole row is at fault. */
export interface RowFault {
  readonly code: RejectCode
  readonly field: string | null
  readonly message: string
}

/** The maximum length of a value or name quoted in a message. */
const quotedCharactersMax = 60

function clipped(text: string): string {
  const characters = [...text.slice(0, 2 * quotedCharactersMax + 2)]
  return characters.length > quotedCharactersMax ? `${characters.slice(0, quotedCharactersMax).join('')}...` : text
}

/** The kind of a JSON value, from the first character of its text. */
function kindOfJson(first: string | undefined): string {
  if (first === '"') return 'a string'
  if (first === '{') return 'an object'
  if (first === '[') return 'an array'
  if (first === 'n') return 'null'
  return first === 't' || first === 'f' ? 'a boolean' : 'a number'
}

const expectations: Readonly<Record<FieldType, string>> = {
  string: 'a string',
  double: 'a number',
  long: 'a whole number',
  boolean: 'true or false',
  timestamp: 'an ISO 8601 date-time or whole milliseconds since 1970',
  json: 'a JSON value',
}

const ranges: ReadonlyMap<FieldType, string> = new Map([
  ['double', 'is beyond the range of a double'],
  ['long', 'is beyond the range of a 64-bit integer'],
  ['timestamp', 'is outside the years 0001 to 9999'],
])

/** Describes the pushed value: by its text, whose quotes distinguish strings from numbers, or by its kind if the text may be long. */
function pushedInstead(text: string, type: FieldType): string {
  const kind = kindOfJson(text[0])
  if (type === 'string' && kind === 'a string') return 'one with half a surrogate pair'
  return kind === 'an object' || kind === 'an array' ? kind : clipped(text)
}

export function rowTooLarge(bytes: number, bytesMax: number): RowFault {
  return {
    code: 'too_large',
    field: null,
    message: `the row has ${bytes} bytes, the most allowed is ${bytesMax}`,
  }
}

/** `text` is the JSON found in place of a row. */
export function noObject(text: string): RowFault {
  return { code: 'not_an_object', field: null, message: `expected an object, got ${kindOfJson(text[0])}` }
}

export function noSuchField(property: string): RowFault {
  return { code: 'unknown_field', field: property, message: `${clipped(property)}: the ingest has no such field` }
}

/** For open ingests; `why` is the reason that the property cannot become a field. */
export function noFieldOf(property: string, why: string): RowFault {
  return { code: 'unknown_field', field: property, message: `${clipped(property)}: cannot become a field: ${why}` }
}

export function tooManyFields(property: string, fieldsMax: number): RowFault {
  const message = `${clipped(property)}: the ingest has ${fieldsMax} fields, so no row can add another (limits.fields)`
  return { code: 'too_many_fields', field: property, message }
}

export function identifierTooLarge(field: Field): RowFault {
  return ofField(field, 'too_large', `an identifier has at most ${identifierBytesMax} bytes of UTF-8`)
}

/** `text` is the JSON of the value. */
export function valueOutOfRange(field: Field, text: string): RowFault {
  return ofField(field, 'out_of_range', `${clipped(text)} ${ranges.get(field.type) ?? ''}${otherTime(field, text)}`)
}

export function valueOfWrongType(field: Field, text: string): RowFault {
  const code = field.role === 'time' ? 'invalid_time' : 'wrong_type'
  if (field.type === 'timestamp' && isNoSuchDay(text.replace(/^"|"$/g, '')))
    return ofField(field, code, `there is no such day: ${clipped(text)}`)
  const got = `${pushedInstead(text, field.type)}${otherTime(field, text)}`
  return ofField(field, code, `expected ${expectations[field.type]}, got ${got}`)
}

/** For a time that is a count in another unit, or a date in digits alone: how to declare that. */
function otherTime({ type, source }: Field, text: string): string {
  const count = text.replace(/^"|"$/g, '')
  const date = type === 'timestamp' ? compactDate(count) : null
  if (date !== null)
    return `; it reads as a date, ${date.pattern} (${formatInstant(date.ms)}): say so by --time-format ${date.pattern} in a push of CSV, or write ISO 8601`
  const [unit] = type === 'timestamp' ? likelyUnits(count) : []
  if (unit === undefined) return ''
  const moment = formatInstant(epochMs(count, unit)!)
  return `; it reads as ${unit} since 1970 (${moment}): say so by --time-format ${unit} in a push of CSV, or --convert ${clipped(source)}=${unit} in a replay`
}

export function valueMissing(field: Field): RowFault {
  if (field.role === 'time') return ofField(field, 'missing_time', 'the time is missing')
  if (field.role === 'index') return ofField(field, 'missing_index', 'the identifier is missing')
  return ofField(field, 'missing_tag', 'the tag is missing')
}

/** `why` is the message of the line protocol parser. */
export function noLine(why: string): RowFault {
  return { code: 'invalid_line', field: null, message: `no line of line protocol: ${why}` }
}

/** A rejected line that was one row is validated again for an ingest that makes several rows of it. */
export function lineToSplit(alias: string): RowFault {
  const message = `each field of a line is a row of ${alias}: push the line to it, or replay the row into an ingest where a line is one row`
  return { code: 'invalid_line', field: null, message }
}

/** A tag or field of the line has the same name as the time field. */
export function lineFieldMisnamed(time: Field): RowFault {
  return ofField(time, 'invalid_time', 'the time of a line is its timestamp; name the tag or field otherwise')
}

/** `text` is the JSON value of a field of the line. */
export function noMetricFits(field: string, text: string): RowFault {
  return { code: 'wrong_type', field, message: `${clipped(field)}: the ingest has no metric for ${clipped(text)}` }
}

function ofField({ source }: Field, code: RejectCode, words: string): RowFault {
  return { code, field: source, message: `${clipped(source)}: ${words}` }
}
