import type { Kysely } from 'kysely'
import type { Catalog, SharedCatalog } from './catalog.ts'
import { createTables, requireTables } from './create-tables.ts'
import { type CatalogLocks, noLocks } from './locks.ts'
import { AccessRepository } from './repositories/access.ts'
import { AuditRepository } from './repositories/audit.ts'
import { DeletionRepository } from './repositories/deletions.ts'
import { DroppedRepository } from './repositories/dropped.ts'
import { HookRepository } from './repositories/hooks.ts'
import { IngestRepository } from './repositories/ingests.ts'
import { ItemRepository } from './repositories/items.ts'
import { ManifestRepository } from './repositories/manifest.ts'
import { OutcomeRepository } from './repositories/outcomes.ts'
import { QuarantineRepository } from './repositories/quarantine.ts'
import { RejectedRepository } from './repositories/rejected.ts'
import { SecretRepository } from './repositories/secrets.ts'
import { ViewRepository } from './repositories/views.ts'
import { machineTables, type Tables } from './schema.ts'

export interface OpenCatalogOptions {
  readonly randomBytes: (count: number) => Uint8Array
  readonly readOnly: boolean
}

/** Opens the catalog of one machine. Unless read-only, missing tables are created first. Throws an Error when the catalog is newer than the program. */
export async function openCatalog(
  database: Kysely<Tables>,
  { randomBytes, readOnly }: OpenCatalogOptions,
): Promise<Catalog> {
  try {
    if (readOnly) await requireTables(database)
    else await createTables(database, machineTables, noLocks.creating)
  } catch (error) {
    await database.destroy()
    throw error
  }
  return {
    ...repositories(database, noLocks, randomBytes),
    manifest: new ManifestRepository(database),
    deletions: new DeletionRepository(database),
  }
}

/** The repositories whose tables are the same for every database. */
export function repositories(
  database: Kysely<Tables>,
  locks: CatalogLocks,
  randomBytes: (count: number) => Uint8Array,
): SharedCatalog {
  return {
    ingests: new IngestRepository(database, locks),
    access: new AccessRepository(database),
    outcomes: new OutcomeRepository(database, locks),
    rejected: new RejectedRepository(database),
    items: new ItemRepository(database),
    dropped: new DroppedRepository(database),
    quarantine: new QuarantineRepository(database),
    secrets: new SecretRepository(database, randomBytes),
    audit: new AuditRepository(database, (transaction) => ({
      ingests: new IngestRepository(transaction, locks),
      access: new AccessRepository(transaction),
      hooks: new HookRepository(transaction),
      views: new ViewRepository(transaction),
    })),
    hooks: new HookRepository(database),
    views: new ViewRepository(database),
    close: () => database.destroy(),
  }
}
