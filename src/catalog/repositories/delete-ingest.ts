import type { Transaction } from 'kysely'
import type { Ingest } from '../../model/ingest.ts'
import { Problem } from '../../model/problem.ts'
import type { Tables } from '../schema.ts'

/** The definition stays, for rows in the journal name it; nobody finds it by its alias any more. */
export async function markDeleted(transaction: Transaction<Tables>, { id }: Ingest, deletedMs: number): Promise<void> {
  await transaction.updateTable('ingests').set({ deleted_ms: deletedMs }).where('id', '=', id).execute()
}

/**
 * Takes the ingest's entity out of the catalog with every ingest that ever fed it; what it holds is removed afterwards. Throws Problem
 * `conflict` where another ingest feeds it.
 */
export async function dropEntity(transaction: Transaction<Tables>, ingest: Ingest, droppedMs: number): Promise<void> {
  const { entityId } = ingest
  const feeding = await transaction
    .selectFrom('ingests')
    .select(['id', 'alias', 'deleted_ms'])
    .where('entity_id', '=', entityId)
    .orderBy('alias')
    .execute()
  const others = feeding.filter(({ id, deleted_ms }) => deleted_ms === null && id !== ingest.id)
  if (others.length > 0)
    throw isFed(
      ingest,
      others.map(({ alias }) => alias),
    )
  await transaction
    .insertInto('dropped_entities')
    .values({ entity_id: entityId, dropped_ms: droppedMs, removed: 0 })
    .execute()
  for (const { id } of feeding) {
    await transaction.insertInto('dropped_ingests').values({ ingest_id: id, entity_id: entityId }).execute()
    await transaction.deleteFrom('ingest_fields').where('ingest_id', '=', id).execute()
    await transaction.deleteFrom('field_places').where('ingest_id', '=', id).execute()
  }
  await transaction.deleteFrom('ingests').where('entity_id', '=', entityId).execute()
  await transaction.deleteFrom('entity_fields').where('entity_id', '=', entityId).execute()
  await transaction.deleteFrom('entities').where('id', '=', entityId).execute()
}

const namedMax = 10

function isFed({ alias, entity }: Ingest, others: readonly string[]): Problem {
  const names = others.slice(0, namedMax).map((name) => `"${name}"`)
  const more = others.length > namedMax ? ` and ${others.length - namedMax} more` : ''
  return new Problem(
    'conflict',
    `The data of "${alias}" cannot be dropped: its entity "${entity}" is also fed by ${names.join(', ')}${more}. ` +
      'Delete these first, or keep the data.',
    { errors: [{ path: 'data', message: 'another ingest feeds the entity' }] },
  )
}
