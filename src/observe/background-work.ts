import type { ServiceEvent } from './event.ts'

type EventKind = ServiceEvent['kind']

/** Background work of the store that is retried after a failure, with its name in metrics and `/readyz`. */
interface BackgroundWork {
  readonly work: string
  readonly failed: EventKind
  /** The event of a success; null if there is none. */
  readonly done: EventKind | null
  /** Whether `/readyz` reports it. */
  readonly isReported: boolean
}

const backgroundWorks: readonly BackgroundWork[] = [
  { work: 'seal', failed: 'sealFailed', done: 'sealed', isReported: true },
  { work: 'validate', failed: 'validationFailed', done: 'rowsValidated', isReported: true },
  { work: 'merge', failed: 'mergeFailed', done: 'merged', isReported: true },
  { work: 'drop', failed: 'dropFailed', done: null, isReported: true },
  { work: 'trim', failed: 'journalTrimFailed', done: 'journalTrimmed', isReported: true },
  // A file that is deleted later than it should be does no harm.
  { work: 'remove', failed: 'removalFailed', done: null, isReported: false },
]

/** The work whose failure an event reports. */
export const failedWorks: ReadonlyMap<EventKind, BackgroundWork> = new Map(
  backgroundWorks.map((work) => [work.failed, work]),
)

/** The work whose success an event reports. */
export const doneWorks: ReadonlyMap<EventKind, BackgroundWork> = new Map(
  backgroundWorks.flatMap((work) => (work.done === null ? [] : [[work.done, work] as const])),
)
