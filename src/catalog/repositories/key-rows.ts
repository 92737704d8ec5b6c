import { createHash } from 'node:crypto'
import type { PushKeyHolder, PushKeyName } from '../push-keys.ts'
import type { Tables } from '../schema.ts'

/** For how long a key stands for its push. */
export const keyLifeMs = 24 * 60 * 60 * 1000

export type KeyRow = Tables['push_keys']

/** Keys are kept by a hash, so that all have one length, whatever characters they hold. */
export function keyHash({ subscriberId, ingestId, key }: PushKeyName): Uint8Array {
  return new Uint8Array(createHash('sha256').update(`${subscriberId}/${ingestId}/${key}`, 'utf8').digest())
}

/** The push that a row stands for; null while one is under way. */
export function holderOf(row: KeyRow): PushKeyHolder | null {
  if (row.position === null) return null
  return {
    bodyHash: new Uint8Array(row.body_hash),
    position: row.position,
    rows: row.batch_rows,
    isValidated: row.validated === 1,
  }
}
