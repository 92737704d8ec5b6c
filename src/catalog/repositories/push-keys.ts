import { randomUUID } from 'node:crypto'
import { type ExpressionBuilder, type Kysely, sql } from 'kysely'
import type { PushKeyCatalog, PushKeyHolder, PushKeyName, Reservation } from '../push-keys.ts'
import type { Tables } from '../schema.ts'
import { inTransaction } from './in-transaction.ts'
import { holderOf, type KeyRow, keyColumns, keyLifeMs } from './key-rows.ts'

const primaryKey = ['subscriber_id', 'ingest_id', 'key_hash'] as const
/** So many are forgotten in one transaction: others get their turn in between. */
const keysAtOnce = 5000

type Column = ExpressionBuilder<Tables, 'push_keys'>

export class PushKeyRepository implements PushKeyCatalog {
  readonly #database: Kysely<Tables>

  constructor(database: Kysely<Tables>) {
    this.#database = database
  }

  reserve(
    name: PushKeyName,
    bodyHash: Uint8Array,
    { nowMs, patienceMs }: { readonly nowMs: number; readonly patienceMs: number },
  ): Promise<Reservation> {
    return inTransaction(this.#database, async (transaction) => {
      const fresh = reservationOf(name, bodyHash, nowMs)
      const { numInsertedOrUpdatedRows: made } = await transaction
        .insertInto('push_keys')
        .values(fresh)
        .onConflict((conflict) => conflict.columns(primaryKey).doNothing())
        .executeTakeFirstOrThrow()
      const id = fresh.reservation
      if ((made ?? 0n) > 0n) return { state: 'reserved', id }
      // The row is there, and is this transaction's alone to change from here on.
      const key = keyIs(fresh)
      const standing = await transaction
        .updateTable('push_keys')
        .set((column) => ({ batch_rows: column.ref('batch_rows') }))
        .where(key)
        .returningAll()
        .executeTakeFirst()
      // It was forgotten just now: the next attempt is the first.
      if (standing === undefined) return { state: 'pending', bodyHash }
      const isExpired = standing.received_ms <= nowMs - keyLifeMs
      const isGivenUp = standing.uncertain === 1 || standing.received_ms <= nowMs - patienceMs
      if (standing.position !== null && !isExpired) return { state: 'held', holder: holderOf(standing)! }
      if (standing.position === null && !isGivenUp) {
        return { state: 'pending', bodyHash: new Uint8Array(standing.body_hash) }
      }
      const previous = standing.judged === 1 ? standing.position : standing.previous_position
      await transaction
        .updateTable('push_keys')
        .set({ ...fresh, previous_position: previous })
        .where(key)
        .execute()
      return { state: standing.position === null ? 'uncertain' : 'reserved', id }
    })
  }

  settle(
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
    return inTransaction(this.#database, async (transaction) => {
      const key = keyColumns(name)
      const push = { body_hash: bodyHash, received_ms: receivedMs, position, batch_rows: rows, reservation: null }
      await transaction
        .insertInto('push_keys')
        .values({ ...key, ...push, uncertain: 0, judged: 0, previous_position: null })
        .onConflict((conflict) =>
          conflict
            .columns(primaryKey)
            .doUpdateSet({ ...push, uncertain: 0 })
            .where('push_keys.position', 'is', null),
        )
        .execute()
      const row = await transaction.selectFrom('push_keys').selectAll().where(keyIs(key)).executeTakeFirstOrThrow()
      return holderOf(row)!
    })
  }

  async release(name: PushKeyName, reservationId: string, mayBeStored: boolean): Promise<void> {
    const key = keyColumns(name)
    await inTransaction(this.#database, async (transaction) => {
      const { numDeletedRows } = await transaction
        .deleteFrom('push_keys')
        .where(keyIs(key))
        .where('reservation', '=', reservationId)
        .where(sql<boolean>`${!mayBeStored}::boolean`)
        // Where the key stood for another push before, that must be known as long as it may be judged again.
        .where('previous_position', 'is', null)
        .executeTakeFirstOrThrow()
      if (numDeletedRows > 0n) return
      await transaction
        .updateTable('push_keys')
        .set({ uncertain: 1 })
        .where(keyIs(key))
        .where('reservation', '=', reservationId)
        .execute()
    })
  }

  async find(name: PushKeyName, nowMs: number): Promise<PushKeyHolder | null> {
    const row = await this.#database
      .selectFrom('push_keys')
      .selectAll()
      .where(keyIs(keyColumns(name)))
      .where('received_ms', '>', nowMs - keyLifeMs)
      .executeTakeFirst()
    return row === undefined ? null : holderOf(row)
  }

  async count(): Promise<number> {
    const { rows } = await sql<{ count: number }>`
      select greatest(reltuples, 0)::bigint as count from pg_class where oid = 'push_keys'::regclass`.execute(
      this.#database,
    )
    return rows[0]!.count
  }

  async forget(beforeMs: number, signal: AbortSignal): Promise<number> {
    let forgotten = 0
    for (let deleted = keysAtOnce; deleted === keysAtOnce && !signal.aborted; forgotten += deleted) {
      deleted = await inTransaction(this.#database, async (transaction) => {
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

function reservationOf(name: PushKeyName, bodyHash: Uint8Array, nowMs: number) {
  return {
    ...keyColumns(name),
    body_hash: bodyHash,
    received_ms: nowMs,
    reservation: randomUUID(),
    uncertain: 0,
    position: null,
    batch_rows: 0,
    judged: 0,
    previous_position: null,
  }
}

function keyIs({ subscriber_id, ingest_id, key_hash }: Pick<KeyRow, 'subscriber_id' | 'ingest_id' | 'key_hash'>) {
  return ({ and }: Column) => and({ subscriber_id, ingest_id, key_hash })
}
