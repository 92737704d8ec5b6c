// An entity as a subquery of Druid's SQL: its own columns in their types, whatever columns Druid has for its data source.
import { metricDeletions, rowDeletions } from '../../algebra/hidden-rows.ts'
import { type Sql, sql } from '../../lib/sql-text.ts'
import type { HiddenRows } from '../../model/deletion.ts'
import { dataSourceName, nullsColumn, positionColumn, timeColumn } from '../../model/druid-row.ts'
import type { Entity, EntityField } from '../../model/entity.ts'
import { hiddenInSql } from './hidden-in-sql.ts'
import { digits, quotedText } from './raw-sql.ts'

/** The columns of each data source as Druid's SQL knows them. A data source without rows is missing. */
export type KnownColumns = ReadonlyMap<string, ReadonlySet<string>>

const types = {
  string: sql`VARCHAR`,
  double: sql`DOUBLE`,
  long: sql`BIGINT`,
  boolean: sql`BIGINT`,
  timestamp: sql`TIMESTAMP`,
  json: sql`VARCHAR`,
}

/** The most bytes of a text value where newer rows replace older ones: Druid reserves this much memory for each. */
const textBytesMax = 4096

export function entitySource(entity: Entity, clusterName: string, known: KnownColumns): Sql {
  const name = dataSourceName(clusterName, entity.id)
  const columns = known.get(name)
  const others = entity.fields.filter(({ role }) => role !== 'time')
  if (columns === undefined) return nothing(others)
  const hidden = entity.hidden ?? []
  const taking = metricDeletions(hidden)
  const replaces = entity.duplicates === 'replace' && columns.has(nullsColumn)
  const shown = others.map((field) => {
    const visible = visibleColumn(field, taking.get(field.name) ?? [], columns)
    const value = columns.has(field.name) ? valueIn(field, visible, replaces) : null
    return sql`${value ?? sql`CAST(NULL AS ${types[field.type]})`} AS ${sql.id(field.name)}`
  })
  const keys = others.filter(({ name, role }) => role === 'tag' && columns.has(name)).map(({ name }) => sql.id(name))
  const grouped = replaces ? sql` GROUP BY ${sql.list([sql.id(timeColumn), ...keys])}` : sql``
  return sql`SELECT ${sql.list([sql.id(timeColumn), ...shown])} FROM ${sql.id(name)}${visibleRows(entity.sinceMs, rowDeletions(hidden), columns)}${grouped}`
}

/** Excludes rows that have expired, and rows that deletions hide. */
function visibleRows(sinceMs: number | null, hidden: readonly HiddenRows[], columns: ReadonlySet<string>): Sql {
  const conditions = [
    ...(sinceMs === null ? [] : [sql`${sql.id(timeColumn)} >= ${instant(sinceMs)}`]),
    ...(hidden.length === 0 ? [] : [sql`${hiddenInSql(hidden, columns)} IS NOT TRUE`]),
  ]
  return conditions.length === 0 ? sql`` : sql` WHERE ${sql.join(conditions, ' AND ')}`
}

/** The column of a field; null in rows in which deletions hide the field. */
function visibleColumn({ name }: EntityField, hidden: readonly HiddenRows[], columns: ReadonlySet<string>): Sql {
  const column = sql.id(name)
  return hidden.length === 0 ? column : sql`CASE WHEN ${hiddenInSql(hidden, columns)} THEN NULL ELSE ${column} END`
}

function nothing(fields: readonly EntityField[]): Sql {
  const columns = [
    sql`MILLIS_TO_TIMESTAMP("n") AS ${sql.id(timeColumn)}`,
    ...fields.map(({ name, type }) => sql`CAST(NULL AS ${types[type]}) AS ${sql.id(name)}`),
  ]
  return sql`SELECT ${sql.list(columns)} FROM (VALUES (0)) AS "none" ("n") WHERE "n" > 0`
}

/** Where rows replace one another, the value of `column` in the newest row that was pushed with the field. */
function valueIn(field: EntityField, column: Sql, replaces: boolean): Sql {
  const isTime = field.type === 'timestamp'
  if (!replaces || field.role === 'tag') return isTime ? sql`MILLIS_TO_TIMESTAMP(${column})` : column
  const newest = sql`MILLIS_TO_TIMESTAMP(${sql.id(positionColumn)})`
  const size = field.type === 'string' ? sql`, ${digits(textBytesMax)}` : sql``
  const mark = quotedText(`,${field.name},`)
  const nulls = sql`CONTAINS_STRING(',' || ${sql.id(nullsColumn)} || ',', ${mark})`
  const value = sql`LATEST_BY(${column}, ${newest}${size}) FILTER (WHERE ${column} IS NOT NULL OR ${nulls})`
  return isTime ? sql`MILLIS_TO_TIMESTAMP(${value})` : value
}

function instant(ms: number): Sql {
  return sql`MILLIS_TO_TIMESTAMP(${digits(ms)})`
}
