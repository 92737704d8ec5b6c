import { type Kysely, sql, type Transaction } from 'kysely'
import { addTo } from '../../lib/add-to.ts'
import type { Deletion, HiddenByDeletion, HiddenRows } from '../../model/deletion.ts'
import { Problem } from '../../model/problem.ts'
import type { ClusterDeletionCatalog, DeletionInProgress, PublishedChange } from '../deletions.ts'
import type { Tables } from '../schema.ts'
import { counterValue, nextValue } from './counters.ts'
import { changeOf, deletionsOf, forgetChanges, hasChanged, putChange, rowOf, selectionOf } from './deletions.ts'
import { hoursIn } from './entities.ts'
import { Repository } from './transactions.ts'

/** The database's clock, because the clocks of processes differ. */
const nowMs = sql<number>`floor(extract(epoch from clock_timestamp()) * 1000)::bigint`

/** Deletions of a cluster. Each change also increments the version of the definitions, so that all processes are notified. */
export class ClusterDeletionRepository extends Repository implements ClusterDeletionCatalog {
  list(entityId: number): Promise<readonly Deletion[]> {
    return deletionsOf(this.database, entityId)
  }

  lastChange(): Promise<number> {
    return counterValue(this.database, 'deletion_change')
  }

  hasChanged(entityId: number, changeId: number, beforeMs: number): Promise<boolean> {
    return hasChanged(this.database, { entityId, changeId, beforeMs })
  }

  async begin({ entityId: entity_id, name }: DeletionInProgress, leaseMs: number): Promise<boolean> {
    await this.#endOld()
    const { numInsertedOrUpdatedRows } = await this.database
      .insertInto('deletions_under_way')
      .values({ entity_id, name, until_ms: sql<number>`${nowMs} + ${leaseMs}::bigint` })
      .onConflict((conflict) => conflict.column('entity_id').doNothing())
      .executeTakeFirstOrThrow()
    return (numInsertedOrUpdatedRows ?? 0n) > 0n
  }

  async renew({ entityId, name }: DeletionInProgress, leaseMs: number): Promise<void> {
    await this.database
      .updateTable('deletions_under_way')
      .set({ until_ms: sql<number>`${nowMs} + ${leaseMs}::bigint` })
      .where('entity_id', '=', entityId)
      .where('name', '=', name)
      .execute()
  }

  async end(underWay: DeletionInProgress): Promise<void> {
    await endUnderWay(this.database, underWay)
  }

  async changesAfter(entityId: number, changeId: number): ReturnType<ClusterDeletionCatalog['changesAfter']> {
    // Operations in progress are read first: one that finishes between the two reads is then among the changes.
    const found = await this.database
      .selectFrom('deletions_under_way')
      .select(sql<boolean>`until_ms < ${nowMs}`.as('isOld'))
      .where('entity_id', '=', entityId)
      .executeTakeFirst()
    if (found?.isOld === true) await this.#endOld()
    const rows = await this.database
      .selectFrom('deletion_changes')
      .selectAll()
      .where('entity_id', '=', entityId)
      .where('id', '>', changeId)
      .orderBy('id')
      .execute()
    const changes = rows.map((row) => ({ ...changeOf(row), places: JSON.parse(row.places ?? '[]') as number[] }))
    return { changes, isUnderWay: found !== undefined }
  }

  /** Ends expired operations: their processes are gone, or will find that they are late. All entities, because nobody queries a dropped entity again. */
  async #endOld(): Promise<void> {
    await this.database.deleteFrom('deletions_under_way').where('until_ms', '<', nowMs).execute()
  }

  async hidden(): Promise<ReadonlyMap<number, readonly HiddenByDeletion[]>> {
    const rows = await this.database
      .selectFrom('deletions')
      .select(['entity_id', 'id', 'selection', 'hidden'])
      .orderBy('id')
      .execute()
    const byEntity = new Map<number, HiddenByDeletion[]>()
    for (const { entity_id, id, ...row } of rows) {
      addTo(byEntity, entity_id, { id, ...hiddenOf(row) })
    }
    return byEntity
  }

  create(
    deletion: Omit<Deletion, 'id' | 'erasedMs'>,
    hidden: Omit<HiddenRows, 'selection'>,
    { deletionsMax, itemsMax }: { readonly deletionsMax: number; readonly itemsMax: number },
    change: PublishedChange,
  ): Promise<Deletion> {
    return this.changing(async (transaction) => {
      await nextValue(transaction, 'definitions_version')
      await requireUnderWay(transaction, change.underWay)
      const { entityId } = deletion
      const entity = await transaction.selectFrom('entities').select('id').where('id', '=', entityId).executeTakeFirst()
      if (entity === undefined) throw new Problem('not_found', 'The entity was dropped meanwhile.')
      const others = await transaction
        .selectFrom('deletions')
        .select(['selection', 'hidden'])
        .where('entity_id', '=', entityId)
        .execute()
      if (others.length >= deletionsMax) throw tooMany(deletionsMax)
      const items = [hidden, ...others.map(hiddenOf)].reduce((sum, one) => sum + itemsIn(one), 0)
      if (items > itemsMax) throw tooManyItems(itemsMax)
      const made = { ...deletion, id: await nextValue(transaction, 'deletion_id'), erasedMs: null }
      await transaction
        .insertInto('deletions')
        .values({ ...rowOf(made), hidden: JSON.stringify(hidden) })
        .execute()
      await publish(transaction, made, { ...change, isUndone: false })
      return made
    })
  }

  takeBack(id: number, change: PublishedChange): Promise<boolean> {
    const { entityId } = change.underWay
    return this.changing(async (transaction) => {
      await nextValue(transaction, 'definitions_version')
      await requireUnderWay(transaction, change.underWay)
      const taken = await transaction
        .deleteFrom('deletions')
        .where('entity_id', '=', entityId)
        .where('id', '=', id)
        .returning('selection')
        .executeTakeFirst()
      if (taken === undefined) return false
      const selection = selectionOf(taken)
      await requireNoHoursWithout(transaction, { id, entityId, selection })
      await publish(transaction, { id, entityId, selection }, { ...change, isUndone: true })
      return true
    })
  }
}

async function publish(
  transaction: Transaction<Tables>,
  deletion: Pick<Deletion, 'id' | 'entityId' | 'selection'>,
  { places, isUndone, madeMs, forgetBeforeMs }: PublishedChange & { readonly isUndone: boolean },
): Promise<void> {
  await putChange(transaction, deletion, { place: 0, places, isUndone }, madeMs)
  await forgetChanges(transaction, forgetBeforeMs)
}

/** After its lease expired, live readers have continued and another operation may be in progress, so rows would be sent on the wrong side of its place. */
async function requireUnderWay(transaction: Transaction<Tables>, underWay: DeletionInProgress): Promise<void> {
  if (await endUnderWay(transaction, underWay)) return
  throw new Problem('unavailable', 'The catalog could not be reached for too long. Nothing was changed: try again.')
}

/** Hours being made exclude the rows that this deletion hides; a process that continues making them must get the same result. */
async function requireNoHoursWithout(
  transaction: Transaction<Tables>,
  { id, entityId, selection }: Pick<Deletion, 'id' | 'entityId' | 'selection'>,
): Promise<void> {
  const entity = await transaction.selectFrom('entities').select('hours').where('id', '=', entityId).executeTakeFirst()
  const made = entity?.hours == null ? undefined : hoursIn(entity.hours).made
  const making = made?.making ?? null
  if (made === undefined || making === null || made.madeMs >= making.untilMs || id > making.deletionId) return
  const { fromMs, toMs } = selection
  if ((fromMs !== null && fromMs >= making.untilMs) || (toMs !== null && toMs < made.madeMs)) return
  throw new Problem(
    'unavailable',
    `Rows of deletion ${id} have expired, and hours are being made without them. Retry in a few minutes.`,
    { retryAfterS: 60 },
  )
}

async function endUnderWay(database: Kysely<Tables>, { entityId, name }: DeletionInProgress): Promise<boolean> {
  const { numDeletedRows } = await database
    .deleteFrom('deletions_under_way')
    .where('entity_id', '=', entityId)
    .where('name', '=', name)
    .executeTakeFirst()
  return numDeletedRows > 0n
}

function hiddenOf(row: Pick<Tables['deletions'], 'selection' | 'hidden'>): HiddenRows {
  if (row.hidden === null) throw new Error('a deletion of a cluster says what it hides')
  return { selection: selectionOf(row), ...JSON.parse(row.hidden) }
}

function itemsIn({ items }: Pick<HiddenRows, 'items'>): number {
  return (items ?? []).reduce((sum, { times }) => sum + times.length, 0)
}

function tooMany(deletionsMax: number): Problem {
  return new Problem(
    'conflict',
    `The entity has ${deletionsMax} deletions that can be taken back, the most allowed (limits.deletions). Take some back first.`,
  )
}

function tooManyItems(itemsMax: number): Problem {
  return new Problem(
    'conflict',
    `The entity's deletions with \`where\` would record more than ${itemsMax.toLocaleString('en-US')} items together, the most on a cluster where newer rows replace older ones. Take some back first, or select a shorter time.`,
  )
}
