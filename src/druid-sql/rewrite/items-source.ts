// Items of metadata as a subquery of Druid's SQL. They are sent with the statement, in texts with one line per item.
import { type Sql, sql } from '../../lib/sql-text.ts'
import type { EngineItems, EngineItemValue } from '../../sql-engine/sql-engine.ts'
import type { SqlColumn, SqlTable } from '../bind/tables.ts'
import { digits } from './raw-sql.ts'

/** The most characters of one text. Druid's JSON parser accepts texts of at most 20,000,000 characters. */
const textChars = 4_000_000

/**
 * Druid's planner takes a minute for VALUES of 20,000 rows, and for literals that it can evaluate. So the items are one text behind an aggregate, which
 * the planner does not evaluate.
 */
const one = sql`(SELECT MAX("n") AS "n" FROM (VALUES (0), (1)) AS "v" ("n")) AS "one"`

export function itemsSource(table: SqlTable, { rows, columns }: EngineItems): Sql {
  const shown = columns.map(({ place }) => table.columns[place]!)
  if (rows === 0) return nothing(shown)
  const values = shown.map((column, index) => sql`${valueAt(column, index)} AS ${sql.id(column.name)}`)
  const lists = textsOf(columns.map(({ values }) => values)).map(
    (text) => sql`STRING_TO_ARRAY(CASE WHEN "n" = 1 THEN ${text} ELSE '' END, ${'\n'})`,
  )
  const list = lists.reduce((before, next) => sql`ARRAY_CONCAT(${before}, ${next})`)
  return sql`SELECT ${sql.list(values)} FROM ${one} CROSS JOIN UNNEST(${list}) AS "lines" ("line")`
}

/** One JSON array per line, in texts of limited length. */
function textsOf(columns: readonly (readonly EngineItemValue[])[]): readonly string[] {
  const texts: string[] = []
  let [lines, chars]: [string[], number] = [[], 0]
  for (let row = 0; row < columns[0]!.length; row++) {
    const line = `[${columns.map((values) => jsonOf(values[row]!)).join(',')}]`
    if (chars > 0 && chars + line.length > textChars) {
      texts.push(lines.join('\n'))
      ;[lines, chars] = [[], 0]
    }
    lines.push(line)
    chars += line.length + 1
  }
  return [...texts, lines.join('\n')]
}

function jsonOf(value: EngineItemValue): string {
  return typeof value === 'bigint' ? String(value) : JSON.stringify(value)
}

function valueAt({ type }: SqlColumn, index: number): Sql {
  const value = (returning: Sql): Sql => sql`JSON_VALUE(PARSE_JSON("line"), ${path(index)}${returning})`
  switch (type.kind) {
    case 'long':
      return value(sql` RETURNING BIGINT`)
    case 'double':
      return value(sql` RETURNING DOUBLE`)
    case 'timestamp':
      return sql`MILLIS_TO_TIMESTAMP(${value(sql` RETURNING BIGINT`)})`
    case 'json':
      return sql`PARSE_JSON(${value(sql` RETURNING VARCHAR`)})`
    default:
      return value(sql` RETURNING VARCHAR`)
  }
}

/** Druid requires the path to be a literal. */
function path(index: number): Sql {
  return sql`'$[${digits(index)}]'`
}

const types = new Map([
  ['long', sql`BIGINT`],
  ['double', sql`DOUBLE`],
  ['timestamp', sql`TIMESTAMP`],
])

function nothing(columns: readonly SqlColumn[]): Sql {
  const nulls = columns.map(({ name, type }) => {
    const none = sql`CAST(NULL AS ${types.get(type.kind) ?? sql`VARCHAR`})`
    return sql`${type.kind === 'json' ? sql`PARSE_JSON(${none})` : none} AS ${sql.id(name)}`
  })
  return sql`SELECT ${sql.list(nulls)} FROM (VALUES (0)) AS "none" ("n") WHERE "n" > 0`
}
