// Expressions of SQL as scalars: over the fields of rows, or over groups. Null is what the store does not know.
import {
  call,
  caseOf,
  commonType,
  isNull,
  isNumeric,
  literal,
  not,
  nullLiteral,
  numberType,
  type Scalar,
} from '../../algebra/scalar.ts'
import { type ComparisonOperator, turnedRound } from '../../lib/comparison-operator.ts'
import { hasHalfPair } from '../../lib/half-pairs.ts'
import type { Call, CaseBranch, Expression } from '../parse/syntax.ts'
import { numberConstant } from './read-constants.ts'

/** More places are rounded in another way by the SQL engine. */
const roundedPlacesMax = 12n

/** A long pattern is tried at many places of a text. */
const patternMax = 200

/** More parts of expressions are for the SQL engine. */
const stepsMax = 1000

/** What expressions are made of, and what may be made of it. */
export interface ScalarLeaves {
  /** What an expression stands for by itself; null where it is made of others. */
  readonly leafOf: (expression: Expression) => Scalar | null
  /** What a call stands for that is no function of values. */
  readonly calledOf: (call: Call) => Scalar | null
  /** Whether longs are divided by what may be zero. It ends a query, also in a row that a limit leaves out. */
  readonly dividesLongs: boolean
}

export class ScalarReader {
  readonly #leaves: ScalarLeaves
  #steps = 0

  constructor(leaves: ScalarLeaves) {
    this.#leaves = leaves
  }

  /** How many values were read. */
  get steps(): number {
    return this.#steps
  }

  value(expression: Expression): Scalar | null {
    this.#steps += 1
    // What is named more than once in what it is made of would be evaluated again and again.
    if (this.#steps > stepsMax) return null
    const leaf = this.#leaves.leafOf(expression)
    if (leaf !== null) return leaf
    const constant = constantOf(expression)
    if (constant !== null) return constant
    switch (expression.kind) {
      case 'arithmetic':
        return expression.operator === '||'
          ? null
          : this.#arithmetic(expression.operator, expression.left, expression.right)
      case 'negate': {
        const operand = this.#number(expression.operand)
        return operand && call(operand.type, 'negate', [operand])
      }
      case 'cast':
        return this.#cast(expression)
      case 'case':
        return this.#case(expression.operand, expression.branches, expression.otherwise)
      case 'call':
        return this.#called(expression)
      default:
        return null
    }
  }

  condition(expression: Expression): Scalar | null {
    switch (expression.kind) {
      case 'boolean':
        return literal('boolean', expression.value)
      case 'logical': {
        const conditions = this.#all(expression.items, (item) => this.condition(item))
        return conditions && call('boolean', expression.operator === 'AND' ? 'and' : 'or', conditions)
      }
      case 'not': {
        const condition = this.condition(expression.operand)
        return condition && not(condition)
      }
      case 'is': {
        const value = expression.what === 'NULL' ? this.value(expression.operand) : null
        return value && negatedIf(expression.negated, isNull(value))
      }
      case 'comparison':
        return this.#compared(expression.operator, expression.left, expression.right)
      case 'between': {
        if (expression.symmetric) return null
        const above = this.#compared('>=', expression.operand, expression.low)
        const below = this.#compared('<=', expression.operand, expression.high)
        return above && below && negatedIf(expression.negated, call('boolean', 'and', [above, below]))
      }
      case 'inList':
        return this.#among(expression)
      case 'like':
        return this.#like(expression)
      default:
        return null
    }
  }

  #all(expressions: readonly Expression[], read: (expression: Expression) => Scalar | null): readonly Scalar[] | null {
    const all: Scalar[] = []
    for (const expression of expressions) {
      const one = read(expression)
      if (one === null) return null
      all.push(one)
    }
    return all
  }

  #number(expression: Expression | undefined): Scalar | null {
    const value = expression === undefined ? null : this.value(expression)
    return value !== null && isNumeric(value) ? value : null
  }

  #compared(operator: ComparisonOperator, left: Expression, right: Expression): Scalar | null {
    return comparison(operator, this.value(left), this.value(right))
  }

  /** Constants that a value is looked for among are one list; others are compared each for itself, as is a constant that is looked for. */
  #among({ operand, items, negated }: Extract<Expression, { kind: 'inList' }>): Scalar | null {
    const value = this.value(operand)
    // The constants of a list are no parts that are evaluated: there may be many.
    const among = this.#all(items, (item) => constantOf(item) ?? this.value(item))
    if (value === null || among === null) return null
    const equal = among.map((item) => comparison('=', value, item))
    if (equal.includes(null)) return null
    const isList = value.kind !== 'literal' && among.every(({ kind }) => kind === 'literal')
    const found = isList ? call('boolean', 'in', [value, ...among]) : call('boolean', 'or', equal as readonly Scalar[])
    return negatedIf(negated, found)
  }

  #like({ operand, pattern, escape: escapedBy, negated }: Extract<Expression, { kind: 'like' }>): Scalar | null {
    const value = this.value(operand)
    const constants = this.#all([pattern, ...(escapedBy === null ? [] : [escapedBy])], (one) => this.value(one))
    if (value?.type !== 'string' || value.kind === 'literal' || constants === null) return null
    const areTexts = constants.every((one) => one.kind === 'literal' && String(one.value).length <= patternMax)
    return areTexts ? negatedIf(negated, call('boolean', 'like', [value, ...constants])) : null
  }

  #arithmetic(operator: '+' | '-' | '*' | '/' | '%', left: Expression, right: Expression): Scalar | null {
    const [a, b] = [this.#number(left), this.#number(right)]
    // Constants alone have rules of their own.
    if (a === null || b === null || (a.kind === 'literal' && b.kind === 'literal')) return null
    const type = numberType(a, b)
    if (type === 'double') return operator === '%' ? null : call(type, operator, [a, b])
    const mayDivide = this.#leaves.dividesLongs || (b.kind === 'literal' && b.value !== 0n)
    return (operator === '/' || operator === '%') && !mayDivide ? null : call(type, operator, [a, b])
  }

  #cast({ operand, type }: Extract<Expression, { kind: 'cast' }>): Scalar | null {
    const value = this.#number(operand)
    if (value === null || value.kind === 'literal' || type.isArray || type.scale !== null) return null
    if (type.name !== 'BIGINT' && type.name !== 'DOUBLE') return null
    const to = type.name === 'BIGINT' ? 'long' : 'double'
    return value.type === to ? value : call(to, to === 'long' ? 'toLong' : 'toDouble', [value])
  }

  #case(operand: Expression | null, branches: readonly CaseBranch[], otherwise: Expression | null): Scalar | null {
    const read: { when: Scalar; result: Scalar }[] = []
    for (const { when: condition, result } of branches) {
      const when = operand === null ? this.condition(condition) : this.#compared('=', operand, condition)
      const value = this.#result(result)
      if (when === null || value === null) return null
      read.push({ when, result: value })
    }
    const last = otherwise === null ? nullLiteral : this.#result(otherwise)
    return last && caseOf(read, last)
  }

  #result(expression: Expression): Scalar | null {
    if (expression.kind === 'boolean') return literal('boolean', expression.value)
    return expression.kind === 'null' ? nullLiteral : this.value(expression)
  }

  /** A function of values, or an aggregate. */
  #called(called: Call): Scalar | null {
    const { name, operands, unit } = called
    const [first, second, ...more] = operands
    switch (name) {
      case 'ROUND':
        return more.length === 0 ? this.#rounded(first, second) : null
      case 'COALESCE':
      case 'NVL':
      case 'IFNULL': {
        const values = this.#all(operands, (operand) => this.#result(operand))
        const type = values && commonType(values)
        return values && type && call(type, 'coalesce', values)
      }
      case 'NULLIF': {
        const [value, when] = [this.value(first!), this.#compared('=', first!, second!)]
        return value && when && caseOf([{ when, result: nullLiteral }], value)
      }
      case 'MOD':
        return this.#arithmetic('%', first!, second!)
      case 'SAFE_DIVIDE': {
        const [left, right] = [this.#number(first), this.#number(second)]
        return left && right && call(numberType(left, right), 'safeDivide', [left, right])
      }
      case 'FLOOR':
      case 'CEIL':
      case 'CEILING':
      case 'ABS':
      case 'SQRT':
        return unit === null && second === undefined ? this.#changed(functions[name], first) : null
      default:
        return this.#leaves.calledOf(called)
    }
  }

  #changed(name: 'floor' | 'ceil' | 'abs' | 'sqrt', expression: Expression | undefined): Scalar | null {
    const operand = this.#number(expression)
    // Constants alone have rules of their own.
    if (operand === null || operand.kind === 'literal') return null
    if (name === 'sqrt') return call('double', name, [operand])
    return operand.type === 'long' && name !== 'abs' ? operand : call(operand.type, name, [operand])
  }

  #rounded(expression: Expression | undefined, digits: Expression | undefined): Scalar | null {
    const value = this.#number(expression)
    const places = digits === undefined ? literal('long', 0n) : this.value(digits)
    // Constants alone have rules of their own.
    if (value === null || value.kind === 'literal' || places?.kind !== 'literal') return null
    if (typeof places.value !== 'bigint' || places.value < 0n || places.value > roundedPlacesMax) return null
    return value.type === 'long' ? value : call('double', 'round', [value, places])
  }
}

/** A number or a text. The engine takes another character for half of one. */
function constantOf(expression: Expression): Scalar | null {
  if (expression.kind === 'text') return hasHalfPair(expression.value) ? null : literal('string', expression.value)
  const number = numberConstant(expression)
  return number && literal(number.type, number.value)
}

/** A constant stands on the right. */
function comparison(operator: ComparisonOperator, left: Scalar | null, right: Scalar | null): Scalar | null {
  if (left === null || right === null || isCut(left) || isCut(right)) return null
  const areAlike = (isNumeric(left) && isNumeric(right)) || (left.type === 'string' && right.type === 'string')
  if (!areAlike) return null
  const isTurned = left.kind === 'literal' && right.kind !== 'literal'
  return isTurned ? call('boolean', turnedRound[operator], [right, left]) : call('boolean', operator, [left, right])
}

const functions = { FLOOR: 'floor', CEIL: 'ceil', CEILING: 'ceil', ABS: 'abs', SQRT: 'sqrt' } as const

const negatedIf = (negated: boolean, condition: Scalar): Scalar => (negated ? not(condition) : condition)

/** Druid leaves out in a condition what is cast to a whole number, which is left to the SQL engine. */
const isCut = (value: Scalar): boolean => value.kind === 'call' && value.name === 'toLong'
