import { type JavaPattern, mayBeEmpty, re2Replacement, readJavaPattern } from '../../druid-patterns/java-pattern.ts'
import { textMaxOf } from '../../druid-patterns/repetitions.ts'
import { longOfDigits } from '../../lib/long-of-digits.ts'
import { reversedText } from '../../lib/reversed-text.ts'
import { type Sql, sql } from '../../lib/sql-text.ts'
import { failing } from '../../sql-engine/sql-engine.ts'
import { type Bound, combine } from '../bind/bound.ts'
import { as, once } from '../bind/conversions.ts'
import { plainInteger } from '../bind/engine-names.ts'
import { boolean, long, string, wideString } from '../bind/types.ts'
import { quoted, sqlProblem } from '../parse/sql-problem.ts'
import { paddedText, repeatedText } from './filled-texts.ts'
import {
  asText,
  type BoundCall,
  type Catalogue,
  constantInteger,
  neededText,
  type ScalarFunction,
  scalar,
  special,
} from './signature.ts'
import { stringFormat } from './string-format.ts'
import { inRoom, isFree, joinedBytesMax, onceEach, utf16Units, widthOf, withoutRepeats } from './text-room.ts'

const lengthOf = scalar([string], long, utf16Units)

/** What lies behind the end is null, not empty. */
const substring = special(2, 3, (call) => {
  const [text, start, length] = call.operands
  if (typeof start?.constant === 'bigint' && start.constant < 1n)
    throw sqlProblem(start.place, 'the first character of a text is 1 for SUBSTRING')
  if (typeof length?.constant === 'bigint' && length.constant <= 0n)
    throw sqlProblem(length.place, 'the length of a SUBSTRING must be more than 0')
  return scalar(
    [string, long, long],
    string,
    (x, from, count) => sql`nullif(substring(${x}, ${from}${count === undefined ? sql`` : sql`, ${count}`}), '')`,
    1,
  ).bind({
    ...call,
    operands: [text!, start!, ...(length === undefined ? [] : [length])],
  })
})

function trimmed(from: 'trim' | 'ltrim' | 'rtrim'): (x: Sql, characters?: Sql) => Sql {
  const names = { trim: sql`trim`, ltrim: sql`ltrim`, rtrim: sql`rtrim` }
  return (x, characters = sql`' '`) => sql`${names[from]}(${x}, ${characters})`
}

const trim = special(1, 2, (call) => {
  const side = call.unit === 'LEADING' ? 'ltrim' : call.unit === 'TRAILING' ? 'rtrim' : 'trim'
  return scalar([string, string], string, trimmed(side), 1).bind(call)
})

export const concat = special(1, 1000, ({ place, operands }) => {
  const texts = operands.map(asText)
  const width = texts.reduce((sum, { type }) => sum + widthOf(type), 0)
  const parts = texts.map((text) => text.sql)
  const whole = isFree(width) ? sql`CAST((${sql.join(parts, ' || ')}) AS VARCHAR)` : concatenated(parts)
  return combine(place, wideString(width), whole, texts)
})

/** CONCAT takes times for their milliseconds, which `||` does not. */
const withMilliseconds = special(1, 1000, (call) =>
  concat.bind({
    ...call,
    operands: call.operands.map((operand) =>
      operand.type.kind === 'timestamp' || operand.type.kind === 'date' ? as(operand, long) : operand,
    ),
  }),
)

/** As one list, so that each part is held once; null where one of them is. */
function concatenated(parts: readonly Sql[]): Sql {
  const bytes = sql`CAST(list_sum(list_transform(v, lambda e: strlen(e))) AS BIGINT)`
  const whole = inRoom(bytes, joinedBytesMax, sql`array_to_string(v, '')`)
  const isWhole = sql`list_count(v) = ${plainInteger(parts.length)}`
  return sql`list_transform([[${sql.join(parts, ', ')}]], lambda v: CASE WHEN ${isWhole} THEN ${whole} END)[1]`
}

/** Java's regular expressions come as RE2's: what it lacks, looking around and references back, is refused by the engine. */
export function patternOf(call: BoundCall): JavaPattern {
  const text = neededText(call, 1)
  if (text.length > 1000) throw sqlProblem(call.place, 'a regular expression has 1,000 characters at most')
  const read = readJavaPattern(text)
  if (read === null)
    throw sqlProblem(
      call.operands[1]!.place,
      'a class of a regular expression holds no other class and no &&: write its characters out',
    )
  return read
}

const pattern = (call: BoundCall): Sql => sql.literal(patternOf(call).re2)

/** A text that a pattern can be done with in time; a longer one fails the query. Only texts that are made are that long. */
export function matchable(text: Bound, form: string): Sql {
  const most = textMaxOf(form)
  if (isFree(widthOf(text.type))) return text.sql
  return onceEach(
    [text.sql],
    (x) => sql`CASE WHEN strlen(${x}) <= ${plainInteger(most)} THEN ${x} WHEN ${x} IS NOT NULL
    THEN CAST(${failing(`a text of more than ${most} characters is too long for this regular expression`)} AS VARCHAR) END`,
  )
}

const regexpExtract = special(2, 3, (call) => {
  const group = constantInteger(call, 2, 0n)
  if (group < 0n || group > 9n) throw sqlProblem(call.place, 'the group of a REGEXP_EXTRACT is 0 to 9')
  const text = asText(call.operands[0]!)
  const { re2, groups } = patternOf(call)
  if (group > groups.length) throw sqlProblem(call.operands[2]!.place, `the regular expression has no group ${group}`)
  const form = sql.literal(re2)
  const held = groups[Number(group) - 1]
  const part = (x: Sql): Sql => sql`regexp_extract(${x}, ${form}, ${plainInteger(group)})`
  const value = (x: Sql): Sql => (held === undefined || mayBeEmpty(held) ? part(x) : sql`nullif(${part(x)}, '')`)
  const found = (x: Sql): Sql => sql`CASE WHEN regexp_matches(${x}, ${form}) THEN ${value(x)} END`
  const whole = isFree(widthOf(text.type))
    ? withoutRepeats([text.sql], found)
    : onceEach([matchable(text, neededText(call, 1))], found)
  return combine(call.place, string, whole, [text])
})

const regexpLike = special(2, 2, (call) => {
  const text = asText(call.operands[0]!)
  const form = pattern(call)
  return combine(call.place, boolean, sql`regexp_matches(${matchable(text, neededText(call, 1))}, ${form})`, [text])
})

/** In longer texts a match at each place is reckoned with: to count them would take as long as to replace them. */
const countedMax = 10_000

const regexpReplace = special(3, 3, (call) => {
  const [text, , replacement] = call.operands
  const texts = [asText(text!), asText(replacement!)] as const
  const known =
    typeof replacement!.constant === 'string' ? re2Replacement(replacement!.constant, patternOf(call)) : null
  if (known === null && typeof replacement!.constant === 'string')
    throw sqlProblem(
      replacement!.place,
      `${quoted(replacement!.constant)} is no replacement for the groups of the regular expression`,
    )
  // A group is $1 to Java and \\1 to RE2.
  const by =
    known !== null
      ? sql.literal(known)
      : sql`regexp_replace(replace(${texts[1].sql}, ${sql.literal('\\')}, ${sql.literal('\\\\')}), ${sql.literal('[$]([0-9])')}, ${sql.literal('\\\\\\1')}, 'g')`
  const form = pattern(call)
  // In place of each character, and of what is between them.
  const width = widthOf(texts[0].type) * Math.max(1, 2 * widthOf(texts[1].type))
  const replaced = (x: Sql, y: Sql): Sql => sql`regexp_replace(${x}, ${form}, ${y}, 'g')`
  const whole = isFree(width)
    ? replaced(texts[0].sql, by)
    : onceEach([matchable(texts[0], neededText(call, 1)), by], (x, y) => {
        const groups = sql`(1 + len(regexp_extract_all(${y}, ${sql.literal('\\\\[0-9]')})))`
        const counted = sql`CASE WHEN strlen(${x}) <= ${plainInteger(countedMax)} THEN len(regexp_extract_all(${x}, ${form})) ELSE strlen(${x}) + 1 END`
        const bytes = sql`(strlen(${x}) * ${groups} + ${counted} * strlen(${y}))`
        return inRoom(bytes, joinedBytesMax, replaced(x, y))
      })
  return combine(call.place, wideString(width), whole, texts)
})

const parseLong = special(1, 2, (call) => {
  const text = as(call.operands[0]!, string)
  const radix = Number(constantInteger(call, 1, 10n))
  if (radix < 2 || radix > 36) throw sqlProblem(call.operands[1]!.place, 'the radix of a PARSE_LONG is 2 to 36')
  return combine(call.place, long, longOfDigits(text.sql, radix), [text])
})

const upper = (x: Sql): Sql => sql`upper(replace(${x}, 'ß', 'SS'))`
const replace = special(3, 3, ({ place, operands }) => {
  const parts = operands.map((operand) => as(operand, string))
  const [x, from, to] = parts.map((part) => part.sql)
  const width = widthOf(parts[0]!.type) * growth(parts[1]!, parts[2]!)
  const sought = parts[1]!.constant
  const isOfSomething = typeof sought === 'string' && sought !== ''
  // Around nothing there is a place before and behind each character.
  const aroundEach = (x: Sql, to: Sql): Sql =>
    sql`regexp_replace(${x}, '', replace(${to}, ${sql.literal('\\')}, ${sql.literal('\\\\')}), 'g')`
  const replaced = (x: Sql, from: Sql, to: Sql): Sql =>
    isOfSomething
      ? sql`replace(${x}, ${from}, ${to})`
      : sql`CASE WHEN ${from} = '' THEN ${aroundEach(x, to)} ELSE replace(${x}, ${from}, ${to}) END`
  const whole = isFree(width)
    ? withoutRepeats([x!, from!, to!], replaced)
    : onceEach([x!, from!, to!], (x, from, to) => {
        const occurrences = sql`((strlen(${x}) - strlen(replace(${x}, ${from}, ''))) // strlen(${from}))`
        const more = sql`CASE WHEN ${from} = '' THEN (length(${x}) + 1) * strlen(${to}) ELSE ${occurrences} * greatest(strlen(${to}) - strlen(${from}), 0) END`
        return inRoom(sql`(strlen(${x}) + ${more})`, joinedBytesMax, replaced(x, from, to))
      })
  return combine(place, wideString(width), whole, parts)
})

/** How many times as long a text may be once a part of it is replaced. */
function growth(from: Bound, to: Bound): number {
  const shortest = typeof from.constant === 'string' ? Math.max(1, from.constant.length) : 1
  return Math.max(1, widthOf(to.type) / shortest)
}

function half(whole: (x: Sql, n: Sql) => Sql): ScalarFunction {
  const cut = scalar(
    [string, long],
    string,
    (x, count) => sql`CASE WHEN ${count} < 0 THEN NULL ELSE ${whole(x, count)} END`,
  )
  return special(2, 2, (call) => {
    const count = call.operands[1]!
    if (typeof count.constant === 'bigint' && count.constant < 0n)
      throw sqlProblem(count.place, `${call.name} takes no length below 0`)
    return cut.bind(call)
  })
}

export const texts: Catalogue = {
  LENGTH: lengthOf,
  CHAR_LENGTH: lengthOf,
  CHARACTER_LENGTH: lengthOf,
  STRLEN: lengthOf,
  LOWER: scalar([string], string, (x) => sql`lower(${x})`),
  UPPER: scalar([string], string, upper),
  SUBSTRING: substring,
  SUBSTR: substring,
  CONCAT: withMilliseconds,
  TEXTCAT: { ...concat, count: [2, 2] },
  TRIM: trim,
  BTRIM: scalar([string, string], string, trimmed('trim'), 1),
  LTRIM: scalar([string, string], string, trimmed('ltrim'), 1),
  RTRIM: scalar([string, string], string, trimmed('rtrim'), 1),
  REPLACE: replace,
  REPEAT: repeatedText,
  REVERSE: scalar([string], string, (x) => reversedText(x)),
  LEFT: half((x, count) => sql`left(${x}, ${count})`),
  RIGHT: half((x, count) => sql`right(${x}, ${count})`),
  LPAD: paddedText('left'),
  RPAD: paddedText('right'),
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
  // The engine takes no aggregate and no query within TRY.
  DECODE_BASE64_UTF8: scalar([string], string, (x) => once(x, (v) => sql`TRY(decode(from_base64(${v})))`)),
}
