// Arrays of the expression language: what counts as one, what they hold, and how long they may become.

import { bind } from '../../lib/bind-sql.ts'
import { type Sql, sql } from '../../lib/sql-text.ts'
import { failing } from '../../sql-engine/sql-engine.ts'
import { convert, doubleValue, type ElementType, elementOf, isScalar, sqlType, type Typed } from '../values/typed.ts'
import { type Expression, ExpressionError } from './syntax.ts'

/** A value taken as an array: a single value is an array of itself. */
export interface ArrayOf {
  readonly element: ElementType
  /** Null where the value is null. */
  readonly sql: Sql
}

/** Null for a bare null. */
export function arrayOf(value: Typed): ArrayOf | null {
  if (value.type === null) return null
  if (value.type === 'COMPLEX<json>')
    throw new ExpressionError(
      `JSON as an array whose type is not told, as json_value(x, '$.a', 'ARRAY<LONG>') tells it,`,
      true,
    )
  const element = elementOf(value.type) ?? (isScalar(value.type) && value.type !== 'FLOAT' ? value.type : 'DOUBLE')
  return { element, sql: convert(value, `ARRAY<${element}>`).sql }
}

export const arrayValue = (element: ElementType, list: Sql): Typed => ({ type: `ARRAY<${element}>`, sql: list })

export const elementValue = (element: ElementType, item: Sql): Typed => ({ type: element, sql: item })

/** What arrays hold: no arrays, no JSON. A bare null is a null of the type that the others have. */
export function asElement(value: Typed): Typed {
  if (elementOf(value.type) !== null) throw new ExpressionError('an array of arrays', true)
  if (value.type === 'COMPLEX<json>') throw new ExpressionError('an array of JSON', true)
  return value.type === 'FLOAT' ? convert(value, 'DOUBLE') : value
}

/** An array is not made longer: what doubles it again and again ends here. */
const lengthMax = 10_000

/** The value where the length that goes with it is within bounds; past them the query fails. */
export function boundedLength(length: Sql, value: Sql): Sql {
  const tooLong = failing(`an array of more than ${lengthMax} elements`)
  return sql`CASE WHEN coalesce(${length}, 0) <= ${sql.long(lengthMax)} THEN ${value} ELSE ${tooLong} END`
}

/** Where in a list a value first is, from 1 on; 0 where it is not there. Null is found too. */
export const positionIn = (list: Sql, item: Sql): Sql => sql`coalesce(list_position(${list}, ${item}), 0)`

/** Whether a list has a null in it. */
export const hasNull = (list: Sql): Sql => sql`(len(${list}) <> list_count(${list}))`

const literalKinds: ReadonlyMap<string, ElementType> = new Map([
  ['long', 'LONG'],
  ['double', 'DOUBLE'],
  ['text', 'STRING'],
])

/** `[1, 2]`, `<STRING>[]`: the literals of one kind, or longs and doubles, which are doubles. */
export function arrayLiteral(
  { type, items }: Expression & { kind: 'array' },
  compile: (item: Expression) => Typed,
): Typed {
  const kinds = new Set(items.flatMap((item) => literalKinds.get(item.kind) ?? []))
  if (kinds.has('STRING') && (kinds.size > 1 || (type !== null && type !== 'STRING')))
    throw new ExpressionError('the elements of an array literal must be of one kind')
  const element = type ?? (kinds.has('DOUBLE') ? 'DOUBLE' : kinds.has('LONG') ? 'LONG' : 'STRING')
  return arrayFrom(element, items.map(compile))
}

export function arrayFrom(element: ElementType, values: readonly Typed[]): Typed {
  const items = values.map((value) => convert(value, element).sql)
  return arrayValue(element, sql`CAST([${sql.list(items)}] AS ${sqlType(`ARRAY<${element}>`)})`)
}

/** The quantile of the numbers of an array, between two of them by their distance. */
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
