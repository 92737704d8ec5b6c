// Arrays of the expression language: conversion to arrays, element types, and length limits.

import { bind } from '../../lib/bind-sql.ts'
import { type Sql, sql } from '../../lib/sql-text.ts'
import { failing } from '../../sql-engine/sql-engine.ts'
import { convert, doubleValue, type ElementType, elementOf, isScalar, sqlType, type Typed } from '../values/typed.ts'
import { type Expression, ExpressionError } from './syntax.ts'

/** A value as an array; a single value becomes an array of one. */
export interface ArrayOf {
  readonly element: ElementType
  /** Null if the value is null. */
  readonly sql: Sql
}

/** Returns null for a bare null. */
export function arrayOf(value: Typed): ArrayOf | null {
  if (value.type === null) return null
  if (value.type === 'COMPLEX<json>')
    throw new ExpressionError(
      `JSON as an array without a declared type, such as json_value(x, '$.a', 'ARRAY<LONG>') declares,`,
      true,
    )
  const element = elementOf(value.type) ?? (isScalar(value.type) && value.type !== 'FLOAT' ? value.type : 'DOUBLE')
  return { element, sql: convert(value, `ARRAY<${element}>`).sql }
}

export const arrayValue = (element: ElementType, list: Sql): Typed => ({ type: `ARRAY<${element}>`, sql: list })

export const elementValue = (element: ElementType, item: Sql): Typed => ({ type: element, sql: item })

/** Checks and converts an element: arrays and JSON are not supported. A bare null takes the type of the other elements. */
export function asElement(value: Typed): Typed {
  if (elementOf(value.type) !== null) throw new ExpressionError('an array of arrays', true)
  if (value.type === 'COMPLEX<json>') throw new ExpressionError('an array of JSON', true)
  return value.type === 'FLOAT' ? convert(value, 'DOUBLE') : value
}

/** Maximum length of an array; stops expressions that double one repeatedly. */
const lengthMax = 10_000

/** The value if its length is within the limit; otherwise the query fails. */
export function boundedLength(length: Sql, value: Sql): Sql {
  const tooLong = failing(`an array of more than ${lengthMax} elements`)
  return sql`CASE WHEN coalesce(${length}, 0) <= ${sql.long(lengthMax)} THEN ${value} ELSE ${tooLong} END`
}

/** The 1-based index of the first occurrence of a value in a list, 0 if there is none. Also finds null. */
export const positionIn = (list: Sql, item: Sql): Sql => sql`coalesce(list_position(${list}, ${item}), 0)`

/** Whether a list contains null. */
export const hasNull = (list: Sql): Sql => sql`(len(${list}) <> list_count(${list}))`

const literalKinds: ReadonlyMap<string, ElementType> = new Map([
  ['long', 'LONG'],
  ['double', 'DOUBLE'],
  ['text', 'STRING'],
])

/** `[1, 2]`, `<STRING>[]`: literals of one kind; longs mixed with doubles become doubles. */
export function arrayLiteral(
  { type, items }: Expression & { kind: 'array' },
  compile: (item: Expression) => Typed,
): Typed {
  const kinds = new Set(items.flatMap((item) => literalKinds.get(item.kind) ?? []))
  if (kinds.has('STRING') && (kinds.size > 1 || (type !== null && type !== 'STRING')))
    throw new ExpressionError('the elements of an array literal must have one type')
  const element = type ?? (kinds.has('DOUBLE') ? 'DOUBLE' : kinds.has('LONG') ? 'LONG' : 'STRING')
  return arrayFrom(element, items.map(compile))
}

export function arrayFrom(element: ElementType, values: readonly Typed[]): Typed {
  const items = values.map((value) => convert(value, element).sql)
  return arrayValue(element, sql`CAST([${sql.list(items)}] AS ${sqlType(`ARRAY<${element}>`)})`)
}

/** The quantile of an array's numbers, interpolated linearly between two of them. */
export function quantileOf({ sql: list }: ArrayOf, rank: Sql): Typed {
  const sorted = sql`list_sort(list_filter(CAST(${list} AS DOUBLE[]), lambda e: e IS NOT NULL))`
  return doubleValue(
    bind(sorted, (s) =>
      bind(sql`(${rank} * (len(${s}) - 1))`, (at) => {
        const low = sql`${s}[CAST(floor(${at}) AS BIGINT) + 1]`
        const high = sql`${s}[CAST(ceil(${at}) AS BIGINT) + 1]`
        return sql`CASE WHEN len(${s}) = 0 OR ${rank} IS NULL THEN NULL WHEN ${rank} < 0 THEN CAST(${failing('a quantile below 0')} AS DOUBLE)
          WHEN ${rank} > 1 THEN CAST('NaN' AS DOUBLE) ELSE ${low} + (${high} - ${low}) * (${at} - floor(${at})) END`
      }),
    ),
  )
}
