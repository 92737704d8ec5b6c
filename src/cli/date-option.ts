import { InvalidArgumentError } from 'commander'
import { addDuration, parseDuration } from '../model/duration.ts'
import { formatInstant } from '../model/instant.ts'

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
