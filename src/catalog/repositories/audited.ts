// Writes a change and its audit line in one transaction, so that neither exists without the other, even if the service is killed.

import { AsyncLocalStorage } from 'node:async_hooks'
import { type Kysely, sql, type Transaction } from 'kysely'
import type { ChangeCaller, NewAuditLine, RequestedChange } from '../audit.ts'
import type { CounterName, Tables } from '../schema.ts'
import { nextValue } from './counters.ts'
import { toTextColumn } from './text-column.ts'
import { inTransaction } from './transactions.ts'

/** A change in progress. */
export interface RunningChange {
  readonly asked: Pick<RequestedChange<never>, 'what' | 'name' | keyof ChangeCaller>
  readonly nowMs: () => number
  /** Like `RequestedChange.state`, but reads what the transaction sees. */
  readonly state: ((transaction: Transaction<Tables>) => Promise<unknown>) | null
  /** The last audit line written for it. */
  lineId: number | null
  /** Totals of what was done so far, by name. */
  counts: Readonly<Record<string, number>>
}

/** The change that the running code is part of, at any depth at which a transaction begins. */
const doing = new AsyncLocalStorage<RunningChange>()
let changesUnderWay = 0

export function currentChange(): RunningChange | undefined {
  return doing.getStore()
}

/**
 * Runs the work of a change. Up to Node.js 22, an AsyncLocalStorage in use makes every promise of the process more expensive: small queries would need 10 to
 * 20 % more CPU time. Therefore the storage is enabled only while a change runs.
 */
export async function runChange<Result>(change: RunningChange, work: () => Promise<Result>): Promise<Result> {
  changesUnderWay += 1
  try {
    return await doing.run(change, work)
  } finally {
    changesUnderWay -= 1
    if (changesUnderWay === 0) doing.disable()
  }
}

/**
 * Like `inTransaction`, for changes by operators. `counts` returns the amounts that a result changed, or null if it changed nothing. For a change without a
 * state, the amounts of all transactions are added up in one audit line.
 */
export async function auditedTransaction<Result>(
  database: Kysely<Tables>,
  change: (transaction: Transaction<Tables>) => Promise<Result>,
  counts: (result: Result) => Readonly<Record<string, number>> | null = (result) => (result === false ? null : {}),
): Promise<Result> {
  const current = currentChange()
  if (current === undefined) return inTransaction(database, change)
  const { state } = current
  const { result, ...kept } = await inTransaction(database, async (transaction) => {
    if (state === null) {
      const done = await change(transaction)
      return { result: done, ...(await keepCounts(transaction, current, counts(done))) }
    }
    const before = await state(transaction)
    const done = await change(transaction)
    return { result: done, ...(await keepStates(transaction, current, before, await state(transaction))) }
  })
  Object.assign(current, kept)
  return result
}

/** Like `auditedTransaction`, for a change with a version, which is taken first; see `nextValue`. */
export function versionedChange<Result>(
  database: Kysely<Tables>,
  version: CounterName,
  change: (transaction: Transaction<Tables>) => Promise<Result>,
): Promise<Result> {
  return auditedTransaction(database, async (transaction) => {
    await nextValue(transaction, version)
    return change(transaction)
  })
}

type Kept = Partial<Pick<RunningChange, 'lineId' | 'counts'>>

async function keepStates(
  transaction: Transaction<Tables>,
  current: RunningChange,
  before: unknown,
  after: unknown,
): Promise<Kept> {
  if (JSON.stringify(before) === JSON.stringify(after)) return {}
  return { lineId: await insertLine(transaction, lineOf(current, before, after)) }
}

async function keepCounts(
  transaction: Transaction<Tables>,
  current: RunningChange,
  counts: Readonly<Record<string, number>> | null,
): Promise<Kept> {
  if (counts === null) return {}
  const all = { ...current.counts }
  for (const [name, count] of Object.entries(counts)) all[name] = (all[name] ?? 0) + count
  const after = Object.keys(all).length === 0 ? null : all
  return { counts: all, lineId: await keepAfter(transaction, current, after) }
}

/** Sets `after` in the audit line of a change: inserts its first line, or updates the one it has. */
export async function keepAfter(
  transaction: Transaction<Tables>,
  current: RunningChange,
  after: unknown,
): Promise<number> {
  const { lineId } = current
  if (lineId === null) return insertLine(transaction, lineOf(current, null, after))
  await mendLine(transaction, lineId, after)
  return lineId
}

export function lineOf({ asked, nowMs }: RunningChange, before: unknown, after: unknown): NewAuditLine {
  const { key, subscriber, address, request, what, name } = asked
  return { timeMs: nowMs(), key, subscriber, address, request, what, name, before, after }
}

export async function insertLine(transaction: Transaction<Tables>, line: NewAuditLine): Promise<number> {
  const id = await nextValue(transaction, 'audit_id')
  const { timeMs, key, subscriber, address, request, what, name } = line
  const [before, after] = [jsonOf(line.before), jsonOf(line.after)]
  await transaction
    .insertInto('audit_lines')
    .values({
      time_ms: timeMs,
      id,
      line_bytes: lineBytes(before) + lineBytes(after),
      key_id: key === null ? null : toTextColumn(key),
      subscriber: subscriber === null ? null : toTextColumn(subscriber),
      address,
      request,
      what,
      name: name === null ? null : toTextColumn(name),
      before,
      after,
    })
    .execute()
  return id
}

export async function mendLine(transaction: Transaction<Tables>, id: number, value: unknown): Promise<boolean> {
  const after = jsonOf(value)
  const { numUpdatedRows } = await transaction
    .updateTable('audit_lines')
    .set({ after, line_bytes: sql<number>`coalesce(octet_length(${sql.ref('before')}), 0) + ${lineBytes(after)}` })
    .where('id', '=', id)
    .executeTakeFirstOrThrow()
  return numUpdatedRows > 0n
}

function jsonOf(value: unknown): string | null {
  return value === null || value === undefined ? null : JSON.stringify(value)
}

function lineBytes(json: string | null): number {
  return json === null ? 0 : Buffer.byteLength(json)
}
