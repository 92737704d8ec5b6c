import type { ObjectStore } from '../object-store/object-store.ts'
import {
  beforeDamage,
  type MomentEntry,
  type ReplicatedJournal,
  readReplicatedJournal,
  type TakePiece,
} from './read-journal.ts'
import { momentNames, orDamage, readLast, readLastGood, readLogEntry, readMoment, requireLogEntry } from './read-log.ts'
import {
  type LogEntry,
  logName,
  type Mark,
  type Moment,
  missingObject,
  numberOf,
  ReplicaDamaged,
  type RetainedMoment,
} from './replica-format.ts'
import type { StoreAttempt } from './replica-log.ts'

/** The sources of a restored folder. */
export interface ChosenMoment {
  readonly last: LogEntry
  readonly moment: Moment
  /** The place at which the journal ends. */
  readonly cut: Mark
  /** The newest moment; it need not be whole. */
  readonly newest: Moment
  /** The earliest time whose state can be restored. */
  readonly firstMs: number
}

export interface ChooseParts {
  readonly store: ObjectStore
  readonly attempt: StoreAttempt
  /** Receives the journal of a moment; `begin` is called before the journal of each moment that is tried. */
  readonly journal: { begin(): Promise<void>; readonly take: TakePiece }
}

/** The request: a time, or null for the newest state. Entries of the log before `endNumber` should exist. */
interface Wanted {
  readonly atMs: number | null
  readonly endNumber: number
}

/**
 * Chooses the newest state, or the one after the last push that was on disk by `atMs`. Throws `ReplicaDamaged` when an object that may contain
 * some of it is missing or damaged, rather than return an older state. Throws an Error when the replica has no such state.
 */
export async function chooseMoment(parts: ChooseParts, atMs: number | null): Promise<ChosenMoment> {
  const end = await readEnd(parts, atMs)
  if (end === null)
    throw new Error("There is no replica at this address. Use the address in the service's replica.url.")
  const wanted = { atMs, endNumber: end.number + 1 }
  let newest = await readNewest(parts, wanted)
  if (newest === null) throw new Error('The replica is not complete yet: its first list of files was never finished.')
  for (;;) {
    const found: Chosen | MomentEntry = await choose(parts, wanted, newest)
    if (!('kind' in found)) return { ...found, newest, last: end.last }
    // The list lacked this moment.
    const { moment: name } = found
    newest = await parts.attempt(() => readMoment(parts.store, name))
  }
}

type Chosen = Omit<ChosenMoment, 'last' | 'newest'>

/** Returns the entry of a moment newer than `newest` if there is one that counts. */
async function choose(parts: ChooseParts, wanted: Wanted, newest: Moment): Promise<Chosen | MomentEntry> {
  const { store, attempt, journal } = parts
  const atMs = wanted.atMs ?? Number.POSITIVE_INFINITY
  const own = [newest.number, newest.validFromMs, newest.journalFrom, null] as const
  const moments: (RetainedMoment | typeof own)[] = [...newest.moments, own]
  const firstMs = moments[0]![1]
  const candidates = moments.filter(([, validFromMs]) => validFromMs <= atMs)
  if (candidates.length === 0)
    throw new Error(`The replica goes back to ${instantOf(firstMs)}. Give --at that moment or a later one.`)
  let untilNumber = wanted.endNumber
  for (const [number, , , name] of candidates.reverse()) {
    const moment = name === null ? newest : await attempt(() => readMoment(store, name))
    await journal.begin()
    const read = await readReplicatedJournal(store, { moment, untilNumber, atMs }, attempt, journal.take)
    if (untilNumber === wanted.endNumber) {
      const unlisted = await readRest(parts, { read, moment, newest }, wanted)
      if (unlisted !== null) return unlisted
    }
    if (read.cut !== null) return { moment, cut: read.cut, firstMs }
    // Pushes after this moment may need definitions that only it has.
    untilNumber = number
  }
  throw new Error('The replica is incomplete: it has the journal of none of its moments.')
}

/** The last entry of the log, and its number; for an earlier state, the last entry that can be read. Null when there is no replica. */
async function readEnd(
  { store, attempt }: ChooseParts,
  atMs: number | null,
): Promise<{ readonly last: LogEntry; readonly number: number } | null> {
  try {
    const last = await attempt(() => readLast(store))
    return last === null ? null : { last, number: last.number }
  } catch (error) {
    if (atMs === null || !(error instanceof ReplicaDamaged)) throw error
    const good = await attempt(() => readLastGood(store))
    if (good === null) throw error
    return good
  }
}

/** The newest listed moment that the log commits; for an earlier state, the newest that can be read. */
async function readNewest({ store, attempt }: ChooseParts, { atMs, endNumber }: Wanted): Promise<Moment | null> {
  const names = await attempt(() => momentNames(store))
  if (atMs === null) await requireLogBefore(numberOf(names.at(-1) ?? ''), { store, attempt, endNumber })
  let damage: ReplicaDamaged | null = null
  for (const name of names.toReversed()) {
    const number = numberOf(name)
    if (number >= endNumber) continue
    const found = await orDamage(attempt(() => requireLogEntry(store, number)))
    if (found instanceof ReplicaDamaged) damage ??= found
    // A missing entry is found when the journal of the previous moment is followed.
    if (found instanceof ReplicaDamaged || found.entry.kind !== 'moment' || found.entry.moment !== name) continue
    const moment = await orDamage(attempt(() => readMoment(store, name)))
    if (!(moment instanceof ReplicaDamaged)) return moment
    const { validFromMs } = found.entry
    if (atMs === null || validFromMs <= atMs) throw beforeDamage(moment, validFromMs - 1)
    damage ??= moment
  }
  if (damage !== null) throw damage
  return null
}

/** A moment is written after the entry before its own exists, so one further on shows that entries are missing. */
async function requireLogBefore(
  number: number,
  { store, attempt, endNumber }: Pick<ChooseParts, 'store' | 'attempt'> & Pick<Wanted, 'endNumber'>,
): Promise<void> {
  if (!(number > endNumber) || (await attempt(() => readLogEntry(store, endNumber))) !== null) return
  throw missingObject(logName(endNumber))
}

/**
 * Reads the log from the entry at which the journal was no longer followed. Returns the entry of a moment that counts and is newer than the
 * newest known. Throws `ReplicaDamaged` when something is missing that may be needed.
 */
async function readRest(
  { store, attempt }: ChooseParts,
  { read, moment, newest }: { readonly read: ReplicatedJournal; readonly moment: Moment; readonly newest: Moment },
  { atMs, endNumber }: Wanted,
): Promise<MomentEntry | null> {
  const newestNumber = newest.number
  const wantedMs = atMs ?? Number.POSITIVE_INFINITY
  const counts = (entry: LogEntry): entry is MomentEntry =>
    entry.kind === 'moment' && entry.number > newestNumber && entry.validFromMs <= wantedMs
  if (read.moment !== null && counts(read.moment)) return read.moment
  let { isPast } = read
  for (let number = read.next; number < endNumber; number++) {
    if (isPast && number <= newestNumber) number = newestNumber + 1
    if (number >= endNumber) break
    const reading = attempt(() => requireLogEntry(store, number)).catch((error: unknown) => {
      if (isPast && error instanceof ReplicaDamaged) return null
      throw error instanceof ReplicaDamaged ? beforeDamage(error, read.cut?.[0] ?? moment.validFromMs - 1) : error
    })
    const entry = (await reading)?.entry
    if (entry === undefined) continue
    if (counts(entry)) return entry
    if (entry.timeMs > wantedMs) isPast = true
  }
  return null
}

export function instantOf(ms: number): string {
  return new Date(ms).toISOString()
}
