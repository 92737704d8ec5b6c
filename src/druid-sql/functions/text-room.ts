// How long texts may become, asked before they are made: the engine's bound on memory does not count them. What is known to stay short is not
// asked about, so that ordinary texts cost nothing more.
import { bind } from '../../lib/bind-sql.ts'
import { type Sql, sql } from '../../lib/sql-text.ts'
import { plainInteger } from '../bind/engine-names.ts'
import type { SqlType } from '../bind/types.ts'

/** What a call writes as long as it is asked for. */
export const requestedCharactersMax = 1_000_000
/** What a call puts together of texts that are there. */
export const joinedBytesMax = 4_000_000

/** A text that is no wider than this is made without asking. */
const freeWidth = 512
/** A text that is stored is taken to be so wide: what is made of a few of them is not longer than a few of them. */
const storedWidth = 32
/** Shorter ones are made without asking, row by row. */
const freeBytes = 256

/** How wide the texts of a type may be, as far as that can be told; what is stored counts as short, whatever is made of much as wide. */
export function widthOf(type: SqlType): number {
  if (type.kind === 'string') return type.width ?? storedWidth
  return type.kind === 'array' || type.kind === 'sketch' || type.kind === 'quantiles'
    ? Number.POSITIVE_INFINITY
    : storedWidth
}

export const isFree = (width: number): boolean => width <= freeWidth

const withinUtf16 = sql.literal(String.raw`[^\x{10000}-\x{10FFFF}]`)

/** Length in UTF-16 units of a text that may have characters of two. */
export const pairedUnits = (x: Sql): Sql => sql`(length(${x}) + length(regexp_replace(${x}, ${withinUtf16}, '', 'g')))`

/** The same, as Druid counts; code points beyond 16 bits are counted only where there may be some. */
export const utf16Units = (x: Sql): Sql =>
  sql`CASE WHEN strlen(${x}) = length(${x}) THEN length(${x}) ELSE ${pairedUnits(x)} END`

/** In upper case, in which ß becomes two letters, as in Java. */
export const upperCase = (x: Sql): Sql => sql`upper(replace(${x}, 'ß', 'SS'))`

/** The engine writes such a text twice, and does its work once: so deep within each other they are still bound at once. */
const emptyDepthMax = 4

/** Null where nothing is left of a text. */
export const nullIfEmpty = (text: Sql): Sql =>
  text.text.split('nullif(').length > emptyDepthMax
    ? bind(text, (x) => sql`nullif(${x}, '')`)
    : sql`nullif(${text}, '')`

/** The text, where there is room for its bytes; null where their number is. Past `most`, or past the room for all texts, the query fails. */
export function inRoom(bytes: Sql, most: number, text: Sql): Sql {
  const asked = sql`text_room(CAST(${bytes} AS BIGINT), ${plainInteger(most)}::BIGINT)`
  return sql`CASE WHEN CASE WHEN ${bytes} <= ${plainInteger(freeBytes)} THEN TRUE ELSE ${asked} END THEN ${text} END`
}

/** A text of the answer, which is copied for each row. */
export function outOfRoom(text: Sql): Sql {
  return sql`CASE WHEN text_out(CAST(strlen(CAST(${text} AS VARCHAR)) AS BIGINT), ${plainInteger(joinedBytesMax)}::BIGINT) THEN ${text} END`
}

/** A requested count, so small that its product with a length is a number: one too many stays one too many. */
export const clamped = (count: Sql): Sql => sql`least(${count}, ${plainInteger(requestedCharactersMax + 1)})`

/** Names values that are used more than once: each is worked out once. */
export function onceEach(parts: readonly Sql[], use: (...values: Sql[]) => Sql): Sql {
  const names = parts.map((_part, index) => sql`v[${plainInteger(index + 1)}]`)
  const fields = parts.map((part) => part.text)
  return sql`list_transform([row(${fields.length === 1 ? parts[0]! : joined(parts)})], lambda v: ${use(...names)})[1]`
}

/** Shorter texts of the engine are written as often as they are used, which takes less time for a row than a name. */
const repeatedTextMax = 64

/** Renders the values. A long one that stands there more than once gets a name: calls within calls would double it each time. */
export function withoutRepeats(parts: readonly Sql[], render: (...values: Sql[]) => Sql): Sql {
  const direct = render(...parts)
  const isRepeated = ({ text }: Sql): boolean => text.length > repeatedTextMax && direct.text.split(text).length > 2
  if (!parts.some(isRepeated)) return direct
  const worked = parts.filter((part) => isRepeated(part) || holdsQuery(part))
  return onceEach(worked, (...values) => {
    const named = (part: Sql): Sql => values[worked.indexOf(part)] ?? part
    return render(...parts.map(named))
  })
}

/** The engine takes no query within a lambda: it is worked out before. */
const holdsQuery = ({ text }: Sql): boolean => /\bSELECT\b/.test(text)

/**
 * Renders a value that stands there several times, and others that stand there once and are only worked out where they are reached. As above, a
 * long value gets a name.
 */
export function withoutRepeating(
  value: Sql,
  others: readonly Sql[],
  render: (value: Sql, others: readonly Sql[]) => Sql,
): Sql {
  if (value.text.length <= repeatedTextMax) return render(value, others)
  const queries = others.filter(holdsQuery)
  return onceEach([value, ...queries], (name, ...names) =>
    render(
      name!,
      others.map((other) => names[queries.indexOf(other)] ?? other),
    ),
  )
}

function joined(parts: readonly Sql[]): Sql {
  return parts.reduce((left, right) => sql`${left}, ${right}`)
}
