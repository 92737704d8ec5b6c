import { type Place, quoted, sqlProblem } from './sql-problem.ts'
import type { TimeUnit } from './syntax.ts'

const units: readonly TimeUnit[] = [
  'MILLISECOND',
  'SECOND',
  'MINUTE',
  'HOUR',
  'DAY',
  'WEEK',
  'MONTH',
  'QUARTER',
  'YEAR',
]

/** Parses a unit of the calendar, in any case, singular or plural. */
export function parseUnit(text: string, place: Place): TimeUnit {
  const upper = text.toUpperCase()
  const bare = upper.startsWith('SQL_TSI_') ? upper.slice(8) : upper
  const unit = units.find((candidate) => candidate === bare || `${candidate}S` === bare)
  if (unit === undefined)
    throw sqlProblem(place, `${quoted(text)} is not a unit of time: use one of ${units.join(', ')}`)
  return unit
}
