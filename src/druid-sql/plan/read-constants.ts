// What is known before a query runs: numbers and instants. Null is what is not known here; the binder has found it right already.
import { Zone } from '../../druid-time/zone.ts'
import { parseInstant } from '../../model/instant.ts'
import { intervalSteps, timeLiteralMs } from '../bind/intervals.ts'
import type { Expression } from '../parse/syntax.ts'

export type NumberConstant =
  | { readonly type: 'long'; readonly value: bigint }
  | { readonly type: 'double'; readonly value: number }

export function numberConstant(expression: Expression): NumberConstant | null {
  if (expression.kind === 'negate' && expression.operand.kind === 'number')
    return signed(expression.operand.digits, -1n)
  return expression.kind === 'number' ? signed(expression.digits, 1n) : null
}

function signed(digits: string, sign: 1n | -1n): NumberConstant | null {
  if (/^\d+$/.test(digits)) {
    const value = BigInt(digits) * sign
    if (BigInt.asIntN(64, value) === value) return { type: 'long', value }
  }
  const value = Number(digits) * Number(sign)
  return Number.isFinite(value) ? { type: 'double', value } : null
}

/** What stands beside a time: an instant, or a text that is read as one. */
export function instantConstant(expression: Expression, nowMs: number): number | null {
  switch (expression.kind) {
    case 'text':
      return parseInstant(expression.value.replace(' ', 'T'))
    case 'time':
      return timeLiteralMs(expression)
    case 'call':
      return calledInstant(expression, nowMs)
    case 'arithmetic':
      return shifted(expression, nowMs)
    default:
      return null
  }
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

/** An instant and an interval of days and less, which is of one length in UTC. */
function shifted({ operator, left, right }: Extract<Expression, { kind: 'arithmetic' }>, nowMs: number): number | null {
  if ((operator !== '+' && operator !== '-') || right.kind !== 'interval') return null
  // A text is no time before an interval is added to it.
  const ms = left.kind === 'text' ? null : instantConstant(left, nowMs)
  const { months, days, ms: timeMs } = intervalSteps(right)
  if (ms === null || months !== 0) return null
  const byMs = days * 86_400_000 + timeMs
  return operator === '+' ? ms + byMs : ms - byMs
}

/** A zone that is written. */
export function zoneConstant(expression: Expression): Zone | null {
  return expression.kind === 'text' ? Zone.find(expression.value) : null
}
