import { Zone } from '../../druid-time/zone.ts'
import type { Sql } from '../../lib/sql-text.ts'
import type { Entity } from '../../model/entity.ts'
import type { EngineItems } from '../../sql-engine/sql-engine.ts'
import { type SqlTable, SqlTables } from '../bind/tables.ts'
import type { Place } from '../parse/sql-problem.ts'
import type { Query } from '../parse/syntax.ts'
import { entitySource, type KnownColumns } from './entity-source.ts'
import { itemsSource } from './items-source.ts'
import { QueryWriter } from './write-query.ts'

/** What the tables of a statement are made of. */
export interface DruidTables {
  /** What the query was checked with. */
  readonly tables: readonly SqlTable[]
  readonly entities: readonly Entity[]
  readonly clusterName: string
  readonly known: KnownColumns
  /** What the query needs of metadata, all of it. */
  readonly items: readonly EngineItems[]
}

/**
 * A query that `translateSql` has checked, as a statement of Druid's SQL, with the columns of the check in their order; `namedKeys` is the check's.
 * Throws Problem `invalid_request` for what only the embedded engine takes.
 */
export function druidStatement(
  { query, zone = Zone.utc }: { readonly query: Query; readonly zone?: Zone | undefined },
  { tables, entities, clusterName, known, items }: DruidTables,
  namedKeys: readonly Place[] = [],
): Sql {
  const named = new SqlTables(tables)
  const entityById = new Map(entities.map((entity) => [entity.id, entity]))
  const itemsById = new Map(items.map((table) => [table.entityId, table]))
  const sourceOf = (table: SqlTable): Sql | null => {
    const { schema, entityId } = table
    const [entity, needed] = [entityById.get(entityId), itemsById.get(entityId)]
    if (schema === 'metadata') return needed === undefined ? null : itemsSource(table, needed)
    return entity === undefined ? null : entitySource(entity, clusterName, known)
  }
  const source = (path: readonly string[]): Sql | null => {
    const table = named.find(path)
    return table === undefined ? null : sourceOf(table)
  }
  const writer = new QueryWriter(source, namedKeys, zone)
  return writer.query(query)
}
