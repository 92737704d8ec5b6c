// What is said of a row that is not stored: by the judge, and by who foresees it.
import { type Field, type FieldType, identifierBytesMax } from './field.ts'

/** How much of a value or name a message repeats. */
const quotedCharactersMax = 60

function clipped(text: string): string {
  const characters = [...text.slice(0, 2 * quotedCharactersMax + 2)]
  return characters.length > quotedCharactersMax ? `${characters.slice(0, quotedCharactersMax).join('')}...` : text
}

/** What a JSON value is, by the first character of its text. */
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

/** Says what was pushed: by its text, whose quotes tell a string from a number, or by its kind where that may be long. */
function pushedInstead(text: string, type: FieldType): string {
  const kind = kindOfJson(text[0])
  if (type === 'string' && kind === 'a string') return 'one with half a surrogate pair'
  return kind === 'an object' || kind === 'an array' ? kind : clipped(text)
}

export const rowTooLarge = (bytes: number, bytesMax: number): string =>
  `the row has ${bytes} bytes, ${bytesMax} is the most that is taken`

/** `text` is the JSON of what stands where a row belongs. */
export const noObject = (text: string): string => `expected an object, got ${kindOfJson(text[0])}`

export const noSuchField = (property: string): string => `${clipped(property)}: the ingest has no such field`

export const identifierTooLarge = ({ source }: Field): string =>
  `${clipped(source)}: an identifier has at most ${identifierBytesMax} bytes of UTF-8`

/** `text` is the JSON of the value. */
export const valueOutOfRange = ({ source, type }: Field, text: string): string =>
  `${clipped(source)}: ${clipped(text)} ${ranges.get(type) ?? ''}`

export const valueOfWrongType = ({ source, type }: Field, text: string): string =>
  `${clipped(source)}: expected ${expectations[type]}, got ${pushedInstead(text, type)}`

export function valueMissing({ source, role }: Field): string {
  return `${clipped(source)}: the ${role === 'time' ? 'time' : role === 'index' ? 'identifier' : 'tag'} is missing`
}
