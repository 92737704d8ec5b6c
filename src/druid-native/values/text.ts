import { bind } from '../../lib/bind-sql.ts'
import { type Sql, sql } from '../../lib/sql-text.ts'

/** From the index on; null where nothing is left, as Druid's substring gives it. */
export function substringOf(text: Sql, index: number, length: number | null): Sql {
  const part =
    length === null
      ? sql`substr(${text}, ${sql.long(index + 1)})`
      : sql`substr(${text}, ${sql.long(index + 1)}, ${sql.long(length)})`
  return sql`nullif(${part}, '')`
}

/** Texts as one list: a single parameter, split by what none of them holds. */
export function textList(texts: readonly string[]): Sql {
  if (texts.length === 0) return sql`CAST([] AS VARCHAR[])`
  let separator = '\u0001'
  while (texts.some((text) => text.includes(separator))) separator += '\u0002'
  return sql`string_split(CAST(${texts.join(separator)} AS VARCHAR), ${separator})`
}

const isoForm = sql.literal(
  '([0-9]{4})(?:-([0-9]{1,2})(?:-([0-9]{1,2}))?)?(?:[T ]([0-9]{1,2})(?::([0-9]{1,2})(?::([0-9]{1,2})(?:[.,]([0-9]+))?)?)?)?(Z|[+-][0-9]{2}(?::?[0-9]{2})?)?',
)

/** The local milliseconds of a text in ISO 8601 (a blank may stand for its T), and the offset it names, null for none. */
export function parseTimeText(text: Sql, finish: (localMs: Sql, offsetMs: Sql) => Sql): Sql {
  return bind(text, (x) => {
    const part = (group: number): Sql => sql`regexp_extract(${x}, ${isoForm}, ${sql.long(group)}::INTEGER)`
    const or = (group: number, fallback: string): Sql =>
      sql`coalesce(nullif(${part(group)}, ''), ${sql.literal(fallback)})`
    const date = sql`${part(1)} || '-' || ${or(2, '1')} || '-' || ${or(3, '1')}`
    const time = sql`${or(4, '0')} || ':' || ${or(5, '0')} || ':' || ${or(6, '0')}`
    const fraction = sql`CAST(rpad(left(${or(7, '0')}, 3), 3, '0') AS BIGINT)`
    const local = sql`(epoch_ms(TRY_CAST(${date} || ' ' || ${time} AS TIMESTAMP)) + ${fraction})`
    const zone = part(8)
    const minutes = sql`(CAST(substr(zone, 2, 2) AS BIGINT) * 60 + CAST(coalesce(nullif(replace(substr(zone, 4), ':', ''), ''), '0') AS BIGINT))`
    const offset = sql`list_transform([${zone}], lambda zone: CASE WHEN zone = '' THEN NULL WHEN zone = 'Z' THEN 0 WHEN starts_with(zone, '-') THEN ${minutes} * -60000 ELSE ${minutes} * 60000 END)[1]`
    return sql`CASE WHEN regexp_full_match(${x}, ${isoForm}) THEN ${bind(local, (ms) => bind(sql`CAST(${offset} AS BIGINT)`, (by) => finish(ms, by)))} END`
  })
}
