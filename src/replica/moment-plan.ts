// Determines which objects of a replica are still needed; docs/formats/replica.md has the rules.
import { logName, type Moment, type ReplicatedFile, type RetainedMoment } from './replica-format.ts'

export interface NewMoment
  extends Pick<
    Moment,
    'number' | 'epoch' | 'timeMs' | 'validFromMs' | 'sealedPosition' | 'position' | 'journalFrom' | 'whole'
  > {
  readonly files: readonly ReplicatedFile[]
}

export interface PlannedMoment {
  readonly moment: Moment
  /** The names of objects without references after the moment is committed. */
  readonly deleted: readonly string[]
}

/**
 * The moment after `last`, and the objects that can then be deleted: those that neither a moment from `retainedFromMs` on needs, nor the newest one that
 * a restore can use.
 */
export function planMoment(
  next: NewMoment,
  last: (Moment & { readonly name: string }) | null,
  retainedFromMs: number,
): PlannedMoment {
  const before: RetainedMoment[] =
    last === null ? [] : [...last.moments, [last.number, last.validFromMs, last.journalFrom, last.name]]
  const own: RetainedMoment = [next.number, next.validFromMs, next.journalFrom, '']
  const all = [...before, own]
  // The last one that is old enough is needed for the times until its successor.
  const old = all.findLastIndex(([, validFromMs]) => validFromMs <= retainedFromMs)
  const whole = all.findIndex(([number]) => number === next.whole)
  const first = Math.max(0, Math.min(old, whole))
  const moments = before.slice(first)
  const [floorNumber, , floorJournal] = all[first]!
  const live = new Set(next.files.flatMap(({ parts }) => parts.map(([name]) => name)))
  const left = (last?.files ?? [])
    .flatMap(({ parts }) => parts.map(([name]) => name))
    .filter((name) => !live.has(name))
    .map((name) => [name, last!.number] as const)
  const departed = [...(last?.departed ?? []), ...new Map(left)].filter(([name]) => !live.has(name))
  const oldJournal = before[0]?.[2] ?? floorJournal
  return {
    moment: { ...next, moments, departed: departed.filter(([, number]) => number >= floorNumber) },
    deleted: [
      ...departed.filter(([, number]) => number < floorNumber).map(([name]) => name),
      ...before.slice(0, first).map(([, , , name]) => name),
      ...Array.from({ length: Math.max(0, floorJournal - oldJournal) }, (_, index) => logName(oldJournal + index)),
    ],
  }
}

/** Whether a new moment would delete objects although nothing changed. */
export function hasExpired(
  { moments, validFromMs }: Pick<Moment, 'moments' | 'validFromMs'>,
  retainedFromMs: number,
): boolean {
  const second = moments[1]?.[1] ?? validFromMs
  return moments.length > 0 && second <= retainedFromMs
}
