import type { Kysely, Transaction } from 'kysely'
import { addTo } from '../../lib/add-to.ts'
import { Problem } from '../../model/problem.ts'
import { rightNames } from '../../model/right.ts'
import type { AccessCatalog, AccessState, Key, Subscriber, SubscriberAccess, Subscription } from '../catalog.ts'
import type { Tables } from '../schema.ts'
import { versionedChange } from './audited.ts'
import { counterValue, nextValue } from './counters.ts'
import { oneOf } from './ingest-rows.ts'
import { Repository } from './transactions.ts'

export class AccessRepository extends Repository implements AccessCatalog {
  state(): Promise<AccessState> {
    return this.reading(async (transaction) => ({
      version: await counterValue(transaction, 'access_version'),
      subscribers: await subscribersOf(transaction),
      keys: await keysOf(transaction),
      subscriptions: await subscriptionsOf(transaction),
    }))
  }

  find(by: Parameters<AccessCatalog['find']>[0]): Promise<SubscriberAccess | null> {
    return this.reading(async (transaction) => {
      const id =
        'name' in by
          ? transaction.selectFrom('subscribers').select('id').where('name', '=', by.name)
          : transaction.selectFrom('keys').select('subscriber_id as id').where('id', '=', by.keyId)
      const row = await id.executeTakeFirst()
      const [subscriber] = row === undefined ? [] : await subscribersOf(transaction, row.id)
      if (subscriber === undefined) return null
      const keys = await keysOf(transaction, subscriber.id)
      const subscriptions = await subscriptionsOf(transaction, subscriber.id)
      return { subscriber, keys, subscriptions: subscriptions.get(subscriber.id) ?? [] }
    })
  }

  createSubscriber(name: string, createdMs: number): Promise<Subscriber> {
    return this.#change(async (transaction) => {
      const taken = await transaction.selectFrom('subscribers').select('id').where('name', '=', name).executeTakeFirst()
      if (taken !== undefined) {
        throw new Problem('conflict', `There is already a subscriber "${name}". Choose another name.`, {
          errors: [{ path: 'name', message: 'the name is taken' }],
        })
      }
      const id = await nextValue(transaction, 'subscriber_id')
      await transaction.insertInto('subscribers').values({ id, name, created_ms: createdMs }).execute()
      return { id, name, createdMs }
    })
  }

  deleteSubscriber(name: string): Promise<boolean> {
    return this.#change(async (transaction) => {
      const row = await transaction.selectFrom('subscribers').select('id').where('name', '=', name).executeTakeFirst()
      if (row === undefined) return false
      await transaction.deleteFrom('keys').where('subscriber_id', '=', row.id).execute()
      await transaction.deleteFrom('subscriptions').where('subscriber_id', '=', row.id).execute()
      await transaction.deleteFrom('subscribers').where('id', '=', row.id).execute()
      return true
    })
  }

  async putKey(key: Key): Promise<void> {
    await this.#change(async (transaction) => {
      await requireSubscriber(transaction, key.subscriberId)
      await transaction.deleteFrom('keys').where('id', '=', key.id).execute()
      const same = await transaction.selectFrom('keys').select('id').where('hash', '=', key.hash).executeTakeFirst()
      if (same !== undefined) {
        throw new Problem('conflict', `The key is already in use, under the id "${same.id}". Create another one.`)
      }
      const { id, subscriberId: subscriber_id, hash, createdMs: created_ms, expiresMs: expires_ms } = key
      const row = { id, subscriber_id, hash, rights: key.rights.join(' '), created_ms, expires_ms }
      await transaction.insertInto('keys').values(row).execute()
    })
  }

  deleteKey(id: string): Promise<boolean> {
    return this.#change(async (transaction) => {
      const { numDeletedRows } = await transaction.deleteFrom('keys').where('id', '=', id).executeTakeFirstOrThrow()
      return numDeletedRows > 0n
    })
  }

  async putSubscriptions(subscriberId: number, subscriptions: readonly Subscription[]): Promise<void> {
    await this.#change(async (transaction) => {
      await requireSubscriber(transaction, subscriberId)
      await transaction.deleteFrom('subscriptions').where('subscriber_id', '=', subscriberId).execute()
      for (const [ordinal, { ingest, entity, fromMs, untilMs, suspended: isSuspended }] of subscriptions.entries()) {
        const dates = { from_ms: fromMs, until_ms: untilMs, suspended: isSuspended ? 1 : 0 }
        const row = { subscriber_id: subscriberId, ordinal, ingest, entity, ...dates }
        await transaction.insertInto('subscriptions').values(row).execute()
      }
    })
  }

  #change<Result>(work: (transaction: Transaction<Tables>) => Promise<Result>): Promise<Result> {
    return versionedChange(this.database, 'access_version', work)
  }
}

async function requireSubscriber(transaction: Transaction<Tables>, id: number): Promise<void> {
  const row = await transaction.selectFrom('subscribers').select('id').where('id', '=', id).executeTakeFirst()
  if (row !== undefined) return
  throw new Problem('not_found', 'The subscriber was deleted meanwhile. Create it again first.')
}

/** All subscribers, or the one with this id. */
async function subscribersOf(database: Kysely<Tables>, id?: number): Promise<readonly Subscriber[]> {
  const rows = await database
    .selectFrom('subscribers')
    .selectAll()
    .$if(id !== undefined, (query) => query.where('id', '=', id!))
    .orderBy('name')
    .execute()
  return rows.map(({ id, name, created_ms }) => ({ id, name, createdMs: created_ms }))
}

/** Keys of all subscribers, or of one. */
async function keysOf(database: Kysely<Tables>, subscriberId?: number): Promise<readonly Key[]> {
  const rows = await database
    .selectFrom('keys')
    .selectAll()
    .$if(subscriberId !== undefined, (query) => query.where('subscriber_id', '=', subscriberId!))
    .orderBy('created_ms')
    .orderBy('id')
    .execute()
  return rows.map(({ id, subscriber_id, hash, rights, created_ms, expires_ms }) => ({
    id,
    subscriberId: subscriber_id,
    hash,
    rights: rights.split(' ').map((right) => oneOf(rightNames, right)),
    createdMs: created_ms,
    expiresMs: expires_ms,
  }))
}

/** Subscriptions by subscriber id: of all subscribers, or of one. */
async function subscriptionsOf(
  database: Kysely<Tables>,
  subscriberId?: number,
): Promise<ReadonlyMap<number, readonly Subscription[]>> {
  const rows = await database
    .selectFrom('subscriptions')
    .selectAll()
    .$if(subscriberId !== undefined, (query) => query.where('subscriber_id', '=', subscriberId!))
    .orderBy('subscriber_id')
    .orderBy('ordinal')
    .execute()
  const bySubscriber = new Map<number, Subscription[]>()
  for (const { subscriber_id, ingest, entity, from_ms, until_ms, suspended } of rows) {
    addTo(bySubscriber, subscriber_id, {
      ingest,
      entity,
      fromMs: from_ms,
      untilMs: until_ms,
      suspended: suspended === 1,
    })
  }
  return bySubscriber
}
