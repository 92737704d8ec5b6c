// The tree of all expressions that are computed here: conditions and values of rows, of groups, and of outputs that come before. Druid's two languages
// compile to it. It is plain data, so it can be passed between threads; everything derived from it is computed in this folder.
import type { EntityField } from '../model/entity.ts'
import type { FunctionName, ScalarType, ScalarValue } from './functions.ts'

export type Scalar = FieldNode | CellNode | LiteralNode | CallNode | CaseNode

/** The value of a field in a row. */
export interface FieldNode {
  readonly kind: 'field'
  readonly type: ScalarType
  readonly field: EntityField
}

/** A place in the row that an expression is evaluated over. The row of a group consists of its bucket, keys and aggregates. */
export interface CellNode {
  readonly kind: 'cell'
  readonly type: ScalarType
  readonly at: number
}

export interface LiteralNode {
  readonly kind: 'literal'
  readonly type: ScalarType
  readonly value: ScalarValue
}

/** A function applied to its operands; see `functions.ts`. */
export interface CallNode {
  readonly kind: 'call'
  readonly type: ScalarType
  readonly name: FunctionName
  readonly operands: readonly Scalar[]
}

/** The value of the first branch whose condition is true. Other branches are not evaluated. */
export interface CaseNode {
  readonly kind: 'case'
  readonly type: ScalarType
  readonly branches: readonly CaseBranch[]
  readonly otherwise: Scalar
}

export interface CaseBranch {
  readonly when: Scalar
  readonly result: Scalar
}

/** For strings and numbers only: other types are stored but not computed with. */
export function fieldNode(field: EntityField): FieldNode {
  const { type } = field
  return { kind: 'field', type: type === 'json' ? 'string' : type, field }
}

/** The prefix of the names of computed fields. No field of an entity has it in its name. */
const mark = '@'

/** The name of the computed field after `before` others. */
export const computedName = (before: number): string => `${mark}${before}`

export const isComputed = ({ name }: EntityField): boolean => name.startsWith(mark)

export const cellNode = (type: ScalarType, at: number): CellNode => ({ kind: 'cell', type, at })

export const literal = (type: ScalarType, value: ScalarValue): LiteralNode => ({ kind: 'literal', type, value })

export const call = (type: ScalarType, name: FunctionName, operands: readonly Scalar[]): CallNode => ({
  kind: 'call',
  type,
  name,
  operands,
})

export const not = (condition: Scalar): CallNode => call('boolean', 'not', [condition])
export const isNull = (value: Scalar): CallNode => call('boolean', 'isNull', [value])

/** Null if there is no condition; the condition itself if there is only one. */
export function allOf(conditions: readonly Scalar[]): Scalar | null {
  return conditions.length > 1 ? call('boolean', 'and', conditions) : (conditions[0] ?? null)
}

export const isNumeric = ({ type }: { readonly type: ScalarType }): boolean => type === 'long' || type === 'double'

/** The type that represents numbers of both. */
export const numberType = (left: Scalar, right: Scalar): 'long' | 'double' =>
  left.type === 'double' || right.type === 'double' ? 'double' : 'long'

/** A type that represents all values without turning a number into a string; null if there is none. Nulls have any type. */
export function commonType(values: readonly Scalar[]): ScalarType | null {
  const known = values.filter((value) => !isNullLiteral(value))
  const types = new Set(known.map(({ type }) => type))
  const [first] = types
  if (first === undefined || types.size === 1) return first ?? null
  return known.every(isNumeric) ? 'double' : null
}

/** NULL, which takes the type that its context requires. */
export const nullLiteral = literal('string', null)

export const isNullLiteral = (scalar: Scalar): boolean => scalar.kind === 'literal' && scalar.value === null

/** A CASE with the common type of its results; null if they have none. */
export function caseOf(branches: readonly CaseBranch[], otherwise: Scalar): CaseNode | null {
  const type = commonType([...branches.map(({ result }) => result), otherwise])
  if (type === null) return null
  const typed = (value: Scalar): Scalar => (isNullLiteral(value) ? literal(type, null) : value)
  return {
    kind: 'case',
    type,
    branches: branches.map(({ when, result }) => ({ when, result: typed(result) })),
    otherwise: typed(otherwise),
  }
}

/** The direct parts of an expression. */
export function partsOf(scalar: Scalar): readonly Scalar[] {
  switch (scalar.kind) {
    case 'call':
      return scalar.operands
    case 'case':
      return [...scalar.branches.flatMap(({ when, result }) => [when, result]), scalar.otherwise]
    default:
      return []
  }
}

/** The fields that an expression reads, repeated as often as it names them. */
export function fieldsOf(scalar: Scalar | null): readonly EntityField[] {
  if (scalar === null) return []
  return scalar.kind === 'field' ? [scalar.field] : partsOf(scalar).flatMap(fieldsOf)
}

/** The conditions that a conjunction joins, however it is nested. */
export function conjuncts(condition: Scalar | null): readonly Scalar[] {
  if (condition === null) return []
  return condition.kind === 'call' && condition.name === 'and' ? condition.operands.flatMap(conjuncts) : [condition]
}

/** The same string for equal trees. */
export const keyOf = (tree: unknown): string =>
  JSON.stringify(tree, (_, value: unknown) => (typeof value === 'bigint' ? `${value}n` : value))
