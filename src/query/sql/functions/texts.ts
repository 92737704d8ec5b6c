import { combine } from '../bound.ts'
import { sqlProblem } from '../sql-problem.ts'
import { join, literal, plainInteger, type SqlText, sql } from '../sql-text.ts'
import { boolean, long, string } from '../types.ts'
import { asText, type BoundCall, type Catalogue, constantInteger, neededText, scalar, special } from './signature.ts'

const withinUtf16 = literal(String.raw`[^\x{10000}-\x{10FFFF}]`)

/** Length in UTF-16 units, as Druid counts; code points beyond 16 bits are counted only where there may be some. */
const utf16Length = (x: SqlText): SqlText =>
  sql`CASE WHEN strlen(${x}) = length(${x}) THEN length(${x}) ELSE length(${x}) + length(regexp_replace(${x}, ${withinUtf16}, '', 'g')) END`

const lengthOf = scalar([string], long, utf16Length)

/** What lies behind the end is null, not empty. */
const substring = special(2, 3, (call) => {
  const [text, start, length] = call.operands
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

function trimmed(from: 'trim' | 'ltrim' | 'rtrim'): (x: SqlText, characters?: SqlText) => SqlText {
  const names = { trim: sql`trim`, ltrim: sql`ltrim`, rtrim: sql`rtrim` }
  return (x, characters = sql`' '`) => sql`${names[from]}(${x}, ${characters})`
}

const trim = special(1, 2, (call) => {
  const side = call.unit === 'LEADING' ? 'ltrim' : call.unit === 'TRAILING' ? 'rtrim' : 'trim'
  return scalar([string, string], string, trimmed(side), 1).bind(call)
})

const concat = special(1, 1000, ({ place, operands }) => {
  const texts = operands.map(asText)
  return combine(
    place,
    string,
    sql`(${join(
      texts.map((text) => text.sql),
      ' || ',
    )})`,
    texts,
  )
})

/** Java's regular expressions come as RE2's: what it lacks, looking around and references back, is refused by the engine. */
function pattern(call: BoundCall, index: number): SqlText {
  const text = neededText(call, index)
  if (text.length > 1000) throw sqlProblem(call.place, 'a regular expression has 1,000 characters at most')
  return literal(text)
}

const regexpExtract = special(2, 3, (call) => {
  const group = constantInteger(call, 2, 0n)
  if (group < 0n || group > 9n) throw sqlProblem(call.place, 'the group of a REGEXP_EXTRACT is 0 to 9')
  const text = asText(call.operands[0]!)
  const form = pattern(call, 1)
  const found = sql`CASE WHEN regexp_matches(${text.sql}, ${form}) THEN regexp_extract(${text.sql}, ${form}, ${plainInteger(group)}) END`
  return combine(call.place, string, found, [text])
})

const regexpLike = special(2, 2, (call) => {
  const text = asText(call.operands[0]!)
  return combine(call.place, boolean, sql`regexp_matches(${text.sql}, ${pattern(call, 1)})`, [text])
})

const regexpReplace = special(3, 3, (call) => {
  const [text, , replacement] = call.operands
  const texts = [asText(text!), asText(replacement!)] as const
  // A group is $1 to Java and \1 to RE2.
  const by =
    typeof replacement!.constant === 'string'
      ? literal(replacement!.constant.replaceAll('\\', '\\\\').replace(/\$(\d)/g, '\\$1'))
      : sql`regexp_replace(replace(${texts[1].sql}, ${literal('\\')}, ${literal('\\\\')}), ${literal('[$]([0-9])')}, ${literal('\\\\\\1')}, 'g')`
  return combine(call.place, string, sql`regexp_replace(${texts[0].sql}, ${pattern(call, 1)}, ${by}, 'g')`, texts)
})

const upper = (x: SqlText): SqlText => sql`upper(replace(${x}, 'ß', 'SS'))`
/** Druid pads with nothing where the padding is empty; the engine would fail. Lengths are bounded, so that a query cannot ask for gigabytes. */
const padded =
  (name: SqlText) =>
  (x: SqlText, length: SqlText, by: SqlText = sql`' '`): SqlText =>
    sql`CASE WHEN ${length} < 0 THEN NULL WHEN ${by} = '' THEN substring(${x}, 1, ${length}) ELSE ${name}(${x}, CAST(least(${length}, 1000000) AS INTEGER), ${by}) END`

const half = (whole: (x: SqlText, n: SqlText) => SqlText) =>
  scalar([string, long], string, (x, count) => sql`CASE WHEN ${count} < 0 THEN NULL ELSE ${whole(x, count)} END`)

const format = special(1, 100, ({ place, operands, name }) => {
  const texts = operands.map((operand, index) => (index === 0 ? asText(operand) : operand))
  if (texts.some((text) => !['string', 'long', 'double'].includes(text.type.kind)))
    throw sqlProblem(place, `${name} takes texts and numbers`)
  return combine(
    place,
    string,
    sql`printf(${join(
      texts.map((text) => text.sql),
      ', ',
    )})`,
    texts,
  )
})

export const texts: Catalogue = {
  LENGTH: lengthOf,
  CHAR_LENGTH: lengthOf,
  CHARACTER_LENGTH: lengthOf,
  STRLEN: lengthOf,
  OCTET_LENGTH: scalar([string], long, (x) => sql`strlen(${x})`),
  LOWER: scalar([string], string, (x) => sql`lower(${x})`),
  UPPER: scalar([string], string, upper),
  INITCAP: scalar(
    [string],
    string,
    (x) => sql`array_to_string(list_transform(string_split(lower(${x}), ' '), lambda w: upper(w[1]) || w[2:]), ' ')`,
  ),
  SUBSTRING: substring,
  SUBSTR: substring,
  CONCAT: concat,
  TEXTCAT: { ...concat, count: [2, 2] },
  TRIM: trim,
  BTRIM: scalar([string, string], string, trimmed('trim'), 1),
  LTRIM: scalar([string, string], string, trimmed('ltrim'), 1),
  RTRIM: scalar([string, string], string, trimmed('rtrim'), 1),
  REPLACE: scalar([string, string, string], string, (x, from, to) => sql`replace(${x}, ${from}, ${to})`),
  REPEAT: scalar(
    [string, long],
    string,
    (x, count) =>
      sql`CASE WHEN ${count} < 1 THEN '' ELSE repeat(${x}, least(${count}, 1000000 // greatest(strlen(${x}), 1))) END`,
  ),
  REVERSE: scalar([string], string, (x) => sql`reverse(${x})`),
  LEFT: half((x, count) => sql`left(${x}, ${count})`),
  RIGHT: half((x, count) => sql`right(${x}, ${count})`),
  LPAD: scalar([string, long, string], string, padded(sql`lpad`), 1),
  RPAD: scalar([string, long, string], string, padded(sql`rpad`), 1),
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
  ICONTAINS_STRING: scalar([string, string], boolean, (x, part) => sql`contains(lower(${x}), lower(${part}))`),
  REGEXP_LIKE: regexpLike,
  REGEXP_EXTRACT: regexpExtract,
  REGEXP_REPLACE: regexpReplace,
  STRING_FORMAT: format,
  PARSE_LONG: scalar(
    [string, long],
    long,
    (x, radix = sql`10::BIGINT`) =>
      sql`CASE WHEN ${radix} = 10 THEN TRY_CAST(${x} AS BIGINT) WHEN ${radix} = 16 AND regexp_full_match(${x}, '[0-9a-fA-F]{1,15}') THEN TRY_CAST('0x' || ${x} AS BIGINT) END`,
    1,
  ),
  CHR: scalar(
    [long],
    string,
    (code) => sql`CASE WHEN ${code} BETWEEN 1 AND 1114111 THEN chr(CAST(${code} AS INTEGER)) END`,
  ),
  DECODE_BASE64_UTF8: scalar([string], string, (x) => sql`TRY(decode(from_base64(${x})))`),
}
