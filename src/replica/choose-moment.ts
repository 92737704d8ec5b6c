import type { ObjectStore } from '../object-store/object-store.ts'
import type { LogEntry, Mark, Moment } from './copy-format.ts'
import type { StoreAttempt } from './copy-log.ts'
import { readCopiedJournal, type TakePiece } from './read-journal.ts'
import { readLast, readMoment, readNewestMoment } from './read-log.ts'

/** What a folder is made of. */
export interface ChosenMoment {
  readonly last: LogEntry
  readonly moment: Moment
  /** Where the journal ends. */
  readonly cut: Mark
  /** From when on there is a state to go back to. */
  readonly firstMs: number
}

export interface ChooseParts {
  readonly store: ObjectStore
  readonly attempt: StoreAttempt
  /** Takes the journal of a moment; `begin` comes before that of each one that is tried. */
  readonly journal: { begin(): Promise<void>; readonly take: TakePiece }
}

/** The newest state, or the one after the last push that was on disk by `atMs`. Throws an Error when the copy has none. */
export async function chooseMoment(
  { store, attempt, journal }: ChooseParts,
  atMs: number | null,
): Promise<ChosenMoment> {
  const last = await attempt(() => readLast(store))
  if (last === null)
    throw new Error('There is no copy under this address. Give the address that replica.url of the service has.')
  const newest = await attempt(() => readNewestMoment(store, last.number))
  if (newest === null) throw new Error('The copy is not whole yet: its first list of files was never finished.')
  const moments = [...newest.moments, [newest.number, newest.validFromMs, newest.journalFrom, null] as const]
  const firstMs = moments[0]![1]
  const wanted = moments.filter(([, validFromMs]) => atMs === null || validFromMs <= atMs)
  if (wanted.length === 0) {
    throw new Error(`The copy goes back to ${instantOf(firstMs)}. Give --at that moment or a later one.`)
  }
  let untilNumber = Number.POSITIVE_INFINITY
  for (const [number, , , name] of wanted.reverse()) {
    const moment = name === null ? newest : await attempt(() => readMoment(store, name))
    await journal.begin()
    const request = { moment, untilNumber, atMs: atMs ?? Number.POSITIVE_INFINITY }
    const cut = await readCopiedJournal(store, request, attempt, journal.take)
    if (cut !== null) return { last, moment, cut, firstMs }
    // Pushes behind it may need definitions that only it has.
    untilNumber = number
  }
  throw new Error('The copy is not whole: the journal of none of its moments is there.')
}

export function instantOf(ms: number): string {
  return new Date(ms).toISOString()
}
