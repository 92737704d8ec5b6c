import { randomBytes as randomBytesOfSystem } from 'node:crypto'
import { Kysely, sql } from 'kysely'
import type { ClusterCatalog } from '../cluster-catalog.ts'
import { createTables } from '../create-tables.ts'
import { repositories } from '../open-catalog.ts'
import { ClusterDeletionRepository } from '../repositories/cluster-deletions.ts'
import { PartitionRepository } from '../repositories/partitions.ts'
import { PushKeyRepository } from '../repositories/push-keys.ts'
import { SlotWaitRepository } from '../repositories/slot-waits.ts'
import { clusterTables, type Tables } from '../schema.ts'
import { connectionSettings } from './connection-settings.ts'
import { type ConnectionLimits, Connections, clientConfig } from './connections.ts'
import { advisoryLocks, postgresDialect } from './dialect.ts'
import { startError } from './errors.ts'
import { Changes } from './follow-changes.ts'

export interface PostgresCatalogOptions extends ConnectionLimits {
  /** For example postgres://user:password@host:5432/database. */
  readonly url: string
  /** A PEM file of certificate authorities; if empty, those of the system. */
  readonly caFile: string
  /** Created if missing. */
  readonly schema: string
  readonly randomBytes?: (count: number) => Uint8Array
}

/**
 * Opens the catalog of a cluster, and creates missing tables. Throws an Error when the settings or the database privileges are wrong or the catalog is newer
 * than the program, and Problem `unavailable` when the database cannot be reached; both name the place and the remedy. The catalog's methods throw Problem
 * `unavailable` while the database is away, and work again after it is back.
 */
export async function openPostgresCatalog(options: PostgresCatalogOptions): Promise<ClusterCatalog> {
  const { url, caFile, schema, randomBytes = randomBytesOfSystem } = options
  if (!/^[a-z][a-z0-9_]{0,31}$/.test(schema))
    throw new Error(`"${schema}" is not a valid name for a schema of the catalog`)
  const settings = connectionSettings(url, caFile)
  const database = new Kysely<Tables>({ dialect: postgresDialect(new Connections(settings, schema, options)) })
  try {
    await createTables(database, clusterTables, advisoryLocks.creating, createForCluster)
  } catch (error) {
    await database.destroy()
    throw startError(error, settings)
  }
  const changes = new Changes(clientConfig(settings, schema, options.timeoutMs), schema)
  const announce = async (): Promise<void> => {
    await sql`select pg_notify('tidemark.' || current_setting('search_path'), '')`.execute(database).catch(() => {})
  }
  return {
    ...repositories(database, advisoryLocks, randomBytes),
    partitions: new PartitionRepository({ database, locks: advisoryLocks, announce }),
    pushKeys: new PushKeyRepository(database),
    slotWaits: new SlotWaitRepository(database),
    deletions: new ClusterDeletionRepository(database),
    changes,
    cancelsElsewhere: changes.cancelsElsewhere,
    ping: async () => {
      await sql`select 1`.execute(database)
    },
    close: async () => {
      await changes.close()
      await database.destroy()
    },
  }
}

/** Adds an index to find expired push keys by date, and a trigger that announces changes of definitions and access. */
async function createForCluster(database: Kysely<Tables>): Promise<void> {
  await database.schema.createIndex('push_keys_by_date').on('push_keys').column('received_ms').execute()
  await sql`
    create function announce_change() returns trigger language plpgsql as
    $$ begin perform pg_notify('tidemark.' || tg_table_schema, ''); return null; end $$`.execute(database)
  await sql`
    create trigger counters_announce after update on counters for each row
    when (new.name in ('definitions_version', 'access_version'))
    execute function announce_change()`.execute(database)
}
