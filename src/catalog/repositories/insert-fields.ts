import type { Transaction } from 'kysely'
import type { Field } from '../../model/field.ts'
import type { Tables } from '../schema.ts'
import { toTextColumn } from './text-column.ts'

interface VersionedFields {
  readonly fields: readonly Field[]
  readonly version: number
  readonly firstOrdinal: number
}

/** Those of an ingest, from a place in their order on. */
export async function insertFields(
  transaction: Transaction<Tables>,
  ingestId: number,
  { fields, version, firstOrdinal }: VersionedFields,
): Promise<void> {
  for (const [index, { name, source, type, role, coding = null, added = null }] of fields.entries()) {
    await transaction
      .insertInto('ingest_fields')
      .values({
        ingest_id: ingestId,
        ordinal: firstOrdinal + index,
        version,
        name,
        source: toTextColumn(source),
        type,
        role,
        coding,
        added,
      })
      .execute()
  }
}
