// Creates the catalog's tables in an empty database, and checks that existing tables have the version this program knows.
import { type CreateTableBuilder, type Kysely, sql, type Transaction } from 'kysely'
import { inTransaction } from './repositories/transactions.ts'
import { counterNames, type TableColumns, type Tables } from './schema.ts'

/** The version of the tables. Any change after the first release increments it, and adds a migration from the previous version. */
const catalogVersion = 1

/** Creates the tables unless they exist, in one transaction that begins with `lock`. Throws an Error when the catalog is newer than the program. */
export async function createTables(
  database: Kysely<Tables>,
  tables: Readonly<Record<string, TableColumns>>,
  lock: (transaction: Transaction<Tables>) => Promise<void>,
  more: (transaction: Transaction<Tables>) => Promise<void> = async () => {},
): Promise<void> {
  await inTransaction(database, async (transaction) => {
    await lock(transaction)
    await transaction.schema
      .createTable('catalog_version')
      .ifNotExists()
      .addColumn('version', 'integer', (column) => column.primaryKey())
      .execute()
    if ((await versionOf(transaction)) !== null) return
    await transaction.insertInto('catalog_version').values({ version: catalogVersion }).execute()
    for (const [name, columns] of Object.entries(tables)) await createTable(transaction, name, columns)
    const counters = counterNames.map((name) => ({ name, value: 0 }))
    await transaction.insertInto('counters').values(counters).execute()
    await createIndexes(transaction)
    await more(transaction)
  })
}

/** For read-only use. Throws an Error when there are no tables, or when their version is not this program's. */
export async function requireTables(database: Kysely<Tables>): Promise<void> {
  if ((await versionOf(database)) === null) throw new Error('The catalog has no table version: it is not a catalog.')
}

/** Returns null when no version has been written yet. Throws an Error when it is not this program's version. */
async function versionOf(database: Kysely<Tables>): Promise<number | null> {
  const [row] = await database.selectFrom('catalog_version').select('version').execute()
  if (row === undefined || row.version === catalogVersion) return row?.version ?? null
  throw new Error(
    `The catalog was written by a newer version of Tidemark: its tables have version ${row.version}, and this program knows ${catalogVersion}. ` +
      'Start that newer version, or restore a backup that was made before the update.',
  )
}

async function createTable(database: Kysely<Tables>, name: string, columns: TableColumns): Promise<void> {
  let table: CreateTableBuilder<string, string> = database.schema.createTable(name)
  for (const [column, definition] of Object.entries(columns)) {
    const [type, mark] = definition.split(' ') as ['text' | 'bigint' | 'integer' | 'bytea', string | undefined]
    table = table.addColumn(column, type, (made) => {
      if (mark === 'null') return made
      return mark === 'unique' ? made.notNull().unique() : made.notNull()
    })
  }
  const key = Object.keys(columns).filter((column) => columns[column]!.endsWith(' key'))
  await table.addPrimaryKeyConstraint(`${name}_key`, key).execute()
}

async function createIndexes({ schema }: Kysely<Tables>): Promise<void> {
  const alive = sql.ref('deleted_ms')
  await schema.createIndex('ingests_by_alias').on('ingests').column('alias').unique().where(alive, 'is', null).execute()
  await schema
    .createIndex('rejected_rows_by_kind')
    .on('rejected_rows')
    .columns(['ingest_id', 'subscriber_id', 'code', 'field_key', 'position'])
    .where(sql.ref('state'), '=', sql.lit('kept'))
    .execute()
  await schema.createIndex('audit_lines_by_id').on('audit_lines').column('id').unique().execute()
  for (const [name, table, columns] of plainIndexes)
    await schema
      .createIndex(name)
      .on(table)
      .columns([...columns])
      .execute()
}

const plainIndexes = [
  ['rejected_rows_by_batch', 'rejected_rows', ['ingest_id', 'batch_position', 'position']],
  ['rejected_kinds_by_rows', 'rejected_kinds', ['ingest_id', 'subscriber_id', 'rows']],
  ['rejected_batches_by_date', 'rejected_batches', ['ingest_id', 'received_ms', 'batch_position']],
  [
    'rejected_batches_of_subscriber',
    'rejected_batches',
    ['ingest_id', 'subscriber_id', 'received_ms', 'batch_position'],
  ],
  ['hook_deliveries_of_hook', 'hook_deliveries', ['hook', 'id']],
] as const
