import { parsePairs } from '../pairs.ts'
import { UsageError } from '../usage-error.ts'

/** What `name=value` pairs say, by name. Throws `UsageError` for what is no pair. */
export function namedValues<Value>(
  option: string,
  pairs: readonly string[],
  valueOfText: (text: string) => Value,
): Record<string, Value> {
  return Object.fromEntries([...parsePairs(option, pairs)].map(([name, text]) => [name, valueOfText(text)]))
}

/** A number, true, false, null or a text in quotes as JSON writes it; anything else is a text as it stands. */
export function jsonOrText(text: string): string | number | boolean | null {
  if (!/^(?:-?\d|true$|false$|null$|")/.test(text)) return text
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return text
  }
  if (typeof value !== 'number') return value as string | boolean | null
  // Digits would be lost: the service converts the text.
  if (Number.isInteger(value) && !Number.isSafeInteger(value)) {
    throw new UsageError(`${text} has too many digits for --set: give it in quotes, and convert it to a number.`)
  }
  return value
}
