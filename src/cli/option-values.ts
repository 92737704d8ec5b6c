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

/** For commander: a whole number from 1. */
export function parseCount(text: string): number {
  return parseWhole(text, 1, Number.MAX_SAFE_INTEGER)
}

/** For commander: a whole number from 0. */
export function parseOffset(text: string): number {
  return parseWhole(text, 0, Number.MAX_SAFE_INTEGER)
}

/** For commander: a whole number between two. */
export function wholeNumber(least: number, most: number): (text: string) => number {
  return (text) => parseWhole(text, least, most)
}

/** For commander: a port, where 0 is any that is free. */
export function parsePort(text: string): number {
  return parseWhole(text, 0, 65_535)
}

/** For commander: an option that may hold several values and may be repeated; empty ones are left out. */
export function collectList(text: string, before: readonly string[] = []): string[] {
  return [...before, ...readCommaList(text).filter((part) => part !== '')]
}

/** As `collectList`, of columns of a file: one may have no name, as the index that pandas writes. */
export function collectColumns(text: string, before: readonly string[] = []): string[] {
  return [...before, ...readCommaList(text)]
}

/** A date as it was typed, for the service to read; a duration (`P7D`) is that long from now. */
export function parseDate(nowMs: () => number): (text: string) => string {
  return (text) => {
    const duration = parseDuration(text)
    if (duration === null) return text
    const ms = addDuration(nowMs(), duration, 1)
    if (!Number.isFinite(ms) || ms > Date.UTC(9999, 11, 31)) throw new InvalidArgumentError('That is too long.')
    return formatInstant(ms)
  }
}

/** The value that a text names. Throws `UsageError` where there is none: `"int" is no type. There are: ...`. */
export function parseWord<Value extends string>(
  values: readonly Value[],
  text: string | undefined,
  what: string,
): Value {
  const found = values.find((value) => value === text)
  if (found === undefined) throw new UsageError(`"${text ?? ''}" is no ${what}. There are: ${values.join(', ')}.`)
  return found
}

/** `a=b` pairs by what stands before the equals sign, which may be nothing where names may be empty. */
export function parsePairs(
  option: string,
  pairs: readonly string[] = [],
  { mayBeEmpty = false }: { readonly mayBeEmpty?: boolean } = {},
): Map<string, string> {
  return new Map(
    pairs.map((pair, index) => {
      const at = pair.indexOf('=')
      if (at < (mayBeEmpty ? 0 : 1))
        throw new UsageError(`${option} takes name=value, and not "${pair}".${between(pair, index, pairs)}`)
      return [pair.slice(0, at), pair.slice(at + 1)]
    }),
  )
}

/** Behind a pair, a part without an equals sign is likely what stood behind a comma of its value. */
function between(part: string, index: number, pairs: readonly string[]): string {
  const before = index === 0 ? undefined : pairs[index - 1]
  return before === undefined || !before.includes('=')
    ? ''
    : ` Write \\, for a comma within a value: ${before}\\,${part}.`
}
