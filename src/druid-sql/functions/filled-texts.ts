// Texts that are filled up to a length, or written several times.
import { type Sql, sql } from '../../lib/sql-text.ts'
import { holdsPairs, utf16Filler, utf16Start } from '../../lib/utf16-filler.ts'
import { type Bound, combine } from '../bind/bound.ts'
import { as } from '../bind/conversions.ts'
import { long, string, wideString } from '../bind/types.ts'
import { type Place, sqlProblem } from '../parse/sql-problem.ts'
import { type ScalarFunction, special } from './signature.ts'
import { inRoom, isFree, onceEach, told, toldCharactersMax, utf16Units, widthOf, withoutRepeats } from './text-room.ts'

/** Druid pads with nothing where the padding is empty; the engine would fail. */
export const paddedText = (side: 'left' | 'right'): ScalarFunction =>
  special(2, 3, ({ place, operands: [text, count, padding] }) => {
    const mayHoldPairs =
      padding !== undefined &&
      !(typeof padding.constant === 'string' && !/[\u{10000}-\u{10FFFF}]/u.test(padding.constant))
    const filled = (x: Sql, length: Sql, by: Sql): Sql => {
      const name = side === 'left' ? sql`lpad` : sql`rpad`
      const plain = sql`${name}(${x}, CAST(greatest(${told(length)} - (${utf16Units(x)} - length(${x})), 0) AS INTEGER), ${by})`
      if (!mayHoldPairs) return plain
      const missing = sql`(${told(length)} - ${utf16Units(x)})`
      const filler = utf16Filler(by, missing)
      const whole = side === 'left' ? sql`${filler} || ${x}` : sql`${x} || ${filler}`
      return sql`CASE WHEN ${holdsPairs(by)} AND ${missing} > 0 THEN ${whole} ELSE ${plain} END`
    }
    const parts = [as(text!, string), as(count!, long), ...(padding === undefined ? [] : [as(padding, string)])]
    const [x, length, by = sql`' '`] = parts.map((part) => part.sql)
    const body = (x: Sql, length: Sql, by: Sql, guard: (text: Sql) => Sql): Sql =>
      sql`CASE WHEN ${length} IS NULL OR ${x} IS NULL OR ${by} IS NULL THEN NULL WHEN ${length} < 0 THEN '' WHEN ${length} = 0 THEN NULL WHEN ${by} = '' OR ${utf16Units(x)} >= ${length} THEN ${utf16Start(x, length)}
        ELSE ${guard(filled(x, length, by))} END`
    const width = constantCount(count!)
    if (typeof count!.constant === 'bigint') checkTold(width, place)
    const whole = isFree(width)
      ? withoutRepeats([x!, length!, by], (x, length, by) => body(x, length, by, (text) => text))
      : onceEach([x!, length!, by], (x, length, by) =>
          body(x, length, by, (text) => inRoom(told(length), toldCharactersMax, text)),
        )
    return combine(place, wideString(width), whole, parts)
  })

/** How much a count can be, where it is known. */
function constantCount({ constant }: Bound): number {
  if (constant === null) return 0
  return typeof constant === 'bigint' ? Math.max(0, Number(constant)) : Number.POSITIVE_INFINITY
}

/** What is known to be too long is refused before it runs, on both engines. */
function checkTold(characters: number, place: Place): void {
  if (characters > toldCharactersMax)
    throw sqlProblem(place, `a text could become longer than ${toldCharactersMax} characters`)
}

export const repeatedText = special(2, 2, ({ place, operands }) => {
  const parts = [as(operands[0]!, string), as(operands[1]!, long)] as const
  const body = (x: Sql, count: Sql, guard: (text: Sql) => Sql): Sql =>
    sql`CASE WHEN ${count} >= 1 THEN ${guard(sql`repeat(${x}, ${told(count)})`)} END`
  const width = widthOf(parts[0].type) * constantCount(operands[1]!)
  const [{ constant }, count] = operands as [Bound, Bound]
  if (typeof constant === 'string' && typeof count.constant === 'bigint') checkTold(width, place)
  const whole = isFree(width)
    ? body(parts[0].sql, parts[1].sql, (text) => text)
    : onceEach([parts[0].sql, parts[1].sql], (x, count) =>
        body(x, count, (text) => inRoom(sql`(strlen(${x}) * ${told(count)})`, toldCharactersMax, text)),
      )
  return combine(place, wideString(width), whole, parts)
})
