// Functions that apply a lambda to array elements.

import type { Bound } from '../../druid-sql/bind/tree.ts'
import { bind, nextName } from '../../lib/bind-sql.ts'
import { type Sql, sql } from '../../lib/sql-text.ts'
import { failing } from '../../sql-engine/sql-engine.ts'
import {
  asValue,
  convert,
  type ElementType,
  elementOf,
  nullValue,
  type Typed,
  truthValue,
  typedNull,
  type ValueType,
  writtenSql,
} from '../values/typed.ts'
import { type ArrayOf, arrayOf, arrayValue, asElement, boundedLength, elementValue } from './arrays.ts'
import { truthOf } from './operators.ts'
import { ExpressionError } from './syntax.ts'

/** The lambda of a call; `apply` returns its body for given parameter values. */
export interface Lambda {
  readonly arity: number
  apply(values: readonly Typed[]): Bound
}

export interface ApplyFunction {
  /** Number of arguments after a lambda with `arity` parameters; null if that arity is invalid. */
  args(arity: number): number | null
  compile(args: readonly Typed[], lambda: Lambda): Typed
}

const ofOneArray = (compile: (array: ArrayOf, lambda: Lambda) => Typed, ofNull: Typed): ApplyFunction => ({
  args: (arity) => (arity === 1 ? 1 : null),
  compile: ([value], lambda) => {
    const array = arrayOf(value!)
    return array === null ? ofNull : compile(array, lambda)
  },
})

/** The element type of an array of the lambda's results. */
function elementTypeOf(value: Typed): ElementType {
  const { type } = asElement(value)
  if (type === 'STRING' || type === 'LONG' || type === 'DOUBLE') return type
  throw new ExpressionError('a lambda that returns only null cannot create an array')
}

/** Applies the body to each combination of elements; the last array varies fastest. */
function product(arrays: readonly ArrayOf[], body: (values: readonly Typed[]) => Sql): Sql {
  const level = (index: number, values: readonly Typed[]): Sql => {
    const { element, sql: list } = arrays[index]!
    const name = nextName()
    const inner = [...values, elementValue(element, name)]
    if (index === arrays.length - 1) return sql`list_transform(${list}, lambda ${name}: ${body(inner)})`
    return sql`flatten(list_transform(${list}, lambda ${name}: ${level(index + 1, inner)}))`
  }
  return level(0, [])
}

/** Maximum total length of an array's texts, and of a text accumulator. */
const textMax = 100_000

const tooLong = failing(`strings of more than ${textMax} characters`)

/** The text, if `count` texts of its length are within the limit. */
const shortText = (text: Sql, count: Sql): Sql =>
  bind(
    text,
    (x) => sql`CASE WHEN coalesce(length(${x}), 0) * ${count} <= ${sql.long(textMax)} THEN ${x} ELSE ${tooLong} END`,
  )

function map(arrays: readonly ArrayOf[], lambda: Lambda): Typed {
  let element: ElementType = 'STRING'
  const lists = (done: readonly ArrayOf[]): Sql => {
    const next = arrays[done.length]
    if (next !== undefined) return bind(next.sql, (list) => lists([...done, { ...next, sql: list }]))
    const count = sql.join(
      done.map(({ sql: list }) => sql`len(${list})`),
      ' * ',
    )
    return product(done, (values) => {
      const value = asValue(lambda.apply(values))
      element = elementTypeOf(value)
      const item = asElement(value).sql
      return element === 'STRING' ? shortText(item, count) : item
    })
  }
  const list = lists([])
  return arrayValue(element, list)
}

function keeping({ element, sql: list }: ArrayOf, lambda: Lambda): Sql {
  const name = nextName()
  return sql`list_filter(${list}, lambda ${name}: ${writtenSql(truthOf(lambda.apply([elementValue(element, name)])))})`
}

/** The accumulator, checked against the length limits. */
function bounded(type: ValueType, value: Sql): Sql {
  if (elementOf(type) !== null) {
    const texts = (x: Sql): Sql => sql`coalesce(list_sum(list_transform(${x}, lambda e: length(e))), 0)`
    const short = (x: Sql): Sql => sql`CASE WHEN ${texts(x)} > ${sql.long(textMax)} THEN ${tooLong} ELSE ${x} END`
    return bind(value, (x) => boundedLength(sql`len(${x})`, type === 'ARRAY<STRING>' ? short(x) : x))
  }
  return type === 'STRING' ? shortText(value, sql.long(1)) : value
}

/** The accumulator keeps its initial type; a bare null starts as a text. */
function fold(arrays: readonly ArrayOf[], initial: Typed, lambda: Lambda): Typed {
  if (initial.type === 'COMPLEX<json>') throw new ExpressionError('JSON as the initial value of a fold', true)
  const type = initial.type === null ? 'STRING' : initial.type === 'FLOAT' ? 'DOUBLE' : initial.type
  const [total, next] = [nextName(), nextName()]
  const field = (struct: Sql, name: string): Sql => sql`struct_extract(${struct}, ${sql.literal(name)})`
  const struct = (accumulator: Sql, values: readonly Sql[]): Sql => {
    const fields = values.map((value, index) => sql`${sql.literal(`x${index}`)}: ${value}`)
    return sql`{${sql.list([sql`'acc': ${accumulator}`, ...fields])}}`
  }
  const items = product(arrays, (values) =>
    struct(
      typedNull(type),
      values.map((value) => value.sql),
    ),
  )
  const elements = arrays.map(({ element }, index) => elementValue(element, field(next, `x${index}`)))
  const result = asValue(lambda.apply([...elements, { type, sql: field(total, 'acc') }]))
  if (elementOf(result.type) !== null && elementOf(type) === null)
    throw new ExpressionError('an array folded into a single value', true)
  const converted = convert(result, type).sql
  const carried = elements.map((element) => element.sql)
  const start = struct(
    convert(initial, type).sql,
    arrays.map(({ element }) => typedNull(element)),
  )
  const reduced = (list: Sql): Sql =>
    sql`struct_extract(list_reduce(${list}, lambda ${total}, ${next}: ${struct(bounded(type, converted), carried)}, ${start}), 'acc')`
  return { type, sql: bind(items, reduced) }
}

/** The arrays of a cartesian function, which must have the same type. Null if one of them is a bare null. */
function sameArrays(values: readonly Typed[]): readonly ArrayOf[] | null {
  const arrays = values.map(arrayOf)
  const there = arrays.filter((array) => array !== null)
  if (there.length < arrays.length) return null
  if (there.some(({ element }) => element !== there[0]!.element))
    throw new ExpressionError('a cartesian function of arrays of different types', true)
  return there
}

/** Null if an array is null; fails if there are too many combinations. */
function guarded(arrays: readonly ArrayOf[], made: Typed, least: 0 | 1): Typed {
  const lengths = sql.join(
    arrays.map(({ sql: list }) => sql`CAST(len(${list}) AS DOUBLE)`),
    ' * ',
  )
  const check = (count: Sql): Sql =>
    sql`CASE WHEN ${count} >= ${sql.long(least)} AND len(${boundedLength(count, sql`CAST([] AS INTEGER[])`)}) = 0 THEN ${made.sql} END`
  return { type: made.type, sql: bind(sql`(${lengths})`, check) }
}

export const applyFunctions: ReadonlyMap<string, ApplyFunction> = new Map<string, ApplyFunction>(
  Object.entries({
    map: ofOneArray((array, lambda) => map([array], lambda), nullValue),
    filter: {
      args: (arity) => (arity === 1 ? 1 : null),
      compile: ([value], lambda) => {
        const array = arrayOf(value!)
        if (array === null) return nullValue
        if (value!.type !== 'STRING')
          return arrayValue(
            array.element,
            bind(keeping(array, lambda), (x) => sql`CASE WHEN len(${x}) > 0 THEN ${x} END`),
          )
        // A text is treated as a column of one value, and stays one.
        const body = (x: Sql): Sql =>
          sql`CASE WHEN ${writtenSql(truthOf(lambda.apply([{ ...value!, sql: x }])))} THEN ${x} END`
        return { type: value!.type, sql: bind(value!.sql, body) }
      },
    },
    any: ofOneArray(
      (array, lambda) => truthValue(sql`coalesce(len(${keeping(array, lambda)}) > 0, FALSE)`),
      truthValue(sql`FALSE`),
    ),
    all: ofOneArray(
      (array, lambda) =>
        truthValue(
          bind(array.sql, (x) => sql`coalesce(len(${keeping({ ...array, sql: x }, lambda)}) = len(${x}), FALSE)`),
        ),
      truthValue(sql`FALSE`),
    ),
    fold: {
      args: (arity) => (arity === 2 ? 2 : null),
      compile: ([value, initial], lambda) => {
        const array = arrayOf(value!)
        return array === null ? nullValue : fold([array], initial!, lambda)
      },
    },
    cartesian_map: {
      args: (arity) => (arity === 0 ? null : arity),
      compile: (args, lambda) => {
        const arrays = sameArrays(args)
        return arrays === null ? nullValue : guarded(arrays, map(arrays, lambda), 0)
      },
    },
    cartesian_fold: {
      args: (arity) => (arity < 2 ? null : arity),
      compile: (args, lambda) => {
        const arrays = sameArrays(args.slice(0, -1))
        return arrays === null ? nullValue : guarded(arrays, fold(arrays, args.at(-1)!, lambda), 1)
      },
    },
  }),
)
