// Conditions in Druid's SQL for rows that deletions hide.
import { type ConditionWords, hiddenByAny } from '../../algebra/hidden-rows.ts'
import { prefixPattern } from '../../lib/like-matcher.ts'
import { type Sql, sql } from '../../lib/sql-text.ts'
import type { HiddenRows } from '../../model/deletion.ts'
import { timeColumn } from '../../model/druid-row.ts'
import { digits } from './raw-sql.ts'

/** Whether one of these deletions hides a row. The result may be unknown, and names only columns among `columns`. */
export function hiddenInSql(hidden: readonly HiddenRows[], columns: ReadonlySet<string>): Sql {
  return hiddenByAny(hidden, wordsOver(columns))
}

const column = (name: string): Sql => sql.id(name)
const none = sql`(1 = 0)`

/** A column that has no rows yet counts as null. */
function wordsOver(columns: ReadonlySet<string>): ConditionWords<Sql> {
  const of = (name: string, condition: () => Sql): Sql => (columns.has(name) ? condition() : none)
  return {
    all: (conditions) => sql`(${sql.join(conditions, ' AND ')})`,
    any: (conditions) => sql`(${sql.join(conditions, ' OR ')})`,
    none,
    isOneOf: (tag, values) =>
      values.length === 0
        ? none
        : of(tag, () => sql`${column(tag)} IN (${sql.list(values.map((one) => sql`${one}`))})`),
    isNull: (tag) => (columns.has(tag) ? sql`${column(tag)} IS NULL` : sql`(1 = 1)`),
    startsWith: (tag, prefix) => of(tag, () => sql`${column(tag)} LIKE ${prefixPattern(prefix)} ESCAPE '\\'`),
    isAt: (times) => sql`TIMESTAMP_TO_MILLIS(${column(timeColumn)}) IN (${sql.list(times.map(digits))})`,
    isWithin: (name, from, to) => {
      const value = (one: number): Sql => (name === timeColumn ? sql`MILLIS_TO_TIMESTAMP(${digits(one)})` : digits(one))
      const ends = [
        from === null ? [] : [sql`${column(name)} >= ${value(from)}`],
        to === null ? [] : [sql`${column(name)} <= ${value(to)}`],
      ]
      return sql`(${sql.join(ends.flat(), ' AND ')})`
    },
    meets: ({ metric: { name, type }, operator, value }) =>
      of(name, () => {
        const compared = operators[operator]
        // Positive and negative zero are the same number.
        if (type === 'double') return sql`(${column(name)} + 0.0) ${compared} ${sql.double(Number(value) + 0)}`
        return sql`${column(name)} ${compared} ${typeof value === 'string' ? sql`${value}` : longOf(value)}`
      }),
  }
}

const operators = { '<': sql`<`, '<=': sql`<=`, '>': sql`>`, '>=': sql`>=`, '=': sql`=`, '!=': sql`<>` }

const longOf = (value: number | bigint | boolean): Sql => sql.long(typeof value === 'boolean' ? Number(value) : value)
