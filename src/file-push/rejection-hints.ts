// What the times and numbers of rejected rows look like: a guess, for a person to decide.
import { isAmbiguous, withoutGroups } from '../lib/grouped-number.ts'
import { likelyUnits } from '../model/epoch.ts'

interface Rejection {
  readonly code: string
  readonly message: string
}

export interface TimeHint {
  /** A time as it stands in the file. */
  readonly example: string
  /** What may say how it is written: the likelier first. */
  readonly formats: readonly string[]
}

const refusedText = /: expected an ISO 8601 date-time [^":]*, got "([^"]{6,40})"(?:$|; it reads)/s
const refusedCount = /: (\d{14,30}) is outside the years/
const dayFirst = /^(\d{1,2})([./-])(\d{1,2})\2(\d{4}|\d\d)(?:(,? )(\d{1,2}):\d\d(:\d\d)?( ?[AaPp][Mm])?)?$/

function patternsOf(text: string): readonly string[] {
  const match = dayFirst.exec(text)
  if (match === null) return []
  const [, one, mark, other, year, space, hour, seconds = '', half] = match
  const clock = hour === undefined ? '' : `${space}${half === undefined ? 'HH' : 'h'}:mm${seconds && ':ss'}`
  const end = `${mark}${year!.length === 2 ? 'yy' : 'yyyy'}${clock}${half === undefined ? '' : `${half.slice(0, -2)}a`}`
  const patterns: string[] = []
  if (Number(one) <= 31 && Number(other) <= 12) patterns.push(`dd${mark}MM${end}`)
  if (Number(one) <= 12 && Number(other) <= 31) patterns.push(`MM${mark}dd${end}`)
  return patterns
}

/** Null where no rejected row says how its time may be written. */
export function timeHint(rejections: readonly Rejection[]): TimeHint | null {
  for (const { message } of rejections) {
    const example = (refusedText.exec(message) ?? refusedCount.exec(message))?.[1]
    if (example === undefined) continue
    const formats = [...likelyUnits(example), ...patternsOf(example)]
    if (formats.length > 0) return { example, formats }
  }
  return null
}

const refusedNumber = /: expected a (?:whole )?number, got "([-\d., '’\u00a0\u202f]{3,40})"$/

export interface NumberHint {
  /** A number as it stands in the file. */
  readonly example: string
  /** How it is meant: with a decimal comma, with a decimal point, or with a mark that may part thousands instead. */
  readonly is: 'comma' | 'point' | 'ambiguous'
}

/** How a number that was rejected is meant; null where no rejected row has one. */
export function numberHint(rejections: readonly Rejection[]): NumberHint | null {
  for (const { message } of rejections) {
    const example = refusedNumber.exec(message)?.[1]
    if (example === undefined) continue
    if (isAmbiguous(example)) return { example, is: 'ambiguous' }
    if (/^-?\d+,\d+$/.test(example) || withoutGroups(example, 'comma') !== null) return { example, is: 'comma' }
    if (/^-?\d+\.\d+$/.test(example) || withoutGroups(example, 'point') !== null) return { example, is: 'point' }
  }
  return null
}
