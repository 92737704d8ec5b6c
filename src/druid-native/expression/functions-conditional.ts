import { bind } from '../../lib/bind-sql.ts'
import { type Sql, sql } from '../../lib/sql-text.ts'
import { failing } from '../../sql-engine/sql-engine.ts'
import {
  convert,
  elementOf,
  nullValue,
  sqlType,
  type Typed,
  toldValue,
  transform,
  truthValue,
  typedNull,
  type ValueType,
} from '../values/typed.ts'
import type { FunctionTable } from './call.ts'
import { literalText } from './call.ts'
import { ExpressionError } from './error.ts'
import { jsonArray } from './functions-json.ts'
import { truthOf } from './operators.ts'

const many = Number.POSITIVE_INFINITY

/** The type that all the values fit: text with anything is text, numbers of both kinds are doubles. */
export function commonType(values: readonly Typed[]): ValueType | null {
  const there = values.filter((value) => value.type !== null)
  const elements = there.map((value) => elementOf(value.type))
  if (elements.every((element) => element === null)) return commonScalar(there.map(({ type }) => type))
  if (elements.includes(null)) throw new ExpressionError('an array in one place with a single value', true)
  if (new Set(elements).size > 1) throw new ExpressionError('arrays of different types in one place', true)
  return there[0]!.type
}

function commonScalar(all: readonly (ValueType | null)[]): ValueType | null {
  const types = new Set(all.map((type) => (type === 'FLOAT' ? 'DOUBLE' : type)))
  if (types.size > 1 && (types.has('STRING') || types.has('COMPLEX<json>'))) return 'STRING'
  if (types.size === 2) return 'DOUBLE'
  return [...types][0] ?? null
}

const as = (value: Typed, type: ValueType): Sql => (value.type === null ? typedNull(type) : convert(value, type).sql)

function firstNotNull(args: readonly Typed[]): Typed {
  const type = commonType(args)
  if (type === null) return nullValue
  return {
    type,
    sql: sql`coalesce(${sql.join(
      args.map((arg) => as(arg, type)),
      ', ',
    )})`,
  }
}

/** Pairs of condition and result, and the result where none holds. */
function choose(pairs: readonly (readonly [Sql, Typed])[], otherwise: Typed): Typed {
  const type = commonType([...pairs.map(([, result]) => result), otherwise])
  if (type === null) return nullValue
  const whens = pairs.map(([condition, result]) => sql`WHEN ${condition} THEN ${as(result, type)}`)
  return { type, sql: sql`CASE ${sql.join(whens, ' ')} ELSE ${as(otherwise, type)} END` }
}

function pairsOf(args: readonly Typed[]): readonly (readonly [Typed, Typed])[] {
  return Array.from({ length: args.length >> 1 }, (_, index) => [args[index * 2]!, args[index * 2 + 1]!] as const)
}

const otherwiseOf = (args: readonly Typed[]): Typed => (args.length % 2 === 1 ? args.at(-1)! : nullValue)

function distinct([left, right]: readonly Typed[], word: Sql): Typed {
  if (left === undefined || right === undefined) throw new Error('two values are compared')
  if (left.type === null || right.type === null) return toldValue(sql`(${left.sql} IS ${word} ${right.sql})`)
  const isArray = elementOf(left.type) !== null && elementOf(right.type) !== null
  const type = left.type === right.type ? left.type : isArray ? 'ARRAY<STRING>' : 'DOUBLE'
  return toldValue(sql`(${as(left, type)} IS ${word} ${as(right, type)})`)
}

/** The greatest or least of what is not null, compared as their common type. */
function reduce(name: Sql): (args: readonly Typed[]) => Typed {
  return (args) => {
    const type = commonType(args)
    if (type === null) return nullValue
    if (elementOf(type) !== null) throw new ExpressionError('"greatest" and "least" take no arrays')
    return {
      type,
      sql: sql`${name}(${sql.join(
        args.map((arg) => as(arg, type)),
        ', ',
      )})`,
    }
  }
}

const castTypes: ReadonlyMap<string, ValueType> = new Map<string, ValueType>([
  ['STRING', 'STRING'],
  ['LONG', 'LONG'],
  ['DOUBLE', 'DOUBLE'],
  ['ARRAY<STRING>', 'ARRAY<STRING>'],
  ['ARRAY<LONG>', 'ARRAY<LONG>'],
  ['ARRAY<DOUBLE>', 'ARRAY<DOUBLE>'],
  ['STRING_ARRAY', 'ARRAY<STRING>'],
  ['LONG_ARRAY', 'ARRAY<LONG>'],
  ['DOUBLE_ARRAY', 'ARRAY<DOUBLE>'],
])

/** A text as a number: what says that it is true or false is 1 or 0. */
const numberOf = (text: Typed, type: 'LONG' | 'DOUBLE'): Sql =>
  bind(
    text.sql,
    (x) => sql`CASE lower(${x}) WHEN 'true' THEN 1 WHEN 'false' THEN 0 ELSE ${as({ ...text, sql: x }, type)} END`,
  )

/** As `as`, but for texts as numbers, in arrays too. */
function castSql(value: Typed, type: ValueType): Sql {
  const number = elementOf(type) ?? type
  if (number !== 'LONG' && number !== 'DOUBLE') return as(value, type)
  const ofText = (text: Sql): Sql => numberOf({ type: 'STRING', sql: text }, number)
  if (elementOf(value.type) === 'STRING' && number !== type) return transform(value.sql, ofText)
  if (value.type !== 'STRING') return as(value, type)
  return number === type
    ? ofText(value.sql)
    : bind(value.sql, (x) => sql`CASE WHEN ${x} IS NOT NULL THEN [${ofText(x)}] END`)
}

/** An array of one is cast as its element; of more, or of none, it fails. */
function castTo(value: Typed, type: ValueType): Typed {
  const cast = (one: Typed): Typed => ({ type, sql: castSql(one, type) })
  const element = elementOf(type)
  if (value.type === 'COMPLEX<json>' && element !== null) return jsonArray(value.sql, element)
  if (elementOf(value.type) === null || element !== null) return cast(value)
  const several = failing('an array of more or less than one element is cast to a single value')
  const body = (x: Sql): Sql =>
    sql`CASE WHEN len(${x}) <> 1 THEN CAST(${several} AS ${sqlType(type)}) ELSE ${cast({ ...value, sql: x }).sql} END`
  return { type, sql: bind(value.sql, body) }
}

export const conditionalFunctions = {
  cast: {
    args: [2, 2],
    compile: ([value], call) => {
      const name = literalText(call, 1, 'type').toUpperCase()
      const type = castTypes.get(name)
      return type === undefined ? call.refuse(`there is no type "${name}"`) : castTo(value!, type)
    },
  },
  coalesce: { args: [1, many], compile: firstNotNull },
  nvl: { args: [2, 2], compile: firstNotNull },
  if: { args: [3, 3], compile: ([condition, yes, no]) => choose([[truthOf(condition!), yes!]], no!) },
  case_searched: {
    args: [2, many],
    compile: (args) =>
      choose(
        pairsOf(args).map(([condition, result]) => [truthOf(condition), result] as const),
        otherwiseOf(args),
      ),
  },
  case_simple: {
    args: [3, many],
    compile: ([value, ...rest], call) =>
      choose(
        pairsOf(rest).map(([match, result]) => [truthOf(call.compare('==', value!, match)), result] as const),
        otherwiseOf(rest),
      ),
  },
  isnull: { args: [1, 1], compile: ([value]) => toldValue(sql`(${value!.sql} IS NULL)`) },
  notnull: { args: [1, 1], compile: ([value]) => truthValue(sql`(${value!.sql} IS NOT NULL)`) },
  istrue: { args: [1, 1], compile: ([value]) => truthValue(sql`(${truthOf(value!)} IS TRUE)`) },
  isfalse: { args: [1, 1], compile: ([value]) => truthValue(sql`(${truthOf(value!)} IS FALSE)`) },
  nottrue: { args: [1, 1], compile: ([value]) => truthValue(sql`(${truthOf(value!)} IS NOT TRUE)`) },
  notfalse: { args: [1, 1], compile: ([value]) => truthValue(sql`(${truthOf(value!)} IS NOT FALSE)`) },
  isdistinctfrom: { args: [2, 2], compile: (args) => distinct(args, sql`DISTINCT FROM`) },
  notdistinctfrom: { args: [2, 2], compile: (args) => distinct(args, sql`NOT DISTINCT FROM`) },
  greatest: { args: [0, many], compile: reduce(sql`greatest`) },
  least: { args: [0, many], compile: reduce(sql`least`) },
} as const satisfies FunctionTable
