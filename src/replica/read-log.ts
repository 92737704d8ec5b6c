import type { ObjectStore } from '../object-store/object-store.ts'
import {
  decodeLogEntry,
  decodeMoment,
  type LogEntry,
  logName,
  logPrefix,
  type Moment,
  momentPrefix,
  numberOf,
} from './copy-format.ts'

export interface ReadLogEntry {
  readonly entry: LogEntry
  readonly payload: Uint8Array
}

/** Null where the log has none of this number. Throws an Error when it is damaged. */
export async function readLogEntry(store: ObjectStore, number: number): Promise<ReadLogEntry | null> {
  const name = logName(number)
  const bytes = await store.get(name)
  return bytes === null ? null : decodeLogEntry(name, bytes)
}

/** The last entry of the log; null when there is no copy. A list that lacks the newest names does no harm: what follows is asked for. */
export async function readLast(store: ObjectStore): Promise<LogEntry | null> {
  let last = await readLastWithMoment(store)
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
  // An empty copy would be begun anew over it.
  if (last === null && isThere) throw new Error('the store lists entries of the log and does not give them')
  return last?.entry ?? null
}

/** Few moments stand before many entries. The entry that would commit the newest may not be there. */
async function readLastWithMoment(store: ObjectStore): Promise<ReadLogEntry | null> {
  const names: string[] = []
  for await (const name of store.list(momentPrefix)) names.push(name)
  for (const name of names.reverse()) {
    const found = await readLogEntry(store, numberOf(name))
    if (found !== null) return found
  }
  return null
}

/** Of the moments that entries of the log commit the newest up to an entry; null when there is none. */
export async function readNewestMoment(store: ObjectStore, untilNumber: number): Promise<Moment | null> {
  const names: string[] = []
  for await (const name of store.list(momentPrefix)) if (numberOf(name) <= untilNumber) names.push(name)
  for (const name of names.reverse()) {
    const committed = await readLogEntry(store, numberOf(name))
    if (committed?.entry.kind === 'moment' && committed.entry.moment === name) return readMoment(store, name)
  }
  return null
}

export async function readMoment(store: ObjectStore, name: string): Promise<Moment> {
  const bytes = await store.get(name)
  if (bytes === null) throw new Error(`the object ${name} of the copy is missing`)
  return decodeMoment(name, bytes)
}
