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

/** The contents of a statement's tables. */
export interface DruidTables {
  /** The tables that the query was checked with. */
  readonly tables: readonly SqlTable[]
  readonly entities: readonly Entity[]
  readonly clusterName: string
  readonly known: KnownColumns
  /** All metadata that the query needs. */
  readonly items: readonly EngineItems[]
}

/**
 * Writes a query that `translateSql` has checked as a statement of Druid's SQL. The columns and `namedKeys` are those of the check, in the same order.
 * Throws Problem `invalid_request` for syntax that only the embedded engine accepts.
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
