import type { ServiceEvent } from './event.ts'

type EventKind = ServiceEvent['kind']

/** Work of the store that is tried again when it failed, under the name that metrics and `/readyz` give it. */
interface BackgroundWork {
  readonly work: string
  readonly failed: EventKind
  /** Says that it went well; null where nothing does. */
  readonly done: EventKind | null
  /** Whether `/readyz` tells of it. */
  readonly isTold: boolean
}

const backgroundWorks: readonly BackgroundWork[] = [
  { work: 'seal', failed: 'sealFailed', done: 'sealed', isTold: true },
  { work: 'judge', failed: 'judgeFailed', done: 'rowsJudged', isTold: true },
  { work: 'merge', failed: 'mergeFailed', done: 'merged', isTold: true },
  { work: 'drop', failed: 'dropFailed', done: null, isTold: true },
  { work: 'trim', failed: 'journalTrimFailed', done: 'journalTrimmed', isTold: true },
  // One file that stays longer than it should harms nobody.
  { work: 'remove', failed: 'removalFailed', done: null, isTold: false },
]

/** The work that an event says has failed. */
export const failedWorks: ReadonlyMap<EventKind, BackgroundWork> = new Map(
  backgroundWorks.map((work) => [work.failed, work]),
)

/** The work that an event says went well. */
export const doneWorks: ReadonlyMap<EventKind, BackgroundWork> = new Map(
  backgroundWorks.flatMap((work) => (work.done === null ? [] : [[work.done, work] as const])),
)
