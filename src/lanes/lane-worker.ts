// Judges one lane of the journal. Each step keeps rejected rows, items and counts in the catalog, and then produces the good rows and the offset
// behind them in one transaction of Kafka. Whatever it is killed after, the next one begins at the offset that was committed and comes to the same:
// what the catalog has kept already it keeps once, and of rows that were produced without an offset nobody ever reads.
import { setTimeout as sleep } from 'node:timers/promises'
import type { OutcomeCatalog } from '../catalog/catalog.ts'
import type { KeyedEntry, LaneCatalog } from '../catalog/lanes.ts'
import type { SetAsideCatalog } from '../catalog/set-aside.ts'
import {
  type EntryJudge,
  type JudgedRun,
  type JudgedStep,
  pushesOfStep,
  rowsFrom,
  rowsOf,
} from '../ingest/entry-judge.ts'
import { formatOf, hashBody } from '../ingest/idempotency/push-key.ts'
import { judgedByIngest } from '../ingest/judged-by-ingest.ts'
import { ReplacedRows } from '../ingest/replaced-rows.ts'
import { type JudgingNotes, noteOf, noteText } from '../ingest/set-aside/judging-notes.ts'
import { JudgingWatch } from '../ingest/set-aside/judging-watch.ts'
import { firstRow, newBudget, type RowOfEntry, type StepBudget } from '../ingest/step-budget.ts'
import { asTold } from '../ingest/told-outcomes.ts'
import { type JournalCursor, type PlacedEntry, positionAfter } from '../journal/journal.ts'
import { offsetFrom, positionAt } from '../journal/lane-position.ts'
import type { RecordBatch } from '../kafka/produce.ts'
import type { RowsTopics } from '../kafka/rows-topics.ts'
import type { GroupOffset, TransactionalProducer } from '../kafka/transactional-producer.ts'
import { keptRows, type RowBatch } from '../model/row-batch.ts'
import type { Observe } from '../observe/event.ts'
import { HandedAgain, handedOn, timesByPosition } from './handed-on.ts'
import { RowJson } from './row-json.ts'

export interface LaneParts {
  readonly lane: number
  readonly journal: Pick<JournalCursor, 'read'>
  /** The offset that the group has committed for the lane; the first that is there when it has committed none. */
  readonly firstOffset: () => Promise<number>
  readonly place: Pick<GroupOffset, 'group' | 'topic'>
  readonly producer: Pick<TransactionalProducer, 'begin' | 'send' | 'commit'>
  readonly rowsTopics: Pick<RowsTopics, 'batches' | 'forget'>
  readonly lanes: LaneCatalog
  readonly outcomes: Pick<OutcomeCatalog, 'rejectedIn'>
  readonly judge: EntryJudge
  /** Told of the entities whose rows are in their topics now. */
  readonly written: (entityIds: readonly number[]) => void
  readonly setAside: Pick<SetAsideCatalog, 'add' | 'list'>
  readonly nowMs: () => number
  readonly observe: Observe
  /** About how many bytes of bodies one step judges. */
  readonly stepBytes: number
  /** The most rows that are judged before others get their turn. */
  readonly stepRows: number
  /** How long a step may wait for Kafka to take a batch. */
  readonly timeoutMs: number
}

/** Another pipeline has taken the lane over. */
export class LaneTaken extends Error {
  constructor(lane: number) {
    super(`another pipeline validates partition ${lane}`)
    this.name = 'LaneTaken'
  }
}

export class LaneWorker {
  readonly #parts: LaneParts
  /** The entities that the step under way writes rows of. */
  readonly #writing = new Set<number>()
  readonly #json = new WeakMap<RowBatch['fields'], RowJson>()
  readonly #again = new HandedAgain()
  readonly #replaced = new ReplacedRows()
  /** What is before it is kept in the catalog. */
  #keptPosition = 0
  /** The next entry is here or after it. */
  #position = 0
  #watch!: JudgingWatch
  /** Tells the catalog how far the lane has come, behind the steps. */
  #telling: Promise<void> | null = null
  #toldPosition = 0
  readonly #stopped = new AbortController()

  constructor(parts: LaneParts) {
    this.#parts = parts
  }

  /** Judges until the signal is aborted: of the step that is being made then nothing is committed. Throws when a step fails. */
  async run(signal: AbortSignal): Promise<void> {
    try {
      await this.#judgeOn(signal)
    } finally {
      this.#stopped.abort()
      await this.#telling
    }
  }

  async #judgeOn(signal: AbortSignal): Promise<void> {
    const { journal, stepBytes } = this.#parts
    await this.#begin()
    const read = (): Promise<readonly PlacedEntry[]> => journal.read(this.#position, endOfTime, stepBytes)
    for (let reading = read(); ; ) {
      const entries = await reading
      if (signal.aborted) break
      const last = entries.at(-1)
      if (last !== undefined) this.#position = positionAfter(last)
      // The next entries come while these are judged.
      reading = read()
      reading.catch(() => {})
      if (last !== undefined) await this.#step(entries, signal)
    }
  }

  async #begin(): Promise<void> {
    const { lane, producer, firstOffset, lanes, rowsTopics, judge, observe, timeoutMs } = this.#parts
    // From here on an earlier owner of the lane commits nothing any more, so what is read below is how it has left it.
    await producer.begin(AbortSignal.timeout(timeoutMs))
    const [offset, { keptPosition, processedPosition }] = [await firstOffset(), await lanes.lane(lane)]
    // Kafka forgets the offsets of a group that is away for long.
    this.#position = positionAt(lane, Math.max(offset, offsetFrom(processedPosition)))
    this.#keptPosition = keptPosition
    rowsTopics.forget()
    await judge.refresh()
    this.#watch = await this.#openWatch()
    if (this.#position > processedPosition) await lanes.processed(lane, this.#position)
    observe({ kind: 'laneTaken', lane, position: this.#position })
  }

  /** One transaction, whatever is in the entries; they are judged in pieces, and what has come together goes ahead to Kafka. */
  async #step(entries: readonly PlacedEntry[], signal: AbortSignal): Promise<void> {
    const { lane, place, producer, timeoutMs, written } = this.#parts
    const batches: RecordBatch[] = []
    let from = firstRow
    for (let left = await this.#withoutRepeated(entries); left.length > 0; ) {
      const { reached } = await this.#piece(left, from, batches)
      left = left.slice(reached.entries)
      from = reached.place
      if (left.length > 0) await this.#goOn(batches, signal)
    }
    await this.#watch.end(positionAfter(entries.at(-1)!))
    const reached = { ...place, partition: lane, offset: offsetFrom(positionAfter(entries.at(-1)!)) }
    const writing = [...this.#writing]
    this.#writing.clear()
    await producer.commit(batches, reached, timeoutMs)
    if (writing.length > 0) written(writing)
    // Where the next record begins: that is as far as anybody can know that the lane goes.
    this.#tell(positionAt(lane, reached.offset))
  }

  /** A push whose idempotency key stands for an earlier one was stored by that. */
  async #withoutRepeated(entries: readonly PlacedEntry[]): Promise<readonly PlacedEntry[]> {
    const keyed = entries.flatMap((entry): readonly KeyedEntry[] => {
      const { subscriberId, ingestId, idempotencyKey: key, body, position, rows, receivedMs } = entry
      if (key === null) return []
      const bodyHash = hashBody(body, formatOf(entry))
      return [{ subscriberId, ingestId, key, bodyHash, position, rows, receivedMs }]
    })
    if (keyed.length === 0) return entries
    const repeated = await this.#parts.lanes.settleKeys(keyed)
    return repeated.size === 0 ? entries : entries.filter(({ position }) => !repeated.has(position))
  }

  /** The rows from a place on that one piece takes, or one replay. */
  async #piece(
    left: readonly PlacedEntry[],
    from: RowOfEntry,
    batches: RecordBatch[],
  ): Promise<Pick<JudgedStep, 'runs' | 'reached'>> {
    const { judge, stepRows, stepBytes } = this.#parts
    const watch = this.#watch
    const budget = newBudget(Math.min(stepRows, watch.rowsAtOnce(left)), stepBytes)
    const [first] = left
    const isReplay = first!.format === 'replay'
    const entries = isReplay ? [first!] : watch.together(pushesOfStep(left, budget))
    await watch.begin(entries, first!.position + from.index, async (entry) =>
      (await judge.makesItems(entry)) ? this.#keptPosition : entry.position,
    )
    try {
      if (!isReplay) return await this.#judge(entries, from, budget, batches)
      await this.#replay(first!, batches)
      return { runs: [], reached: { entries: 1, place: firstRow } }
    } catch (error) {
      await watch.failed(error)
      throw error
    }
  }

  #openWatch(): Promise<JudgingWatch> {
    const { lane, lanes, setAside, nowMs, observe } = this.#parts
    const notes: JudgingNotes = {
      read: async () => noteOf((await lanes.note(lane)) ?? ''),
      write: (note) => lanes.writeNote(lane, noteText(note)),
    }
    return JudgingWatch.open({ notes, setAside, nowMs, observe, reach: () => undefined }, this.#position)
  }

  /** Between two pieces. Throws when the lane is to be left. */
  async #goOn(batches: RecordBatch[], signal: AbortSignal): Promise<void> {
    const { producer, timeoutMs } = this.#parts
    if (signal.aborted) {
      await this.#watch.failed(signal.reason)
      signal.throwIfAborted()
    }
    const bytes = batches.reduce((sum, { values }) => sum + values.reduce((own, { length }) => own + length, 0), 0)
    if (bytes >= aheadBytes) await producer.send(batches.splice(0), timeoutMs)
    // Requests are answered in between.
    await new Promise((resolve) => setImmediate(resolve))
  }

  async #judge(
    entries: readonly PlacedEntry[],
    from: RowOfEntry,
    budget: StepBudget,
    batches: RecordBatch[],
  ): Promise<JudgedStep> {
    const { lane, judge, lanes, outcomes, observe } = this.#parts
    const startedMs = performance.now()
    const step = await judge.judge(entries, from, budget, this.#watch.decision(entries[0]!.position))
    const { throughPosition } = step
    const fromPosition = this.#keptPosition
    const runs = await asTold(step.runs, fromPosition, outcomes)
    const outcome = { rejected: runs.flatMap(({ rejected }) => rejected), items: runs.flatMap(({ items }) => items) }
    const isDropped = ({ batch }: JudgedRun): boolean => batch !== null && judge.isDropped(batch.entityId)
    const takenBack = this.#again.takenBack(runs, fromPosition)
    const replaced = this.#replaced.count(entries, runs)
    if (throughPosition > fromPosition) {
      const kept = await lanes.keep({
        lane,
        fromPosition,
        throughPosition,
        judged: runs.map((run) => ({ ingestId: run.ingestId, rows: rowsFrom(run.spans, fromPosition) })),
        ...outcome,
        replaced,
        stored: runs.flatMap((run) => (isDropped(run) ? [] : handedOn(run, fromPosition))),
        takenBack,
      })
      if (!kept) throw new LaneTaken(lane)
      this.#keptPosition = throughPosition
    } else if (outcome.rejected.length > 0) {
      await lanes.keepAgain(lane, outcome.rejected, takenBack)
    }
    this.#replaced.kept(throughPosition)
    const rows = runs.reduce((sum, { spans }) => sum + rowsFrom(spans, fromPosition), 0)
    const all = runs.reduce((sum, { spans }) => sum + rowsOf(spans), 0)
    // What is kept is counted, whatever becomes of the transaction: the next time it is judged again.
    observe({
      kind: 'rowsJudged',
      rows,
      rejected: outcome.rejected.length,
      again: all - rows,
      ingests: judgedByIngest(runs, fromPosition),
      ms: performance.now() - startedMs,
    })
    for (const { batch } of runs) if (batch !== null) await this.#add(batch, batches)
    return step
  }

  async #replay(entry: PlacedEntry, batches: RecordBatch[]): Promise<void> {
    const { lane, judge, lanes, observe } = this.#parts
    if (this.#watch.decision(entry.position) !== undefined) return
    const judged = await judge.judgeReplay(entry)
    if (judged === null) return
    const { batch, outcome } = judged
    const rows = batch === null ? null : { entityId: batch.entityId, times: timesByPosition(batch) }
    const { stored, taken } = await lanes.replay({ ...outcome, lane, throughPosition: positionAfter(entry), rows })
    if (batch !== null) await this.#add(keptRows(batch, new Set(stored)), batches)
    observe({ kind: 'rowsReplayed', ingestId: entry.ingestId, rows: judged.rows, stored: taken })
  }

  async #add(batch: RowBatch, batches: RecordBatch[]): Promise<void> {
    const { lane, judge, rowsTopics, timeoutMs } = this.#parts
    if (batch.rows === 0 || judge.isDropped(batch.entityId)) return
    this.#writing.add(batch.entityId)
    const json = this.#json.get(batch.fields) ?? new RowJson(batch.fields)
    this.#json.set(batch.fields, json)
    const records = json.records(batch)
    for (const one of await rowsTopics.batches(batch.entityId, lane, records, AbortSignal.timeout(timeoutMs))) {
      batches.push(one)
    }
  }

  /** One word at a time: while it is on its way, only the newest position is remembered. */
  #tell(position: number): void {
    this.#toldPosition = position
    this.#telling ??= this.#tellOn()
  }

  async #tellOn(): Promise<void> {
    const { lane, lanes } = this.#parts
    for (let told = 0; told < this.#toldPosition; ) {
      const position = this.#toldPosition
      try {
        await lanes.processed(lane, position)
        told = position
      } catch {
        if (this.#stopped.signal.aborted) break
        await sleep(retryMs, undefined, { signal: this.#stopped.signal }).catch(() => {})
      }
    }
    this.#telling = null
  }
}

const retryMs = 250
/** What is produced of a transaction before it is complete: so much of it waits in memory at most, and one piece. */
const aheadBytes = 8 * 1024 * 1024
const endOfTime = Number.POSITIVE_INFINITY
