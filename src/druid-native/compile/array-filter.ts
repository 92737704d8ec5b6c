// Filters on array columns and multi-value columns.

import type { Bound } from '../../druid-sql/bind/tree.ts'
import { boolean } from '../../druid-sql/bind/types.ts'
import { bind, nextName } from '../../lib/bind-sql.ts'
import { type Sql, sql } from '../../lib/sql-text.ts'
import { invalidRequest } from '../../model/problem.ts'
import { arrayFrom, positionIn } from '../expression/arrays.ts'
import { type Scalar, unsupported } from '../parse/json-reader.ts'
import type { Filter } from '../parse/query-nodes.ts'
import { listKey } from '../values/ordering.ts'
import {
  asValue,
  convert,
  elementOf,
  nodeOf,
  numberNode,
  type Typed,
  textValue,
  written,
  writtenSql,
} from '../values/typed.ts'
import { never } from './equality-filter.ts'

function literal(value: Scalar | null): Typed {
  if (value === null) return textValue(sql`CAST(NULL AS VARCHAR)`)
  if (typeof value === 'bigint' || typeof value === 'number') return asValue(numberNode(value))
  return textValue(sql`CAST(${String(value)} AS VARCHAR)`)
}

/** Whether an array contains an element. Null is found in arrays that contain null; a value that the element type cannot represent is never found. */
export function hasElement(value: Typed, filter: Filter & { kind: 'containsElement' }): Bound {
  const element = elementOf(value.type)
  if (element === null) throw new Error('an array is searched')
  const wanted = literal(filter.value)
  const item = convert(wanted, element)
  const isExact = element === 'LONG' && wanted.type === 'DOUBLE' ? sql`FALSE` : sql`${item.sql} IS NOT NULL`
  const isThere = filter.value === null ? sql`TRUE` : isExact
  const has = (list: Sql): Sql =>
    sql`(CASE WHEN ${list} IS NOT NULL THEN ${isThere} AND ${positionIn(list, item.sql)} > 0 END)`
  return written(boolean, bind(value.sql, has))
}

export function equalsArray(value: Typed, filter: Filter & { kind: 'equalsArray' }): Bound {
  const element = elementOf(value.type)
  if (element === null || value.isMulti) return never(nodeOf(value))
  const wanted = arrayFrom(element, filter.values.map(literal))
  return written(boolean, sql`(${listKey(value.sql)} = ${listKey(wanted.sql)})`)
}

/** Applies a condition to any value of a multi-value column. Arrays support only the filters made for them. */
export function onAnyValue(value: Typed, kind: string, condition: (one: Bound) => Bound): Bound {
  const element = elementOf(value.type)
  if (element === null) return condition(nodeOf(value))
  if (!value.isMulti) {
    if (kind === 'equals') return never(nodeOf(value))
    if (kind === 'range' || kind === 'inType') throw unsupported('filter', `the filter "${kind}" on an array`)
    throw invalidRequest(
      'filter',
      `the filter "${kind}" does not accept an array: use arrayContainsElement, equals or null`,
    )
  }
  const name = nextName()
  const ofText = (text: Sql): Sql => writtenSql(condition(nodeOf(textValue(text))))
  const each = ofText(convert({ type: element, sql: name }, 'STRING').sql)
  const some = (list: Sql): Sql =>
    sql`(CASE WHEN ${list} IS NULL THEN ${ofText(sql`CAST(NULL AS VARCHAR)`)} ELSE len(list_filter(${list}, lambda ${name}: ${each})) > 0 END)`
  return written(boolean, bind(value.sql, some))
}
