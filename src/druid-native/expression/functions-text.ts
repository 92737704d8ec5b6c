import { re2Replacement, readJavaPattern } from '../../druid-patterns/java-pattern.ts'
import { type Bound, called, literal } from '../../druid-sql/bind/tree.ts'
import { boolean, double, long, string, wideString } from '../../druid-sql/bind/types.ts'
import { leftPadding, padded, repeatedTimes, rightPadding } from '../../druid-sql/functions/filled-texts.ts'
import { formattedText } from '../../druid-sql/functions/string-format.ts'
import { widthOf } from '../../druid-sql/functions/text-limits.ts'
import {
  digits,
  groupOfMatch,
  joinedTexts,
  matches,
  replaced,
  replacedMatches,
  texts,
} from '../../druid-sql/functions/texts.ts'
import { bind, bind2 } from '../../lib/bind-sql.ts'
import { type ReadableForm, readableNumber } from '../../lib/readable-number.ts'
import { type Sql, sql } from '../../lib/sql-text.ts'
import { anyText, isBrokenPattern, isPortablePattern, likePattern, patternMax } from '../values/patterns.ts'
import { substringOf } from '../values/text.ts'
import {
  asType,
  longValue,
  nowhere,
  nullValue,
  type Typed,
  textValue,
  toLong,
  toText,
  truth,
  truthValue,
} from '../values/typed.ts'
import {
  type Call,
  type ExpressionFunction,
  type FunctionTable,
  literalText,
  literalWhole,
  many,
  plain,
  plainOrNull,
} from './call.ts'

/** Whether the node is a floating-point number. */
const isReal = ({ type: { kind } }: Bound): boolean => kind === 'double' || kind === 'float'

const asText = (node: Bound): Bound => asType(node, string)

/** Converts to a text of any length, for pattern matching. */
const anyTextOf = (node: Bound): Bound => ({ ...asText(node), type: anyText })

function patternOf(call: Call, index: number): string {
  const pattern = literalText(call, index, 'pattern')
  if (isBrokenPattern(pattern)) return call.refuse(`"${pattern}" is not a regular expression`)
  return isPortablePattern(pattern)
    ? pattern
    : call.unsupported('a pattern with look-around, back-references or possessive quantifiers')
}

/** Pads to a length, or truncates to it; padding with an empty text adds nothing. */
const padding = (fn: typeof leftPadding): ExpressionFunction => ({
  args: [3, 3],
  bind: ([value, length, chars]) => padded(nowhere, fn, [asText(value!), asType(length!, long), asText(chars!)]),
})

/** Takes characters from one end; a negative length is an error. */
function cut(fn: typeof texts.LEFT): ExpressionFunction {
  const { args, bind } = plain(fn)
  return {
    args,
    bind: (nodes, call) =>
      literalWhole(call, 1, 'length') < 0 ? call.refuse('the length must not be below zero') : bind(nodes, call),
  }
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

const readable = (form: ReadableForm): ExpressionFunction => ({
  args: [1, 2],
  compile: ([value]: readonly Typed[], call: Call) => {
    const precision = call.literal(1) === null ? 2 : literalWhole(call, 1, 'precision')
    if (precision < 0 || precision > 3) return call.refuse('the precision must be 0 to 3')
    if (value!.type === null) return nullValue
    if (value!.type === 'STRING') return call.refuse('the first argument must be a number')
    return textValue(readableNumber(toLong(value!), form, precision))
  },
})

export const textFunctions = {
  concat: {
    args: [0, many],
    bind: (args) => (args.length === 0 ? literal(nowhere, string, null) : joinedTexts(nowhere, args.map(asText))),
  },
  format: {
    args: [1, many],
    bind: ([, ...values], call) => {
      const form = literalText(call, 0, 'pattern')
      const shown = values.map((value) =>
        asType(value, value.type.kind === 'long' ? long : isReal(value) ? double : string),
      )
      return formattedText(nowhere, form, shown, call.refuse)
    },
  },
  like: {
    args: [2, 3],
    compile: ([value], call) => {
      const escapedBy = call.literal(2) === null ? null : literalText(call, 2, 'escape')
      if (escapedBy !== null && escapedBy.length !== 1) return call.refuse('the escape must be one character')
      const pattern = literalText(call, 1, 'pattern')
      if (pattern.length > patternMax) return call.refuse(`a pattern can have at most ${patternMax} characters`)
      return truthValue(likePattern(toText(value!), pattern, escapedBy))
    },
  },
  parse_long: {
    args: [1, 2],
    bind: ([text, ...more], call) => {
      const radix = more.length === 0 ? 10 : literalWhole(call, 1, 'radix')
      if (radix < 2 || radix > 36) return call.refuse('the radix must be 2 to 36')
      return called(nowhere, long, digits, [asText(text!)], { radix })
    },
  },
  regexp_extract: {
    args: [2, 3],
    bind: ([value, , index], call) => {
      const pattern = patternOf(call, 1)
      const group = index === undefined ? 0 : literalWhole(call, 2, 'index')
      if (group < 0 || group > 9) return call.refuse('the index must be 0 to 9')
      if (group > (readJavaPattern(pattern)?.groups.length ?? 0)) return call.refuse(`there is no group ${group}`)
      const type = wideString(widthOf(value!.type))
      return called(nowhere, type, groupOfMatch, [anyTextOf(value!)], { pattern, group })
    },
  },
  regexp_like: {
    args: [2, 2],
    bind: ([value], call) =>
      truth(called(nowhere, boolean, matches, [anyTextOf(value!)], { pattern: patternOf(call, 1) })),
  },
  regexp_replace: {
    args: [3, 3],
    bind: ([value, replacement], call) => {
      const pattern = patternOf(call, 1)
      const read = readJavaPattern(pattern)
      const given = literalText(call, 2, 'replacement')
      const known = read === null ? null : re2Replacement(given, read)
      if (known === null) return call.refuse(`"${given}" does not match the groups of the pattern`)
      const type = wideString(widthOf(value!.type) * Math.max(1, 2 * known.length))
      return called(nowhere, type, replacedMatches, [anyTextOf(value!), asText(replacement!)], { pattern, known })
    },
  },
  contains_string: plain(texts.CONTAINS_STRING),
  icontains_string: plain(texts.ICONTAINS_STRING),
  replace: { args: [3, 3], bind: (args) => replaced(nowhere, args.map(asText)) },
  substring: {
    args: [3, 3],
    compile: ([text], call) => {
      const index = literalWhole(call, 1, 'index')
      const length = literalWhole(call, 2, 'length')
      if (index < 0) return call.refuse('the index must not be below zero')
      return textValue(substringOf(toText(text!), index, length < 0 ? null : length))
    },
  },
  left: cut(texts.LEFT),
  right: cut(texts.RIGHT),
  strlen: plain(texts.STRLEN),
  strpos: { args: [2, 3], compile: position },
  trim: plain(texts.BTRIM),
  ltrim: plain(texts.LTRIM),
  rtrim: plain(texts.RTRIM),
  lower: plainOrNull(texts.LOWER),
  upper: plainOrNull(texts.UPPER),
  reverse: plainOrNull(texts.REVERSE),
  repeat: { args: [2, 2], bind: ([text, times]) => repeatedTimes(nowhere, [asText(text!), asType(times!, long)]) },
  lpad: padding(leftPadding),
  rpad: padding(rightPadding),
  human_readable_binary_byte_format: readable({ base: 1024, plain: ' B', unit: 'iB' }),
  human_readable_decimal_byte_format: readable({ base: 1000, plain: ' B', unit: 'B' }),
  human_readable_decimal_format: readable({ base: 1000, plain: '', unit: '' }),
  decode_base64_utf8: {
    args: [1, 1],
    compile: ([text]) => {
      if (text!.type === null) return nullValue
      // The padding characters at the end may be omitted.
      const filled = (x: Sql): Sql =>
        sql`decode(from_base64(rpad(${x}, CAST((length(${x}) + 3) // 4 * 4 AS INTEGER), '=')))`
      return textValue(bind(toText(text!), filled))
    },
  },
} as const satisfies FunctionTable
