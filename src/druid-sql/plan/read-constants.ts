// What is known before a query runs: numbers and instants. Null is what is not known here; the binder has found it right already.
import { Zone } from '../../druid-time/zone.ts'
import { plainLong } from '../../model/long.ts'
import { instantOfText } from '../bind/conversions.ts'
import { intervalSteps, timeLiteralMs } from '../bind/intervals.ts'
import type { Expression } from '../parse/syntax.ts'

export type NumberConstant =
  | { readonly type: 'long'; readonly value: bigint }
  | { readonly type: 'double'; readonly value: number }

export function numberConstant(expression: Expression): NumberConstant | null {
  if (expression.kind === 'negate' && expression.operand.kind === 'number')
    return numberOf(`-${expression.operand.digits}`)
  return expression.kind === 'number' ? numberOf(expression.digits) : null
}

function numberOf(text: string): NumberConstant | null {
  const long = plainLong(text)
  if (long !== null) return { type: 'long', value: long }
  const value = Number(text)
  return Number.isFinite(value) ? { type: 'double', value } : null
}

/** When a query is asked, and by whose clocks it means its times. */
export interface QueryClock {
  readonly nowMs: number
  readonly zone: Zone
}

/** What stands beside a time: an instant, or a text that is read as one. */
export function instantConstant(expression: Expression, clock: QueryClock): number | null {
  switch (expression.kind) {
    case 'text':
      return instantOfText(expression.value, clock.zone)
    case 'time':
      return literalInstant(expression, clock.zone)
    case 'call':
      return calledInstant(expression, clock.nowMs)
    case 'arithmetic':
      return shifted(expression, clock)
    default:
      return null
  }
}

function literalInstant(literal: Extract<Expression, { kind: 'time' }>, zone: Zone): number | null {
  const localMs = timeLiteralMs(literal)
  if (localMs === null || zone === Zone.utc) return localMs
  const { moments, skipped } = zone.momentsOf(localMs)
  // Where a day begins twice or has no midnight, the engine goes by an offset of its own.
  const isPlain = literal.type === 'TIMESTAMP' || (moments.length === 1 && !skipped)
  return isPlain ? moments[0] : null
}

type Call = Extract<Expression, { kind: 'call' }>

function calledInstant({ name, operands }: Call, nowMs: number): number | null {
  const [first] = operands
  if (name === 'CURRENT_TIMESTAMP' || name === 'LOCALTIMESTAMP') return nowMs
  if (name !== 'MILLIS_TO_TIMESTAMP' || first === undefined) return null
  const constant = numberConstant(first)
  const isTime = constant?.type === 'long' && Number.isSafeInteger(Number(constant.value))
  return isTime ? Number(constant.value) : null
}

/** An instant and an interval of days and less, which is time that passes, whatever the clocks show. */
function shifted(
  { operator, left, right }: Extract<Expression, { kind: 'arithmetic' }>,
  clock: QueryClock,
): number | null {
  if ((operator !== '+' && operator !== '-') || right.kind !== 'interval') return null
  // A text is no time before an interval is added to it.
  const ms = left.kind === 'text' ? null : instantConstant(left, clock)
  const { months, days, ms: timeMs } = intervalSteps(right)
  if (ms === null || months !== 0) return null
  const byMs = days * 86_400_000 + timeMs
  return operator === '+' ? ms + byMs : ms - byMs
}

/** A zone that is written. */
export function zoneConstant(expression: Expression): Zone | null {
  return expression.kind === 'text' ? Zone.find(expression.value) : null
}
