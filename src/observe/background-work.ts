import type { ServiceEvent } from './event.ts'

type EventKind = ServiceEvent['kind']

/** Work of the store that is tried again when it failed, under the name that metrics and `/readyz` give it. */
interface BackgroundWork {
  readonly work: string
  readonly failed: EventKind
  /** Says that it went well; null where nothing does. */
  readonly done: EventKind | null
  /** Whether `/readyz` tells of it. */
  readonly isReported: boolean
}

const backgroundWorks: readonly BackgroundWork[] = [
  { work: 'seal', failed: 'sealFailed', done: 'sealed', isReported: true },
  { work: 'validate', failed: 'validationFailed', done: 'rowsValidated', isReported: true },
  { work: 'merge', failed: 'mergeFailed', done: 'merged', isReported: true },
  { work: 'drop', failed: 'dropFailed', done: null, isReported: true },
  { work: 'trim', failed: 'journalTrimFailed', done: 'journalTrimmed', isReported: true },
  // One file that stays longer than it should harms nobody.
  { work: 'remove', failed: 'removalFailed', done: null, isReported: false },
]

/** The work that an event says has failed. */
export const failedWorks: ReadonlyMap<EventKind, BackgroundWork> = new Map(
  backgroundWorks.map((work) => [work.failed, work]),
)

/** The work that an event says went well. */
export const doneWorks: ReadonlyMap<EventKind, BackgroundWork> = new Map(
  backgroundWorks.flatMap((work) => (work.done === null ? [] : [[work.done, work] as const])),
)
