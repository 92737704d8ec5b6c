// Druid's comparators: the sort keys that order values as each of them does.

import { utf16Units } from '../../druid-sql/functions/text-limits.ts'
import { bind } from '../../lib/bind-sql.ts'
import { type Sql, sql } from '../../lib/sql-text.ts'
import type { Ordering } from '../parse/query-nodes.ts'
import { type ElementType, elementOf, type Typed, textToDouble, toText, transform } from './typed.ts'

/** Encodes a text's runs of digits and of other characters so that keys compare as the texts do alphanumerically, ignoring case. */
export function alphanumericKey(text: Sql): Sql {
  const run = (part: Sql): Sql =>
    bind(
      sql`ltrim(${part}, '0')`,
      (digits) =>
        sql`CASE WHEN regexp_matches(${part}, '^[0-9]') THEN '0' || printf('%06d', length(${digits})) || ${digits} || ':' || printf('%06d', length(${part})) ELSE '1' || lower(upper(${part})) END`,
    )
  return sql`array_to_string(list_transform(regexp_extract_all(${text}, '[0-9]+|[^0-9]+'), lambda part: ${run(sql`part`)}), chr(1))`
}

/** Orders texts by their numeric value, non-numbers first; of equal numbers the shorter text first. */
function numericTextKeys(text: Sql): readonly Sql[] {
  const number = textToDouble(text)
  return [number, sql`CASE WHEN ${number} IS NULL THEN 0 ELSE length(${text}) END`, text]
}

/** Converts an array to a list that compares as Druid compares arrays: null elements sort first. */
export const listKey = (list: Sql): Sql =>
  transform(list, (item) => sql`{'there': ${item} IS NOT NULL, 'value': ${item}}`)

/** The natural sort key, with nulls first. */
export const naturalKey = (value: Typed): Sql => (elementOf(value.type) === null ? value.sql : listKey(value.sql))

/** Compares element by element with the keys of the ordering. If numbers are compared as texts, a null element reads as "null". */
function arrayKey(list: Sql, type: ElementType, ordering: Ordering): Sql {
  if (ordering === 'natural' || (ordering === 'numeric' && type !== 'STRING')) return listKey(list)
  return transform(list, (item) => {
    const text = type === 'STRING' ? item : sql`coalesce(${toText({ type, sql: item })}, 'null')`
    const fields = sortKeys({ type: 'STRING', sql: text }, ordering).map(
      (key, index) => sql`${sql.literal(`there${index}`)}: ${key} IS NOT NULL, ${sql.literal(`value${index}`)}: ${key}`,
    )
    return sql`{${sql.list(fields)}}`
  })
}

/** The sort keys, most significant first; nulls sort first in all of them. */
export function sortKeys(value: Typed, ordering: Ordering): readonly Sql[] {
  const element = elementOf(value.type)
  if (element !== null) return [arrayKey(value.sql, element, ordering)]
  const isNumber = value.type === 'LONG' || value.type === 'DOUBLE' || value.type === 'FLOAT'
  switch (ordering) {
    case 'natural':
      return [value.sql]
    case 'numeric':
      return isNumber ? [value.sql] : numericTextKeys(toText(value))
    case 'lexicographic':
      return [toText(value)]
    case 'strlen':
      return [lengthKey(toText(value))]
    case 'alphanumeric':
      return [alphanumericKey(toText(value)), toText(value)]
    case 'version':
      return [versionKey(toText(value)), toText(value)]
  }
}

/** Orders by length in UTF-16 units, then by text. */
export const lengthKey = (text: Sql): Sql => bind(text, (x) => sql`printf('%010d', ${utf16Units(x)}) || ${x}`)

/** Compares parts between dots and dashes: words before numbers, numbers by value. Covers most of Maven's version comparison. */
function versionKey(text: Sql): Sql {
  const part = sql`CASE WHEN regexp_full_match(part, '[0-9]+') THEN '1' || printf('%06d', length(ltrim(part, '0'))) || ltrim(part, '0') ELSE '0' || lower(part) END`
  return sql`list_transform(regexp_extract_all(regexp_replace(${text}, '([.-]0+)+$', ''), '[0-9]+|[^-.0-9]+'), lambda part: ${part})`
}

export function orderBy(keys: readonly Sql[], descending: boolean): readonly Sql[] {
  return keys.map((key) => (descending ? sql`${key} DESC NULLS LAST` : sql`${key} ASC NULLS FIRST`))
}
