// Validates one partition of the journal. Each step records rejected rows, items and counts in the catalog, then produces the good rows and the offset
// after them in one Kafka transaction. After a crash at any point, the next worker starts at the committed offset and gets the same result: the catalog
// records each outcome once, and rows that were produced without an offset are never read.
import { setTimeout as sleep } from 'node:timers/promises'
import type { OutcomeCatalog } from '../catalog/catalog.ts'
import type { KeyedEntry, PartitionCatalog } from '../catalog/partitions.ts'
import type { QuarantineCatalog } from '../catalog/quarantine.ts'
import {
  type EntryValidator,
  pushesOfStep,
  rowsFrom,
  rowsOf,
  type ValidatedRun,
  type ValidatedStep,
} from '../ingest/entry-validator.ts'
import { formatOf, hashBody } from '../ingest/idempotency/push-key.ts'
import { noteOf, noteText, type ValidationNotes } from '../ingest/quarantine/validation-notes.ts'
import { ValidationWatch } from '../ingest/quarantine/validation-watch.ts'
import { ReplacedRows } from '../ingest/replaced-rows.ts'
import { asReported } from '../ingest/reported-outcomes.ts'
import { firstRow, newBudget, type RowOfEntry, type StepBudget } from '../ingest/step-budget.ts'
import { validatedByIngest } from '../ingest/validated-by-ingest.ts'
import { type JournalCursor, type PlacedEntry, positionAfter } from '../journal/journal.ts'
import { offsetFrom, positionAt } from '../journal/partition-position.ts'
import type { RecordBatch } from '../kafka/produce.ts'
import type { RowsTopics } from '../kafka/rows-topics.ts'
import type { GroupOffset, TransactionalProducer } from '../kafka/transactional-producer.ts'
import { keptRows, type RowBatch } from '../model/row-batch.ts'
import type { Observe } from '../observe/event.ts'
import { RowJson } from './row-json.ts'
import { RepeatedRows, rowsToStore, timesByPosition } from './rows-to-store.ts'

export interface PartitionParts {
  readonly partition: number
  readonly journal: Pick<JournalCursor, 'read'>
  /** The offset that the group has committed for the partition; if it has committed none, the first offset that exists. */
  readonly firstOffset: () => Promise<number>
  readonly place: Pick<GroupOffset, 'group' | 'topic'>
  readonly producer: Pick<TransactionalProducer, 'begin' | 'send' | 'commit'>
  readonly rowsTopics: Pick<RowsTopics, 'batches' | 'forget'>
  readonly partitions: PartitionCatalog
  readonly outcomes: Pick<OutcomeCatalog, 'rejectedIn'>
  readonly validator: EntryValidator
  /** Called with the entities whose rows are in their topics now. */
  readonly written: (entityIds: readonly number[]) => void
  readonly quarantine: Pick<QuarantineCatalog, 'add' | 'list'>
  readonly nowMs: () => number
  readonly observe: Observe
  /** The approximate number of bytes of bodies that one step validates. */
  readonly stepBytes: number
  /** The most rows that are validated before other work gets its turn. */
  readonly stepRows: number
  /** The longest that a step waits for Kafka to accept a batch. */
  readonly timeoutMs: number
}

/** Another pipeline has taken over the partition. */
export class PartitionTaken extends Error {
  constructor(partition: number) {
    super(`another pipeline validates partition ${partition}`)
    this.name = 'PartitionTaken'
  }
}

export class PartitionWorker {
  readonly #parts: PartitionParts
  /** The entities that the current step writes rows of. */
  readonly #writing = new Set<number>()
  readonly #json = new WeakMap<RowBatch['fields'], RowJson>()
  readonly #again = new RepeatedRows()
  readonly #replaced = new ReplacedRows()
  /** Outcomes before this position are recorded in the catalog. */
  #keptPosition = 0
  /** The next entry is at this position or after it. */
  #position = 0
  #watch!: ValidationWatch
  /** Reports the progress of the partition to the catalog, asynchronously to the steps. */
  #publishing: Promise<void> | null = null
  #publishedPosition = 0
  readonly #stopped = new AbortController()

  constructor(parts: PartitionParts) {
    this.#parts = parts
  }

  /** Validates until the signal is aborted; the step in progress is then not committed. Throws when a step fails. */
  async run(signal: AbortSignal): Promise<void> {
    try {
      await this.#validateOn(signal)
    } finally {
      this.#stopped.abort()
      await this.#publishing
    }
  }

  async #validateOn(signal: AbortSignal): Promise<void> {
    const { journal, stepBytes } = this.#parts
    await this.#begin()
    const read = (): Promise<readonly PlacedEntry[]> => journal.read(this.#position, endOfTime, stepBytes)
    for (let reading = read(); ; ) {
      const entries = await reading
      if (signal.aborted) break
      const last = entries.at(-1)
      if (last !== undefined) this.#position = positionAfter(last)
      // The next entries are read while these are validated.
      reading = read()
      reading.catch(() => {})
      if (last !== undefined) await this.#step(entries, signal)
    }
  }

  async #begin(): Promise<void> {
    const { partition, producer, firstOffset, partitions, rowsTopics, validator, observe, timeoutMs } = this.#parts
    // From here on an earlier owner of the partition cannot commit, so the state that is read below is final.
    await producer.begin(AbortSignal.timeout(timeoutMs))
    const [offset, { keptPosition, processedPosition }] = [await firstOffset(), await partitions.partition(partition)]
    // Kafka forgets the offsets of a group that is inactive for long.
    this.#position = positionAt(partition, Math.max(offset, offsetFrom(processedPosition)))
    this.#keptPosition = keptPosition
    rowsTopics.forget()
    await validator.refresh()
    this.#watch = await this.#openWatch()
    if (this.#position > processedPosition) await partitions.processed(partition, this.#position)
    observe({ kind: 'partitionTaken', partition, position: this.#position })
  }

  /** One transaction for all entries. They are validated in pieces, and large results are sent to Kafka before the commit. */
  async #step(entries: readonly PlacedEntry[], signal: AbortSignal): Promise<void> {
    const { partition, place, producer, timeoutMs, written } = this.#parts
    const batches: RecordBatch[] = []
    let from = firstRow
    for (let left = await this.#withoutRepeated(entries); left.length > 0; ) {
      const { reached } = await this.#piece(left, from, batches)
      left = left.slice(reached.entries)
      from = reached.place
      if (left.length > 0) await this.#continueBatches(batches, signal)
    }
    await this.#watch.end(positionAfter(entries.at(-1)!))
    const reached = { ...place, partition, offset: offsetFrom(positionAfter(entries.at(-1)!)) }
    const writing = [...this.#writing]
    this.#writing.clear()
    await producer.commit(batches, reached, timeoutMs)
    if (writing.length > 0) written(writing)
    // The start of the next record: the partition is not known to extend any further.
    this.#publish(positionAt(partition, reached.offset))
  }

  /** Excludes pushes whose idempotency key belongs to an earlier push, which stored the rows. */
  async #withoutRepeated(entries: readonly PlacedEntry[]): Promise<readonly PlacedEntry[]> {
    const keyed = entries.flatMap((entry): readonly KeyedEntry[] => {
      const { subscriberId, ingestId, idempotencyKey: key, body, position, rows, receivedMs } = entry
      if (key === null) return []
      const bodyHash = hashBody(body, formatOf(entry))
      return [{ subscriberId, ingestId, key, bodyHash, position, rows, receivedMs }]
    })
    if (keyed.length === 0) return entries
    const repeated = await this.#parts.partitions.settleKeys(keyed)
    return repeated.size === 0 ? entries : entries.filter(({ position }) => !repeated.has(position))
  }

  /** Validates one piece: rows from a place on, or one replay. */
  async #piece(
    left: readonly PlacedEntry[],
    from: RowOfEntry,
    batches: RecordBatch[],
  ): Promise<Pick<ValidatedStep, 'runs' | 'reached'>> {
    const { validator, stepRows, stepBytes } = this.#parts
    const watch = this.#watch
    const budget = newBudget(Math.min(stepRows, watch.rowsAtOnce(left)), stepBytes)
    const [first] = left
    const isReplay = first!.format === 'replay'
    const entries = isReplay ? [first!] : watch.together(pushesOfStep(left, budget))
    await watch.begin(entries, first!.position + from.index, async (entry) =>
      (await validator.makesItems(entry)) ? this.#keptPosition : entry.position,
    )
    try {
      if (!isReplay) return await this.#validate(entries, from, budget, batches)
      await this.#replay(first!, batches)
      return { runs: [], reached: { entries: 1, place: firstRow } }
    } catch (error) {
      await watch.failed(error)
      throw error
    }
  }

  #openWatch(): Promise<ValidationWatch> {
    const { partition, partitions, quarantine, nowMs, observe } = this.#parts
    const notes: ValidationNotes = {
      read: async () => noteOf((await partitions.note(partition)) ?? ''),
      write: (note) => partitions.writeNote(partition, noteText(note)),
    }
    return ValidationWatch.open({ notes, quarantine, nowMs, observe, reach: () => undefined }, this.#position)
  }

  /** Called between two pieces. Throws when the partition must be given up. */
  async #continueBatches(batches: RecordBatch[], signal: AbortSignal): Promise<void> {
    const { producer, timeoutMs } = this.#parts
    if (signal.aborted) {
      await this.#watch.failed(signal.reason)
      signal.throwIfAborted()
    }
    const bytes = batches.reduce((sum, { values }) => sum + values.reduce((own, { length }) => own + length, 0), 0)
    if (bytes >= aheadBytes) await producer.send(batches.splice(0), timeoutMs)
    // Requests are processed in between.
    await new Promise((resolve) => setImmediate(resolve))
  }

  async #validate(
    entries: readonly PlacedEntry[],
    from: RowOfEntry,
    budget: StepBudget,
    batches: RecordBatch[],
  ): Promise<ValidatedStep> {
    const { partition, validator, partitions, outcomes, observe } = this.#parts
    const startedMs = performance.now()
    const step = await validator.validate(entries, from, budget, this.#watch.decision(entries[0]!.position))
    const { throughPosition } = step
    const fromPosition = this.#keptPosition
    const runs = await asReported(step.runs, fromPosition, outcomes)
    const outcome = { rejected: runs.flatMap(({ rejected }) => rejected), items: runs.flatMap(({ items }) => items) }
    const isDropped = ({ batch }: ValidatedRun): boolean => batch !== null && validator.isDropped(batch.entityId)
    const takenBack = this.#again.takenBack(runs, fromPosition)
    const replaced = this.#replaced.count(entries, runs)
    if (throughPosition > fromPosition) {
      const kept = await partitions.keep({
        partition,
        fromPosition,
        throughPosition,
        validated: runs.map((run) => ({ ingestId: run.ingestId, rows: rowsFrom(run.spans, fromPosition) })),
        ...outcome,
        replaced,
        stored: runs.flatMap((run) => (isDropped(run) ? [] : rowsToStore(run, fromPosition))),
        takenBack,
      })
      if (!kept) throw new PartitionTaken(partition)
      this.#keptPosition = throughPosition
    } else if (outcome.rejected.length > 0) {
      await partitions.keepAgain(partition, outcome.rejected, takenBack)
    }
    this.#replaced.kept(throughPosition)
    const rows = runs.reduce((sum, { spans }) => sum + rowsFrom(spans, fromPosition), 0)
    const all = runs.reduce((sum, { spans }) => sum + rowsOf(spans), 0)
    // Recorded rows are counted even if the transaction fails; the next attempt counts them as validated again.
    observe({
      kind: 'rowsValidated',
      rows,
      rejected: outcome.rejected.length,
      again: all - rows,
      ingests: validatedByIngest(runs, fromPosition),
      ms: performance.now() - startedMs,
    })
    for (const { batch } of runs) if (batch !== null) await this.#add(batch, batches)
    return step
  }

  async #replay(entry: PlacedEntry, batches: RecordBatch[]): Promise<void> {
    const { partition, validator, partitions, observe } = this.#parts
    if (this.#watch.decision(entry.position) !== undefined) return
    const validated = await validator.validateReplay(entry)
    if (validated === null) return
    const { batch, outcome } = validated
    const rows = batch === null ? null : { entityId: batch.entityId, times: timesByPosition(batch) }
    const { stored, taken } = await partitions.replay({
      ...outcome,
      partition,
      throughPosition: positionAfter(entry),
      rows,
    })
    if (batch !== null) await this.#add(keptRows(batch, new Set(stored)), batches)
    observe({ kind: 'rowsReplayed', ingestId: entry.ingestId, rows: validated.rows, stored: taken })
  }

  async #add(batch: RowBatch, batches: RecordBatch[]): Promise<void> {
    const { partition, validator, rowsTopics, timeoutMs } = this.#parts
    if (batch.rows === 0 || validator.isDropped(batch.entityId)) return
    this.#writing.add(batch.entityId)
    const json = this.#json.get(batch.fields) ?? new RowJson(batch.fields)
    this.#json.set(batch.fields, json)
    const records = json.records(batch)
    for (const one of await rowsTopics.batches(batch.entityId, partition, records, AbortSignal.timeout(timeoutMs))) {
      batches.push(one)
    }
  }

  /** Sends one update at a time. While one is being sent, only the newest position is remembered. */
  #publish(position: number): void {
    this.#publishedPosition = position
    this.#publishing ??= this.#publishOn()
  }

  async #publishOn(): Promise<void> {
    const { partition, partitions } = this.#parts
    for (let published = 0; published < this.#publishedPosition; ) {
      const position = this.#publishedPosition
      try {
        await partitions.processed(partition, position)
        published = position
      } catch {
        if (this.#stopped.signal.aborted) break
        await sleep(retryMs, undefined, { signal: this.#stopped.signal }).catch(() => {})
      }
    }
    this.#publishing = null
  }
}

const retryMs = 250
/** The most bytes of an incomplete transaction that wait in memory, in addition to one piece. More is sent to Kafka before the commit. */
const aheadBytes = 8 * 1024 * 1024
const endOfTime = Number.POSITIVE_INFINITY
