import { crc32 } from 'node:zlib'
import type { Kysely, Transaction } from 'kysely'
import { parseWithLongs, textWithLongs } from '../../lib/json-with-longs.ts'
import type { Deletion, DeletionSelection } from '../../model/deletion.ts'
import type { DeletionCatalog } from '../deletions.ts'
import type { StoredVector } from '../manifest.ts'
import type { Tables } from '../schema.ts'
import { nextValue } from './counters.ts'
import { inTransaction } from './in-transaction.ts'

export class DeletionRepository implements DeletionCatalog {
  readonly #database: Kysely<Tables>

  constructor(database: Kysely<Tables>) {
    this.#database = database
  }

  async list(entityId: number): Promise<readonly Deletion[]> {
    const rows = await this.#database
      .selectFrom('deletions')
      .selectAll()
      .where('entity_id', '=', entityId)
      .orderBy('id', 'desc')
      .execute()
    return rows.map(deletionOf)
  }

  async all(): Promise<readonly Deletion[]> {
    const rows = await this.#database.selectFrom('deletions').selectAll().orderBy('id').execute()
    return rows.map(deletionOf)
  }

  async vectors(): Promise<readonly StoredVector[]> {
    const rows = await this.#database
      .selectFrom('deletion_vectors')
      .selectAll()
      .orderBy('deletion_id')
      .orderBy('name')
      .execute()
    return rows.map((row) => {
      const vector = { entityId: row.entity_id, name: row.name, deletionId: row.deletion_id, bytes: row.bytes }
      if (checksumOf(vector) === row.checksum) return vector
      throw new Error(
        `catalog.sqlite is damaged: the rows that deletion ${row.deletion_id} hides in the file ${row.name} are not what was written. Restore a backup.`,
      )
    })
  }

  create(
    deletion: Omit<Deletion, 'id' | 'erasedMs'>,
    vectors: readonly Omit<StoredVector, 'deletionId'>[],
  ): Promise<Deletion> {
    return inTransaction(this.#database, async (transaction) => {
      const made = { ...deletion, id: await nextValue(transaction, 'deletion_id'), erasedMs: null }
      await transaction.insertInto('deletions').values(rowOf(made)).execute()
      for (const vector of vectors) await putVector(transaction, { ...vector, deletionId: made.id })
      return made
    })
  }

  takeBack(entityId: number, id: number): Promise<boolean> {
    return inTransaction(this.#database, async (transaction) => {
      const { numDeletedRows } = await transaction
        .deleteFrom('deletions')
        .where('entity_id', '=', entityId)
        .where('id', '=', id)
        .where('erased_ms', 'is', null)
        .executeTakeFirst()
      if (numDeletedRows === 0n) return false
      await transaction.deleteFrom('deletion_vectors').where('deletion_id', '=', id).execute()
      return true
    })
  }

  async erase(beforeMs: number, nowMs: number): Promise<number> {
    const { numUpdatedRows } = await inTransaction(this.#database, (transaction) =>
      transaction
        .updateTable('deletions')
        .set({ erased_ms: nowMs })
        .where('erased_ms', 'is', null)
        .where('created_ms', '<=', beforeMs)
        .executeTakeFirstOrThrow(),
    )
    return Number(numUpdatedRows)
  }
}

export async function putVector(transaction: Transaction<Tables>, vector: StoredVector): Promise<void> {
  const { entityId: entity_id, name, deletionId: deletion_id, bytes } = vector
  const row = { entity_id, name, deletion_id, bytes, checksum: checksumOf(vector) }
  await transaction.insertInto('deletion_vectors').values(row).execute()
}

const checksumOf = ({ entityId, name, deletionId, bytes }: StoredVector): number =>
  crc32(bytes, crc32(JSON.stringify([entityId, name, deletionId])))

export function rowOf(deletion: Deletion): Tables['deletions'] {
  return {
    id: deletion.id,
    entity_id: deletion.entityId,
    selection: textWithLongs(deletion.selection),
    reason: deletion.reason,
    subscriber: deletion.subscriber,
    created_ms: deletion.createdMs,
    position: deletion.position,
    rows: deletion.rows,
    erased_ms: deletion.erasedMs,
    hidden: null,
  }
}

export function deletionOf(row: Tables['deletions']): Deletion {
  return {
    id: row.id,
    entityId: row.entity_id,
    selection: parseWithLongs(row.selection) as DeletionSelection,
    reason: row.reason,
    subscriber: row.subscriber,
    createdMs: row.created_ms,
    position: row.position,
    rows: row.rows,
    erasedMs: row.erased_ms,
  }
}
