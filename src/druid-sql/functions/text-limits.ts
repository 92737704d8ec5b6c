// Limits on the length of texts, checked before the texts are made: the engine's memory limit does not count them. Texts that are known to stay
// short are not checked, so that ordinary texts cost nothing more.
import { bind } from '../../lib/bind-sql.ts'
import { type Sql, sql } from '../../lib/sql-text.ts'
import { plainInteger } from '../bind/engine-names.ts'
import type { SqlType } from '../bind/types.ts'

/** Limit for a text whose length the call requests. */
export const requestedCharactersMax = 1_000_000
/** Limit for a text that a call joins from existing texts. */
export const joinedBytesMax = 4_000_000

/** A text of at most this width is made without a check. */
const freeWidth = 512
/** The assumed width of a stored text. Its real length does not matter: a text made of a few stored ones is only a few times as long. */
const storedWidth = 32
/** Texts up to this size are made without calling the check. This is decided for each row. */
const freeBytes = 256

/** The widest text of a type, as far as it is known. Stored values count as short, lists of values as unlimited. */
export function widthOf(type: SqlType): number {
  if (type.kind === 'string') return type.width ?? storedWidth
  return type.kind === 'array' || type.kind === 'sketch' || type.kind === 'quantiles'
    ? Number.POSITIVE_INFINITY
    : storedWidth
}

export const isFree = (width: number): boolean => width <= freeWidth

const withinUtf16 = sql.literal(String.raw`[^\x{10000}-\x{10FFFF}]`)

/** The length in UTF-16 units of a text that may have characters of two units. */
export const pairedUnits = (x: Sql): Sql => sql`(length(${x}) + length(regexp_replace(${x}, ${withinUtf16}, '', 'g')))`

/** The length in UTF-16 units, which Druid counts. Code points beyond 16 bits are counted only where there may be some. */
export const utf16Units = (x: Sql): Sql =>
  sql`CASE WHEN strlen(${x}) = length(${x}) THEN length(${x}) ELSE ${pairedUnits(x)} END`

/** Upper case as in Java, where ß becomes two letters. */
export const upperCase = (x: Sql): Sql => sql`upper(replace(${x}, 'ß', 'SS'))`

/** The engine writes the text of a nullif twice but computes it once. Nested up to this deep, it still binds quickly. */
const emptyDepthMax = 4

/** Null where the text is empty. */
export const nullIfEmpty = (text: Sql): Sql =>
  text.text.split('nullif(').length > emptyDepthMax
    ? bind(text, (x) => sql`nullif(${x}, '')`)
    : sql`nullif(${text}, '')`

/** The text, if its bytes fit; null where `bytes` is null. Beyond `most`, or beyond the capacity for all texts, the query fails. */
export function withinLimit(bytes: Sql, most: number, text: Sql): Sql {
  const asked = sql`text_room(CAST(${bytes} AS BIGINT), ${plainInteger(most)}::BIGINT)`
  return sql`CASE WHEN CASE WHEN ${bytes} <= ${plainInteger(freeBytes)} THEN TRUE ELSE ${asked} END THEN ${text} END`
}

/** Checks a text of the answer, which is copied for each row. */
export function limitedOutput(text: Sql): Sql {
  return sql`CASE WHEN text_out(CAST(strlen(CAST(${text} AS VARCHAR)) AS BIGINT), ${plainInteger(joinedBytesMax)}::BIGINT) THEN ${text} END`
}

/** A requested count, limited so that its product with a length does not overflow. A count that is too large stays too large. */
export const clamped = (count: Sql): Sql => sql`least(${count}, ${plainInteger(requestedCharactersMax + 1)})`

/** Names values that are used more than once, so that each is computed once. */
export function onceEach(parts: readonly Sql[], use: (...values: Sql[]) => Sql): Sql {
  const names = parts.map((_part, index) => sql`v[${plainInteger(index + 1)}]`)
  const fields = parts.map((part) => part.text)
  return sql`list_transform([row(${fields.length === 1 ? parts[0]! : joined(parts)})], lambda v: ${use(...names)})[1]`
}

/** SQL of up to this length is repeated at each use, which takes less time per row than a name. */
const repeatedTextMax = 64

/** Renders the values. A long one that is used more than once gets a name: nested calls would double it each time. */
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

/** The engine accepts no query within a lambda, so the query is computed before it. */
const holdsQuery = ({ text }: Sql): boolean => /\bSELECT\b/.test(text)

/**
 * Renders a value that is used several times, and others that are used once and computed only where they are reached. A long value gets a name,
 * as in `withoutRepeats`.
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
