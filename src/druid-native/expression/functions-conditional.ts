import { type CaseOptions, choice } from '../../druid-sql/bind/bind-expression.ts'
import { different } from '../../druid-sql/bind/bind-truth.ts'
import { type IsOptions, is } from '../../druid-sql/bind/logic.ts'
import { type Bound, called, type EngineFunction } from '../../druid-sql/bind/tree.ts'
import { arrayOf, boolean, double, isNumeric, isSame, long, type SqlType, string } from '../../druid-sql/bind/types.ts'
import { greatest, least } from '../../druid-sql/functions/numbers.ts'
import { firstNonNull } from '../../druid-sql/functions/values.ts'
import { bind } from '../../lib/bind-sql.ts'
import { type Sql, sql } from '../../lib/sql-text.ts'
import { failing } from '../../sql-engine/sql-engine.ts'
import {
  asType,
  asValue,
  convert,
  elementOf,
  nodeOf,
  nowhere,
  plainType,
  sqlType,
  type Typed,
  transform,
  truth,
  type ValueType,
} from '../values/typed.ts'
import { type ExpressionFunction, type FunctionTable, isNull, literalText, many, nullNode } from './call.ts'
import { jsonArray } from './functions-json.ts'
import { equal, truthOf } from './operators.ts'
import { ExpressionError } from './syntax.ts'

/** The common type of values: text if any is text, double for longs mixed with doubles. */
export function commonType(values: readonly Bound[]): SqlType | null {
  const types = values.filter((value) => !isNull(value)).map(({ type }) => (type.kind === 'float' ? double : type))
  const [first] = types
  const areArrays = types.map(({ kind }) => kind === 'array')
  if (areArrays.includes(true)) {
    if (areArrays.includes(false)) throw new ExpressionError('an array combined with a single value', true)
    if (types.some((type) => !isSame(type, first!)))
      throw new ExpressionError('a combination of arrays of different types', true)
  }
  if (first === undefined || types.every((type) => isSame(type, first))) return first ?? null
  return types.every(({ kind }) => kind === 'long' || kind === 'double') ? double : string
}

/** A function whose arguments and result have their common type. */
const ofAlike = (args: readonly [number, number], fn: EngineFunction<null>): ExpressionFunction => ({
  args,
  bind: (values) => {
    const type = commonType(values)
    if (type === null) return nullNode
    if (fn !== firstNonNull && type.kind === 'array')
      throw new ExpressionError('"greatest" and "least" do not accept arrays')
    return called(
      nowhere,
      type,
      fn,
      values.map((value) => asType(value, type)),
    )
  },
})

/** A CASE of conditions and their results; the last result applies if no condition is met. */
function choose(conditions: readonly Bound[], results: readonly Bound[]): Bound {
  const type = commonType(results)
  if (type === null) return nullNode
  const options: CaseOptions = { isOfValue: false, branches: conditions.length }
  const operands = [...conditions, ...results.map((result) => asType(result, type))]
  return called(nowhere, type, choice, operands, options)
}

/** A CASE of pairs of condition input and result, optionally followed by a default result. */
function choosePairs(args: readonly Bound[], conditionOf: (when: Bound) => Bound): Bound {
  const pairs = args.length >> 1
  const whens = args.slice(0, 2 * pairs).filter((_, index) => index % 2 === 0)
  const results = args.filter((_, index) => index % 2 === 1)
  const otherwise = args.length % 2 === 1 ? args.at(-1)! : nullNode
  return choose(whens.map(conditionOf), [...results, otherwise])
}

/** For tests for null, adds `IS TRUE`: see `needsIsTrue` in `bind-truth.ts`. */
const truthIs = (what: IsOptions['what'], negated = false): ExpressionFunction => ({
  args: [1, 1],
  bind: ([value]) => {
    const operand = what === 'NULL' ? value! : truthOf(value!)
    return truth(is(operand, { what, negated, isWrittenAsTrue: what === 'NULL' && !negated }, nowhere))
  },
})

const distinct = (negated: boolean): ExpressionFunction => ({
  args: [2, 2],
  bind: ([left, right]) => {
    const types = [left!.type, right!.type] as const
    const areAlike = types.some(({ kind }) => kind === 'null') || isSame(...types)
    const areArrays = types.every(({ kind }) => kind === 'array')
    const type = areArrays ? arrayOf(string) : double
    const sides = areAlike ? [left!, right!] : [asType(left!, type), asType(right!, type)]
    return truth(called(nowhere, boolean, different, sides, { negated, isWrittenAsTrue: true }))
  },
})

/** Converts a text to a number; `true` is 1 and `false` is 0. */
const numberOf = (text: Typed, type: 'LONG' | 'DOUBLE'): Sql =>
  bind(
    text.sql,
    (x) =>
      sql`CASE lower(${x}) WHEN 'true' THEN 1 WHEN 'false' THEN 0 ELSE ${convert({ ...text, sql: x }, type).sql} END`,
  )

/** As `convert`, but converts texts to numbers with `numberOf`, also in arrays. */
function castSql(value: Typed, type: ValueType): Sql {
  const number = elementOf(type) ?? type
  if (number !== 'LONG' && number !== 'DOUBLE') return convert(value, type).sql
  const ofText = (text: Sql): Sql => numberOf({ type: 'STRING', sql: text }, number)
  if (elementOf(value.type) === 'STRING' && number !== type) return transform(value.sql, ofText)
  if (value.type !== 'STRING') return convert(value, type).sql
  return number === type
    ? ofText(value.sql)
    : bind(value.sql, (x) => sql`CASE WHEN ${x} IS NOT NULL THEN [${ofText(x)}] END`)
}

/** Casts an array of one as its element; an array with more elements or none fails. */
function castTo(value: Typed, type: ValueType): Typed {
  const cast = (one: Typed): Typed => ({ type, sql: castSql(one, type) })
  const element = elementOf(type)
  if (value.type === 'COMPLEX<json>' && element !== null) return jsonArray(value.sql, element)
  if (elementOf(value.type) === null || element !== null) return cast(value)
  const several = failing('an array that does not have exactly one element is cast to a single value')
  const body = (x: Sql): Sql =>
    sql`CASE WHEN len(${x}) <> 1 THEN CAST(${several} AS ${sqlType(type)}) ELSE ${cast({ ...value, sql: x }).sql} END`
  return { type, sql: bind(value.sql, body) }
}

export const conditionalFunctions = {
  cast: {
    args: [2, 2],
    bind: ([value], call) => {
      const name = literalText(call, 1, 'type').toUpperCase()
      // `LONG_ARRAY` is an older name for `ARRAY<LONG>`.
      const type = plainType(name.replace(/^(\w+)_ARRAY$/, 'ARRAY<$1>'))
      if (type === undefined) return call.refuse(`there is no type "${name}"`)
      const isPlain = isNumeric(value!.type) && (type === 'LONG' || type === 'DOUBLE')
      return isPlain ? asType(value!, type === 'LONG' ? long : double) : nodeOf(castTo(asValue(value!), type))
    },
  },
  coalesce: ofAlike([1, many], firstNonNull),
  nvl: ofAlike([2, 2], firstNonNull),
  if: { args: [3, 3], bind: ([condition, ...results]) => choose([truthOf(condition!)], results) },
  case_searched: { args: [2, many], bind: (args) => choosePairs(args, truthOf) },
  case_simple: {
    args: [3, many],
    bind: ([value, ...rest]) => choosePairs(rest, (match) => truthOf(equal(value!, match))),
  },
  isnull: truthIs('NULL'),
  notnull: truthIs('NULL', true),
  istrue: truthIs('TRUE'),
  isfalse: truthIs('FALSE'),
  nottrue: truthIs('TRUE', true),
  notfalse: truthIs('FALSE', true),
  isdistinctfrom: distinct(false),
  notdistinctfrom: distinct(true),
  greatest: ofAlike([0, many], greatest),
  least: ofAlike([0, many], least),
} as const satisfies FunctionTable
