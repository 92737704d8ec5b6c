import { crc32 } from 'node:zlib'
import type { Kysely, Transaction } from 'kysely'
import { parseWithLongs, textWithLongs } from '../../lib/json-with-longs.ts'
import type { Deletion, DeletionChange, DeletionSelection } from '../../model/deletion.ts'
import type { DeletionCatalog } from '../deletions.ts'
import type { StoredVector } from '../manifest.ts'
import type { Tables } from '../schema.ts'
import { counterValue, nextValue } from './counters.ts'
import { Repository } from './transactions.ts'

export class DeletionRepository extends Repository implements DeletionCatalog {
  list(entityId: number): Promise<readonly Deletion[]> {
    return deletionsOf(this.database, entityId)
  }

  async all(): Promise<readonly Deletion[]> {
    const rows = await this.database.selectFrom('deletions').selectAll().orderBy('id').execute()
    return rows.map(deletionOf)
  }

  async vectors(): Promise<readonly StoredVector[]> {
    const rows = await this.database
      .selectFrom('deletion_vectors')
      .selectAll()
      .orderBy('deletion_id')
      .orderBy('name')
      .execute()
    return rows.map((row) => {
      const vector = { entityId: row.entity_id, name: row.name, deletionId: row.deletion_id, bytes: row.bytes }
      if (checksumOf(vector) === row.checksum) return vector
      throw new Error(
        `catalog.sqlite is damaged: its list of the rows that deletion ${row.deletion_id} hides in the file ${row.name} is not as written. Restore a backup.`,
      )
    })
  }

  create(
    deletion: Omit<Deletion, 'id' | 'erasedMs'>,
    vectors: readonly Omit<StoredVector, 'deletionId'>[],
  ): ReturnType<DeletionCatalog['create']> {
    return this.changing(async (transaction) => {
      const made = { ...deletion, id: await nextValue(transaction, 'deletion_id'), erasedMs: null }
      await transaction.insertInto('deletions').values(rowOf(made)).execute()
      for (const vector of vectors) await putVector(transaction, { ...vector, deletionId: made.id })
      const change = await putChange(transaction, made, { place: made.position, isUndone: false }, made.createdMs)
      return { deletion: made, change }
    })
  }

  takeBack(entityId: number, id: number, place: number, nowMs: number): Promise<DeletionChange | null> {
    return this.changing(async (transaction) => {
      const row = await transaction
        .selectFrom('deletions')
        .selectAll()
        .where('entity_id', '=', entityId)
        .where('id', '=', id)
        .where('erased_ms', 'is', null)
        .executeTakeFirst()
      if (row === undefined) return null
      await transaction.deleteFrom('deletions').where('id', '=', id).execute()
      await transaction.deleteFrom('deletion_vectors').where('deletion_id', '=', id).execute()
      return putChange(transaction, deletionOf(row), { place, isUndone: true }, nowMs)
    })
  }

  async changes(): Promise<readonly DeletionChange[]> {
    const rows = await this.database.selectFrom('deletion_changes').selectAll().orderBy('id').execute()
    return rows.map((row) => ({ ...changeOf(row), place: row.place }))
  }

  lastChange(): Promise<number> {
    return counterValue(this.database, 'deletion_change')
  }

  hasChanged(entityId: number, changeId: number, beforeMs: number): Promise<boolean> {
    return hasChanged(this.database, { entityId, changeId, beforeMs })
  }

  forgetChanges(beforeMs: number): Promise<void> {
    return this.changing((transaction) => forgetChanges(transaction, beforeMs))
  }

  async erase(beforeMs: number, nowMs: number): Promise<number> {
    const { numUpdatedRows } = await this.changing((transaction) =>
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

export async function putChange(
  transaction: Transaction<Tables>,
  { id: deletionId, entityId, selection }: Pick<Deletion, 'id' | 'entityId' | 'selection'>,
  { place, places, isUndone }: Pick<DeletionChange, 'place' | 'isUndone'> & { readonly places?: readonly number[] },
  madeMs: number,
): Promise<DeletionChange> {
  const id = await nextValue(transaction, 'deletion_change')
  await transaction
    .insertInto('deletion_changes')
    .values({
      ...{ id, place, entity_id: entityId, deletion_id: deletionId, undone: isUndone ? 1 : 0, made_ms: madeMs },
      places: places === undefined ? null : JSON.stringify(places),
      selection: textWithLongs(selection),
    })
    .execute()
  return { id, entityId, deletionId, place, isUndone, selection }
}

export function changeOf(row: Tables['deletion_changes']): Omit<DeletionChange, 'place'> {
  return {
    id: row.id,
    entityId: row.entity_id,
    deletionId: row.deletion_id,
    isUndone: row.undone === 1,
    selection: selectionOf(row),
  }
}

/** See `DeletionCatalog.hasChanged`. */
export async function hasChanged(
  database: Kysely<Tables>,
  { entityId, changeId, beforeMs }: { readonly entityId: number; readonly changeId: number; readonly beforeMs: number },
): Promise<boolean> {
  const row = await database
    .selectFrom('deletion_changes')
    .select('id')
    .where('entity_id', '=', entityId)
    .where('id', '>', changeId)
    .where('made_ms', '<', beforeMs)
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}

/** See `DeletionCatalog.forgetChanges`. */
export async function forgetChanges(transaction: Transaction<Tables>, beforeMs: number): Promise<void> {
  const last = await transaction
    .selectFrom('deletion_changes')
    .select(({ fn }) => ['entity_id', fn.max('id').as('id')])
    .where('made_ms', '<', beforeMs)
    .groupBy('entity_id')
    .execute()
  for (const { entity_id, id } of last) {
    const { numDeletedRows } = await transaction
      .deleteFrom('deletion_changes')
      .where('entity_id', '=', entity_id)
      .where('id', '<', id)
      .executeTakeFirstOrThrow()
    if (numDeletedRows === 0n) continue
    // A date of 0 makes `hasChanged` true for readers that missed the forgotten changes, whatever the clock and settings of the process they query.
    await transaction.updateTable('deletion_changes').set({ made_ms: 0 }).where('id', '=', id).execute()
  }
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

/** Deletions of an entity, newest first. */
export async function deletionsOf(database: Kysely<Tables>, entityId: number): Promise<readonly Deletion[]> {
  const rows = await database
    .selectFrom('deletions')
    .selectAll()
    .where('entity_id', '=', entityId)
    .orderBy('id', 'desc')
    .execute()
  return rows.map(deletionOf)
}

export function selectionOf({ selection }: Pick<Tables['deletions'], 'selection'>): DeletionSelection {
  return parseWithLongs(selection) as DeletionSelection
}

function deletionOf(row: Tables['deletions']): Deletion {
  return {
    id: row.id,
    entityId: row.entity_id,
    selection: selectionOf(row),
    reason: row.reason,
    subscriber: row.subscriber,
    createdMs: row.created_ms,
    position: row.position,
    rows: row.rows,
    erasedMs: row.erased_ms,
  }
}
