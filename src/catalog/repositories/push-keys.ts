import { randomUUID } from 'node:crypto'
import { sql, type Transaction } from 'kysely'
import type { PushKeyCatalog, PushKeyHolder, PushKeyName, Reservation } from '../push-keys.ts'
import type { Tables } from '../schema.ts'
import { holderOf, keyHash, keyLifeMs } from './settle-keys.ts'
import { Repository } from './transactions.ts'

/** Keys forgotten per transaction; other changes run in between. */
const keysAtOnce = 5000

export class PushKeyRepository extends Repository implements PushKeyCatalog {
  async reserve(
    name: PushKeyName,
    bodyHash: Uint8Array,
    times: { readonly nowMs: number; readonly abandonedAfterMs: number },
  ): Promise<Reservation> {
    const fresh = reservationOf(name, bodyHash, times.nowMs)
    const { numInsertedOrUpdatedRows: made } = await this.database
      .insertInto('push_keys')
      .values(fresh)
      .onConflict((conflict) => conflict.column('key_hash').doNothing())
      .executeTakeFirstOrThrow()
    if ((made ?? 0n) > 0n) return { state: 'reserved', id: fresh.reservation }
    return this.changing((transaction) => reserveKnown(transaction, fresh, times))
  }

  async settle(
    name: PushKeyName,
    {
      bodyHash,
      position,
      rows,
      receivedMs,
    }: {
      readonly bodyHash: Uint8Array
      readonly position: number
      readonly rows: number
      readonly receivedMs: number
    },
  ): Promise<PushKeyHolder> {
    const key_hash = keyHash(name)
    const push = { body_hash: bodyHash, received_ms: receivedMs, position, batch_rows: rows, reservation: null }
    const settled = await this.database
      .insertInto('push_keys')
      .values({ key_hash, ...push, uncertain: 0, validated: 0, previous_position: null })
      .onConflict((conflict) =>
        conflict
          .column('key_hash')
          .doUpdateSet({ ...push, uncertain: 0 })
          .where('push_keys.position', 'is', null),
      )
      .returningAll()
      .executeTakeFirst()
    const row =
      settled ??
      (await this.database
        .selectFrom('push_keys')
        .selectAll()
        .where('key_hash', '=', key_hash)
        .executeTakeFirstOrThrow())
    const holder = holderOf(row)
    if (holder === null) throw new Error('a key that was settled stands for no push')
    return holder
  }

  async release(name: PushKeyName, reservationId: string, mayBeStored: boolean): Promise<void> {
    const hash = keyHash(name)
    await this.changing(async (transaction) => {
      const { numDeletedRows } = await transaction
        .deleteFrom('push_keys')
        .where('key_hash', '=', hash)
        .where('reservation', '=', reservationId)
        .where(sql<boolean>`${!mayBeStored}::boolean`)
        // A previous push that held the key must stay known as long as it may be validated again.
        .where('previous_position', 'is', null)
        .executeTakeFirstOrThrow()
      if (numDeletedRows > 0n) return
      await transaction
        .updateTable('push_keys')
        .set({ uncertain: 1 })
        .where('key_hash', '=', hash)
        .where('reservation', '=', reservationId)
        .execute()
    })
  }

  async find(name: PushKeyName, nowMs: number): Promise<PushKeyHolder | null> {
    const row = await this.database
      .selectFrom('push_keys')
      .selectAll()
      .where('key_hash', '=', keyHash(name))
      .where('received_ms', '>', nowMs - keyLifeMs)
      .executeTakeFirst()
    return row === undefined ? null : holderOf(row)
  }

  async count(): Promise<number> {
    // The first number lags by seconds and starts at 0 after the database was killed; the second is the result of the last vacuum.
    const { rows } = await sql<{ count: number }>`
      select greatest(pg_stat_get_live_tuples(oid), reltuples, 0)::bigint as count from pg_class where oid = 'push_keys'::regclass`.execute(
      this.database,
    )
    return rows[0]!.count
  }

  async forget(beforeMs: number, signal: AbortSignal): Promise<number> {
    let forgotten = 0
    for (let deleted = keysAtOnce; deleted === keysAtOnce && !signal.aborted; forgotten += deleted) {
      deleted = await this.changing(async (transaction) => {
        const { numDeletedRows } = await transaction
          .deleteFrom('push_keys')
          .where(sql<boolean>`ctid = any(array(
            select ctid from push_keys where received_ms < ${beforeMs} limit ${sql.lit(keysAtOnce)} for update skip locked))`)
          .executeTakeFirstOrThrow()
        return Number(numDeletedRows)
      })
    }
    return forgotten
  }
}

type NewReservation = ReturnType<typeof reservationOf>

function reservationOf(name: PushKeyName, bodyHash: Uint8Array, nowMs: number) {
  return {
    key_hash: keyHash(name),
    body_hash: bodyHash,
    received_ms: nowMs,
    reservation: randomUUID(),
    uncertain: 0,
    position: null,
    batch_rows: 0,
    validated: 0,
    previous_position: null,
  }
}

/** Reserves a key that has a row: it may be held, reserved by a push in progress, or free again. */
async function reserveKnown(
  transaction: Transaction<Tables>,
  fresh: NewReservation,
  { nowMs, abandonedAfterMs }: { readonly nowMs: number; readonly abandonedAfterMs: number },
): Promise<Reservation> {
  // Locks the row until the end of the transaction.
  const standing = await transaction
    .updateTable('push_keys')
    .set((column) => ({ batch_rows: column.ref('batch_rows') }))
    .where('key_hash', '=', fresh.key_hash)
    .returningAll()
    .executeTakeFirst()
  // The row was just forgotten; the caller's next attempt inserts it.
  if (standing === undefined) return { state: 'pending', bodyHash: fresh.body_hash }
  const holder = holderOf(standing)
  if (holder !== null && standing.received_ms > nowMs - keyLifeMs) return { state: 'held', holder }
  // Absolute difference: a time from a clock that runs ahead would otherwise block until our clock reaches it.
  const isUnderWay = standing.uncertain === 0 && Math.abs(standing.received_ms - nowMs) < abandonedAfterMs
  if (holder === null && isUnderWay) return { state: 'pending', bodyHash: new Uint8Array(standing.body_hash) }
  const previous = standing.validated === 1 ? standing.position : standing.previous_position
  await transaction
    .updateTable('push_keys')
    .set({ ...fresh, previous_position: previous })
    .where('key_hash', '=', fresh.key_hash)
    .execute()
  return { state: holder === null ? 'uncertain' : 'reserved', id: fresh.reservation }
}
