// Variances and deviations computed from sums: Druid has functions for them only in an extension that few installations load.
import type { Call, Expression } from '../parse/syntax.ts'

const deviations: ReadonlyMap<string, string> = new Map([
  ['STDDEV', 'VAR_SAMP'],
  ['STDDEV_SAMP', 'VAR_SAMP'],
  ['STDDEV_POP', 'VAR_POP'],
])

/** The call as an expression of sums and counts; null for any other function. */
export function spread(call: Call): Expression | null {
  const variance = deviations.get(call.name)
  if (variance !== undefined) return { ...plainCall(call, 'SQRT'), operands: [{ ...call, name: variance }] }
  const isSample = call.name === 'VARIANCE' || call.name === 'VAR_SAMP'
  const value = call.operands[0]
  if ((!isSample && call.name !== 'VAR_POP') || value === undefined) return null
  const { place } = call
  const number: Expression = {
    kind: 'cast',
    operand: value,
    type: { name: 'DOUBLE', isArray: false, scale: null },
    place,
  }
  const arithmetic = (left: Expression, operator: '*' | '-' | '/', right: Expression): Expression => {
    return { kind: 'arithmetic', operator, left, right, place }
  }
  const digits = (text: string): Expression => ({ kind: 'number', digits: text, place })
  const of = (name: string, operand: Expression): Expression => ({ ...call, name, operands: [operand] })
  // Druid's planner turns a CASE without a cast into a FILTER, which may pass rows for which the sums have no value.
  const count = of('COUNT', number)
  const sum = of('SUM', number)
  const squares = arithmetic(
    of('SUM', arithmetic(number, '*', number)),
    '-',
    arithmetic(arithmetic(sum, '*', sum), '/', count),
  )
  const positive: Expression = { ...plainCall(call, 'GREATEST'), operands: [squares, digits('0.0')] }
  const none: Expression = { kind: 'null', place }
  const result = arithmetic(positive, '/', isSample ? arithmetic(count, '-', digits('1')) : count)
  const one = { when: digits('1'), result: digits('0.0') }
  const branches = [{ when: digits('0'), result: none }, ...(isSample ? [one] : [])]
  return { kind: 'case', operand: count, branches, otherwise: result, place }
}

function plainCall(call: Call, name: string): Call {
  return { ...call, name, filter: null, over: null, distinct: false, orderBy: [] }
}
