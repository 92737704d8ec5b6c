import type { Kysely, Transaction } from 'kysely'
import { Problem } from '../../model/problem.ts'
import type { Attempt, Condition, Delivery, Hook, HookCatalog, LastReceived, NewHook } from '../hooks.ts'
import type { Tables } from '../schema.ts'
import { versionedChange } from './audited.ts'
import { nextValue } from './counters.ts'
import { oneOf } from './ingest-rows.ts'
import { fromTextColumn, toTextColumn } from './text-column.ts'
import { Repository } from './transactions.ts'

const kinds = ['rejected_rows', 'nothing_received', 'disk_low', 'part_away', 'backup_failed', 'replica_behind'] as const
const states = ['waiting', 'delivered', 'given_up'] as const
const leaseName = 'hooks'

export class HookRepository extends Repository implements HookCatalog {
  async list(): Promise<readonly Hook[]> {
    return (await this.database.selectFrom('hooks').selectAll().orderBy('name').execute()).map(hookOf)
  }

  async find(name: string): Promise<Hook | null> {
    const row = await this.database
      .selectFrom('hooks')
      .selectAll()
      .where('name', '=', toTextColumn(name))
      .executeTakeFirst()
    return row === undefined ? null : hookOf(row)
  }

  put({ name, url, kinds, secret, nowMs }: NewHook, hooksMax: number): Promise<boolean> {
    return versionedChange(this.database, 'hooks_version', async (transaction) => {
      const names = (await transaction.selectFrom('hooks').select('name').execute()).map((row) => row.name)
      const key = toTextColumn(name)
      const columns = { url: toTextColumn(url), kinds: JSON.stringify(kinds) }
      if (names.includes(key)) {
        const change = {
          ...columns,
          ...(secret === undefined ? {} : { secret: toTextColumn(secret), secret_set_ms: nowMs }),
        }
        await transaction.updateTable('hooks').set(change).where('name', '=', key).execute()
        return false
      }
      if (names.length >= hooksMax) {
        throw new Problem('conflict', `There are already ${hooksMax} hooks, the most allowed. Delete one first.`)
      }
      const hidden =
        secret === undefined
          ? { secret: null, secret_set_ms: null }
          : { secret: toTextColumn(secret), secret_set_ms: nowMs }
      await transaction
        .insertInto('hooks')
        .values({ name: key, ...columns, ...hidden, created_ms: nowMs })
        .execute()
      return true
    })
  }

  delete(name: string): Promise<boolean> {
    const key = toTextColumn(name)
    return versionedChange(this.database, 'hooks_version', async (transaction) => {
      const { numDeletedRows } = await transaction.deleteFrom('hooks').where('name', '=', key).executeTakeFirstOrThrow()
      await transaction.deleteFrom('hook_deliveries').where('hook', '=', key).execute()
      await transaction.deleteFrom('hook_conditions').where('hook', '=', key).execute()
      return numDeletedRows > 0n
    })
  }

  async raise(conditions: readonly Condition[], nowMs: number, deliveriesMax: number): Promise<void> {
    const keys = conditions.flatMap(({ key, isOver }) => (key === null || isOver === true ? [] : [key]))
    const known = await knownKeys(this.database)
    const isSame =
      keys.length === conditions.length && keys.length === known.size && keys.every((key) => known.has(key))
    if (isSame) return
    await this.changing(async (transaction) => {
      await nextValue(transaction, 'hooks_version')
      const standing = await knownKeys(transaction)
      for (const key of standing) {
        if (!keys.includes(key)) await transaction.deleteFrom('hook_conditions').where('key', '=', key).execute()
      }
      for (const condition of conditions) {
        const { key, isOver } = condition
        if (key !== null && standing.has(key)) continue
        const hook = toTextColumn(condition.hook)
        const known = await transaction.selectFrom('hooks').select('name').where('name', '=', hook).executeTakeFirst()
        // Its hook was deleted in the meantime.
        if (known === undefined) continue
        if (key !== null && isOver !== true) {
          standing.add(key)
          await transaction.insertInto('hook_conditions').values({ key, hook, since_ms: nowMs }).execute()
        }
        await addEvent(transaction, condition, nowMs, deliveriesMax)
      }
    })
  }

  async lastReceived(): Promise<readonly LastReceived[]> {
    const rows = await this.database.selectFrom('hook_heard').selectAll().execute()
    return rows.map(({ key, heard: received, since_ms }) => ({ key, count: received, sinceMs: since_ms }))
  }

  async putLastReceived(received: readonly LastReceived[]): Promise<void> {
    await this.changing(async (transaction) => {
      await nextValue(transaction, 'hooks_version')
      await transaction.deleteFrom('hook_heard').execute()
      for (const { key, count, sinceMs } of received)
        await transaction.insertInto('hook_heard').values({ key, heard: count, since_ms: sinceMs }).execute()
    })
  }

  async due(hook: string, nowMs: number, limit: number): Promise<readonly Delivery[]> {
    const rows = await this.database
      .selectFrom('hook_deliveries')
      .selectAll()
      .where('hook', '=', toTextColumn(hook))
      .where('next_ms', '<=', nowMs)
      .orderBy('id')
      .limit(limit)
      .execute()
    return rows.map(deliveryOf)
  }

  async note({ id, state, attempts, nextMs, status, error, endedMs }: Attempt): Promise<void> {
    await this.changing((transaction) =>
      transaction
        .updateTable('hook_deliveries')
        .set({
          ...{ state, attempts, next_ms: nextMs, status, ended_ms: endedMs },
          error: error === null ? null : toTextColumn(error),
        })
        .where('id', '=', id)
        .execute(),
    )
  }

  async deliveries(
    hook: string,
    { before, limit }: { readonly before: number | null; readonly limit: number },
  ): Promise<readonly Delivery[]> {
    const rows = await this.database
      .selectFrom('hook_deliveries')
      .selectAll()
      .where('hook', '=', toTextColumn(hook))
      .where('id', '<', before ?? Number.MAX_SAFE_INTEGER)
      .orderBy('id', 'desc')
      .limit(limit)
      .execute()
    return rows.map(deliveryOf)
  }

  lease(holder: string, nowMs: number, untilMs: number): Promise<boolean> {
    return this.changing(async (transaction) => {
      const lease = { holder, until_ms: untilMs }
      const { numUpdatedRows } = await transaction
        .updateTable('leases')
        .set(lease)
        .where('name', '=', leaseName)
        .where(({ or, eb }) => or([eb('holder', '=', holder), eb('until_ms', '<', nowMs)]))
        .executeTakeFirstOrThrow()
      if (numUpdatedRows > 0n) return true
      const { numInsertedOrUpdatedRows } = await transaction
        .insertInto('leases')
        .values({ name: leaseName, ...lease })
        .onConflict((conflict) => conflict.column('name').doNothing())
        .executeTakeFirstOrThrow()
      return (numInsertedOrUpdatedRows ?? 0n) > 0n
    })
  }
}

async function knownKeys(database: Kysely<Tables>): Promise<Set<string>> {
  return new Set((await database.selectFrom('hook_conditions').select('key').execute()).map(({ key }) => key))
}

async function addEvent(
  transaction: Transaction<Tables>,
  { hook: name, kind, details }: Condition,
  nowMs: number,
  deliveriesMax: number,
): Promise<void> {
  const hook = toTextColumn(name)
  const id = await nextValue(transaction, 'hook_event_id')
  await transaction
    .insertInto('hook_deliveries')
    .values({
      ...{ id, hook, kind, time_ms: nowMs, event: JSON.stringify(details), state: 'waiting', attempts: 0 },
      ...{ next_ms: nowMs, status: null, error: null, ended_ms: null },
    })
    .execute()
  const [oldest] = await transaction
    .selectFrom('hook_deliveries')
    .select('id')
    .where('hook', '=', hook)
    .orderBy('id', 'desc')
    .offset(deliveriesMax)
    .limit(1)
    .execute()
  if (oldest === undefined) return
  await transaction.deleteFrom('hook_deliveries').where('hook', '=', hook).where('id', '<=', oldest.id).execute()
}

function hookOf({ name, url, kinds: json, secret, secret_set_ms, created_ms }: Tables['hooks']): Hook {
  return {
    name: fromTextColumn(name),
    url: fromTextColumn(url),
    kinds: JSON.parse(json),
    secret: secret === null ? null : fromTextColumn(secret),
    secretSetMs: secret_set_ms,
    createdMs: created_ms,
  }
}

function deliveryOf(row: Tables['hook_deliveries']): Delivery {
  return {
    id: row.id,
    hook: fromTextColumn(row.hook),
    kind: oneOf(kinds, row.kind),
    timeMs: row.time_ms,
    details: JSON.parse(row.event),
    state: oneOf(states, row.state),
    attempts: row.attempts,
    nextMs: row.next_ms,
    status: row.status,
    error: row.error === null ? null : fromTextColumn(row.error),
    endedMs: row.ended_ms,
  }
}
