// The function `replace` of texts.
import { bind, bind2 } from '../../lib/bind-sql.ts'
import { type Sql, sql } from '../../lib/sql-text.ts'
import { inRoom, isFree, joinedBytesMax, widthOf } from '../values/text-room.ts'
import { type Typed, textValue, toText } from '../values/typed.ts'
import type { Call } from './call.ts'

/** Around nothing there is a place before and behind each character. */
const aroundEach = (x: Sql, by: Sql): Sql =>
  sql`regexp_replace(${x}, '', replace(${by}, ${sql.literal('\\')}, ${sql.literal('\\\\')}), 'g')`

export function replaceText([text, from, to]: readonly Typed[], call: Call): Typed {
  const sought = call.literal(1)
  const shortest = typeof sought === 'string' ? Math.max(1, sought.length) : 1
  const width = widthOf(text!) * Math.max(1, widthOf(to!) / shortest)
  const isOfSomething = typeof sought === 'string' && sought !== ''
  const replaced = (x: Sql, part: Sql, by: Sql): Sql =>
    isOfSomething
      ? sql`replace(${x}, ${part}, ${by})`
      : sql`CASE WHEN ${part} = '' THEN ${aroundEach(x, by)} ELSE replace(${x}, ${part}, ${by}) END`
  if (isFree(width) && isOfSomething) return textValue(replaced(toText(text!), toText(from!), toText(to!)), width)
  const body = (x: Sql, part: Sql): Sql =>
    bind(toText(to!), (by) => {
      if (isFree(width)) return replaced(x, part, by)
      const times = sql`((strlen(${x}) - strlen(replace(${x}, ${part}, ''))) // strlen(${part}))`
      const more = sql`CASE WHEN ${part} = '' THEN (length(${x}) + 1) * strlen(${by}) ELSE ${times} * greatest(strlen(${by}) - strlen(${part}), 0) END`
      return inRoom(sql`(strlen(${x}) + ${more})`, joinedBytesMax, replaced(x, part, by))
    })
  return textValue(bind2(toText(text!), toText(from!), body), width)
}
