import type { ObjectStore } from '../object-store/object-store.ts'
import {
  begunName,
  decodeBegun,
  decodeLogEntry,
  decodeMoment,
  type LogEntry,
  lastMomentOf,
  logName,
  logPrefix,
  type Moment,
  missingObject,
  momentPrefix,
  numberOf,
  ReplicaDamaged,
} from './replica-format.ts'

export interface ReadLogEntry {
  readonly entry: LogEntry
  readonly payload: Uint8Array
}

/** Null when the log has no entry with this number. Throws `ReplicaDamaged`. */
export async function readLogEntry(store: ObjectStore, number: number): Promise<ReadLogEntry | null> {
  const name = logName(number)
  const bytes = await store.get(name)
  return bytes === null ? null : decodeLogEntry(name, bytes)
}

/** Throws `ReplicaDamaged` also when the entry is missing. */
export async function requireLogEntry(store: ObjectStore, number: number): Promise<ReadLogEntry> {
  const found = await readLogEntry(store, number)
  if (found === null) throw missingObject(logName(number))
  return found
}

/** The last entry of the log; null when there is no replica. A list may lack the newest names: entries after it are read by number. */
export async function readLast(store: ObjectStore): Promise<LogEntry | null> {
  const moments = await momentNames(store)
  let last = await readLastWithMoment(store, moments)
  let isThere = last !== null
  let number = last?.entry.number ?? -1
  for await (const name of store.list(logPrefix, last === null ? undefined : logName(number))) {
    isThere = true
    number = Math.max(number, numberOf(name))
  }
  last = (number === -1 ? null : await readLogEntry(store, number)) ?? last
  for (;;) {
    const next = await readLogEntry(store, (last?.entry.number ?? -1) + 1)
    if (next === null) break
    last = next
  }
  // Otherwise a new replica would be begun over it.
  if (last === null && isThere) throw new ReplicaDamaged('the store lists entries of the log and does not give them')
  if (last === null && moments.length > 0) throw new ReplicaDamaged(`the replica has ${moments.at(-1)} and no log`)
  await requireOfBegunReplica(store, last?.entry ?? null)
  return last?.entry ?? null
}

/**
 * Lists may lag so far that they are empty, and the first entry may be deleted. A single object, read after them, shows that a replica was begun.
 * In that case a first entry of another replica is from a process that ended before it took the entry back.
 */
async function requireOfBegunReplica(store: ObjectStore, last: LogEntry | null): Promise<void> {
  const bytes = await store.get(begunName)
  const begun = bytes === null ? null : await orDamage((async () => decodeBegun(bytes))())
  if (begun instanceof ReplicaDamaged && last === null) throw begun
  if (begun === null || begun instanceof ReplicaDamaged || begun.copy === last?.copy) return
  throw new ReplicaDamaged(
    `a replica was begun here (the object ${begunName}), and the store shows nothing of its log: its lists are late, or objects were deleted`,
  )
}

/** Whether there was ever a replica, even if its first entry has been deleted since. */
export async function isBegun(store: ObjectStore): Promise<boolean> {
  return (await store.get(begunName)) !== null
}

/** The last entry that can be read, and the number of the last one that exists: for restoring a state before the damage. */
export async function readLastGood(
  store: ObjectStore,
): Promise<{ readonly last: LogEntry; readonly number: number } | null> {
  const numbers: number[] = []
  for await (const name of store.list(logPrefix)) numbers.push(numberOf(name))
  for (const number of numbers.toReversed()) {
    const found = await orDamage(requireLogEntry(store, number))
    if (!(found instanceof ReplicaDamaged)) return { last: found.entry, number: numbers.at(-1)! }
  }
  return null
}

/** Resolves to the result, or to the damage. */
export function orDamage<T>(reading: Promise<T>): Promise<T | ReplicaDamaged> {
  return reading.catch((error: unknown) => {
    if (error instanceof ReplicaDamaged) return error
    throw error
  })
}

/** In order. */
export async function momentNames(store: ObjectStore): Promise<readonly string[]> {
  const names: string[] = []
  for await (const name of store.list(momentPrefix)) names.push(name)
  return names
}

/** Saves listing many entries, because there are few moments. The entry that would commit the newest moment may not exist. */
async function readLastWithMoment(store: ObjectStore, names: readonly string[]): Promise<ReadLogEntry | null> {
  for (const name of names.toReversed()) {
    const found = await readLogEntry(store, numberOf(name))
    if (found !== null) return found
  }
  return null
}

/** The newest moment, up to an entry, that an entry of the log commits; null when there is none. */
export async function readNewestMoment(store: ObjectStore, untilNumber: number): Promise<Moment | null> {
  const names = (await momentNames(store)).filter((name) => numberOf(name) <= untilNumber)
  for (const name of names.toReversed()) {
    const committed = await readLogEntry(store, numberOf(name))
    if (committed?.entry.kind === 'moment' && committed.entry.moment === name) return readMoment(store, name)
  }
  return null
}

/** The newest moment up to an entry, even when lists lack it. Lists are used only when the object that the entry names was deleted. */
export async function readMomentBefore(store: ObjectStore, entry: LogEntry): Promise<Moment | null> {
  const name = lastMomentOf(entry)
  if (name === null) return null
  const bytes = await store.get(name)
  return bytes === null ? readNewestMoment(store, entry.number) : decodeMoment(name, bytes)
}

export async function readMoment(store: ObjectStore, name: string): Promise<Moment> {
  const bytes = await store.get(name)
  if (bytes === null) throw missingObject(name)
  return decodeMoment(name, bytes)
}
