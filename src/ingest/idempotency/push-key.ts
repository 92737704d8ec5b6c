import { createHash, hash } from 'node:crypto'
import { setImmediate } from 'node:timers/promises'
import type { BodyFormat, PlacedEntry } from '../../journal/journal.ts'

export const keyHashBytes = 16
export const bodyHashBytes = 8

/** A day, in which a key stands for the push that was answered first. */
export const keyLifeS = 24 * 60 * 60

/** The push that a key stands for, and what is needed to know it again. */
export interface KeyedPush {
  readonly keyHash: Uint8Array
  /** Of the body after decompression, and its format. */
  readonly bodyHash: Uint8Array
  readonly position: number
  readonly rows: number
  /** Whole seconds since 1970. */
  readonly receivedS: number
}

/** Each subscriber has keys of its own at each ingest. The key is text, so nothing that follows it can be mistaken for a part of it. */
export function keyName(subscriberId: number, ingestId: number, key: string): string {
  return `${subscriberId} ${ingestId} ${key}`
}

export function hashKeyName(name: string): Uint8Array {
  return hash('sha256', name, 'buffer').subarray(0, keyHashBytes)
}

/** That of a push; nothing else comes with a key. */
export function formatOf({ format }: Pick<PlacedEntry, 'format'>): BodyFormat {
  return format === 'replay' || format === 'lost' ? 'json' : format
}

/** The same bytes are other rows in another format, so the hash tells the formats apart. */
function markOf(format: BodyFormat): string {
  return format === 'json' ? '' : `${format} `
}

export function hashBody(body: Uint8Array, format: BodyFormat): Uint8Array {
  return createHash('sha256').update(markOf(format)).update(body).digest().subarray(0, bodyHashBytes)
}

/** As much is hashed in a millisecond or so. */
const sliceBytes = 1024 * 1024

/** The same as `hashBody`, a slice at a time: while a large body is hashed, other requests get their turn. */
export async function hashBodyInSlices(body: Uint8Array, format: BodyFormat): Promise<Uint8Array> {
  if (body.length <= sliceBytes) return hashBody(body, format)
  const sum = createHash('sha256').update(markOf(format))
  for (let at = 0; at < body.length; at += sliceBytes) {
    sum.update(body.subarray(at, at + sliceBytes))
    await setImmediate()
  }
  return sum.digest().subarray(0, bodyHashBytes)
}
