// Functions that write as long a text as they are told: a text of gigabytes would end the process of Druid that writes it. They are cut where
// the engine of one machine cuts them.
import { type Sql, sql } from '../../lib/sql-text.ts'
import type { Call, Expression } from '../parse/syntax.ts'

/** What is repeated so often at the most stays as it is: it need not be measured. */
const fewTimes = 1000

/** The call with its count bounded; null where there is nothing to bound. */
export function boundedCount(call: Call, write: (expression: Expression) => Sql): Sql | null {
  const [text, count, ...others] = call.operands
  if (text === undefined || count === undefined) return null
  if (call.name === 'REPEAT') {
    if (isFew(count) && (text.kind === 'column' || text.kind === 'text')) return null
    const most = sql`1000000 / GREATEST(CHAR_LENGTH(${write(text)}), 1)`
    return sql`REPEAT(${write(text)}, ${atMost(write(count), most)})`
  }
  if ((call.name !== 'LPAD' && call.name !== 'RPAD') || isFew(count)) return null
  const name = call.name === 'LPAD' ? sql`LPAD` : sql`RPAD`
  const operands = [write(text), atMost(write(count), sql`1000000`), ...others.map(write)]
  return sql`${name}(${sql.list(operands)})`
}

function isFew(count: Expression): boolean {
  return count.kind === 'number' && Number(count.digits) <= fewTimes
}

function atMost(count: Sql, most: Sql): Sql {
  return sql`CASE WHEN ${count} > ${most} THEN ${most} ELSE ${count} END`
}
