// The main thread's requests to the store. Each may be cancelled. The plan of a query is run here, and its answer written.
import type { Groups } from '../../algebra/aggregation.ts'
import { BeyondPlan } from '../../algebra/functions.ts'
import { type AnswerData, packed } from '../../answer/answer-data.ts'
import { SpareChunks } from '../../answer/spare-chunks.ts'
import type { SpoolBudget } from '../../answer/spool.ts'
import { type AnswerSettings, storeRows } from '../../answer/store-rows.ts'
import { storeText } from '../../answer/store-text.ts'
import { answerPlan, answerScan } from '../../druid-native/plan/answer-plan.ts'
import type { PlannedNative } from '../../druid-native/plan/native-plan.ts'
import { answerSql } from '../../druid-sql/plan/answer-sql.ts'
import type { PlannedSql } from '../../druid-sql/plan/sql-plan.ts'
import { bucketsOfPlan, timeBuckets } from '../../druid-time/plain-granularity.ts'
import { RunningRequests } from '../../lib/actor/running-requests.ts'
import { Cancellation, type CancelSignal } from '../../lib/cancellation.ts'
import type { Disk } from '../../lib/disk.ts'
import { Pacer } from '../../lib/pacer.ts'
import { damagedData } from '../../model/damaged-data.ts'
import { outputFields, type PlanLimits } from '../../model/plan.ts'
import type { Observe } from '../../observe/event.ts'
import type { Snapshots } from '../../store/embedded/deltas/snapshots.ts'
import { DamagedFileError } from '../../store/embedded/sealed/damaged-file.ts'
import type { GroupsQuerier, SeriesQuerier } from '../../store/series-store.ts'
import type { Outbox } from '../outbox.ts'
import { receivedPlan, type SentQuery } from '../plan-text.ts'
import type { FromStore, SentError, ToStore } from '../protocol.ts'
import { sentError } from '../sent-error.ts'

export type StoreRequest = Extract<
  ToStore,
  { kind: 'query' | 'statistics' | 'tags' | 'snapshot' | 'unpin' | 'cancel' | 'spare' }
>

interface AskParts {
  readonly store: SeriesQuerier & GroupsQuerier
  readonly disk: Disk
  readonly spoolDirectory: string
  readonly observe: Observe
  readonly snapshots: Pick<Snapshots, 'take'>
  readonly outbox: Outbox<FromStore>
}

type RepliedRequest = Exclude<StoreRequest, { kind: 'unpin' | 'cancel' | 'spare' }>
type Reply = Extract<FromStore, { id: number }>

/** The longest that writing an answer may hold up other work. */
const sliceMs = 1
/** The most memory of sent answers that is kept for reuse. */
const spareBytes = 16 * 1024 * 1024

/** Handles the main thread's requests. Each may be cancelled. */
export class Requests {
  readonly #parts: AskParts
  readonly #settings: AnswerSettings
  readonly #spares = new SpareChunks(spareBytes)
  readonly #running = new RunningRequests<Cancellation>()

  /** Functions that release the files of a snapshot, by the number of its request. */
  readonly #pinned = new Map<number, () => void>()

  constructor(parts: AskParts) {
    this.#parts = parts
    const { disk, spoolDirectory } = parts
    this.#settings = { sliceMs, disk, spoolDirectory, spares: this.#spares }
  }

  take(ask: StoreRequest): void {
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
      this.#send({ kind: 'failed', id: ask.id, error: this.#errorOf(error) }),
    )
  }

  async #answer(ask: RepliedRequest, cancellation: Cancellation): Promise<void> {
    const { store, snapshots } = this.#parts
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
        const made = await runQuery(store, ask, this.#settings, cancellation)
        const answer = made && packed(made, (memory) => this.#spares.give(memory))
        return this.#send({ kind: 'answer', id, answer }, memoryOf(answer))
      }
    }
  }

  /** A reply waits to be sent with others while more requests are running, but never alone. */
  #send(message: Reply, transfer: readonly ArrayBuffer[] = []): void {
    const { outbox } = this.#parts
    this.#running.end(message.id)
    outbox.push(message, transfer)
    if (this.#running.size === 0) outbox.flush()
  }

  /** The log names a damaged file. Its path is not sent to the caller, who may be anybody. */
  #errorOf(error: unknown): SentError {
    if (!(error instanceof DamagedFileError)) return sentError(error)
    this.#parts.observe({ kind: 'fileDamaged', path: error.path, message: error.message })
    return sentError(damagedData())
  }
}

interface QueryToRun {
  readonly limits: PlanLimits
  readonly budget: SpoolBudget
}

/**
 * Runs the plan of a query and writes its answer; null where the SQL engine must run the query. Throws what the store throws, and Problem
 * `too_many_buckets`, `result_too_large` or `overloaded`.
 */
export async function runQuery(
  store: SeriesQuerier & GroupsQuerier,
  query: SentQuery & QueryToRun,
  settings: AnswerSettings,
  signal: CancelSignal,
): Promise<AnswerData | null> {
  const { limits, budget } = query
  const { resultBytes } = limits
  if (query.language === 'data') {
    const plan = receivedPlan(query.plan)
    const rows = { fields: outputFields(plan), batches: store.run(plan, limits, signal, bucketsOfPlan(plan)) }
    return storeRows(rows, { format: query.format, resultBytes, budget }, settings, signal)
  }
  const found = await foundBy(store, query.plan, signal)
  if (found === null) return null
  const pacer = new Pacer({ sliceMs: settings.sliceMs, signal })
  try {
    if (query.language === 'sql') {
      const rows = await answerSql(query.plan, found, limits, pacer)
      return rows && (await storeRows(rows, { format: query.format, resultBytes, budget }, settings, signal))
    }
    const answer = await ('scan' in query.plan
      ? answerScan(query.plan, found.rows, limits)
      : answerPlan(query.plan, found, limits, pacer))
    if (answer === null) return null
    return { ...(await storeText(answer.pieces, { resultBytes, budget }, settings, signal)), rows: answer.rows }
  } catch (error) {
    if (error instanceof BeyondPlan) return null
    throw error
  }
}

/** The groups of a plan, or the rows of a scan. */
async function foundBy(
  store: GroupsQuerier,
  plan: PlannedSql | PlannedNative,
  signal: CancelSignal,
): Promise<Groups | null> {
  if (!('scan' in plan)) return store.aggregate(plan.aggregation, signal, timeBuckets(plan.aggregation.granularity))
  const rows = await store.scan(plan.scan, signal)
  return rows && { rows, days: [] }
}

/** The memory that is transferred with an answer. */
function memoryOf(answer: AnswerData | null): ArrayBuffer[] {
  return answer?.body.kind === 'memory' ? answer.body.chunks.map((chunk) => chunk.buffer) : []
}
