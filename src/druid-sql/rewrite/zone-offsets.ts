import { type Sql, sql } from '../../lib/sql-text.ts'

/** A query for the offsets that Druid uses for zones: a row for each instant, with the instant and a text such as `+02:00` for each zone. */
export function zoneOffsets(names: readonly string[], instants: readonly number[]): Sql {
  const offsets = names.map((name) => sql`TIME_FORMAT(MILLIS_TO_TIMESTAMP("ms"), 'ZZ', ${sql.literal(name)})`)
  const rows = instants.map((ms) => sql`(${sql.long(ms)})`)
  return sql`SELECT "ms", ${sql.list(offsets)} FROM (VALUES ${sql.list(rows)}) AS "v" ("ms")`
}
