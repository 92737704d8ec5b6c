// A FROM with one more column, worked out beside its rows.
import { columnName, columnOf, duckSql, join, relationName, type SqlText } from './duck-sql.ts'
import type { Relation } from './scope.ts'

interface FromText {
  readonly sql: SqlText
  readonly relations: readonly Relation[]
}

/** The same rows and names as one relation of the engine, which has the value as a column too. */
export function withColumn(
  { sql, relations }: FromText,
  value: SqlText,
  relation: number,
): FromText & { readonly value: SqlText } {
  const items: SqlText[] = []
  const places = new Map<string, number>()
  const moved = (item: SqlText): SqlText => {
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
  const written = items.map((item, index) => duckSql`${item} AS ${columnName(index)}`)
  const text = duckSql`(SELECT ${join(written, ', ')} FROM ${sql}) AS ${relationName(relation)}`
  return { sql: text, relations: movedRelations, value: added }
}
