// The main thread's own answers to small questions: the way to the store's thread and back takes longer than they do. docs/decisions/near-answers.md
import type { AnswerData } from '../../answer/answer-data.ts'
import type { CancelSignal } from '../../lib/cancellation.ts'
import { nodeDisk } from '../../lib/node-disk.ts'
import { datesOf, type Plan } from '../../model/plan.ts'
import { isLargePlan } from '../../model/plan-size.ts'
import type { PlanRequest } from '../../query/run-plan.ts'
import { LongRunError } from '../../store/embedded/mirror/brief-pacer.ts'
import type { MirrorNews } from '../../store/embedded/mirror/mirror-news.ts'
import { StoreMirror } from '../../store/embedded/mirror/store-mirror.ts'
import { mirrorShares } from '../mirror-shares.ts'
import { PlanAnswers } from '../plan-answers.ts'
import type { StoreThreadData, ToStore } from '../protocol.ts'

export type NearAnswersData = Pick<StoreThreadData, 'storeDirectory' | 'spoolDirectory' | 'changes' | 'queries'>

/** A life of the store's thread, as far as it is told and asked of here. */
export interface ToldOf {
  /** How many questions it has not answered. */
  readonly asked: number
  post(message: ToStore): void
}

/** After questions that came at the same time, so many have to come alone before one is answered here. */
const crowdQuestions = 64

/** Runs that turn out long take one part in so many of the main thread's time at most. */
const longRunShare = 50

/** How long after it was asked for news of an entity the thread may be asked again. */
const wantedAgainMs = 1000

/** Answers small questions of what the store's thread tells of its rows. */
export class NearAnswers {
  readonly #data: NearAnswersData
  #life: NearLife | null = null
  /** Whether this turn of the event loop has brought a question. */
  #isTurnTaken = false
  /** How many questions have yet to come alone. */
  #crowd = 0
  #count = 0

  constructor(data: NearAnswersData) {
    this.#data = data
  }

  /** How many questions were answered here. */
  get count(): number {
    return this.#count
  }

  /** The thread lives anew, and has told nothing. */
  begin(thread: ToldOf): void {
    this.#life?.mirror.close()
    const { storeDirectory: directory, spoolDirectory, changes, queries } = this.#data
    const { pages: pageCacheBytes, indexes: indexCacheBytes } = mirrorShares(queries.mirrorBytes)
    const mirror = new StoreMirror({
      ...{ disk: nodeDisk, directory, pageCacheBytes, indexCacheBytes, changes },
      gone: (file) => thread.post({ kind: 'mirrorLetGo', file }),
    })
    const answers = new PlanAnswers({ store: mirror.store, disk: nodeDisk, spoolDirectory, observe: () => undefined })
    this.#life = { thread, mirror, answers, wanted: new Map(), againMs: new Map() }
  }

  take(news: MirrorNews): void {
    if (news.kind === 'dropped') this.#life?.wanted.delete(news.entityId)
    this.#life?.mirror.take(news)
  }

  /** The answer; null, or a promise of null, where the store's thread has to be asked. Rejects with the signal's reason. */
  run(question: PlanRequest, signal: CancelSignal): Promise<AnswerData | null> | null {
    const life = this.#life
    if (life === null || isLargePlan(question.plan) || isTried(life, question.plan)) return null
    if (!this.#isAlone(life) || !isKnown(life, question.plan)) return null
    return this.#run(life, question, signal)
  }

  /** Takes memory of answers that may be written again. */
  readonly giveBack = (memory: readonly ArrayBuffer[]): void => this.#life?.answers.giveBack(memory)

  async #run({ answers, againMs }: NearLife, question: PlanRequest, signal: CancelSignal): Promise<AnswerData | null> {
    const startedMs = performance.now()
    try {
      // The run opens the rows in the turn in which they were found to be known.
      const answer = await answers.run(question, signal)
      this.#count++
      return answer
    } catch (error) {
      // It takes long, or waits for the disk; or the store's thread says what is wrong with it.
      signal.throwIfAborted()
      if (!(error instanceof LongRunError)) return null
      const nowMs = performance.now()
      againMs.set(question.plan.selection.entityId, nowMs + longRunShare * (nowMs - startedMs))
      return null
    }
  }

  /** Questions that come one by one are answered here; those of many who ask at the same time, by two threads. */
  #isAlone({ thread }: NearLife): boolean {
    if (this.#isTurnTaken || thread.asked > 0) {
      this.#crowd = crowdQuestions
      return false
    }
    this.#isTurnTaken = true
    setImmediate(this.#turnEnds)
    if (this.#crowd > 0) this.#crowd--
    return this.#crowd === 0
  }

  readonly #turnEnds = (): void => {
    this.#isTurnTaken = false
  }
}

/** What is known of the rows in one life of the thread. */
interface NearLife {
  readonly thread: ToldOf
  readonly mirror: StoreMirror
  readonly answers: PlanAnswers
  /** When the thread was last asked to tell of an entity. */
  readonly wanted: Map<number, number>
  /** When a question about an entity may be tried again. */
  readonly againMs: Map<number, number>
}

/** Whether a question about the entity turned out long a moment ago. */
function isTried({ againMs }: NearLife, { selection }: Plan): boolean {
  const untilMs = againMs.get(selection.entityId)
  if (untilMs === undefined) return false
  if (performance.now() < untilMs) return true
  againMs.delete(selection.entityId)
  return false
}

/** Where it is not, the thread is asked to tell of the entity: once rows come less fast, it may. */
function isKnown({ thread, mirror, wanted }: NearLife, plan: Plan): boolean {
  const { entityId } = plan.selection
  if (mirror.isCurrent(entityId, datesOf(plan))) return true
  const nowMs = performance.now()
  if (nowMs - (wanted.get(entityId) ?? Number.NEGATIVE_INFINITY) >= wantedAgainMs) {
    wanted.set(entityId, nowMs)
    thread.post({ kind: 'mirror', entityId })
  }
  return false
}
