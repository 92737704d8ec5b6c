// The rows of one partition of an entity's topic, which Druid reads too. A row is sent when queries see it. Druid ingests in order: when queries see the
// last row of a range they see all rows before it, so one check per range is enough.
import { setTimeout as sleep } from 'node:timers/promises'
import type { RowPlace } from '../../catalog/partitions.ts'
import { NotInJournal } from '../../journal/journal.ts'
import type { KafkaClient } from '../../kafka/kafka-client.ts'
import { isGone } from '../../kafka/kafka-errors.ts'
import { endOffset, type Fetched, fetchRecords, type PartitionPlace } from '../../kafka/read-partition.ts'
import type { Entity } from '../../model/entity.ts'
import type { StoredPart } from '../journal-rows.ts'
import { lastRowOf, type StoredRecord, storedRows } from './stored-records.ts'

export interface PartitionRowsParts {
  readonly client: KafkaClient
  readonly place: PartitionPlace
  readonly entityId: number
  /** Undefined after the entity is dropped. */
  readonly entity: () => Pick<Entity, 'id' | 'fields'> | undefined
  readonly isSeen: (entityId: number, row: RowPlace) => Promise<boolean>
  /** See `EntityDeletions.settle`. */
  readonly settled: () => Promise<boolean>
  /** Called when more rows are queryable. */
  readonly moved: () => void
  readonly failed: (error: unknown) => void
  readonly nowMs: () => number
  readonly signal: AbortSignal
}

/** Rows read from Kafka that are not known to be queryable yet. */
interface AwaitedRow {
  readonly nextOffset: number
  readonly last: RowPlace
  readonly sinceMs: number
}

const fetchBytes = 1024 * 1024
/** Records of about this many bytes are parsed at a time. */
const partBytes = 256 * 1024
/** How often queries are checked for a row. */
const pollEveryMs = 100
const reachedEveryMs = 20
/** Processes are notified when a partition advances; this poll covers missed notifications. */
const pollIntervalMs = 1000
/** A row not found after this long may be gone, for example deleted by an operator. A newer row is checked instead. */
const rowTimeoutMs = 60_000
/** The last record of a partition is a few offsets before its end: transaction markers take offsets too. */
const firstSpan = 4

export class PartitionRows {
  readonly #parts: PartitionRowsParts
  #position = 0
  #sought: AwaitedRow | null = null
  #wake: () => void = () => undefined
  /** Records that were fetched and not read yet. */
  #ahead: { readonly fromOffset: number; readonly fetched: Fetched } | null = null

  constructor(parts: PartitionRowsParts) {
    this.#parts = parts
  }

  /** All rows before this offset are queryable, and all deletions placed before it are known. */
  get position(): number {
    return this.#position
  }

  /** Resolves when everything committed at the call is queryable; `position` is then after it. Rejects when the signal is aborted. */
  async begin(signal: AbortSignal): Promise<void> {
    const { client, place, isSeen, entityId, settled } = this.#parts
    const [first, end] = [await endOffset(client, place, 'first'), await endOffset(client, place, 'last')]
    const last = await this.#lastBefore(first, end)
    while (last !== null && !(await isSeen(entityId, last).catch(() => false))) {
      await sleep(pollEveryMs, undefined, { signal })
    }
    while (!(await settled())) await sleep(pollEveryMs, undefined, { signal })
    signal.throwIfAborted()
    this.#position = end
  }

  /** Resolves when `run` has found everything committed at the call queryable. Rejects when the signal is aborted. */
  async reach(signal: AbortSignal): Promise<void> {
    const { client, place } = this.#parts
    const end = await endOffset(client, place, 'last')
    while (this.#position < end) {
      this.poll()
      await sleep(reachedEveryMs, undefined, { signal })
    }
  }

  /** Finds out which rows become queryable, until the signal is aborted. */
  async run(): Promise<void> {
    const { signal, failed } = this.#parts
    while (!signal.aborted) {
      try {
        if (await this.#step()) continue
      } catch (error) {
        if (!signal.aborted) failed(error)
      }
      await this.#pause(this.#sought === null ? pollIntervalMs : pollEveryMs)
    }
  }

  /** Called when a partition has advanced. */
  poll(): void {
    if (this.#sought === null) this.#wake()
  }

  /** Like `JournalRows.read`, with offsets as positions. */
  async read(fromOffset: number, untilOffset: number): Promise<StoredPart> {
    const entity = this.#parts.entity()
    if (entity === undefined) return { rows: [], throughPosition: untilOffset }
    const { records, nextOffset } = await this.#fetchFrom(fromOffset)
    const wanted = firstOf(records)
    const [through, behind] = [wanted.at(-1), records[wanted.length]]
    const throughPosition = Math.min(behind?.offset ?? nextOffset, untilOffset)
    if (throughPosition <= fromOffset) throw new Error(`Kafka does not give offset ${fromOffset}, which is committed`)
    this.#ahead =
      through === undefined || behind === undefined
        ? null
        : { fromOffset: behind.offset, fetched: { records: records.slice(wanted.length), nextOffset } }
    const rows = wanted.filter(({ offset }) => offset < untilOffset).map((record) => storedRows(entity, record))
    return { rows, throughPosition }
  }

  async refresh(): Promise<void> {}

  async close(): Promise<void> {}

  /** Returns whether the next step may follow without a pause. */
  async #step(): Promise<boolean> {
    const { entityId, isSeen, nowMs } = this.#parts
    const sought = this.#sought
    if (sought === null) return this.#seek(this.#position)
    if (await isSeen(entityId, sought.last)) return this.#moveTo(sought.nextOffset)
    if (nowMs() - sought.sinceMs > rowTimeoutMs) await this.#seek(sought.nextOffset)
    return false
  }

  /** Reads committed records from an offset on; the last row of them is checked next. */
  async #seek(offset: number): Promise<boolean> {
    const { nowMs } = this.#parts
    const { records, nextOffset } = await this.#fetch(offset)
    if (nextOffset === offset) return false
    const last = records.at(-1)
    if (last !== undefined) this.#sought = { nextOffset, last: lastRowOf(last), sinceMs: nowMs() }
    else if (this.#sought !== null) this.#sought = { ...this.#sought, nextOffset }
    else return this.#moveTo(nextOffset)
    return true
  }

  /** Releases rows before the offset to readers, unless a deletion is under way: its place may be before it. */
  async #moveTo(nextOffset: number): Promise<boolean> {
    if (!(await this.#parts.settled())) return false
    this.#sought = null
    this.#position = nextOffset
    this.#parts.moved()
    return true
  }

  async #lastBefore(first: number, end: number): Promise<RowPlace | null> {
    for (let span = firstSpan; ; span *= firstSpan) {
      const from = Math.max(first, end - span)
      let found: RowPlace | null = null
      for (let offset = from; offset < end; ) {
        const { records, nextOffset } = await this.#fetch(offset)
        const last = records.findLast((record) => record.offset < end)
        if (last !== undefined) found = lastRowOf(last)
        if (nextOffset === offset) break
        offset = nextOffset
      }
      if (found !== null || from === first) return found
    }
  }

  async #fetchFrom(offset: number): Promise<Fetched> {
    const ahead = this.#ahead
    return ahead?.fromOffset === offset ? ahead.fetched : this.#fetch(offset)
  }

  async #fetch(offset: number): Promise<Fetched> {
    const { client, place } = this.#parts
    try {
      return await fetchRecords(client, { ...place, offset, bytesMax: fetchBytes, waitMs: 0 })
    } catch (error) {
      throw isGone(error) ? new NotInJournal(`Kafka does not hold offset ${offset} any more`, { cause: error }) : error
    }
  }

  #pause(ms: number): Promise<void> {
    const { signal } = this.#parts
    return new Promise((resolve) => {
      const done = (): void => {
        clearTimeout(timer)
        signal.removeEventListener('abort', done)
        this.#wake = () => undefined
        resolve()
      }
      const timer = setTimeout(done, ms)
      signal.addEventListener('abort', done)
      this.#wake = done
      if (signal.aborted) done()
    })
  }
}

/** The first records, of at most `partBytes` together; at least one. */
function firstOf(records: readonly StoredRecord[]): readonly StoredRecord[] {
  let bytes = 0
  const behind = records.findIndex(({ value }, index) => {
    bytes += value.length
    return index > 0 && bytes > partBytes
  })
  return behind < 0 ? records : records.slice(0, behind)
}
