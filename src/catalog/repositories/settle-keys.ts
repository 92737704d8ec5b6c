import { createHash } from 'node:crypto'
import { type ExpressionBuilder, sql, type Transaction } from 'kysely'
import type { KeyedEntry } from '../partitions.ts'
import type { PushKeyHolder, PushKeyName } from '../push-keys.ts'
import type { Tables } from '../schema.ts'

/** The most keys in one statement. */
const keysAtOnce = 1000

interface KeyedRow {
  readonly name: string
  readonly entry: KeyedEntry
  readonly row: KeyRow
}

/** Implements `PartitionCatalog.settleKeys`: records which push each key belongs to, and returns the positions of entries that repeat another. */
export async function settleKeys(
  transaction: Transaction<Tables>,
  entries: readonly KeyedEntry[],
): Promise<ReadonlySet<number>> {
  const repeated = new Set<number>()
  for (const wave of waves(entries.map(keyedRowOf))) {
    for (let from = 0; from < wave.length; from += keysAtOnce) {
      const keyed = wave.slice(from, from + keysAtOnce)
      const standing = await standingAfter(transaction, keyed)
      for (const { name, entry } of keyed) {
        if (isRepetition(entry, standing.get(name))) repeated.add(entry.position)
      }
    }
  }
  return repeated
}

function keyedRowOf(entry: KeyedEntry): KeyedRow {
  const key_hash = keyHash(entry)
  const row = {
    key_hash,
    body_hash: entry.bodyHash,
    received_ms: entry.receivedMs,
    reservation: null,
    uncertain: 0,
    position: entry.position,
    batch_rows: entry.rows,
    validated: 1,
    previous_position: null,
  }
  return { name: nameOf(key_hash), entry, row }
}

function nameOf(hash: Uint8Array): string {
  return Buffer.from(hash).toString('hex')
}

/** Groups entries so that each key occurs once per group, in order, because a statement may write a row once. Sorted, so rows are locked in one order. */
function waves(keyed: readonly KeyedRow[]): readonly (readonly KeyedRow[])[] {
  const found: KeyedRow[][] = []
  const met = new Map<string, number>()
  for (const one of keyed) {
    const wave = met.get(one.name) ?? 0
    met.set(one.name, wave + 1)
    found[wave] ??= []
    found[wave].push(one)
  }
  return found.map((wave) => wave.sort((a, b) => (a.name < b.name ? -1 : 1)))
}

/** Writes the keys that are free, and returns the resulting row of each key. */
async function standingAfter(
  transaction: Transaction<Tables>,
  keyed: readonly KeyedRow[],
): Promise<ReadonlyMap<string, KeyRow>> {
  const written = await transaction
    .insertInto('push_keys')
    .values(keyed.map(({ row }) => row))
    .onConflict((conflict) =>
      conflict
        .column('key_hash')
        .doUpdateSet((column) => ({
          body_hash: column.ref('excluded.body_hash'),
          received_ms: column.ref('excluded.received_ms'),
          reservation: null,
          uncertain: 0,
          position: column.ref('excluded.position'),
          batch_rows: column.ref('excluded.batch_rows'),
          validated: 1,
          previous_position: sql<number | null>`
            case when push_keys.validated = 1 then push_keys.position else push_keys.previous_position end`,
        }))
        .where(isFree),
    )
    .returningAll()
    .execute()
  const standing = new Map(written.map((row) => [nameOf(row.key_hash), row]))
  const others = keyed.filter(({ name }) => !standing.has(name)).map(({ row }) => row.key_hash)
  if (others.length === 0) return standing
  for (const row of await transaction.selectFrom('push_keys').selectAll().where('key_hash', 'in', others).execute()) {
    standing.set(nameOf(row.key_hash), row)
  }
  return standing
}

/** A pipeline's decision takes precedence over a reservation, and is valid for a day. */
function isFree({ eb, or, ref }: ExpressionBuilder<Tables & { excluded: KeyRow }, 'push_keys' | 'excluded'>) {
  return or([
    eb('push_keys.validated', '=', 0),
    eb('push_keys.received_ms', '<=', eb(ref('excluded.received_ms'), '-', keyLifeMs)),
  ])
}

function isRepetition({ position, bodyHash }: KeyedEntry, standing: KeyRow | undefined): boolean {
  if (standing === undefined) throw new Error('a key that was just written is not there')
  if (standing.position === position || standing.previous_position === position) return false
  return Buffer.compare(standing.body_hash, bodyHash) === 0
}

/** How long a push holds its key. */
export const keyLifeMs = 24 * 60 * 60 * 1000

type KeyRow = Tables['push_keys']

/** Keys are stored as a hash, so that all have the same length and may contain any characters. */
export function keyHash({ subscriberId, ingestId, key }: PushKeyName): Uint8Array {
  return new Uint8Array(createHash('sha256').update(`${subscriberId}/${ingestId}/${key}`, 'utf8').digest())
}

/** The push that holds the key of a row; null while one is in progress. */
export function holderOf(row: KeyRow): PushKeyHolder | null {
  if (row.position === null) return null
  return {
    bodyHash: new Uint8Array(row.body_hash),
    position: row.position,
    rows: row.batch_rows,
    isValidated: row.validated === 1,
  }
}
