// Reads bound expressions as scalars, over the fields of rows or over groups. One table maps each function of the engine to the store's. Null means
// that the store does not support it.
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
import { type ComparisonOperator, swapped } from '../../lib/comparison-operator.ts'
import { hasHalfPair } from '../../lib/half-pairs.ts'
import { type CaseOptions, choice } from '../bind/bind-expression.ts'
import { comparison, like, listed, within } from '../bind/bind-truth.ts'
import { cast } from '../bind/conversions.ts'
import { conjunction, disjunction, isTruth, negation } from '../bind/logic.ts'
import { arithmetic } from '../bind/time-arithmetic.ts'
import type { AggregateNode, Bound, CallNode, ConstantValue, EngineFunction } from '../bind/tree.ts'
import {
  absolute,
  ceil,
  floor,
  negated,
  quotient,
  remainder,
  round,
  safeQuotient,
  squareRoot,
} from '../functions/numbers.ts'
import { firstNonNull, nullIfEqual } from '../functions/values.ts'
import type { TableSelect } from './table-select.ts'

/** The SQL engine rounds to more places in another way. */
const roundedPlacesMax = 12n

/** The longest pattern: a pattern is tried at many positions of a text. */
const patternMax = 200

/** Expressions with more parts are left to the SQL engine. */
const stepsMax = 1000

/** The leaves of expressions, and the operations that are allowed on them. */
export interface ScalarLeaves extends Pick<TableSelect, 'resolve'> {
  /** The scalar of a node that is a leaf; null where the node is made of others. */
  readonly leafOf: (node: Bound) => Scalar | null
  readonly aggregateOf: (node: AggregateNode) => Scalar | null
  /** Whether longs may be divided by a value that can be zero. That ends the query, even in a row that a limit leaves out. */
  readonly dividesLongs: boolean
  /** Functions that native queries have and SQL does not. */
  readonly own?: ReadonlyMap<number, Lower>
}

type Operator = '+' | '-' | '*' | '/' | '%'
type Lower = (node: CallNode, reader: ScalarReader) => Scalar | null

export const lowered = <Options>(
  fn: EngineFunction<Options>,
  lower: (operands: readonly Bound[], reader: ScalarReader, options: Options) => Scalar | null,
): readonly [number, Lower] => [fn.id, (node, reader) => lower(node.operands, reader, node.options as Options)]

const changed = (fn: EngineFunction<null>, name: 'floor' | 'ceil' | 'abs'): readonly [number, Lower] =>
  lowered(fn, ([x], reader) => {
    const operand = reader.changing(x!)
    if (operand === null) return null
    return operand.type === 'long' && name !== 'abs' ? operand : call(operand.type, name, [operand])
  })

const values: ReadonlyMap<number, Lower> = new Map([
  lowered(arithmetic, (operands, reader, { operator }) => reader.arithmetic(operator, operands)),
  lowered(quotient, (operands, reader) => reader.arithmetic('/', operands)),
  lowered(remainder, (operands, reader) => reader.arithmetic('%', operands)),
  lowered(safeQuotient, (operands, reader) => reader.safeQuotient(operands)),
  lowered(negated, ([x], reader) => {
    const operand = reader.number(x!)
    return operand && call(operand.type, 'negate', [operand])
  }),
  changed(floor, 'floor'),
  changed(ceil, 'ceil'),
  changed(absolute, 'abs'),
  lowered(squareRoot, ([x], reader) => {
    const operand = reader.changing(x!)
    return operand && call('double', 'sqrt', [operand])
  }),
  lowered(round, ([x], reader, { places }) => {
    const value = places < 0n || places > roundedPlacesMax ? null : reader.changing(x!)
    if (value === null || value.type === 'long') return value
    return call('double', 'round', [value, literal('long', places)])
  }),
  lowered(firstNonNull, (operands, reader) => {
    const all = reader.all(operands, (operand) => reader.result(operand))
    const type = all && commonType(all)
    return all && type && call(type, 'coalesce', all)
  }),
  lowered(nullIfEqual, ([whole, other], reader) => {
    const [value, when] = [reader.value(whole!), reader.compared('=', whole!, other!)]
    return value && when && caseOf([{ when, result: nullLiteral }], value)
  }),
  lowered(choice, (operands, reader, options) => reader.choice(operands, options)),
])

const conditions: ReadonlyMap<number, Lower> = new Map([
  ...(
    [
      [conjunction, 'and'],
      [disjunction, 'or'],
    ] as const
  ).map(([fn, name]) =>
    lowered(fn, (operands, reader) => {
      const items = reader.all(operands, (item) => reader.condition(item))
      return items && call('boolean', name, items)
    }),
  ),
  lowered(negation, ([x], reader) => {
    const condition = reader.condition(x!)
    return condition && not(condition)
  }),
  lowered(isTruth, ([x], reader, { what, negated }) => {
    const operand = what === 'NULL' ? reader.value(x!) : reader.condition(x!)
    if (operand === null) return null
    const is = what === 'NULL' ? isNull(operand) : call('boolean', 'isTrue', [what === 'TRUE' ? operand : not(operand)])
    return negated ? not(is) : is
  }),
  lowered(comparison, ([a, b], reader, { operator }) => reader.compared(operator, a!, b!)),
  lowered(within, ([x, low, high], reader, { symmetric }) => {
    const [above, below] = [reader.compared('>=', x!, low!), reader.compared('<=', x!, high!)]
    return symmetric ? null : above && below && call('boolean', 'and', [above, below])
  }),
  lowered(listed, (operands, reader, options) => {
    const found = reader.among(operands)
    return found && options.negated ? not(found) : found
  }),
  lowered(like, ([x, pattern], reader, { escapedBy }) =>
    reader.like(x!, pattern!.kind === 'literal' ? pattern!.value : null, escapedBy),
  ),
])

export class ScalarReader {
  readonly #leaves: ScalarLeaves
  #steps = 0

  constructor(leaves: ScalarLeaves) {
    this.#leaves = leaves
  }

  /** The number of values read. */
  get steps(): number {
    return this.#steps
  }

  value(node: Bound): Scalar | null {
    this.#steps += 1
    // A column of a subquery that is named several times within another one would be evaluated again and again.
    if (this.#steps > stepsMax) return null
    const leaf = this.#leaves.leafOf(node)
    if (leaf !== null) return leaf
    switch (node.kind) {
      case 'literal':
        return constantOf(node.value)
      case 'column': {
        const resolved = this.#leaves.resolve(node)
        return resolved === null || resolved.kind === 'column' ? null : this.value(resolved)
      }
      case 'aggregate':
        return this.#leaves.aggregateOf(node)
      case 'call':
        if (node.fn.id === cast.id) return this.#cast(node)
        return (values.get(node.fn.id) ?? this.#leaves.own?.get(node.fn.id))?.(node, this) ?? null
      default:
        return null
    }
  }

  condition(node: Bound): Scalar | null {
    if (node.kind === 'literal') return typeof node.value === 'boolean' ? literal('boolean', node.value) : null
    if (node.kind === 'column') {
      const resolved = this.#leaves.resolve(node)
      return resolved === null || resolved.kind === 'column' ? null : this.condition(resolved)
    }
    if (node.kind !== 'call') return null
    return (conditions.get(node.fn.id) ?? this.#leaves.own?.get(node.fn.id))?.(node, this) ?? null
  }

  all<One>(some: readonly One[], read: (one: One) => Scalar | null): readonly Scalar[] | null {
    const all: Scalar[] = []
    for (const one of some) {
      const scalar = read(one)
      if (scalar === null) return null
      all.push(scalar)
    }
    return all
  }

  number(node: Bound): Scalar | null {
    const value = this.value(node)
    return value !== null && isNumeric(value) ? value : null
  }

  /** A number that a function is applied to. */
  changing(node: Bound): Scalar | null {
    const value = this.number(node)
    return value === null || this.#refuses(value) ? null : value
  }

  /** Functions of constants alone have rules of their own in SQL. */
  #refuses({ kind }: Scalar): boolean {
    return kind === 'literal' && this.#leaves.own === undefined
  }

  compared(operator: ComparisonOperator, left: Bound, right: Bound): Scalar | null {
    return compared(operator, this.value(left), this.value(right))
  }

  /** A list of constants in which a value is looked for is one `in`. Any other items, or a constant operand, are compared one by one. */
  among([operand, ...items]: readonly Bound[]): Scalar | null {
    const value = this.value(operand!)
    // The constants of a list do not count as steps: there may be many.
    const among = this.all(items, (item) => (item.kind === 'literal' ? constantOf(item.value) : this.value(item)))
    if (value === null || among === null) return null
    const equal = among.map((item) => compared('=', value, item))
    if (equal.includes(null)) return null
    const isList = value.kind !== 'literal' && among.every(({ kind }) => kind === 'literal')
    return isList ? call('boolean', 'in', [value, ...among]) : call('boolean', 'or', equal as readonly Scalar[])
  }

  like(text: Bound, pattern: ConstantValue, escapedBy: string | null): Scalar | null {
    const value = this.value(text)
    const constants = this.all([pattern, ...(escapedBy === null ? [] : [escapedBy])], textLiteral)
    if (value?.type !== 'string' || value.kind === 'literal' || constants === null) return null
    return call('boolean', 'like', [value, ...constants])
  }

  arithmetic(operator: Operator, [left, right]: readonly Bound[]): Scalar | null {
    const [a, b] = [this.number(left!), this.number(right!)]
    if (a === null || b === null || (a.kind === 'literal' && this.#refuses(b))) return null
    const type = numberType(a, b)
    if (type === 'double') return operator === '%' ? null : call(type, operator, [a, b])
    const mayDivide = this.#leaves.dividesLongs || (b.kind === 'literal' && b.value !== 0n)
    return (operator === '/' || operator === '%') && !mayDivide ? null : call(type, operator, [a, b])
  }

  safeQuotient([left, right]: readonly Bound[]): Scalar | null {
    const [a, b] = [this.number(left!), this.number(right!)]
    return a && b && call(numberType(a, b), 'safeDivide', [a, b])
  }

  choice(operands: readonly Bound[], { isOfValue, branches }: CaseOptions): Scalar | null {
    const [whens, results] = [operands.slice(isOfValue ? 1 : 0), operands.slice(branches + (isOfValue ? 1 : 0))]
    const read: { when: Scalar; result: Scalar }[] = []
    for (let at = 0; at < branches; at += 1) {
      const when = isOfValue ? this.compared('=', operands[0]!, whens[at]!) : this.condition(whens[at]!)
      const result = this.result(results[at]!)
      if (when === null || result === null) return null
      read.push({ when, result })
    }
    const last = this.result(results.at(-1)!)
    return last && caseOf(read, last)
  }

  /** One of several alternative values. It may also be a null or a constant truth value. */
  result(node: Bound): Scalar | null {
    if (node.kind !== 'literal' || (node.value !== null && typeof node.value !== 'boolean')) return this.value(node)
    return node.value === null ? nullLiteral : literal('boolean', node.value)
  }

  #cast({ operands: [operand], type: { kind } }: CallNode): Scalar | null {
    if (operand!.type.kind === 'boolean') {
      const condition = kind === 'long' ? this.condition(operand!) : null
      return condition && call('long', 'toLong', [condition])
    }
    const value = this.changing(operand!)
    if (value === null || (kind !== 'long' && kind !== 'double')) return null
    return value.type === kind ? value : call(kind, kind === 'long' ? 'toLong' : 'toDouble', [value])
  }
}

/** A constant number or text. Null for half of a surrogate pair, which the engine replaces by another character. */
export function constantOf(value: ConstantValue): Scalar | null {
  switch (typeof value) {
    case 'string':
      return hasHalfPair(value) ? null : literal('string', value)
    case 'bigint':
      return literal('long', value)
    case 'number':
      return Number.isFinite(value) ? literal('double', value) : null
    default:
      return null
  }
}

const textLiteral = (value: ConstantValue): Scalar | null =>
  typeof value === 'string' && value.length <= patternMax ? constantOf(value) : null

/** A comparison with its constant, if there is one, on the right. */
function compared(operator: ComparisonOperator, left: Scalar | null, right: Scalar | null): Scalar | null {
  if (left === null || right === null || isCut(left) || isCut(right)) return null
  const areAlike = (isNumeric(left) && isNumeric(right)) || (left.type === 'string' && right.type === 'string')
  if (!areAlike) return null
  const isTurned = left.kind === 'literal' && right.kind !== 'literal'
  return isTurned ? call('boolean', swapped[operator], [right, left]) : call('boolean', operator, [left, right])
}

/** In a condition Druid ignores a cast to a whole number, so such a condition is left to the SQL engine. */
const isCut = (value: Scalar): boolean => value.kind === 'call' && value.name === 'toLong'
