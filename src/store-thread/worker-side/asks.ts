import { RunningAsks } from '../../lib/actor/running-asks.ts'
import { Cancellation } from '../../lib/cancellation.ts'
import type { Snapshots } from '../../store/embedded/deltas/snapshots.ts'
import type { Outbox } from '../outbox.ts'
import { memoryOf, type PlanAnswers, type PlanAnswersParts } from '../plan-answers.ts'
import type { FromStore, ToStore } from '../protocol.ts'

export type Ask = Extract<
  ToStore,
  { kind: 'query' | 'statistics' | 'tags' | 'snapshot' | 'unpin' | 'cancel' | 'spare' }
>

export interface AskParts extends Pick<PlanAnswersParts, 'store'> {
  readonly answers: PlanAnswers
  readonly snapshots: Pick<Snapshots, 'take'>
  readonly outbox: Outbox<FromStore>
}

type Question = Exclude<Ask, { kind: 'unpin' | 'cancel' | 'spare' }>
type Reply = Extract<FromStore, { id: number }>

/** Answers what the main thread asks; each question may be cancelled. */
export class Asks {
  readonly #parts: AskParts
  readonly #running = new RunningAsks<Cancellation>()

  /** Lets the files of a snapshot go, by the number of its question. */
  readonly #pinned = new Map<number, () => void>()

  constructor(parts: AskParts) {
    this.#parts = parts
  }

  take(ask: Ask): void {
    if (ask.kind === 'cancel') {
      this.#running.find(ask.id)?.cancel()
      return
    }
    if (ask.kind === 'spare') {
      this.#parts.answers.giveBack(ask.memory)
      return
    }
    if (ask.kind === 'unpin') {
      this.#pinned.get(ask.id)?.()
      this.#pinned.delete(ask.id)
      return
    }
    const cancellation = new Cancellation()
    this.#running.begin(ask.id, cancellation)
    this.#answer(ask, cancellation).catch((error: unknown) =>
      this.#send({ kind: 'failed', id: ask.id, error: this.#parts.answers.errorOf(error) }),
    )
  }

  async #answer(ask: Question, cancellation: Cancellation): Promise<void> {
    const { answers, store, snapshots } = this.#parts
    const { id } = ask
    switch (ask.kind) {
      case 'statistics': {
        const statistics = await store.statistics(ask.entityId, ask.sinceMs, cancellation.signal)
        return this.#send({ kind: 'statistics', id, statistics })
      }
      case 'tags':
        return this.#send({ kind: 'tags', id, page: await store.tags(ask.request, cancellation.signal) })
      case 'snapshot': {
        const { entities, release } = await snapshots.take(ask.entityIds, cancellation.signal)
        this.#pinned.set(id, release)
        return this.#send({ kind: 'snapshot', id, entities })
      }
      case 'query': {
        const answer = await answers.answer(ask, cancellation)
        return this.#send({ kind: 'answer', id, answer }, memoryOf(answer))
      }
    }
  }

  /** Answers wait for those that are about to come, but never alone. */
  #send(message: Reply, transfer: readonly ArrayBuffer[] = []): void {
    const { outbox } = this.#parts
    this.#running.end(message.id)
    outbox.push(message, transfer)
    if (this.#running.size === 0) outbox.flush()
  }
}
