import { type JavaPattern, mayBeEmpty, re2Replacement, readJavaPattern } from '../../druid-patterns/java-pattern.ts'
import { textMaxOf } from '../../druid-patterns/repetitions.ts'
import { bind } from '../../lib/bind-sql.ts'
import { type Sql, sql } from '../../lib/sql-text.ts'
import { failing } from '../../sql-engine/sql-engine.ts'
import { as, constantOf } from '../bind/conversions.ts'
import { plainInteger } from '../bind/engine-names.ts'
import { type Bound, called, engineFunction } from '../bind/tree.ts'
import { boolean, long, type SqlType, string, wideString } from '../bind/types.ts'
import { type Place, quoted, sqlProblem } from '../parse/sql-problem.ts'
import { leftPadding, paddedText, repeatedText, rightPadding } from './filled-texts.ts'
import {
  asText,
  type BoundCall,
  type Catalogue,
  constantInteger,
  neededText,
  type PlainFunction,
  scalar,
  special,
} from './signature.ts'
import { stringFormat } from './string-format.ts'
import {
  isFree,
  joinedBytesMax,
  nullIfEmpty,
  onceEach,
  upperCase,
  utf16Units,
  widthOf,
  withinLimit,
  withoutRepeats,
} from './text-limits.ts'

/**
 * Replaces a part of a text. Each operand is used several times, so it must be a name or short. With `mayBeEmpty` the part may be an empty text,
 * which is found before and after each character.
 */
function replacedText(text: Sql, part: Sql, by: Sql, mayBeEmpty: boolean): Sql {
  const replaced = sql`replace(${text}, ${part}, ${by})`
  if (!mayBeEmpty) return replaced
  const aroundEach = sql`regexp_replace(${text}, '', replace(${by}, ${sql.literal('\\')}, ${sql.literal('\\\\')}), 'g')`
  return sql`CASE WHEN ${part} = '' THEN ${aroundEach} ELSE ${replaced} END`
}

/** The most bytes of a replaced text. */
function replacedBytes(text: Sql, part: Sql, by: Sql): Sql {
  const occurrences = sql`((strlen(${text}) - strlen(replace(${text}, ${part}, ''))) // strlen(${part}))`
  const more = sql`CASE WHEN ${part} = '' THEN (length(${text}) + 1) * strlen(${by}) ELSE ${occurrences} * greatest(strlen(${by}) - strlen(${part}), 0) END`
  return sql`(strlen(${text}) + ${more})`
}

/** Reverses a text character by character. The engine would keep an accent after its letter, and the characters of a line end in order. */
const reversedText = (text: Sql): Sql =>
  bind(
    text,
    (x) => sql`CASE WHEN strlen(${x}) = length(${x}) THEN reverse(${x})
      ELSE array_to_string(list_reverse(regexp_extract_all(${x}, '(?s).')), '') END`,
  )

const lengthOf = scalar([string], long, utf16Units)

/** A part beyond the end is null, not empty. */
const part = scalar(
  [string, long, long],
  string,
  (x, from, count) => nullIfEmpty(sql`substring(${x}, ${from}${count === undefined ? sql`` : sql`, ${count}`})`),
  1,
)

const substring = special(2, 3, (call) => {
  const [, start, length] = call.operands
  const [from, count] = [constantOf(start!), length && constantOf(length)]
  if (typeof from === 'bigint' && from < 1n)
    throw sqlProblem(start!.place, 'SUBSTRING counts from 1: the start must be 1 or more')
  if (typeof count === 'bigint' && count <= 0n)
    throw sqlProblem(length!.place, 'the length of a SUBSTRING must be more than 0')
  return part.bind(call)
})

function trimmed(from: 'trim' | 'ltrim' | 'rtrim'): PlainFunction {
  const names = { trim: sql`trim`, ltrim: sql`ltrim`, rtrim: sql`rtrim` }
  return scalar([string, string], string, (x, characters = sql`' '`) => sql`${names[from]}(${x}, ${characters})`, 1)
}

const [trimBoth, trimLeft, trimRight] = [trimmed('trim'), trimmed('ltrim'), trimmed('rtrim')]

const trim = special(1, 2, (call) => {
  const side = call.unit === 'LEADING' ? trimLeft : call.unit === 'TRAILING' ? trimRight : trimBoth
  return side.bind(call)
})

/** Concatenates texts to one of at most `width`; null where one of them is null. */
export const concatenated = (parts: readonly Sql[], width: number): Sql =>
  isFree(width) ? sql`CAST((${sql.join(parts, ' || ')}) AS VARCHAR)` : joinedWithinLimit(parts)

const concatenation = engineFunction((parts, { type }) => concatenated(parts, widthOf(type)))

export const joinedTexts = (place: Place, texts: readonly Bound[]): Bound => called(place, string, concatenation, texts)

export const concat = special(1, 1000, ({ place, operands }) => joinedTexts(place, operands.map(asText)))

/** CONCAT uses the milliseconds of times; `||` does not. */
const withMilliseconds = special(1, 1000, (call) =>
  concat.bind({
    ...call,
    operands: call.operands.map((operand) =>
      operand.type.kind === 'timestamp' || operand.type.kind === 'date' ? as(operand, long) : operand,
    ),
  }),
)

/** Joins the parts as one list, so that each is in memory once; null where one of them is null. */
function joinedWithinLimit(parts: readonly Sql[]): Sql {
  const bytes = sql`CAST(list_sum(list_transform(v, lambda e: strlen(e))) AS BIGINT)`
  const whole = withinLimit(bytes, joinedBytesMax, sql`array_to_string(v, '')`)
  const isWhole = sql`list_count(v) = ${plainInteger(parts.length)}`
  return sql`list_transform([[${sql.list(parts)}]], lambda v: CASE WHEN ${isWhole} THEN ${whole} END)[1]`
}

/** A validated regular expression of Java's. */
export interface PatternOptions {
  readonly pattern: string
}

export const javaPattern = ({ pattern }: PatternOptions): JavaPattern => readJavaPattern(pattern)!

/** Java's regular expressions are translated to RE2's. The engine refuses what RE2 lacks: lookaround and back references. */
export function patternOf(call: BoundCall): PatternOptions {
  const pattern = neededText(call, 1)
  if (pattern.length > 1000) throw sqlProblem(call.place, 'a regular expression can have at most 1,000 characters')
  if (readJavaPattern(pattern) === null)
    throw sqlProblem(
      call.operands[1]!.place,
      'a character class of a regular expression cannot contain another class or &&: list its characters',
    )
  return { pattern }
}

/** A text that can be matched by a pattern in time; a longer one fails the query. Only computed texts are that long. */
export function matchable(text: Sql, type: SqlType, pattern: string): Sql {
  const most = textMaxOf(pattern)
  if (isFree(widthOf(type)) || most >= joinedBytesMax) return text
  const refused = failing(`a string of more than ${most} characters is too long for this pattern`)
  return withoutRepeats(
    [text],
    (x) =>
      sql`CASE WHEN strlen(${x}) <= ${plainInteger(most)} THEN ${x} WHEN ${x} IS NOT NULL THEN CAST(${refused} AS VARCHAR) END`,
  )
}

/** A group of the first match; null where nothing matches, or the group takes no part in the match. */
export function extractedGroup(text: Sql, type: SqlType, options: PatternOptions, group: number): Sql {
  const { re2, groups } = javaPattern(options)
  const form = sql.literal(re2)
  const held = groups[group - 1]
  return withoutRepeats([matchable(text, type, options.pattern)], (x) => {
    const part = sql`regexp_extract(${x}, ${form}, ${plainInteger(group)})`
    const shown = held === undefined || mayBeEmpty(held) ? part : nullIfEmpty(part)
    return sql`CASE WHEN regexp_matches(${x}, ${form}) THEN ${shown} END`
  })
}

export const groupOfMatch = engineFunction<PatternOptions & { readonly group: number }>(
  ([x], { operands: [text], options }) => extractedGroup(x!, text!.type, options, options.group),
)

const regexpExtract = special(2, 3, (call) => {
  const group = Number(constantInteger(call, 2, 0n))
  if (group < 0 || group > 9) throw sqlProblem(call.place, 'the group of REGEXP_EXTRACT must be 0 to 9')
  const text = asText(call.operands[0]!)
  const options = patternOf(call)
  if (group > javaPattern(options).groups.length)
    throw sqlProblem(call.operands[2]!.place, `the regular expression has no group ${group}`)
  return called(call.place, string, groupOfMatch, [text], { ...options, group })
})

export const matchesPattern = (text: Sql, type: SqlType, options: PatternOptions): Sql =>
  sql`regexp_matches(${matchable(text, type, options.pattern)}, ${sql.literal(javaPattern(options).re2)})`

export const matches = engineFunction<PatternOptions>(([x], { operands: [text], options }) =>
  matchesPattern(x!, text!.type, options),
)

const regexpLike = special(2, 2, (call) =>
  called(call.place, boolean, matches, [asText(call.operands[0]!)], patternOf(call)),
)

/** In longer texts a match at each position is assumed: counting them would take as long as replacing them. */
const countedMax = 10_000

/** A group is $1 in Java and \\1 in RE2. `known` is a constant replacement in RE2's form; null where it is not constant. */
export const replacedMatches = engineFunction<PatternOptions & { readonly known: string | null }>(
  ([x, y], { operands: [text], type, options }) => {
    const by =
      options.known !== null
        ? sql.literal(options.known)
        : sql`regexp_replace(replace(${y!}, ${sql.literal('\\')}, ${sql.literal('\\\\')}), ${sql.literal('[$]([0-9])')}, ${sql.literal('\\\\\\1')}, 'g')`
    const form = sql.literal(javaPattern(options).re2)
    const replaced = (whole: Sql, part: Sql): Sql => sql`regexp_replace(${whole}, ${form}, ${part}, 'g')`
    if (isFree(widthOf(type))) return replaced(x!, by)
    return onceEach([matchable(x!, text!.type, options.pattern), by], (x, y) => {
      const groups = sql`(1 + len(regexp_extract_all(${y}, ${sql.literal('\\\\[0-9]')})))`
      const counted = sql`CASE WHEN strlen(${x}) <= ${plainInteger(countedMax)} THEN len(regexp_extract_all(${x}, ${form})) ELSE strlen(${x}) + 1 END`
      const bytes = sql`(strlen(${x}) * ${groups} + ${counted} * strlen(${y}))`
      return withinLimit(bytes, joinedBytesMax, replaced(x, y))
    })
  },
)

const regexpReplace = special(3, 3, (call) => {
  const replacement = call.operands[2]!
  const texts = [asText(call.operands[0]!), asText(replacement)] as const
  const options = patternOf(call)
  const constant = constantOf(replacement)
  const known = typeof constant === 'string' ? re2Replacement(constant, javaPattern(options)) : null
  if (known === null && typeof constant === 'string')
    throw sqlProblem(
      replacement.place,
      `${quoted(constant)} is not a valid replacement for the groups of the regular expression`,
    )
  // The replacement may occur in place of each character, and between the characters.
  const width = widthOf(texts[0].type) * Math.max(1, 2 * widthOf(texts[1].type))
  return called(call.place, wideString(width), replacedMatches, texts, { ...options, known })
})

export const digits = engineFunction<{ readonly radix: number }>(([text], { options: { radix } }) =>
  longOfDigits(text!, radix),
)

const parseLong = special(1, 2, (call) => {
  const text = as(call.operands[0]!, string)
  const radix = Number(constantInteger(call, 1, 10n))
  if (radix < 2 || radix > 36) throw sqlProblem(call.operands[1]!.place, 'the radix of PARSE_LONG must be 2 to 36')
  return called(call.place, long, digits, [text], { radix })
})

const replacedParts = engineFunction((texts, { type, operands: [, part] }) => {
  const sought = constantOf(part!)
  const mayBeEmpty = typeof sought !== 'string' || sought === ''
  const replaced = (x: Sql, from: Sql, to: Sql): Sql => replacedText(x, from, to, mayBeEmpty)
  if (isFree(widthOf(type))) return withoutRepeats(texts, replaced)
  return onceEach(texts, (x, from, to) =>
    withinLimit(replacedBytes(x, from, to), joinedBytesMax, replaced(x, from, to)),
  )
})

const replace = special(3, 3, ({ place, operands }) =>
  replaced(
    place,
    operands.map((operand) => as(operand, string)),
  ),
)

export function replaced(place: Place, parts: readonly Bound[]): Bound {
  const width = widthOf(parts[0]!.type) * growth(parts[1]!, parts[2]!)
  return called(place, wideString(width), replacedParts, parts)
}

/** How many times as long a text may become when a part of it is replaced. */
function growth(from: Bound, to: Bound): number {
  const sought = constantOf(from)
  const shortest = typeof sought === 'string' ? Math.max(1, sought.length) : 1
  return Math.max(1, widthOf(to.type) / shortest)
}

function half(whole: (x: Sql, n: Sql) => Sql): PlainFunction {
  const cut = scalar(
    [string, long],
    string,
    (x, count) => sql`CASE WHEN ${count} < 0 THEN NULL ELSE ${whole(x, count)} END`,
  )
  const bind = (call: BoundCall): Bound => {
    const [, count] = call.operands
    const known = constantOf(count!)
    if (typeof known === 'bigint' && known < 0n)
      throw sqlProblem(count!.place, `the length in ${call.name} must not be below 0`)
    return cut.bind(call)
  }
  return { ...cut, bind }
}

export const texts = {
  LENGTH: lengthOf,
  CHAR_LENGTH: lengthOf,
  CHARACTER_LENGTH: lengthOf,
  STRLEN: lengthOf,
  LOWER: scalar([string], string, (x) => sql`lower(${x})`),
  UPPER: scalar([string], string, upperCase),
  SUBSTRING: substring,
  SUBSTR: substring,
  CONCAT: withMilliseconds,
  TEXTCAT: { ...concat, count: [2, 2] },
  TRIM: trim,
  BTRIM: trimBoth,
  LTRIM: trimLeft,
  RTRIM: trimRight,
  REPLACE: replace,
  REPEAT: repeatedText,
  REVERSE: scalar([string], string, (x) => reversedText(x)),
  LEFT: half((x, count) => sql`left(${x}, ${count})`),
  RIGHT: half((x, count) => sql`right(${x}, ${count})`),
  LPAD: paddedText(leftPadding),
  RPAD: paddedText(rightPadding),
  STRPOS: scalar([string, string], long, (x, part) => sql`strpos(${x}, ${part})`),
  POSITION: scalar(
    [string, string, long],
    long,
    (part, x, from) =>
      from === undefined
        ? sql`strpos(${x}, ${part})`
        : sql`CASE WHEN strpos(substring(${x}, ${from}), ${part}) = 0 THEN 0 ELSE strpos(substring(${x}, ${from}), ${part}) + ${from} - 1 END`,
    1,
  ),
  CONTAINS_STRING: scalar([string, string], boolean, (x, part) => sql`contains(${x}, ${part})`),
  ICONTAINS_STRING: scalar(
    [string, string],
    boolean,
    (x, part) => sql`contains(lower(upper(${x})), lower(upper(${part})))`,
  ),
  REGEXP_LIKE: regexpLike,
  REGEXP_EXTRACT: regexpExtract,
  REGEXP_REPLACE: regexpReplace,
  STRING_FORMAT: stringFormat,
  PARSE_LONG: parseLong,
  // The engine accepts no aggregate and no query within TRY.
  DECODE_BASE64_UTF8: scalar([string], string, (x) => bind(x, (v) => sql`TRY(decode(from_base64(${v})))`)),
} satisfies Catalogue

/** A text of digits as a whole number, as Java parses it with a radix; null for any other text. In base 16 it may start with 0x. */
function longOfDigits(text: Sql, radix: number): Sql {
  if (radix === 10) {
    return bind(
      text,
      (x) => sql`CASE WHEN regexp_full_match(${x}, '[+-]?[0-9]{1,19}') THEN TRY_CAST(${x} AS BIGINT) END`,
    )
  }
  const all = '0123456789abcdefghijklmnopqrstuvwxyz'.slice(0, radix)
  const digits = sql.literal(all)
  const value = (body: Sql): Sql =>
    sql`list_reduce(list_prepend(CAST(0 AS HUGEINT), list_transform(string_split(${body}, ''), lambda c: CAST(strpos(${digits}, c) - 1 AS HUGEINT))), lambda a, b: a * ${sql.long(radix)} + b)`
  // The most digits that fit into the type of the sum; a text of more is not a long.
  const most = Math.min(64, Math.floor(37 / Math.log10(radix)))
  const form = sql.literal(`(?i)${radix === 16 ? '(0x)?' : ''}[+-]?[${all}]{1,${most}}`)
  return bind(text, (x) => {
    const bare = sql`regexp_replace(lower(${x}), ${radix === 16 ? sql`'^(0x)?[+-]?'` : sql`'^[+-]?'`}, '')`
    const sign = sql`CASE WHEN contains(${x}, '-') THEN -1 ELSE 1 END`
    const long = (b: Sql): Sql => sql`CASE WHEN ${b} IS NOT NULL THEN TRY_CAST(${value(b)} * ${sign} AS BIGINT) END`
    // The engine may compute the value even where the form does not match.
    return bind(sql`CASE WHEN regexp_full_match(${x}, ${form}) THEN ${bare} END`, long)
  })
}
