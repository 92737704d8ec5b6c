import { type Entity, timeField } from '../model/entity.ts'
import { formatInstant } from '../model/instant.ts'
import type { EntityStatistics } from '../store/series-store.ts'
import type { EntityDescription } from './responses.ts'

/** How an entity is shown to those who query it. */
export function describeEntity(entity: Entity, { rows, firstMs, lastMs }: EntityStatistics): EntityDescription {
  return {
    entity: entity.name,
    ingests: [...entity.ingests],
    time_field: timeField(entity).name,
    fields: entity.fields.map(({ name, type, role }) => ({ name, type, role })),
    rows,
    first_date: firstMs === null ? null : formatInstant(firstMs),
    last_date: lastMs === null ? null : formatInstant(lastMs),
  }
}
