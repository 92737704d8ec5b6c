// The expressions that the store can compute from rows, and the fields that they become. A filter compares fields with constants; any other part
// of an expression becomes a computed field, once.
import type { EntityField } from '../model/entity.ts'
import { baseBound } from './base-bounds.ts'
import type { FunctionName } from './functions.ts'
import { call, computedName, fieldNode, fieldsOf, keyOf, type LiteralNode, type Scalar } from './scalar.ts'

/** A value under a field name that no entity has. A plan names it like any other field. */
export interface ComputedField {
  readonly field: EntityField
  /** Made of fields of the entity, and of computed fields before this one. */
  readonly value: Scalar
}

/** The most computed fields of a query. A query with more goes to the SQL engine. */
const computedMax = 50

/** The functions that the store computes for many rows at once. */
const computedNumbers: ReadonlySet<FunctionName> = new Set([
  ...(['+', '-', '*', '/', '%', 'negate', 'floor', 'ceil', 'abs', 'round', 'toLong', 'toDouble'] as const),
])

export class ComputedFields {
  readonly all: ComputedField[] = []
  readonly #known = new Map<string, EntityField>()

  /** The field for a value, the same for equal values; null for a value that the store cannot compute, or that is the same in all rows. */
  fieldOf(value: Scalar): EntityField | null {
    if (value.kind === 'field') return value.field
    const computed = fieldsOf(value).length === 0 ? null : this.#value(value)
    if (computed === null) return null
    const key = keyOf(computed)
    const known = this.#known.get(key)
    if (known !== undefined) return known
    if (this.all.length === computedMax || computed.type === 'boolean' || computed.type === 'timestamp') return null
    const field: EntityField = { name: computedName(this.all.length), type: computed.type, role: 'dimension' }
    this.#known.set(key, field)
    this.all.push({ field, value: computed })
    return field
  }

  /** A condition as one on fields and constants; null if the store cannot evaluate it. */
  filterOf(condition: Scalar): Scalar | null {
    if (condition.kind === 'literal') return condition.type === 'boolean' ? condition : null
    if (condition.kind !== 'call') return null
    const { name, operands } = condition
    switch (name) {
      case 'and':
      case 'or':
      case 'not':
      case 'isTrue': {
        const parts = operands.map((operand) => this.filterOf(operand))
        return parts.includes(null) ? null : call('boolean', name, parts as readonly Scalar[])
      }
      case 'isNull': {
        const field = this.fieldOf(operands[0]!)
        return field && call('boolean', name, [fieldNode(field)])
      }
      case '=':
      case '<>':
      case '<':
      case '<=':
      case '>':
      case '>=':
      case 'in':
      case 'like':
        return this.#compared(name, operands)
      default:
        return null
    }
  }

  #compared(name: FunctionName, [left, ...others]: readonly Scalar[]): Scalar | null {
    if (left!.kind === 'literal') return comparedConstants(name, left!, others[0]!)
    // Druid ignores casts in a condition. Such conditions are left to the SQL engine.
    if (isCast(left!)) return null
    const field = this.fieldOf(left!)
    if (field === null || !others.every((other) => isComparable(field, other))) return null
    const value = this.all.find((one) => one.field === field)?.value
    const base = value === undefined || others.length === 0 ? null : baseBound(value, name, others[0] as LiteralNode)
    return base ?? call('boolean', name, [fieldNode(field), ...others])
  }

  #value(value: Scalar): Scalar | null {
    switch (value.kind) {
      case 'field':
        return value
      case 'literal':
        return typeof value.value === 'bigint' && !Number.isSafeInteger(Number(value.value)) ? null : value
      case 'call': {
        const isNumber = computedNumbers.has(value.name) && value.operands.every(({ type }) => type !== 'boolean')
        const operands = value.operands.map((operand) => this.#value(operand))
        const isKnown = isNumber || (value.name === 'coalesce' && operands.every((one) => one && isResult(one)))
        return !isKnown || operands.includes(null) ? null : { ...value, operands: operands as readonly Scalar[] }
      }
      case 'case': {
        const branches = value.branches.map(({ when, result }) => ({
          when: this.filterOf(when),
          result: this.#value(result),
        }))
        const otherwise = this.#value(value.otherwise)
        const results = [...branches.map(({ result }) => result), otherwise]
        if (branches.some(({ when }) => when === null) || !results.every((one) => one && isResult(one))) return null
        return { ...value, branches: branches as Extract<Scalar, { kind: 'case' }>['branches'], otherwise: otherwise! }
      }
      case 'cell':
        return null
    }
  }
}

/** Whether a value can be a result of a choice: a string must be a constant or a column. */
const isResult = (value: Scalar): boolean =>
  value.type !== 'string' || value.kind === 'field' || value.kind === 'literal'

const isCast = (value: Scalar): boolean =>
  value.kind === 'call' && (value.name === 'toLong' || value.name === 'toDouble')

/** Evaluates `1 = 1`, which tools write before their own conditions. */
function comparedConstants(name: FunctionName, left: Scalar, right: Scalar): Scalar | null {
  const areLongs = left.type === 'long' && right.type === 'long' && left.kind === 'literal' && right.kind === 'literal'
  if (!areLongs || (name !== '=' && name !== '<>')) return null
  return { kind: 'literal', type: 'boolean', value: (left.value === right.value) === (name === '=') }
}

/** Longs are compared as doubles if the constant is below 2^53 in size, where both comparisons agree. */
function isComparable({ type }: EntityField, constant: Scalar): boolean {
  if (constant.kind !== 'literal' || constant.value === null) return false
  if (type === 'string' || constant.type === 'string') return type === constant.type
  return type === 'double' || constant.type === 'double' || Math.abs(Number(constant.value)) < 2 ** 53
}
