import { re2Replacement, readJavaPattern } from '../../druid-patterns/java-pattern.ts'
import { bind, bind2 } from '../../lib/bind-sql.ts'
import { longOfDigits } from '../../lib/long-of-digits.ts'
import { replacedBytes, replacedText } from '../../lib/replaced-text.ts'
import { reversedText } from '../../lib/reversed-text.ts'
import { type Sql, sql } from '../../lib/sql-text.ts'
import { holdsPairs, utf16Filler, utf16Start } from '../../lib/utf16-filler.ts'
import {
  extractPattern,
  isBrokenPattern,
  isPortablePattern,
  likePattern,
  matchable,
  matchesPattern,
  patternMax,
  re2Of,
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
import { formatText } from './formatted-text.ts'

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
          const plain = sql`${name}(${text}, CAST(${told(size)} - ${units} AS INTEGER), ${pad})`
          const missing = sql`(${told(size)} - ${utf16Length(text)})`
          const filler = utf16Filler(pad, missing)
          const filled = side === 'left' ? sql`${filler} || ${text}` : sql`${text} || ${filler}`
          const whole = sql`CASE WHEN ${holdsPairs(pad)} AND ${missing} > 0 THEN ${filled} ELSE ${plain} END`
          return sql`CASE WHEN ${size} IS NULL OR ${text} IS NULL THEN NULL WHEN ${size} < 0 THEN '' WHEN ${size} = 0 THEN NULL WHEN ${pad} = '' OR ${utf16Length(text)} >= ${size} THEN ${utf16Start(text, size)} ELSE ${fitted(whole, size)} END`
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
  return longValue(longOfDigits(toText(args[0]!), radix))
}

function replace([text, from, to]: readonly Typed[], call: Call): Typed {
  const sought = call.literal(1)
  const mayBeEmpty = typeof sought !== 'string' || sought === ''
  const width = widthOf(text!) * Math.max(1, widthOf(to!) / (mayBeEmpty ? 1 : sought.length))
  const [x, part, by] = [toText(text!), toText(from!), toText(to!)]
  if (isFree(width) && !mayBeEmpty) return textValue(replacedText(x, part, by, false), width)
  const body = (a: Sql, b: Sql): Sql =>
    bind(by, (c) => {
      const replaced = replacedText(a, b, c, mayBeEmpty)
      return isFree(width) ? replaced : inRoom(replacedBytes(a, b, c), joinedBytesMax, replaced)
    })
  return textValue(bind2(x, part, body), width)
}

export const textFunctions = {
  concat: {
    args: [0, many],
    compile: (args) => textValue(args.length === 0 ? sql`NULL` : concatenated(args.map(toText), widthOfAll(args))),
  },
  format: { args: [1, many], compile: formatText },
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
      if (group > (readJavaPattern(pattern)?.groups.length ?? 0)) return call.refuse(`there is no group ${group}`)
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
      const pattern = patternOf(call, 1)
      const read = readJavaPattern(pattern)
      const given = literalText(call, 2, 'replacement')
      const replacement = read === null ? null : re2Replacement(given, read)
      if (replacement === null) return call.refuse(`"${given}" is no replacement for the groups of the pattern`)
      const form = sql.literal(re2Of(pattern))
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
    compile: ([text, part]) =>
      truthValue(sql`contains(lower(upper(${toText(text!)})), lower(upper(${toText(part!)})))`),
  },
  replace: { args: [3, 3], compile: replace },
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
  reverse: ofText(reversedText),
  repeat: { args: [2, 2], compile: repeat },
  lpad: padded('left'),
  rpad: padded('right'),
} as const satisfies FunctionTable
