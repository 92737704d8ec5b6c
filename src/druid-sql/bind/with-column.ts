// A FROM with one more column, worked out beside its rows.
import { type Sql, sql } from '../../lib/sql-text.ts'
import { columnName, columnOf, relationName } from './engine-names.ts'
import type { Relation } from './scope.ts'

interface FromText {
  readonly sql: Sql
  readonly relations: readonly Relation[]
}

/** The same rows and names as one relation of the engine, which has the value as a column too. */
export function withColumn(
  { sql: from, relations }: FromText,
  value: Sql,
  relation: number,
): FromText & { readonly value: Sql } {
  const items: Sql[] = []
  const places = new Map<string, number>()
  const moved = (item: Sql): Sql => {
    const place = places.get(item.text) ?? items.length
    if (place === items.length) items.push(item)
    places.set(item.text, place)
    return columnOf(relation, place)
  }
  const movedRelations = relations.map(
    ({ columns, position, shared, ...rest }): Relation => ({
      ...rest,
      columns: columns.map(({ fileSql, ...column }) => ({
        ...column,
        sql: moved(column.sql),
        ...(fileSql === undefined ? {} : { fileSql: moved(fileSql) }),
      })),
      ...(position === undefined ? {} : { position: moved(position) }),
      ...(shared === undefined ? {} : { shared: new Map([...shared].map(([name, item]) => [name, moved(item)])) }),
    }),
  )
  const added = moved(value)
  const written = items.map((item, index) => sql`${item} AS ${columnName(index)}`)
  const text = sql`(SELECT ${sql.join(written, ', ')} FROM ${from}) AS ${relationName(relation)}`
  return { sql: text, relations: movedRelations, value: added }
}
