// Objects that a replica's moments need and its lists lack.
import type { ObjectStore } from '../object-store/object-store.ts'
import { objectNames } from './object-names.ts'
import { readNewestMoment } from './read-log.ts'
import { logName, logPrefix, type Moment, momentPrefix, numberOf } from './replica-format.ts'
import type { StoreAttempt } from './replica-log.ts'

export interface MissingParts {
  readonly store: ObjectStore
  readonly attempt: StoreAttempt
}

/** The missing objects, in order, that a restorable moment needs. Contents are not read. */
export async function missingObjects(parts: MissingParts, newest: Moment, endNumber: number): Promise<string[]> {
  const { store, attempt } = parts
  const missing: string[] = []
  const needed = needsOf(newest)
  for (const [prefix, names] of [
    [logPrefix, logNames(needed.journalFrom, endNumber)],
    [momentPrefix, [...needed.moments].sort()],
    ['parts/', [...needed.parts].sort()],
  ] as const) {
    // A list may lag behind.
    for await (const name of notListed(names, objectNames(store, attempt, prefix)))
      if ((await attempt(() => store.get(name))) === null) missing.push(name)
  }
  return missing.length === 0 ? [] : stillNeeded(parts, missing)
}

/** Leaves out objects that a running service has deleted meanwhile because they were too old. */
async function stillNeeded({ store, attempt }: MissingParts, missing: readonly string[]): Promise<string[]> {
  const newest = await attempt(() => readNewestMoment(store, Number.POSITIVE_INFINITY))
  if (newest === null) return [...missing]
  const { journalFrom, moments, parts } = needsOf(newest)
  return missing.filter((name) =>
    name.startsWith(logPrefix) ? numberOf(name) >= journalFrom : moments.has(name) || parts.has(name),
  )
}

function needsOf({ moments, departed, files, journalFrom }: Moment) {
  const parts = [...departed.map(([name]) => name), ...files.flatMap((file) => file.parts.map(([name]) => name))]
  const froms = [journalFrom, ...moments.map(([, , from]) => from)]
  return {
    journalFrom: froms.reduce((least, from) => Math.min(least, from)),
    moments: new Set(moments.map(([, , , name]) => name)),
    parts: new Set(parts),
  }
}

function* logNames(from: number, endNumber: number): Generator<string> {
  for (let number = from; number < endNumber; number++) yield logName(number)
}

/** Both inputs must be in order. */
async function* notListed(names: Iterable<string>, listed: AsyncGenerator<string>): AsyncGenerator<string> {
  let next = await listed.next()
  for (const name of names) {
    while (!next.done && next.value < name) next = await listed.next()
    if (next.done || next.value !== name) yield name
  }
}
