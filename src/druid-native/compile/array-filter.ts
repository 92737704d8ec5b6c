// Filters on columns of arrays, and of several values.

import { bind, nextName } from '../../lib/bind-sql.ts'
import { type Sql, sql } from '../../lib/sql-text.ts'
import { invalidRequest } from '../../model/problem.ts'
import { arrayFrom, positionIn } from '../expression/arrays.ts'
import { unsupported } from '../parse/json-reader.ts'
import type { Filter, Scalar } from '../parse/query-nodes.ts'
import { listKey } from '../values/ordering.ts'
import { convert, doubleValue, elementOf, longValue, type Typed, textValue } from '../values/typed.ts'

function literal(value: Scalar | null): Typed {
  if (value === null) return textValue(sql`CAST(NULL AS VARCHAR)`)
  if (typeof value === 'bigint' || Number.isSafeInteger(value)) return longValue(sql.long(BigInt(value)))
  return typeof value === 'number' ? doubleValue(sql.double(value)) : textValue(sql`CAST(${String(value)} AS VARCHAR)`)
}

const never = (value: Typed): Sql => sql`(CASE WHEN ${value.sql} IS NOT NULL THEN FALSE END)`

/** Whether an array has an element; null is in those that hold null, what the array's type has no room for is in none. */
export function hasElement(value: Typed, filter: Filter & { kind: 'containsElement' }): Sql {
  const element = elementOf(value.type)
  if (element === null) throw new Error('an array is searched')
  const wanted = literal(filter.value)
  const item = convert(wanted, element)
  const isExact = element === 'LONG' && wanted.type === 'DOUBLE' ? sql`FALSE` : sql`${item.sql} IS NOT NULL`
  const isThere = filter.value === null ? sql`TRUE` : isExact
  return bind(
    value.sql,
    (list) => sql`(CASE WHEN ${list} IS NOT NULL THEN ${isThere} AND ${positionIn(list, item.sql)} > 0 END)`,
  )
}

export function equalsArray(value: Typed, filter: Filter & { kind: 'equalsArray' }): Sql {
  const element = elementOf(value.type)
  if (element === null || value.isMulti) return never(value)
  const wanted = arrayFrom(element, filter.values.map(literal))
  return sql`(${listKey(value.sql)} = ${listKey(wanted.sql)})`
}

/** A condition on any of several values; an array as a whole has none but those made for arrays. */
export function onAnyValue(value: Typed, kind: string, condition: (one: Typed) => Sql): Sql {
  const element = elementOf(value.type)
  if (element === null) return condition(value)
  if (!value.isMulti) {
    if (kind === 'equals') return never(value)
    if (kind === 'range' || kind === 'inType') throw unsupported('filter', `the filter "${kind}" on an array`)
    throw invalidRequest('filter', `the filter "${kind}" takes no array: arrayContainsElement, equals and null do`)
  }
  const name = nextName()
  const one = (item: Sql): Typed => convert({ type: element, sql: item }, 'STRING')
  const none = condition(textValue(sql`CAST(NULL AS VARCHAR)`))
  return bind(
    value.sql,
    (list) =>
      sql`(CASE WHEN ${list} IS NULL THEN ${none} ELSE len(list_filter(${list}, lambda ${name}: ${condition(one(name))})) > 0 END)`,
  )
}
