import { hasHalfPair } from '../lib/half-pairs.ts'
import type { FieldType } from '../model/field.ts'
import { earliestMs, latestMs, parseInstant } from '../model/instant.ts'
import { keyOfDouble, keyOfLong, keyOfString } from '../model/item-key.ts'
import { parseLong } from '../model/long.ts'

/** The form of a text that identifies an item, by type of the index field. */
export const identifierForms: Readonly<Record<FieldType, string>> = {
  string: 'a string without half surrogate pairs',
  long: 'a whole number of 64 bits',
  double: 'a number within the range of a double',
  timestamp: 'an ISO 8601 date-time, or milliseconds since 1970, in the years 0001 to 9999',
  boolean: 'nothing',
  json: 'nothing',
}

const numberForm = /^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/

/** The key of an identifier given as text, in any form of its type; null if it is invalid. */
export function keyOfText(type: FieldType, text: string): Uint8Array | null {
  switch (type) {
    case 'string':
      return hasHalfPair(text) ? null : keyOfString(text)
    case 'double':
      return numberForm.test(text) && Number.isFinite(Number(text)) ? keyOfDouble(Number(text)) : null
    case 'long':
      return longKey(text)
    case 'timestamp':
      return instantKey(text)
    default:
      throw new Error(`an index field is never a ${type}`)
  }
}

function longKey(text: string): Uint8Array | null {
  const value = numberForm.test(text) ? parseLong(text) : null
  return typeof value === 'bigint' ? keyOfLong(value) : null
}

/** Eight digits are a date, as in pushed text; any other integer is milliseconds. */
function instantKey(text: string): Uint8Array | null {
  const ms = parseInstant(text)
  if (ms !== null) return keyOfLong(BigInt(ms))
  const value = numberForm.test(text) ? parseLong(text) : null
  return typeof value === 'bigint' && value >= earliestMs && value <= latestMs ? keyOfLong(value) : null
}
