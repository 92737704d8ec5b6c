import { createHash } from 'node:crypto'

/** An index of PostgreSQL holds some 2,700 bytes an entry: a name of so many characters is four times that in bytes at most. */
export const fieldKeyCharacters = 128

/** Names a field in an index, given as the JSON text that the catalog keeps: short ones by themselves, null by nothing, others by a hash. */
export function fieldKeyOf(fieldJson: string | null): string {
  if (fieldJson === null) return ''
  return [...fieldJson].length <= fieldKeyCharacters ? fieldJson : longFieldKey(fieldJson)
}

/** No JSON text of a string begins like it. */
export function longFieldKey(fieldJson: string): string {
  return `sha256:${createHash('sha256').update(fieldJson).digest('hex')}`
}
