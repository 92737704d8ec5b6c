// Derives the hourly rollups of a linear expression such as `V * 1.8 + 32` from those of V, by applying each step to the sums.
import type { Scalar } from '../../../algebra/scalar.ts'
import { lostIn } from '../../../lib/lost-in-sum.ts'
import type { EntityField } from '../../../model/entity.ts'
import type { ColumnHours } from './accumulator.ts'

/** One operation on a value; the steps of a value apply in order. */
interface Step {
  readonly operator: '+' | '-' | '*' | '/'
  readonly constant: number
  /** Whether the constant is the first operand. */
  readonly isFirst: boolean
}

export interface LinearValue {
  readonly field: EntityField
  readonly steps: readonly Step[]
}

/** Null for an expression that is not made of one number and constants, or not of doubles. */
export function linearValue(value: Scalar): LinearValue | null {
  if (value.kind === 'field') return { field: value.field, steps: [] }
  if (value.kind !== 'call' || value.type !== 'double') return null
  const { name: operator, operands } = value
  if (operator === 'toDouble') return linearValue(operands[0])
  if (operator !== '+' && operator !== '-' && operator !== '*' && operator !== '/') return null
  const isFirst = operands[0].kind === 'literal'
  const [constant, other] = isFirst ? operands : operands.toReversed()
  if (constant.kind !== 'literal' || (operator === '/' && isFirst)) return null
  // Longs wrap around at 64 bits before they become doubles.
  if (other.kind !== 'field' && other.type !== 'double') return null
  const inner = linearValue(other)
  return inner && { ...inner, steps: [...inner.steps, { operator, constant: Number(constant.value), isFirst }] }
}

/** The rollups of the expression. An hour in which a result overflows has the sum NaN: its rows must be read. */
export function linearHours({ sums, bounds }: ColumnHours, hours: number, steps: readonly Step[]): ColumnHours {
  if (sums === null) return { sums, bounds }
  const made = {
    counts: sums.counts,
    sums: new Float64Array(hours),
    errors: new Float64Array(hours),
    least: new Float64Array(hours),
    greatest: new Float64Array(hours),
  }
  for (let hour = 0; hour < hours; hour++) {
    const count = sums.counts[hour]
    const { sum, error } = sumAfter(sums.sums[hour], sums.errors?.[hour] ?? 0, count, steps)
    const ends =
      bounds === null ? [0] : [bounds.least[hour], bounds.greatest[hour]].map((end) => valueAfter(end, steps))
    const isSound = count === 0 || (Number.isFinite(sum + error) && ends.every(Number.isFinite))
    made.sums[hour] = isSound ? sum : Number.NaN
    made.errors[hour] = isSound ? error : 0
    // Each step keeps the order of values or reverses it.
    made.least[hour] = Math.min(...ends)
    made.greatest[hour] = Math.max(...ends)
  }
  return { sums: made, bounds: bounds === null ? null : made }
}

/** The same computation as for a row. */
function valueAfter(value: number, steps: readonly Step[]): number {
  return steps.reduce((made, { operator, constant, isFirst }) => {
    if (operator === '+') return made + constant
    if (operator === '-') return isFirst ? constant - made : made - constant
    return operator === '*' ? made * constant : made / constant
  }, value)
}

/** A sum and its rounding error. */
interface Lossy {
  readonly sum: number
  readonly error: number
}

function sumAfter(sum: number, error: number, count: number, steps: readonly Step[]): Lossy {
  return steps.reduce<Lossy>((made, step) => stepped(made, count, step), { sum, error })
}

function stepped(made: Lossy, count: number, { operator, constant, isFirst }: Step): Lossy {
  switch (operator) {
    case '+':
      return added(made, times(constant, count))
    case '-': {
      const all = times(constant, count)
      return isFirst ? added(all, negative(made)) : added(made, negative(all))
    }
    case '*': {
      const product = times(made.sum, constant)
      return { sum: product.sum, error: product.error + made.error * constant }
    }
    case '/': {
      const quotient = made.sum / constant
      const whole = times(quotient, constant)
      return { sum: quotient, error: (made.sum - whole.sum - whole.error + made.error) / constant }
    }
  }
}

const negative = ({ sum, error }: Lossy): Lossy => ({ sum: -sum, error: -error })

function added(left: Lossy, right: Lossy): Lossy {
  const sum = left.sum + right.sum
  return { sum, error: lostIn(left.sum, right.sum, sum) + left.error + right.error }
}

/** Dekker's product, with its rounding error. The error is 0 for numbers so large that its computation overflows. */
function times(left: number, right: number): Lossy {
  const sum = left * right
  const [a, b] = halves(left)
  const [c, d] = halves(right)
  const error = b * d - (sum - a * c - b * c - a * d)
  return { sum, error: Number.isFinite(error) ? error : 0 }
}

function halves(value: number): readonly [number, number] {
  const scaled = value * 134_217_729
  const high = scaled - (scaled - value)
  return [high, value - high]
}
