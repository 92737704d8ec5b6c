import { bind, bind2 } from '../../lib/bind-sql.ts'
import { type Sql, sql } from '../../lib/sql-text.ts'
import {
  extractPattern,
  isBrokenPattern,
  isPortablePattern,
  likePattern,
  matchable,
  matchesPattern,
  patternMax,
  portableReplacement,
} from '../values/patterns.ts'
import { substringOf } from '../values/text.ts'
import {
  concatenated,
  inRoom,
  isFree,
  joinedBytesMax,
  told,
  toldCharactersMax,
  widthOf,
  widthOfAll,
} from '../values/text-room.ts'
import {
  longValue,
  nullValue,
  type Typed,
  textValue,
  toDouble,
  toLong,
  toText,
  truthValue,
  upperCase,
  utf16Length,
} from '../values/typed.ts'
import {
  type Call,
  type ExpressionFunction,
  type FunctionTable,
  literalText,
  literalWhole,
  type UnarySql,
} from './call.ts'
import { replaceText } from './replaced-text.ts'

const many = Number.POSITIVE_INFINITY

const ofText = (body: UnarySql): ExpressionFunction => ({
  args: [1, 1],
  compile: ([value]) => (value!.type === null ? nullValue : textValue(bind(toText(value!), body))),
})

function patternOf(call: Call, index: number): string {
  const pattern = literalText(call, index, 'pattern')
  if (isBrokenPattern(pattern)) return call.refuse(`"${pattern}" is no regular expression`)
  return isPortablePattern(pattern)
    ? pattern
    : call.unsupported('a pattern with look-around, back-references or possessive quantifiers')
}

const trimmed = (name: Sql): ExpressionFunction => ({
  args: [1, 2],
  compile: ([value, chars]) =>
    textValue(sql`${name}(${toText(value!)}, ${chars === undefined ? sql`' '` : toText(chars)})`),
})

/** Padded to a length, or cut to it; nothing is padded with an empty text. */
function padded(side: 'left' | 'right'): ExpressionFunction {
  return {
    args: [3, 3],
    compile: ([value, length, chars], call) => {
      const count = call.literal(1)
      const width = typeof count === 'bigint' ? Math.max(0, Number(count)) : Number.POSITIVE_INFINITY
      const fitted = (text: Sql, size: Sql): Sql => (isFree(width) ? text : inRoom(told(size), toldCharactersMax, text))
      const body = (text: Sql, size: Sql): Sql =>
        bind(toText(chars!), (pad) => {
          const name = side === 'left' ? sql`lpad` : sql`rpad`
          const units = sql`(${utf16Length(text)} - length(${text}))`
          const whole = sql`${name}(${text}, CAST(${told(size)} - ${units} AS INTEGER), ${pad})`
          return sql`CASE WHEN ${size} IS NULL OR ${text} IS NULL THEN NULL WHEN ${size} < 0 THEN '' WHEN ${size} = 0 THEN NULL WHEN ${pad} = '' THEN left(${text}, ${size}) ELSE ${fitted(whole, size)} END`
        })
      return textValue(bind2(toText(value!), toLong(length!), body), width)
    },
  }
}

/** Cut from an end; a length below zero is a fault. */
const cut = (name: Sql): ExpressionFunction => ({
  args: [2, 2],
  compile: ([value, length], call) => {
    if (literalWhole(call, 1, 'length') < 0) return call.refuse('the length must not be below zero')
    return textValue(sql`${name}(${toText(value!)}, ${toLong(length!)})`)
  },
})

function repeat([text, times]: readonly Typed[], call: Call): Typed {
  const count = call.literal(1)
  const width = widthOf(text!) * (typeof count === 'bigint' ? Math.max(0, Number(count)) : Number.POSITIVE_INFINITY)
  const body = (x: Sql, n: Sql): Sql => {
    const whole = sql`repeat(${x}, ${told(n)})`
    const guarded = isFree(width) ? whole : inRoom(sql`(strlen(${x}) * ${told(n)})`, toldCharactersMax, whole)
    return sql`CASE WHEN ${n} > 0 THEN ${guarded} END`
  }
  return textValue(bind2(toText(text!), toLong(times!), body), width)
}

function position(args: readonly Typed[]): Typed {
  const [haystack, needle, from] = args as [Typed, Typed, Typed | undefined]
  if (from === undefined) return longValue(sql`CAST(strpos(${toText(haystack)}, ${toText(needle)}) - 1 AS BIGINT)`)
  return longValue(
    bind2(toText(haystack), sql`greatest(${toLong(from)}, 0)`, (text, start) =>
      bind(
        sql`strpos(substr(${text}, ${start} + 1), ${toText(needle)})`,
        (at) => sql`CAST(CASE WHEN ${at} = 0 THEN -1 ELSE least(${at} + ${start} - 1, length(${text})) END AS BIGINT)`,
      ),
    ),
  )
}

function parseLong(args: readonly Typed[], call: Call): Typed {
  const radix = args.length === 1 ? 10 : literalWhole(call, 1, 'radix')
  if (radix < 2 || radix > 36) return call.refuse('the radix must be 2 to 36')
  const text = toText(args[0]!)
  if (radix === 10) {
    const long = (x: Sql): Sql =>
      sql`CASE WHEN regexp_full_match(${x}, '[+-]?[0-9]{1,19}') THEN TRY_CAST(${x} AS BIGINT) END`
    return longValue(bind(text, long))
  }
  const digits = '0123456789abcdefghijklmnopqrstuvwxyz'.slice(0, radix)
  const value = (body: Sql): Sql =>
    sql`list_reduce(list_prepend(CAST(0 AS HUGEINT), list_transform(string_split(${body}, ''), lambda c: CAST(strpos(${digits}, c) - 1 AS HUGEINT))), lambda a, b: a * ${sql.long(radix)} + b)`
  const body = (x: Sql): Sql => {
    // So many digits fit into what they are added up in; more do not make a long.
    const most = Math.min(64, Math.floor(37 / Math.log10(radix)))
    const form = sql.literal(`(?i)[+-]?${radix === 16 ? '(0x)?' : ''}[${digits}]{1,${most}}`)
    const bare = sql`regexp_replace(lower(${x}), ${radix === 16 ? sql`'^[+-]?(0x)?'` : sql`'^[+-]?'`}, '')`
    const sign = sql`CASE WHEN starts_with(${x}, '-') THEN -1 ELSE 1 END`
    const long = (b: Sql): Sql => sql`CASE WHEN ${b} IS NOT NULL THEN TRY_CAST(${value(b)} * ${sign} AS BIGINT) END`
    // The engine may work the value out where the form does not hold.
    return bind(sql`CASE WHEN regexp_full_match(${x}, ${form}) THEN ${bare} END`, long)
  }
  return longValue(bind(text, body))
}

const formatPart = /%(?:(\d+)\$)?([-#+ 0,(]*)(\d+)?(?:\.(\d+))?([a-zA-Z%])/g

/** Java's String.format, for the conversions %s %S %d %x %X %f %n %%. */
function format(args: readonly Typed[], call: Call): Typed {
  const pattern = literalText(call, 0, 'pattern')
  const parts: Sql[] = []
  let at = 0
  let next = 1
  for (const match of pattern.matchAll(formatPart)) {
    parts.push(sql.literal(pattern.slice(at, match.index)))
    at = match.index + match[0].length
    const conversion = match[5]!
    if (conversion === '%' || conversion === 'n') {
      parts.push(sql.literal(conversion === 'n' ? '\n' : '%'))
      continue
    }
    const arg = args[match[1] === undefined ? next++ : Number(match[1])]
    if (arg === undefined) return call.refuse(`the pattern wants more arguments than there are: ${match[0]}`)
    parts.push(formatOne(arg, { flags: match[2]!, width: match[3], precision: match[4], conversion }, call))
  }
  parts.push(sql.literal(pattern.slice(at)))
  const width = [...pattern.matchAll(/\d+/g)].reduce(
    (sum, [digits]) => sum + Number(digits),
    pattern.length + widthOfAll(args) * parts.length,
  )
  return textValue(concatenated(parts, width), width)
}

interface Conversion {
  readonly flags: string
  readonly width: string | undefined
  readonly precision: string | undefined
  readonly conversion: string
}

function formatOne(arg: Typed, { flags, width, precision, conversion }: Conversion, call: Call): Sql {
  const written = Number(width ?? 0) + Number(precision ?? 0)
  if (written > toldCharactersMax)
    return call.refuse(`a text of more than ${toldCharactersMax} characters would be written`)
  const fitted = (text: Sql): Sql => (isFree(written) ? text : inRoom(sql.long(written), toldCharactersMax, text))
  const pad = (text: Sql): Sql =>
    width === undefined ? text : sql`printf(${sql.literal(`%${flags.includes('-') ? '-' : ''}${width}s`)}, ${text})`
  if (conversion === 's' || conversion === 'S') {
    const text = sql`coalesce(${toText(arg)}, 'null')`
    const cutText = precision === undefined ? text : sql`left(${text}, ${sql.long(Number(precision))})`
    return fitted(pad(conversion === 'S' ? upperCase(cutText) : cutText))
  }
  if (!'dxXf'.includes(conversion)) return call.unsupported(`the conversion %${conversion}`)
  if (flags.includes('(') || flags.includes('#')) return call.unsupported(`the flags "${flags}"`)
  const value = conversion === 'f' ? toDouble(arg) : toLong(arg)
  const digits = conversion === 'f' ? `.${precision ?? '6'}` : ''
  const form = `%${flags}${width ?? ''}${digits}${conversion === 'f' ? 'f' : conversion}`
  const none = conversion === 'X' ? sql`'NULL'` : sql`'null'`
  return fitted(sql`coalesce(printf(${sql.literal(form)}, ${value}), ${pad(none)})`)
}

export const textFunctions = {
  concat: {
    args: [0, many],
    compile: (args) => textValue(args.length === 0 ? sql`NULL` : concatenated(args.map(toText), widthOfAll(args))),
  },
  format: { args: [1, many], compile: format },
  like: {
    args: [2, 3],
    compile: ([value], call) => {
      const escapedBy = call.literal(2) === null ? null : literalText(call, 2, 'escape')
      if (escapedBy !== null && escapedBy.length !== 1) return call.refuse('the escape must be one character')
      const pattern = literalText(call, 1, 'pattern')
      if (pattern.length > patternMax) return call.refuse(`a pattern has ${patternMax} characters at most`)
      return truthValue(likePattern(toText(value!), pattern, escapedBy))
    },
  },
  parse_long: { args: [1, 2], compile: parseLong },
  regexp_extract: {
    args: [2, 3],
    compile: ([value, , index], call) => {
      const pattern = patternOf(call, 1)
      const group = index === undefined ? 0 : literalWhole(call, 2, 'index')
      if (group < 0 || group > 9) return call.refuse('the index must be 0 to 9')
      return textValue(bind(toText(value!), (text) => extractPattern(text, pattern, group)))
    },
  },
  regexp_like: {
    args: [2, 2],
    compile: ([value], call) => truthValue(matchesPattern(toText(value!), patternOf(call, 1))),
  },
  regexp_replace: {
    args: [3, 3],
    compile: ([value], call) => {
      const replacement = portableReplacement(literalText(call, 2, 'replacement'))
      const pattern = patternOf(call, 1)
      const form = sql.literal(pattern)
      const replaced = (x: Sql): Sql =>
        sql`regexp_replace(${matchable(x, pattern)}, ${form}, ${sql.literal(replacement)}, 'g')`
      const width = widthOf(value!) * Math.max(1, 2 * replacement.length)
      if (isFree(width)) return textValue(replaced(toText(value!)), width)
      // In longer texts a match at each place is reckoned with: to count them would take as long as to replace them.
      const body = (x: Sql): Sql => {
        const matches = sql`CASE WHEN strlen(${x}) <= 10000 THEN len(regexp_extract_all(${matchable(x, pattern)}, ${form})) ELSE strlen(${x}) + 1 END`
        const groups = 1 + (replacement.match(/\\\d/g)?.length ?? 0)
        const bytes = sql`(strlen(${x}) * ${sql.long(groups)} + ${matches} * ${sql.long(replacement.length)})`
        return inRoom(bytes, joinedBytesMax, replaced(x))
      }
      return textValue(bind(toText(value!), body), width)
    },
  },
  contains_string: {
    args: [2, 2],
    compile: ([text, part]) => truthValue(sql`contains(${toText(text!)}, ${toText(part!)})`),
  },
  icontains_string: {
    args: [2, 2],
    compile: ([text, part]) => truthValue(sql`contains(lower(${toText(text!)}), lower(${toText(part!)}))`),
  },
  replace: { args: [3, 3], compile: replaceText },
  substring: {
    args: [3, 3],
    compile: ([text], call) => {
      const index = literalWhole(call, 1, 'index')
      const length = literalWhole(call, 2, 'length')
      if (index < 0) return call.refuse('the index must not be below zero')
      return textValue(substringOf(toText(text!), index, length < 0 ? null : length))
    },
  },
  left: cut(sql`left`),
  right: cut(sql`right`),
  strlen: {
    args: [1, 1],
    compile: ([text]) =>
      text!.type === null ? longValue(sql`CAST(NULL AS BIGINT)`) : longValue(utf16Length(toText(text!))),
  },
  strpos: { args: [2, 3], compile: position },
  trim: trimmed(sql`trim`),
  ltrim: trimmed(sql`ltrim`),
  rtrim: trimmed(sql`rtrim`),
  lower: ofText((x) => sql`lower(${x})`),
  upper: ofText(upperCase),
  reverse: ofText((x) => sql`reverse(${x})`),
  repeat: { args: [2, 2], compile: repeat },
  lpad: padded('left'),
  rpad: padded('right'),
} as const satisfies FunctionTable
