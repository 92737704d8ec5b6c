// Turns a bound of a value that is computed from one column into a bound of the column: `V * 1.8 + 32 > 140` is `V >= 60.00000000000001`. Each step
// rounds, but keeps or reverses the order of numbers, so a binary search finds the column's bound. It is exact: both agree for every double.
import type { FunctionName } from './functions.ts'
import { call, type FieldNode, isComputed, type LiteralNode, literal, type Scalar } from './scalar.ts'

interface Steps {
  readonly field: FieldNode
  readonly rises: boolean
  readonly of: (value: number) => number
}

/** `value operator constant` as a comparison of the column. Null if the value has no such column, or if all numbers or none meet the comparison. */
export function baseBound(value: Scalar, operator: FunctionName, constant: LiteralNode): Scalar | null {
  const steps = value.kind === 'field' ? null : stepsOf(value)
  const bound = Number(constant.value)
  if (steps === null || !(operator in meets)) return null
  const isMet = (one: number): boolean => meets[operator as keyof typeof meets](steps.of(one), bound)
  const isLower = steps.rises === (operator === '>' || operator === '>=')
  const edge = isLower ? edgeOf(firstPlace, lastPlace, isMet) : edgeOf(lastPlace, firstPlace, isMet)
  return edge === undefined ? null : call('boolean', isLower ? '>=' : '<=', [steps.field, literal('double', edge)])
}

const meets = {
  '<': (value: number, bound: number) => value < bound,
  '<=': (value: number, bound: number) => value <= bound,
  '>': (value: number, bound: number) => value > bound,
  '>=': (value: number, bound: number) => value >= bound,
}

/** A chain of `+`, `-`, `*` and `/` on a column of doubles and constants. */
function stepsOf(value: Scalar): Steps | null {
  if (value.kind === 'field') {
    const isBase = value.type === 'double' && !isComputed(value.field)
    return isBase ? { field: value, rises: true, of: (one) => one } : null
  }
  if (value.kind !== 'call' || value.type !== 'double' || value.operands.length !== 2) return null
  const [left, right] = value.operands as readonly [Scalar, Scalar]
  if (right.kind === 'literal') return withRight(value.name, stepsOf(left), Number(right.value))
  return left.kind === 'literal' ? withLeft(value.name, Number(left.value), stepsOf(right)) : null
}

function withRight(operator: FunctionName, steps: Steps | null, constant: number): Steps | null {
  if (steps === null) return null
  const { field, rises, of } = steps
  switch (operator) {
    case '+':
      return { field, rises, of: (one) => of(one) + constant }
    case '-':
      return { field, rises, of: (one) => of(one) - constant }
    case '*':
      return constant === 0 ? null : { field, rises: rises === constant > 0, of: (one) => of(one) * constant }
    case '/':
      return constant === 0 ? null : { field, rises: rises === constant > 0, of: (one) => of(one) / constant }
    default:
      return null
  }
}

function withLeft(operator: FunctionName, constant: number, steps: Steps | null): Steps | null {
  if (steps === null || operator === '/') return null
  if (operator !== '-') return withRight(operator, steps, constant)
  return { ...steps, rises: !steps.rises, of: (one) => constant - steps.of(one) }
}

const bits = new DataView(new ArrayBuffer(8))

/** The double with a number: all doubles are numbered by integers in ascending order. */
function doubleAt(place: bigint): number {
  bits.setBigInt64(0, place >= 0n ? place : BigInt.asIntN(64, -(2n ** 63n) - place - 1n))
  return bits.getFloat64(0)
}

bits.setFloat64(0, Number.MAX_VALUE)
const lastPlace = bits.getBigInt64(0)
const firstPlace = -lastPlace - 1n

/**
 * The double that meets a condition next to one that does not, between two places. All doubles from there to `toPlace` meet it, too. Undefined if
 * all do, or none.
 */
function edgeOf(fromPlace: bigint, toPlace: bigint, meets: (value: number) => boolean): number | undefined {
  let [outside, inside] = [fromPlace, toPlace]
  if (meets(doubleAt(outside)) || !meets(doubleAt(inside))) return undefined
  while (inside - outside > 1n || outside - inside > 1n) {
    const middle = (outside + inside) >> 1n
    if (meets(doubleAt(middle))) inside = middle
    else outside = middle
  }
  // Turns -0 into 0.
  return doubleAt(inside) + 0
}
