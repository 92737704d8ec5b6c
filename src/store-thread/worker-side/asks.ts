import { type AnswerData, packed } from '../../answer/answer-data.ts'
import { SpareChunks } from '../../answer/spare-chunks.ts'
import { runNativePlan } from '../../druid-native/plan/run-native-plan.ts'
import { runSqlPlan } from '../../druid-sql/plan/run-sql-plan.ts'
import { RunningAsks } from '../../lib/actor/running-asks.ts'
import { Cancellation } from '../../lib/cancellation.ts'
import type { Disk } from '../../lib/disk.ts'
import { damagedData } from '../../model/damaged-data.ts'
import type { Observe } from '../../observe/event.ts'
import { runPlan } from '../../query/run-plan.ts'
import type { Snapshots } from '../../store/embedded/deltas/snapshots.ts'
import { DamagedFileError } from '../../store/embedded/sealed/damaged-file.ts'
import type { GroupsQuerier, SeriesQuerier } from '../../store/series-store.ts'
import type { Outbox } from '../outbox.ts'
import { receivedPlan } from '../plan-text.ts'
import type { FromStore, SentError, ToStore } from '../protocol.ts'
import { sentError } from '../sent-error.ts'

export type Ask = Extract<
  ToStore,
  { kind: 'run' | 'native' | 'sql' | 'statistics' | 'tags' | 'snapshot' | 'unpin' | 'cancel' | 'spare' }
>

/** How long the writing of an answer may hold up the others. */
const sliceMs = 1
/** What is kept of the memory of answers that were sent. */
const spareBytes = 16 * 1024 * 1024

export interface AskParts {
  readonly store: SeriesQuerier & GroupsQuerier
  readonly snapshots: Pick<Snapshots, 'take'>
  readonly disk: Disk
  readonly spoolDirectory: string
  readonly outbox: Outbox<FromStore>
  readonly observe: Observe
}

type Question = Exclude<Ask, { kind: 'unpin' | 'cancel' | 'spare' }>

/** Answers what the main thread asks; each question may be cancelled. */
export class Asks {
  readonly #parts: AskParts
  readonly #running = new RunningAsks<Cancellation>()
  readonly #spares = new SpareChunks(spareBytes)

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
      this.#spares.give(ask.memory)
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
      this.#send({ kind: 'failed', id: ask.id, error: this.#sentError(error) }),
    )
  }

  async #answer(ask: Question, cancellation: Cancellation): Promise<void> {
    const { store, snapshots, disk, spoolDirectory } = this.#parts
    const { id } = ask
    if (ask.kind === 'statistics') {
      this.#send({
        kind: 'statistics',
        id,
        statistics: await store.statistics(ask.entityId, ask.sinceMs, cancellation.signal),
      })
      return
    }
    if (ask.kind === 'tags') {
      this.#send({ kind: 'tags', id, page: await store.tags(ask.request, cancellation.signal) })
      return
    }
    if (ask.kind === 'snapshot') {
      const { entities, release } = await snapshots.take(ask.entityIds, cancellation.signal)
      this.#pinned.set(id, release)
      this.#send({ kind: 'snapshot', id, entities })
      return
    }
    const settings = { sliceMs, disk, spoolDirectory, spares: this.#spares }
    if (ask.kind === 'native' || ask.kind === 'sql') {
      const made = await (ask.kind === 'sql'
        ? runSqlPlan(store, ask, settings, cancellation)
        : runNativePlan(store, ask, settings, cancellation))
      const answer = made === null ? null : packed(made, this.#spare)
      this.#send({ kind: ask.kind, id, answer }, memoryOf(answer))
      return
    }
    const answer = packed(
      await runPlan(store, { ...ask, plan: receivedPlan(ask.plan) }, settings, cancellation),
      this.#spare,
    )
    this.#send({ kind: 'answer', id, answer }, memoryOf(answer))
  }

  readonly #spare = (memory: readonly ArrayBuffer[]): void => this.#spares.give(memory)

  /** Answers wait for those that are about to come, but never alone. */
  #send(message: Extract<FromStore, { id: number }>, transfer: readonly ArrayBuffer[] = []): void {
    const { outbox } = this.#parts
    this.#running.end(message.id)
    outbox.push(message, transfer)
    if (this.#running.size === 0) outbox.flush()
  }

  /** The log names a damaged file; the caller, who may be anybody, does not learn where it lies. */
  #sentError(error: unknown): SentError {
    if (!(error instanceof DamagedFileError)) return sentError(error)
    this.#parts.observe({ kind: 'fileDamaged', path: error.path, message: error.message })
    return sentError(damagedData())
  }
}

function memoryOf(answer: AnswerData | null): ArrayBuffer[] {
  return answer?.body.kind === 'memory' ? answer.body.chunks.map((chunk) => chunk.buffer) : []
}
