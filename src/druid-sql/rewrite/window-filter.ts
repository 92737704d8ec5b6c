// Aggregates over a window of the rows that pass a FILTER, which Druid's SQL has for groups alone.
import type { Call, Expression } from '../parse/syntax.ts'

/** Of what is null in the other rows, which aggregates pass over. */
export function ofPassing(call: Call, filter: Expression): Call {
  const { place } = call
  // It was found right before: it has an operand.
  const counted: Expression = call.star ? { kind: 'number', digits: '1', place } : call.operands[0]!
  const passing: Expression = {
    kind: 'case',
    operand: null,
    branches: [{ when: filter, result: counted }],
    otherwise: null,
    place,
  }
  return { ...call, star: false, operands: [passing, ...call.operands.slice(1)], filter: null }
}
