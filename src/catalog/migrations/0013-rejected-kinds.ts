import { type Kysely, sql } from 'kysely'
import { fieldKeyCharacters, longFieldKey } from '../repositories/field-key.ts'
import type { Tables } from '../schema.ts'

const rowsAtOnce = 500

/** Rejected rows are counted by subscriber, code and field, and by batch, and found by these; by code alone they need no index any more. */
export async function rejectedKinds(database: Kysely<Tables>): Promise<void> {
  await addFieldKeys(database)
  await createKinds(database)
  await createBatches(database)
  await database.schema.dropIndex('rejected_rows_by_code').execute()
  await database.schema
    .createIndex('rejected_rows_by_kind')
    .on('rejected_rows')
    .columns(['ingest_id', 'subscriber_id', 'code', 'field_key', 'position'])
    .where(sql.ref('state'), '=', sql.lit('kept'))
    .execute()
}

async function addFieldKeys(database: Kysely<Tables>): Promise<void> {
  await database.schema
    .alterTable('rejected_rows')
    .addColumn('field_key', 'text', (column) => column.notNull().defaultTo(''))
    .execute()
  await sql`update rejected_rows set field_key = field where length(field) <= ${sql.lit(fieldKeyCharacters)}`.execute(
    database,
  )
  for (let after: Key = { ingest_id: -1, position: -1 }; ; ) {
    const rows = await longFieldsAfter(database, after)
    for (const { ingest_id, position, field } of rows) {
      await database
        .updateTable('rejected_rows')
        .set({ field_key: longFieldKey(field!) })
        .where('ingest_id', '=', ingest_id)
        .where('position', '=', position)
        .execute()
    }
    if (rows.length < rowsAtOnce) return
    after = rows.at(-1)!
  }
}

type Key = Pick<Tables['rejected_rows'], 'ingest_id' | 'position'>

function longFieldsAfter(database: Kysely<Tables>, after: Key) {
  return database
    .selectFrom('rejected_rows')
    .select(['ingest_id', 'position', 'field'])
    .where('field_key', '=', '')
    .where('field', 'is not', null)
    .where(({ or, and, eb }) =>
      or([
        eb('ingest_id', '>', after.ingest_id),
        and([eb('ingest_id', '=', after.ingest_id), eb('position', '>', after.position)]),
      ]),
    )
    .orderBy('ingest_id')
    .orderBy('position')
    .limit(rowsAtOnce)
    .execute()
}

async function createKinds(database: Kysely<Tables>): Promise<void> {
  await database.schema
    .createTable('rejected_kinds')
    .addColumn('ingest_id', 'bigint', (column) => column.notNull())
    .addColumn('subscriber_id', 'bigint', (column) => column.notNull())
    .addColumn('code', 'text', (column) => column.notNull())
    .addColumn('field_key', 'text', (column) => column.notNull())
    .addColumn('rows', 'bigint', (column) => column.notNull())
    .addColumn('field', 'text')
    .addPrimaryKeyConstraint('rejected_kinds_key', ['ingest_id', 'subscriber_id', 'code', 'field_key'])
    .execute()
  await sql`
    insert into rejected_kinds (ingest_id, subscriber_id, code, field_key, rows, field)
    select ingest_id, subscriber_id, code, field_key, count(*), min(field) from rejected_rows
    where state = 'kept' group by ingest_id, subscriber_id, code, field_key`.execute(database)
  await sql`
    insert into rejected_kinds (ingest_id, subscriber_id, code, field_key, rows, field)
    select ingest_id, 0, code, field_key, sum(rows), min(field) from rejected_kinds
    group by ingest_id, code, field_key`.execute(database)
  await database.schema
    .createIndex('rejected_kinds_by_rows')
    .on('rejected_kinds')
    .columns(['ingest_id', 'subscriber_id', 'rows'])
    .execute()
}

async function createBatches(database: Kysely<Tables>): Promise<void> {
  await database.schema
    .createTable('rejected_batches')
    .addColumn('ingest_id', 'bigint', (column) => column.notNull())
    .addColumn('batch_position', 'bigint', (column) => column.notNull())
    .addColumn('batch_rows', 'bigint', (column) => column.notNull())
    .addColumn('subscriber_id', 'bigint', (column) => column.notNull())
    .addColumn('received_ms', 'bigint', (column) => column.notNull())
    .addColumn('rejected', 'bigint', (column) => column.notNull())
    .addPrimaryKeyConstraint('rejected_batches_key', ['ingest_id', 'batch_position'])
    .execute()
  await sql`
    insert into rejected_batches (ingest_id, batch_position, batch_rows, subscriber_id, received_ms, rejected)
    select ingest_id, batch_position, min(batch_rows), min(subscriber_id), min(received_ms),
      sum(case when state = 'stored' then 0 else 1 end)
    from rejected_rows group by ingest_id, batch_position`.execute(database)
  await database.schema
    .createIndex('rejected_batches_by_date')
    .on('rejected_batches')
    .columns(['ingest_id', 'received_ms', 'batch_position'])
    .execute()
  await database.schema
    .createIndex('rejected_batches_of_subscriber')
    .on('rejected_batches')
    .columns(['ingest_id', 'subscriber_id', 'received_ms', 'batch_position'])
    .execute()
}
