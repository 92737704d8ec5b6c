// STRING_FORMAT, and `format` of native queries, with the rules of Java's String.format, which Druid calls. Values that do not fit the format
// cause no error: the result is then the format and the values.

import { bind } from '../../lib/bind-sql.ts'
import { exponentDigits, fixedDigits, placesMax } from '../../lib/fixed-digits.ts'
import { type Sql, sql } from '../../lib/sql-text.ts'
import { as, castText } from '../bind/conversions.ts'
import { plainInteger } from '../bind/engine-names.ts'
import { type Bound, called, engineFunction } from '../bind/tree.ts'
import { type Kind, string, wideString } from '../bind/types.ts'
import { type Place, quoted, sqlProblem } from '../parse/sql-problem.ts'
import { neededText, special } from './signature.ts'
import { isFree, onceEach, requestedCharactersMax, upperCase, utf16Units, widthOf, withinLimit } from './text-limits.ts'

const partForm = /%(?:(\d+)\$)?([-#+ 0,(]*)([1-9]\d*)?(?:\.(\d+))?([a-zA-Z%])|%/g

interface Part {
  readonly flags: string
  readonly width: number
  readonly precision: number | null
  readonly conversion: string
}

interface Format {
  readonly form: string
}

const formatted = engineFunction<Format>((texts, { operands, type, options: { form } }, { zone }) => {
  const values = operands.map((operand, index): FormattedValue => {
    const text = texts[index]!
    return { sql: text, kind: operand.type.kind, text: castText(operand, text, string, zone) }
  })
  const { pieces, misfits } = read(form, values, (message) => {
    throw new Error(message)
  })
  const plain = [sql.literal(form), ...values.map((value) => sql`coalesce(${value.text}, 'null')`)]
  const joined = isFree(widthOf(type)) ? together : boundedTogether
  const unformatted = joined(plain, '; ')
  return pieces === null ? unformatted : choose(misfits, unformatted, joined(pieces, ''))
})

/** A value, and its text. */
interface FormattedValue {
  readonly sql: Sql
  readonly kind: Kind
  readonly text: Sql
}

export const stringFormat = special(1, 100, (call) => {
  const { place } = call
  const form = neededText(call, 0)
  const values = call.operands.slice(1).map((operand) => (operand.type.kind === 'null' ? as(operand, string) : operand))
  const other = values.find(({ type }) => !['string', 'long', 'double'].includes(type.kind))
  if (other !== undefined) throw sqlProblem(other.place, `${call.name} accepts only strings and numbers`)
  return formattedText(place, form, values, (message) => {
    throw sqlProblem(place, message)
  })
})

type Refuse = (message: string) => never

/** Formats texts and numbers. `refuse` is called for a format that is not supported. */
export function formattedText(place: Place, form: string, values: readonly Bound[], refuse: Refuse): Bound {
  if (numbersIn(form) > requestedCharactersMax)
    return refuse(`a string could become longer than ${requestedCharactersMax} characters`)
  const known = values.map(({ type }): FormattedValue => ({ sql: sql`x`, kind: type.kind, text: sql`x` }))
  read(form, known, refuse)
  const width = numbersIn(form) + form.length + 2 * pieceCount(form) * widest(values)
  return called(place, wideString(width), formatted, values, { form })
}

const together = (parts: readonly Sql[], between: string): Sql =>
  sql`array_to_string([${sql.list(parts)}], ${sql.literal(between)})`

/** The same for long parts. */
const boundedTogether = (parts: readonly Sql[], between: string): Sql => {
  const bytes = sql`CAST(list_sum(list_transform(v, lambda e: strlen(e) + ${plainInteger(between.length)})) AS BIGINT)`
  const whole = withinLimit(bytes, requestedCharactersMax, sql`array_to_string(v, ${sql.literal(between)})`)
  return sql`list_transform([[${sql.list(parts)}]], lambda v: ${whole})[1]`
}

function choose(misfits: readonly Sql[], unformatted: Sql, formatted: Sql): Sql {
  if (misfits.length === 0) return formatted
  return sql`CASE WHEN ${sql.join(misfits, ' OR ')} THEN ${unformatted} ELSE ${formatted} END`
}

/** `pieces` is null if the format is malformed or needs more values. `misfits` are true where a value has another type than its conversion. */
function read(form: string, values: readonly FormattedValue[], refuse: Refuse) {
  const pieces: Sql[] = []
  const misfits: Sql[] = []
  let [at, next] = [0, 0]
  for (const match of form.matchAll(partForm)) {
    pieces.push(sql.literal(form.slice(at, match.index)))
    at = match.index + match[0].length
    const [text, index, flags = '', width = '0', precision, conversion] = match
    if (conversion === undefined) return { pieces: null, misfits }
    if (conversion === '%' || conversion === 'n') {
      if (text.length > 2) return refuse(`${quoted(text)} is not supported in a format`)
      pieces.push(sql.literal(conversion === 'n' ? '\n' : '%'))
      continue
    }
    const value = values[index === undefined ? next++ : Number(index) - 1]
    if (value === undefined || !/[sSdxXofe]/.test(conversion) || !isSound(flags, width, precision, conversion)) {
      if (/[bBhHcCtTgGaAE]/.test(conversion) || /[(#]/.test(flags))
        return refuse(`${quoted(text)} is not supported in a format: use %s %S %d %x %X %o %f %e %n %%`)
      return { pieces: null, misfits }
    }
    const part = {
      flags,
      width: Number(width),
      precision: precision === undefined ? null : Number(precision),
      conversion,
    }
    const wanted = /[dxXo]/.test(conversion) ? 'long' : /[fe]/.test(conversion) ? 'double' : value.kind
    if (value.kind !== wanted) {
      misfits.push(sql`${value.sql} IS NOT NULL`)
      pieces.push(writtenNull(part))
    } else pieces.push(written(value, part, refuse))
  }
  pieces.push(sql.literal(form.slice(at)))
  return { pieces, misfits }
}

/** Whether Java accepts the combination. */
function isSound(flags: string, width: string, precision: string | undefined, conversion: string): boolean {
  if (/[-0]/.test(flags) && width === '0') return false
  if ((flags.includes('-') && flags.includes('0')) || (flags.includes('+') && flags.includes(' '))) return false
  if (new Set(flags).size < flags.length) return false
  if (/[sS]/.test(conversion)) return /^-?$/.test(flags)
  if (/[dxXo]/.test(conversion) && precision !== undefined) return false
  if (/[xXo]/.test(conversion)) return /^[-0]*$/.test(flags)
  return conversion !== 'e' || !flags.includes(',')
}

function writtenNull(part: Part): Sql {
  const word = /[SX]/.test(part.conversion) ? 'NULL' : 'null'
  return padded(sql.literal(part.precision === null ? word : word.slice(0, part.precision)), part)
}

function written(value: FormattedValue, part: Part, refuse: Refuse): Sql {
  const { conversion, precision, flags } = part
  const none = writtenNull(part)
  if (/[sS]/.test(conversion)) {
    const text = sql`coalesce(${value.text}, 'null')`
    const cut = precision === null ? text : sql`left(${text}, ${plainInteger(precision)})`
    return padded(conversion === 'S' ? upperCase(cut) : cut, part)
  }
  const ofNumber = (body: (x: Sql) => Sql): Sql => sql`coalesce(${bind(value.sql, body)}, ${none})`
  if (/[xXo]/.test(conversion)) {
    const form = sql.literal(`%${conversion}`)
    // The engine writes a sign where Java writes the bits.
    const bits = (x: Sql): Sql =>
      sql`CAST(${x}::HUGEINT + CASE WHEN ${x} < 0 THEN 18446744073709551616::HUGEINT ELSE 0::HUGEINT END AS UBIGINT)`
    const digits = (x: Sql): Sql => bind(bits(x), (unsigned) => sql`printf(${form}, ${unsigned})`)
    return ofNumber((x) => sql`CASE WHEN ${x} IS NULL THEN NULL ELSE ${fitted(digits(x), sql`''`, part)} END`)
  }
  if (conversion === 'd') {
    const digits = (x: Sql): Sql => grouped(sql`CAST(abs(${x}::HUGEINT) AS VARCHAR)`, flags)
    return ofNumber((x) => sql`CASE WHEN ${x} IS NULL THEN NULL ELSE ${fitted(digits(x), sign(x, flags), part)} END`)
  }
  const places = precision ?? 6
  if (places > placesMax) return refuse(`a format can have at most ${placesMax} decimal places`)
  const digits = (x: Sql): Sql =>
    conversion === 'e' ? exponentDigits(x, places) : grouped(fixedDigits(x, places), flags)
  return ofNumber(
    (
      x,
    ) => sql`CASE WHEN ${x} IS NULL THEN NULL WHEN NOT isfinite(${x}) THEN ${padded(notFinite(x, flags), { ...part, flags: flags.replace('0', '') })}
    ELSE ${fitted(digits(sql`abs(${x})`), sign(x, flags), part)} END`,
  )
}

const notFinite = (x: Sql, flags: string): Sql =>
  sql`CASE WHEN isnan(${x}) THEN 'NaN' WHEN ${x} < 0 THEN '-Infinity' ELSE ${flags.includes('+') ? sql`'+Infinity'` : sql`'Infinity'`} END`

const sign = (x: Sql, flags: string): Sql =>
  sql`CASE WHEN ${x} < 0 THEN '-' ELSE ${flags.includes('+') ? sql`'+'` : flags.includes(' ') ? sql`' '` : sql`''`} END`

/** With a comma between thousands. */
function grouped(digits: Sql, flags: string): Sql {
  if (!flags.includes(',')) return digits
  const whole = sql`split_part(${digits}, '.', 1)`
  const commas = sql`ltrim(reverse(regexp_replace(reverse(${whole}), '([0-9]{3})', ${sql.literal('\\1,')}, 'g')), ',')`
  return sql`${commas} || substring(${digits}, length(${whole}) + 1)`
}

/** Digits with their sign, padded to the width. */
function fitted(digits: Sql, before: Sql, part: Part): Sql {
  if (!part.flags.includes('0')) return padded(sql`(${before} || ${digits})`, part)
  const most = plainInteger(part.width)
  return sql`(${before} || lpad(${digits}, greatest(length(${digits}), ${most} - length(${before}))::INTEGER, '0'))`
}

function padded(text: Sql, { width, flags }: Part): Sql {
  if (width === 0) return text
  const filled = flags.includes('-') ? sql`rpad` : sql`lpad`
  return onceEach(
    [text],
    (x) =>
      sql`CASE WHEN ${utf16Units(x)} >= ${plainInteger(width)} THEN ${x} ELSE ${filled}(${x}, CAST(${plainInteger(width)} - ${utf16Units(x)} + length(${x}) AS INTEGER), ' ') END`,
  )
}

/** The sum of all widths and precisions. */
const numbersIn = (form: string): number =>
  [...form.matchAll(/%[^a-zA-Z%]*/g)]
    .flatMap(([part]) => part.match(/\d+/g) ?? [])
    .reduce((sum, digits) => sum + Number(digits), 0)

const pieceCount = (form: string): number => form.split('%').length

/** The width of a double with all its digits. */
const doubleWidth = 350
const widest = (values: readonly Bound[]): number =>
  values.reduce((most, { type }) => Math.max(most, type.kind === 'double' ? doubleWidth : widthOf(type)), 0)
