import type { Reader } from '../admission/reader.ts'
import type { Definitions } from '../catalog/definitions.ts'
import type { Entity, MetadataEntity } from '../model/entity.ts'
import { metadataTable, type SqlTable, sqlTable } from './bind/tables.ts'

/** The entities that a caller may read, and their SQL tables. Everything else is treated as not existing. */
export interface ReadableTables {
  readonly entities: readonly Entity[]
  readonly metadataEntities: readonly MetadataEntity[]
  readonly tables: readonly SqlTable[]
}

/** Tables by definition. A changed definition is another object. */
const known = new WeakMap<Entity | MetadataEntity, SqlTable>()

export function readableTables(
  definitions: Pick<Definitions, 'entities' | 'metadataEntities'>,
  { mayRead }: Reader,
): ReadableTables {
  const entities = definitions.entities().filter(({ name }) => mayRead(name))
  const metadataEntities = definitions.metadataEntities().filter(({ name }) => mayRead(name))
  const tables = [
    ...entities.map((entity) => tableOf(entity, sqlTable)),
    ...metadataEntities.map((entity) => tableOf(entity, metadataTable)),
  ]
  return { entities, metadataEntities, tables }
}

function tableOf<Defined extends Entity | MetadataEntity>(
  entity: Defined,
  make: (entity: Defined) => SqlTable,
): SqlTable {
  const table = known.get(entity) ?? make(entity)
  known.set(entity, table)
  return table
}
