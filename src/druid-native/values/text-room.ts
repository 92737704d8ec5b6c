// How long texts may become, asked before they are made, as in SQL (src/druid-sql/functions/text-room.ts): the engine's bound on memory does
// not count them. What is known to stay short is not asked about.

import { bind } from '../../lib/bind-sql.ts'
import { type Sql, sql } from '../../lib/sql-text.ts'
import type { Typed } from './typed.ts'

/** What a call writes as long as it is told. */
export const toldCharactersMax = 1_000_000
/** What a call puts together of texts that are there. */
export const joinedBytesMax = 4_000_000

const freeWidth = 512
const storedWidth = 32
const freeBytes = 256

/** How wide the texts of a value may be, as far as that can be told; what is stored counts as short. */
export const widthOf = ({ type, width }: Typed): number =>
  width ?? (type?.startsWith('ARRAY') ? Number.POSITIVE_INFINITY : storedWidth)

export const widthOfAll = (values: readonly Typed[]): number => values.reduce((sum, value) => sum + widthOf(value), 0)

export const isFree = (width: number): boolean => width <= freeWidth

/** The text, where there is room for its bytes; null where their number is. Past `most`, or past the room for all texts, the query fails. */
export function inRoom(bytes: Sql, most: number, text: Sql): Sql {
  return bind(sql`CAST(${bytes} AS BIGINT)`, (size) => {
    const asked = sql`text_room(${size}, ${sql.long(most)})`
    return sql`CASE WHEN CASE WHEN ${size} <= ${sql.long(freeBytes)} THEN TRUE ELSE ${asked} END THEN ${text} END`
  })
}

/** A text of the answer, which is copied for each row. */
export function answered(value: Typed): Sql {
  if (value.type !== 'STRING' || isFree(widthOf(value))) return value.sql
  return bind(
    value.sql,
    (x) => sql`CASE WHEN text_out(CAST(strlen(${x}) AS BIGINT), ${sql.long(joinedBytesMax)}) THEN ${x} END`,
  )
}

/** A count that was told, so small that its product with a length is a number: one too many stays one too many. */
export const told = (count: Sql): Sql => sql`least(${count}, ${sql.long(toldCharactersMax + 1)})`

/** Texts one after the other; null where one of them is. */
export function concatenated(parts: readonly Sql[], width: number): Sql {
  if (isFree(width) || parts.length === 1) return sql`(${sql.join(parts, ' || ')})`
  return bind(sql`[${sql.join(parts, ', ')}]`, (list) => {
    const whole = inRoom(bytesOf(list), joinedBytesMax, sql`array_to_string(${list}, '')`)
    return sql`CASE WHEN list_count(${list}) = ${sql.long(parts.length)} THEN ${whole} END`
  })
}

/** Of all texts of a list. */
export const bytesOf = (list: Sql): Sql => sql`coalesce(list_sum(list_transform(${list}, lambda e: strlen(e))), 0)`
