import type { Transaction } from 'kysely'
import type { Ingest, Unknown } from '../../model/ingest.ts'
import type { Tables } from '../schema.ts'
import { withUnknown } from './ingest-rows.ts'

/** What becomes of unknown properties is another from the next version of the fields on. */
export async function turnUnknown(transaction: Transaction<Tables>, ingest: Ingest, unknown: Unknown): Promise<void> {
  const { unknown: changes } = await transaction
    .selectFrom('ingests')
    .select('unknown')
    .where('id', '=', ingest.id)
    .executeTakeFirstOrThrow()
  await transaction
    .updateTable('ingests')
    .set({ unknown: withUnknown(changes, ingest.fieldsVersion + 1, unknown) })
    .where('id', '=', ingest.id)
    .execute()
}
