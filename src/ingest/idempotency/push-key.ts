import { createHash, hash } from 'node:crypto'
import { setImmediate } from 'node:timers/promises'
import type { BodyFormat, PlacedEntry } from '../../journal/journal.ts'

export const keyHashBytes = 16
export const bodyHashBytes = 8

/** A day, during which a key identifies the push that was acknowledged first. */
export const keyLifeS = 24 * 60 * 60

/** The push that a key identifies, with the hashes that recognize it. */
export interface KeyedPush {
  readonly keyHash: Uint8Array
  /** Hash of the decompressed body and its format. */
  readonly bodyHash: Uint8Array
  readonly position: number
  readonly rows: number
  /** Whole seconds since 1970. */
  readonly receivedS: number
}

/** Keys are separate for each subscriber and ingest. The key comes last, so the name is unambiguous whatever the key contains. */
export function keyName(subscriberId: number, ingestId: number, key: string): string {
  return `${subscriberId} ${ingestId} ${key}`
}

export function hashKeyName(name: string): Uint8Array {
  return hash('sha256', name, 'buffer').subarray(0, keyHashBytes)
}

/** The format of a push. Only pushes have keys, so the other formats do not occur. */
export function formatOf({ format }: Pick<PlacedEntry, 'format'>): BodyFormat {
  return format === 'replay' || format === 'lost' ? 'json' : format
}

/** The same bytes are different rows in another format, so the format is part of the hash. */
function markOf(format: BodyFormat): string {
  return format === 'json' ? '' : `${format} `
}

export function hashBody(body: Uint8Array, format: BodyFormat): Uint8Array {
  return createHash('sha256').update(markOf(format)).update(body).digest().subarray(0, bodyHashBytes)
}

/** A slice of this size is hashed in about a millisecond. */
const sliceBytes = 1024 * 1024

/** Like `hashBody`, one slice at a time: other requests get their turn while a large body is hashed. */
export async function hashBodyInSlices(body: Uint8Array, format: BodyFormat): Promise<Uint8Array> {
  if (body.length <= sliceBytes) return hashBody(body, format)
  const sum = createHash('sha256').update(markOf(format))
  for (let at = 0; at < body.length; at += sliceBytes) {
    sum.update(body.subarray(at, at + sliceBytes))
    await setImmediate()
  }
  return sum.digest().subarray(0, bodyHashBytes)
}
