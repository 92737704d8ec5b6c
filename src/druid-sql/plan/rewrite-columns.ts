// Expressions with other columns, as far as they are of the kinds that plans are made of.
import type { Call, Expression } from '../parse/syntax.ts'

/** Thrown where an expression is of another kind, or becomes too large. */
export class NotRewritten extends Error {}

/** All that is rewritten, together. A shorter one is read in no time, however often a part is named in it. */
const partsMax = 5000

type Column = Extract<Expression, { kind: 'column' }>

export interface Rewritten {
  readonly expression: Expression
  readonly parts: number
  readonly isConstant: boolean
}

/** Counts parts. */
interface Parts {
  add(expression: Expression): Expression
  addFolded(rewritten: Rewritten): Expression
}

export interface Change {
  /** What stands for a column. */
  readonly column: (column: Column, parts: Parts) => Expression
  /** What becomes of the columns within a call. */
  readonly call: (call: Call) => Change
}

export class Rewriter implements Parts {
  #parts = 0
  #columns = 0

  rewritten(expression: Expression, change: Change): Rewritten {
    const [parts, columns] = [this.#parts, this.#columns]
    const made = this.#of(expression, change)
    return { expression: made, parts: this.#parts - parts, isConstant: this.#columns === columns }
  }

  add(expression: Expression): Expression {
    this.#columns += 1
    return expression
  }

  addFolded({ expression, parts }: Rewritten): Expression {
    this.#columns += 1
    this.#count(parts)
    return expression
  }

  #count(parts: number): void {
    this.#parts += parts
    if (this.#parts > partsMax) throw new NotRewritten()
  }

  #of(expression: Expression, change: Change): Expression {
    this.#count(1)
    const of = (one: Expression): Expression => this.#of(one, change)
    const orNull = (one: Expression | null): Expression | null => (one === null ? null : of(one))
    switch (expression.kind) {
      case 'text':
      case 'number':
      case 'boolean':
      case 'null':
      case 'time':
      case 'interval':
        return expression
      case 'column':
        return change.column(expression, this)
      case 'arithmetic':
      case 'comparison':
        return { ...expression, left: of(expression.left), right: of(expression.right) }
      case 'logical':
        return { ...expression, items: expression.items.map(of) }
      case 'not':
      case 'negate':
      case 'is':
      case 'cast':
        return { ...expression, operand: of(expression.operand) }
      case 'between':
        return { ...expression, operand: of(expression.operand), low: of(expression.low), high: of(expression.high) }
      case 'inList':
        return { ...expression, operand: of(expression.operand), items: expression.items.map(of) }
      case 'like':
        return { ...expression, operand: of(expression.operand), pattern: of(expression.pattern) }
      case 'case': {
        const branches = expression.branches.map(({ when, result }) => ({ when: of(when), result: of(result) }))
        return { ...expression, operand: orNull(expression.operand), branches, otherwise: orNull(expression.otherwise) }
      }
      case 'call':
        return this.#ofCall(expression, change.call(expression))
      default:
        throw new NotRewritten()
    }
  }

  #ofCall(call: Call, change: Change): Expression {
    if (call.over !== null || call.orderBy.length > 0) throw new NotRewritten()
    const filter = call.filter === null ? null : this.#of(call.filter, change)
    return { ...call, operands: call.operands.map((one) => this.#of(one, change)), filter }
  }
}
