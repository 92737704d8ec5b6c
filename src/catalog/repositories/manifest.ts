import { crc32 } from 'node:zlib'
import type { Transaction } from 'kysely'
import type { DiskSize } from '../../model/disk-size.ts'
import type {
  DiskSizes,
  IngestCount,
  Manifest,
  ManifestCatalog,
  ManifestChange,
  StoreFile,
  StoreFileKey,
  StoreRegistry,
} from '../manifest.ts'
import type { Tables } from '../schema.ts'
import { putVector } from './deletions.ts'
import { oneOf } from './ingest-rows.ts'
import { Repository } from './transactions.ts'

const stateId = 1
/** The id of a row that never remains; see `settle`. */
const settlingId = 2

export class ManifestRepository extends Repository implements ManifestCatalog, DiskSizes {
  load(): Promise<Manifest> {
    return this.reading(async (transaction) => {
      const files = await transaction
        .selectFrom('store_files')
        .selectAll()
        .orderBy('entity_id')
        .orderBy('name')
        .execute()
      const registries = await transaction.selectFrom('store_registries').selectAll().orderBy('entity_id').execute()
      const counts = await transaction.selectFrom('ingest_counts').selectAll().orderBy('ingest_id').execute()
      return {
        sealedPosition: await sealedPositionOf(transaction),
        files: files.map((row) => fileOf(checked('store_files', row))),
        registries: registries.map((row) => registryOf(checked('store_registries', row))),
        counts: counts.map((row) => countOf(checked('ingest_counts', row))),
      }
    })
  }

  /** Does not verify the checksum of each row: there may be many, and no decision depends on the result. */
  sizes(entityIds: readonly number[]): Promise<ReadonlyMap<number, DiskSize>> {
    return this.reading(async (transaction) => {
      const known = await transaction.selectFrom('store_registries').select(['entity_id', 'bytes']).execute()
      const registryBytes = new Map(known.map((row) => [row.entity_id, row.bytes]))
      const sizes = new Map<number, DiskSize>()
      for (const id of entityIds) {
        const size = await sizeOf(transaction, id)
        if (size.files > 0) sizes.set(id, { ...size, bytes: size.bytes + (registryBytes.get(id) ?? 0) })
      }
      return sizes
    })
  }

  async commit({ add, remove, registries, vectors = [], seal }: ManifestChange): Promise<void> {
    await this.changing(async (transaction) => {
      await removeFiles(transaction, remove)
      for (const file of add) await transaction.insertInto('store_files').values(fileRow(file)).execute()
      for (const vector of vectors) await putVector(transaction, vector)
      for (const registry of registries) await putRegistry(transaction, registry)
      for (const count of seal?.counts ?? []) await putCount(transaction, count)
      if (seal === null) return
      await putPosition(transaction, seal.position)
      await putJournalEnd(transaction, seal.journalEnd)
    })
  }

  /** SQLite overwrites the failed commit in its log with this one. Checksums chain the frames, so anything behind it becomes invalid. */
  async settle(): Promise<void> {
    await this.changing(async (transaction) => {
      const row = sealed('store_state', { id: settlingId, sealed_position: 0 })
      await transaction.insertInto('store_state').values(row).execute()
      await transaction.deleteFrom('store_state').where('id', '=', settlingId).execute()
    })
  }

  journalEnd(): Promise<number | null> {
    return this.reading(journalEndOf)
  }

  async noteJournalEnd(position: number): Promise<void> {
    await this.changing((transaction) => putJournalEnd(transaction, position))
  }

  async drop(entityId: number): Promise<void> {
    await this.changing(async (transaction) => {
      for (const table of ofEntity) await transaction.deleteFrom(table).where('entity_id', '=', entityId).execute()
    })
  }
}

/** The tables with data of an entity's rows in the catalog of one machine. */
const ofEntity = ['store_files', 'store_registries', 'deletion_vectors', 'deletions', 'deletion_changes'] as const

async function sizeOf(transaction: Transaction<Tables>, entityId: number): Promise<DiskSize> {
  const { countAll, sum, min, max } = transaction.fn
  const row = await transaction
    .selectFrom('store_files')
    .where('entity_id', '=', entityId)
    .select([
      countAll<number>().as('files'),
      sum<number | null>('rows').filterWhere('kind', '!=', 'hours').as('rows'),
      sum<number | null>('bytes').as('bytes'),
      sum<number | null>('index_bytes').as('index_bytes'),
      min('first_ms').filterWhere('kind', '!=', 'hours').as('first_ms'),
      max('last_ms').filterWhere('kind', '!=', 'hours').as('last_ms'),
    ])
    .executeTakeFirstOrThrow()
  return {
    files: Number(row.files),
    rows: Number(row.rows ?? 0),
    bytes: Number(row.bytes ?? 0) + Number(row.index_bytes ?? 0),
    firstMs: row.first_ms,
    lastMs: row.last_ms,
  }
}

type Row = Readonly<Record<string, number | string | null>> & { readonly checksum: number }

/** A row with its checksum, computed over the table's name and the values ordered by their names. */
function sealed<Values extends Readonly<Record<string, number | string | null>>>(
  table: string,
  values: Values,
): Values & { checksum: number } {
  return { ...values, checksum: checksumOf(table, values) }
}

function checked<Record extends Row>(table: string, row: Record): Record {
  const { checksum, ...values } = row
  if (checksumOf(table, values) === checksum) return row
  throw new Error(
    `catalog.sqlite is damaged: a row of its table ${table} is not as written (${JSON.stringify(values)}). Restore a backup.`,
  )
}

function checksumOf(table: string, values: Readonly<Record<string, number | string | null>>): number {
  const entries = Object.entries(values).sort(([a], [b]) => (a < b ? -1 : 1))
  return crc32(JSON.stringify([table, entries]))
}

async function sealedPositionOf(transaction: Transaction<Tables>): Promise<number> {
  const row = await transaction.selectFrom('store_state').selectAll().executeTakeFirst()
  return row === undefined ? 0 : checked('store_state', row).sealed_position
}

async function removeFiles(transaction: Transaction<Tables>, keys: readonly StoreFileKey[]): Promise<void> {
  for (const { entityId, name } of keys) {
    const { numDeletedRows } = await transaction
      .deleteFrom('store_files')
      .where('entity_id', '=', entityId)
      .where('name', '=', name)
      .executeTakeFirst()
    if (numDeletedRows !== 1n) throw new Error(`file ${entityId}/${name} is to leave the manifest, and is not there`)
    await transaction
      .deleteFrom('deletion_vectors')
      .where('entity_id', '=', entityId)
      .where('name', '=', name)
      .execute()
  }
}

async function putRegistry(transaction: Transaction<Tables>, registry: StoreRegistry): Promise<void> {
  const standing = await transaction
    .selectFrom('store_registries')
    .select(['series', 'bytes'])
    .where('entity_id', '=', registry.entityId)
    .executeTakeFirst()
  if (standing !== undefined && (standing.series > registry.series || standing.bytes > registry.bytes)) {
    throw new Error(`the registry of entity ${registry.entityId} would become shorter`)
  }
  const { entityId: entity_id, series, bytes } = registry
  const row = sealed('store_registries', { entity_id, series, bytes })
  await transaction.replaceInto('store_registries').values(row).execute()
}

async function putCount(transaction: Transaction<Tables>, { ingestId, ...count }: IngestCount): Promise<void> {
  const row = sealed('ingest_counts', { ingest_id: ingestId, validated: count.validated, rejected: count.rejected })
  await transaction.replaceInto('ingest_counts').values(row).execute()
}

async function putPosition(transaction: Transaction<Tables>, position: number): Promise<void> {
  const standing = await sealedPositionOf(transaction)
  if (position < standing) throw new Error(`the sealed position would go back from ${standing} to ${position}`)
  const row = sealed('store_state', { id: stateId, sealed_position: position })
  await transaction.replaceInto('store_state').values(row).execute()
}

async function journalEndOf(transaction: Transaction<Tables>): Promise<number | null> {
  const row = await transaction.selectFrom('journal_end').selectAll().executeTakeFirst()
  return row === undefined ? null : checked('journal_end', row).position
}

/** Both the sealing thread and the thread that writes the journal record the end; the stored one may be further. */
async function putJournalEnd(transaction: Transaction<Tables>, position: number): Promise<void> {
  const standing = await journalEndOf(transaction)
  if (standing !== null && standing >= position) return
  const row = sealed('journal_end', { id: stateId, position })
  await transaction.replaceInto('journal_end').values(row).execute()
}

function fileRow(file: StoreFile): Tables['store_files'] {
  return sealed('store_files', {
    entity_id: file.entityId,
    name: file.name,
    kind: file.kind,
    day: file.day,
    rows: file.rows,
    first_ms: file.firstMs,
    last_ms: file.lastMs,
    first_position: file.firstPosition,
    last_position: file.lastPosition,
    bytes: file.bytes,
    index_bytes: file.indexBytes,
  })
}

function fileOf(row: Tables['store_files']): StoreFile {
  return {
    entityId: row.entity_id,
    name: row.name,
    kind: oneOf(['day', 'mixed', 'hours'], row.kind),
    day: row.day,
    rows: row.rows,
    firstMs: row.first_ms,
    lastMs: row.last_ms,
    firstPosition: row.first_position,
    lastPosition: row.last_position,
    bytes: row.bytes,
    indexBytes: row.index_bytes,
  }
}

function registryOf({ entity_id, series, bytes }: Tables['store_registries']): StoreRegistry {
  return { entityId: entity_id, series, bytes }
}

function countOf({ ingest_id, validated, rejected }: Tables['ingest_counts']): IngestCount {
  return { ingestId: ingest_id, validated, rejected }
}
