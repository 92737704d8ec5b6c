import { InvalidArgumentError } from 'commander'
import { readCommaList } from '../lib/comma-list.ts'
import { addDuration, parseDuration } from '../model/duration.ts'
import { formatInstant } from '../model/instant.ts'
import { UsageError } from './command-error.ts'

function parseWhole(text: string, least: number, most: number): number {
  const value = Number(text)
  if (/^\d+$/.test(text) && value >= least && value <= most) return value
  throw new InvalidArgumentError(`It must be a whole number from ${least} to ${most}.`)
}

/** For commander: an integer of at least 1. */
export function parseCount(text: string): number {
  return parseWhole(text, 1, Number.MAX_SAFE_INTEGER)
}

/** For commander: an integer of at least 0. */
export function parseOffset(text: string): number {
  return parseWhole(text, 0, Number.MAX_SAFE_INTEGER)
}

/** For commander: an integer between two bounds. */
export function wholeNumber(least: number, most: number): (text: string) => number {
  return (text) => parseWhole(text, least, most)
}

/** For commander: a port; 0 means any free port. */
export function parsePort(text: string): number {
  return parseWhole(text, 0, 65_535)
}

/** For commander: an option with several values that may be repeated. Omits empty values. */
export function collectList(text: string, before: readonly string[] = []): string[] {
  return [...before, ...readCommaList(text).filter((part) => part !== '')]
}

/** Like `collectList`, for columns of a file, whose names may be empty, as that of the index that pandas writes. */
export function collectColumns(text: string, before: readonly string[] = []): string[] {
  return [...before, ...readCommaList(text)]
}

/** A date as typed, for the service to parse; a duration (`P7D`) counts from now. */
export function parseDate(nowMs: () => number): (text: string) => string {
  return (text) => {
    const duration = parseDuration(text)
    if (duration === null) return text
    const ms = addDuration(nowMs(), duration, 1)
    if (!Number.isFinite(ms) || ms > Date.UTC(9999, 11, 31)) throw new InvalidArgumentError('That is too long.')
    return formatInstant(ms)
  }
}

/** The value with this name. Throws `UsageError` if there is none: `"int" is not a known type. There are: ...`. */
export function parseWord<Value extends string>(
  values: readonly Value[],
  text: string | undefined,
  what: string,
): Value {
  const found = values.find((value) => value === text)
  if (found === undefined)
    throw new UsageError(`"${text ?? ''}" is not a known ${what}. There are: ${values.join(', ')}.`)
  return found
}

/** Parses `a=b` pairs into a map. The name before the equals sign may be empty only with `mayBeEmpty`. */
export function parsePairs(
  option: string,
  pairs: readonly string[] = [],
  { mayBeEmpty = false }: { readonly mayBeEmpty?: boolean } = {},
): Map<string, string> {
  return new Map(
    pairs.map((pair, index) => {
      const at = pair.indexOf('=')
      if (at < (mayBeEmpty ? 0 : 1))
        throw new UsageError(`${option} must be name=value, not "${pair}".${between(pair, index, pairs)}`)
      return [pair.slice(0, at), pair.slice(at + 1)]
    }),
  )
}

/** A hint for a part without an equals sign after a pair: it probably followed a comma within the pair's value. */
function between(part: string, index: number, pairs: readonly string[]): string {
  const before = index === 0 ? undefined : pairs[index - 1]
  return before === undefined || !before.includes('=')
    ? ''
    : ` Write \\, for a comma within a value: ${before}\\,${part}.`
}
