import { inRoom, isFree, toldCharactersMax, utf16Units, widthOf } from '../../druid-sql/functions/text-room.ts'
import { concatenated, upperCase } from '../../druid-sql/functions/texts.ts'
import { bind } from '../../lib/bind-sql.ts'
import { fixedDigits, placesMax } from '../../lib/fixed-digits.ts'
import { type Sql, sql } from '../../lib/sql-text.ts'
import { nodeOf, type Typed, textValue, toDouble, toLong, toText } from '../values/typed.ts'
import { type Call, literalText } from './call.ts'

const formatPart = /%(?:(\d+)\$)?([-#+ 0,(]*)([1-9]\d*)?(?:\.(\d+))?([a-zA-Z%])/g

/** Java's String.format, for the conversions %s %S %d %x %X %f %n %%. */
export function formatText(args: readonly Typed[], call: Call): Typed {
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
    pattern.length + args.reduce((sum, arg) => sum + widthOf(nodeOf(arg).type), 0) * parts.length,
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
  const pad = (text: Sql): Sql => (width === undefined ? text : filledTo(text, Number(width), flags.includes('-')))
  if (conversion === 's' || conversion === 'S') {
    const text = sql`coalesce(${toText(arg)}, 'null')`
    const cutText = precision === undefined ? text : sql`left(${text}, ${sql.long(Number(precision))})`
    return fitted(pad(conversion === 'S' ? upperCase(cutText) : cutText))
  }
  if (!'dxXf'.includes(conversion)) return call.unsupported(`the conversion %${conversion}`)
  if (flags.includes('(') || flags.includes('#')) return call.unsupported(`the flags "${flags}"`)
  const none = conversion === 'X' ? sql`'NULL'` : sql`'null'`
  if (conversion === 'f') {
    const places = Number(precision ?? 6)
    if (places > placesMax) return call.refuse(`a format takes ${placesMax} digits behind the point at most`)
    const text = bind(toDouble(arg), (x) => fixedForm(x, places, flags, Number(width ?? 0)))
    return fitted(sql`coalesce(${text}, ${pad(none)})`)
  }
  const form = `%${flags}${width ?? ''}${conversion}`
  return fitted(sql`coalesce(printf(${sql.literal(form)}, ${toLong(arg)}), ${pad(none)})`)
}

/** With blanks, up to so many UTF-16 units. */
const filledTo = (text: Sql, width: number, isLeft: boolean): Sql =>
  bind(text, (x) => {
    const blanks = sql`repeat(' ', greatest(${sql.long(width)} - ${utf16Units(x)}, 0))`
    return isLeft ? sql`(${x} || ${blanks})` : sql`(${blanks} || ${x})`
  })

/** A double as Java's `%f` writes it. */
function fixedForm(x: Sql, places: number, flags: string, width: number): Sql {
  const plus = flags.includes('+') ? sql`'+'` : flags.includes(' ') ? sql`' '` : sql`''`
  const sign = sql`CASE WHEN starts_with(CAST(${x} AS VARCHAR), '-') THEN '-' ELSE ${plus} END`
  const digits = fixedDigits(sql`abs(${x})`, places)
  const commas = (text: Sql): Sql =>
    sql`regexp_replace(reverse(regexp_replace(reverse(split_part(${text}, '.', 1)), '([0-9]{3})', '\\1,', 'g')), '^,', '') || substr(${text}, length(split_part(${text}, '.', 1)) + 1)`
  const shown = flags.includes(',') ? bind(digits, commas) : digits
  const filled = (text: Sql, by: Sql): Sql => (width === 0 ? text : by)
  const size = sql`CAST(${sql.long(width)} AS INTEGER)`
  const blanks = (text: Sql): Sql =>
    filled(
      text,
      bind(text, (t) =>
        flags.includes('-')
          ? sql`rpad(${t}, greatest(length(${t}), ${size})::INTEGER, ' ')`
          : sql`lpad(${t}, greatest(length(${t}), ${size})::INTEGER, ' ')`,
      ),
    )
  const whole = flags.includes('0')
    ? bind(sign, (s) =>
        filled(
          sql`${s} || ${shown}`,
          bind(shown, (d) => sql`${s} || lpad(${d}, greatest(length(${d}), ${size} - length(${s}))::INTEGER, '0')`),
        ),
      )
    : blanks(sql`(${sign} || ${shown})`)
  const other = blanks(sql`CASE WHEN isnan(${x}) THEN 'NaN' ELSE ${sign} || 'Infinity' END`)
  return sql`CASE WHEN ${x} IS NULL THEN NULL WHEN isfinite(${x}) THEN ${whole} ELSE ${other} END`
}
