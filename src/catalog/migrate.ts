import type { Kysely, Transaction } from 'kysely'
import { firstTables } from './migrations/0001-first-tables.ts'
import { items } from './migrations/0002-items.ts'
import { storeFiles } from './migrations/0003-store-files.ts'
import { rejectedBytes } from './migrations/0004-rejected-bytes.ts'
import { lifecycle } from './migrations/0005-lifecycle.ts'
import { lanes } from './migrations/0006-lanes.ts'
import { announcements } from './migrations/0007-announcements.ts'
import { journalEnd } from './migrations/0008-journal-end.ts'
import { slotWaits } from './migrations/0009-slot-waits.ts'
import { setAside } from './migrations/0010-set-aside.ts'
import { laneNotes } from './migrations/0011-lane-notes.ts'
import { storedRows } from './migrations/0012-stored-rows.ts'
import { rejectedKinds } from './migrations/0013-rejected-kinds.ts'
import { replaysInto } from './migrations/0014-replays-into.ts'
import { lines } from './migrations/0015-lines.ts'
import { openIngests } from './migrations/0016-open-ingests.ts'
import { fieldPlaces } from './migrations/0017-field-places.ts'
import { inTransaction } from './repositories/in-transaction.ts'
import type { Tables } from './schema.ts'

export interface Migration {
  readonly name: string
  readonly up: (database: Kysely<Tables>) => Promise<void>
}

/** In order, for ever: what was released is never edited, only followed by another. */
export const machineMigrations: readonly Migration[] = [
  { name: '0001-first-tables', up: firstTables },
  { name: '0002-items', up: items },
  { name: '0003-store-files', up: storeFiles },
  { name: '0004-rejected-bytes', up: rejectedBytes },
  { name: '0005-lifecycle', up: lifecycle },
  { name: '0008-journal-end', up: journalEnd },
  { name: '0010-set-aside', up: setAside },
  { name: '0013-rejected-kinds', up: rejectedKinds },
  { name: '0014-replays-into', up: replaysInto },
  { name: '0015-lines', up: lines },
  { name: '0016-open-ingests', up: openIngests },
  { name: '0017-field-places', up: fieldPlaces },
]

/** Those of a cluster, which has no files of its own to list, but lanes. */
export const clusterMigrations: readonly Migration[] = [
  { name: '0001-first-tables', up: firstTables },
  { name: '0002-items', up: items },
  { name: '0004-rejected-bytes', up: rejectedBytes },
  { name: '0005-lifecycle', up: lifecycle },
  { name: '0006-lanes', up: lanes },
  { name: '0007-announcements', up: announcements },
  { name: '0009-slot-waits', up: slotWaits },
  { name: '0010-set-aside', up: setAside },
  { name: '0011-lane-notes', up: laneNotes },
  { name: '0012-stored-rows', up: storedRows },
  { name: '0013-rejected-kinds', up: rejectedKinds },
  { name: '0014-replays-into', up: replaysInto },
  { name: '0015-lines', up: lines },
  { name: '0016-open-ingests', up: openIngests },
  { name: '0017-field-places', up: fieldPlaces },
]

/**
 * Brings the tables to this program's shape, in one transaction that begins with `lock`. Throws an Error when the catalog is newer than
 * the program.
 */
export async function migrate(
  database: Kysely<Tables>,
  migrations: readonly Migration[],
  lock: (transaction: Transaction<Tables>) => Promise<void>,
): Promise<void> {
  await inTransaction(database, async (transaction) => {
    await lock(transaction)
    await transaction.schema
      .createTable('migrations')
      .ifNotExists()
      .addColumn('number', 'integer', (column) => column.primaryKey())
      .addColumn('name', 'text', (column) => column.notNull())
      .execute()
    const applied = await appliedTo(transaction, migrations)
    for (const [index, { name, up }] of migrations.entries()) {
      if (index < applied) continue
      await up(transaction)
      await transaction
        .insertInto('migrations')
        .values({ number: index + 1, name })
        .execute()
    }
  })
}

/** For a reader that changes nothing. Throws an Error when the tables are not of this program's shape. */
export async function requireMigrated(database: Kysely<Tables>, migrations: readonly Migration[]): Promise<void> {
  if ((await appliedTo(database, migrations)) === migrations.length) return
  throw new Error(
    'The catalog was written by an older version of Tidemark. Start the service once: it brings it up to date.',
  )
}

/** How many of the changes the tables have had. Throws an Error when there are others among them. */
async function appliedTo(database: Kysely<Tables>, migrations: readonly Migration[]): Promise<number> {
  const applied = await database.selectFrom('migrations').selectAll().orderBy('number').execute()
  const unknown = applied.find(({ number, name }) => migrations[number - 1]?.name !== name)
  if (unknown === undefined) return applied.length
  throw new Error(
    `The catalog was written by a newer version of Tidemark: it holds the change "${unknown.name}", which this version does not know. ` +
      'Start that newer version, or restore a backup that was made before the update.',
  )
}
