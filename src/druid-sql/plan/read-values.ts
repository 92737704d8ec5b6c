// Values that are worked out of groups and of rows, as SQL says them. Null is what the store does not know.
import type { NumberValue, PlannedCondition, PlannedType, PlannedValue } from '../../druid-values/planned-value.ts'
import type { Call, Expression } from '../parse/syntax.ts'
import { numberConstant } from './read-constants.ts'
import { textConstant } from './read-where.ts'

/** More are rounded in another way by the SQL engine. */
const roundedPlacesMax = 12n

/** More values of a group, those in between too, are for the SQL engine. */
const stepsMax = 1000

/** What values are made of, and what may be made of it. */
export interface ValueParts {
  /** What an expression stands for by itself; null where it is made of others. */
  readonly leafOf: (expression: Expression) => PlannedValue | null
  /** What a call stands for that is no function of values. */
  readonly calledOf: (call: Call) => PlannedValue | null
  /** Whether longs are divided by what may be zero. It ends a query, also in a row that a limit leaves out. */
  readonly dividesLongs: boolean
}

type ArithmeticOperator = Extract<PlannedValue, { kind: 'arithmetic' }>['operator']

/** Reads values that are worked out of groups, or of rows. */
export class ValueReader {
  readonly #parts: ValueParts
  #steps = 0

  constructor(parts: ValueParts) {
    this.#parts = parts
  }

  /** How many values were read. */
  get steps(): number {
    return this.#steps
  }

  value(expression: Expression): PlannedValue | null {
    this.#steps += 1
    // What is named more than once in what it is made of would be worked out again and again.
    if (this.#steps > stepsMax) return null
    const leaf = this.#parts.leafOf(expression)
    if (leaf !== null) return leaf
    const constant = numberConstant(expression)
    if (constant !== null) return { kind: 'constant', ...constant }
    const text = textConstant(expression)
    if (text !== null) return { kind: 'text', type: 'string', value: text }
    switch (expression.kind) {
      case 'arithmetic': {
        const { operator, left, right } = expression
        return operator === '||' ? null : this.#arithmetic(operator, left, right)
      }
      case 'negate': {
        const operand = this.value(expression.operand)
        return operand === null || !isNumber(operand) ? null : { kind: 'negated', type: operand.type, operand }
      }
      case 'cast':
        return this.#cast(expression)
      case 'case':
        return this.#choice(expression)
      case 'call':
        return this.#called(expression)
      default:
        return null
    }
  }

  /** A condition of HAVING, and of CASE. */
  condition(expression: Expression): PlannedCondition | null {
    switch (expression.kind) {
      case 'logical': {
        const conditions = expression.items.map((item) => this.condition(item))
        if (conditions.some((one) => one === null)) return null
        const kind = expression.operator === 'AND' ? 'and' : 'or'
        return { kind, conditions: conditions.filter((one) => one !== null) }
      }
      case 'not': {
        const condition = this.condition(expression.operand)
        return condition === null ? null : { kind: 'not', condition }
      }
      case 'is': {
        const value = expression.what === 'NULL' ? this.value(expression.operand) : null
        return value === null ? null : { kind: 'null', value, isNegated: expression.negated }
      }
      case 'comparison':
        return this.#compared(expression.operator, expression.left, expression.right)
      case 'between': {
        if (expression.symmetric) return null
        const above = this.#compared('>=', expression.operand, expression.low)
        const below = this.#compared('<=', expression.operand, expression.high)
        if (above === null || below === null) return null
        const within: PlannedCondition = { kind: 'and', conditions: [above, below] }
        return expression.negated ? { kind: 'not', condition: within } : within
      }
      case 'inList': {
        const { operand, items, negated } = expression
        const conditions: PlannedCondition[] = []
        for (const item of items) {
          const equal = this.#compared('=', operand, item)
          if (equal === null) return null
          conditions.push(equal)
        }
        const among: PlannedCondition = { kind: 'or', conditions }
        return negated ? { kind: 'not', condition: among } : among
      }
      default:
        return null
    }
  }

  #compared(
    operator: Extract<PlannedCondition, { kind: 'compare' }>['operator'],
    leftExpression: Expression,
    rightExpression: Expression,
  ): PlannedCondition | null {
    const left = this.value(leftExpression)
    const right = this.value(rightExpression)
    if (left === null || right === null || isCut(left) || isCut(right)) return null
    const areAlike = (isNumber(left) && isNumber(right)) || (left.type === 'string' && right.type === 'string')
    return areAlike ? { kind: 'compare', operator, left, right } : null
  }

  #arithmetic(operator: ArithmeticOperator, left: Expression, right: Expression): PlannedValue | null {
    const [a, b] = [this.value(left), this.value(right)]
    if (a === null || b === null || !isNumber(a) || !isNumber(b)) return null
    // Constants alone have rules of their own.
    if (a.kind === 'constant' && b.kind === 'constant') return null
    const type = numberType(a, b)
    const divides = operator === '/' || operator === '%'
    if ((divides && type === 'long' && !this.#mayDivideBy(b)) || (operator === '%' && type === 'double')) return null
    return { kind: 'arithmetic', type, operator, left: a, right: b }
  }

  #mayDivideBy(divisor: PlannedValue): boolean {
    return this.#parts.dividesLongs || (divisor.kind === 'constant' && divisor.value !== 0n)
  }

  #cast({ operand, type }: Extract<Expression, { kind: 'cast' }>): PlannedValue | null {
    const value = this.value(operand)
    if (value === null || !isNumber(value) || value.kind === 'constant' || type.isArray || type.scale !== null)
      return null
    if (type.name !== 'BIGINT' && type.name !== 'DOUBLE') return null
    const to = type.name === 'BIGINT' ? 'long' : 'double'
    return value.type === to ? value : { kind: 'unary', type: to, operator: to, operand: value }
  }

  #choice({ operand, branches, otherwise }: Extract<Expression, { kind: 'case' }>): PlannedValue | null {
    const read: { when: PlannedCondition; value: PlannedValue | null }[] = []
    for (const { when: condition, result } of branches) {
      const when = operand === null ? this.condition(condition) : this.#compared('=', operand, condition)
      const value = this.#result(result)
      if (when === null || value === undefined) return null
      read.push({ when, value })
    }
    const last = otherwise === null ? null : this.#result(otherwise)
    return last === undefined ? null : choiceOf(read, last)
  }

  /** Null is SQL's NULL; undefined is what the store does not know. */
  #result(expression: Expression): PlannedValue | null | undefined {
    return expression.kind === 'null' ? null : (this.value(expression) ?? undefined)
  }

  /** A function of values that are worked out, or an aggregate. */
  #called(call: Call): PlannedValue | null {
    const { name, operands, unit } = call
    const [first, second, ...more] = operands
    switch (name) {
      case 'ROUND':
        return this.#rounded(call)
      case 'COALESCE':
      case 'NVL':
      case 'IFNULL':
        return this.#coalesced(operands)
      case 'NULLIF': {
        const [value, when] = [this.value(first!), this.#compared('=', first!, second!)]
        return value && when && choiceOf([{ when, value: null }], value)
      }
      case 'MOD':
        return this.#arithmetic('%', first!, second!)
      case 'SAFE_DIVIDE': {
        const [left, right] = [this.value(first!), this.value(second!)]
        if (left === null || right === null || !isNumber(left) || !isNumber(right)) return null
        return { kind: 'safeQuotient', type: numberType(left, right), left, right }
      }
      case 'FLOOR':
      case 'CEIL':
      case 'CEILING':
      case 'ABS':
      case 'SQRT': {
        const operator = functions[name]
        return unit === null && more.length === 0 ? this.#changed(operator, first!) : null
      }
      default:
        return this.#parts.calledOf(call)
    }
  }

  #changed(operator: 'floor' | 'ceil' | 'abs' | 'sqrt', expression: Expression): PlannedValue | null {
    const operand = this.value(expression)
    // Constants alone have rules of their own.
    if (operand === null || !isNumber(operand) || operand.kind === 'constant') return null
    if (operator === 'sqrt') return { kind: 'unary', type: 'double', operator, operand }
    if (operand.type === 'long' && operator !== 'abs') return operand
    return { kind: 'unary', type: operand.type, operator, operand }
  }

  #coalesced(operands: readonly Expression[]): PlannedValue | null {
    const values: PlannedValue[] = []
    for (const operand of operands) {
      const value = this.#result(operand)
      if (value === undefined) return null
      if (value !== null) values.push(value)
    }
    const type = commonType(values)
    return type === null ? null : { kind: 'first', type, values }
  }

  #rounded({ operands: [operand, digits, ...more] }: Call): PlannedValue | null {
    const value = operand === undefined ? null : this.value(operand)
    const places = digits === undefined ? { type: 'long', value: 0n } : numberConstant(digits)
    if (value === null || !isNumber(value) || places?.type !== 'long' || more.length > 0) return null
    // Constants alone have rules of their own.
    if (places.value < 0n || places.value > roundedPlacesMax || value.kind === 'constant') return null
    if (value.type === 'long') return value
    return { kind: 'rounded', type: 'double', operand: value, places: Number(places.value) }
  }
}

const functions = { FLOOR: 'floor', CEIL: 'ceil', CEILING: 'ceil', ABS: 'abs', SQRT: 'sqrt' } as const

function choiceOf(
  branches: Extract<PlannedValue, { kind: 'choice' }>['branches'],
  otherwise: PlannedValue | null,
): PlannedValue | null {
  const results = [...branches.map(({ value }) => value), otherwise].filter((value) => value !== null)
  const type = commonType(results)
  return type === null ? null : { kind: 'choice', type, branches, otherwise }
}

/** The type that holds all of them without a text being made of a number; null where there is none. */
function commonType(values: readonly PlannedValue[]): PlannedType | null {
  const [first, ...others] = values
  if (first === undefined) return null
  if (others.every(({ type }) => type === first.type)) return first.type
  return values.every(isNumber) ? 'double' : null
}

const numberType = (left: NumberValue, right: NumberValue): NumberValue['type'] =>
  left.type === 'double' || right.type === 'double' ? 'double' : 'long'

/** Druid leaves out in a condition what is cast to a whole number, which is left to the SQL engine. */
const isCut = (value: PlannedValue): boolean => value.kind === 'unary' && value.operator === 'long'

function isNumber(value: PlannedValue): value is NumberValue {
  return value.type === 'long' || value.type === 'double'
}
