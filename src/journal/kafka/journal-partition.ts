// One partition of the journal, as it is written. Group commit: what waits while a batch is on its way goes into the next one.
import type { BatchProducer } from '../../kafka/batch-producer.ts'
import type { Observe } from '../../observe/event.ts'
import type { JournalEntry } from '../journal.ts'
import { positionAt, recordsOf } from '../partition-position.ts'
import { encodeEntry, placeRecord } from '../record.ts'

interface PartitionOptions {
  readonly partition: number
  readonly producer: Pick<BatchProducer, 'append'>
  readonly batchBytesMax: number
  /** How long an entry waits for its batch, and then the batch for Kafka. */
  readonly waitMs: number
  readonly observe: Observe
  /** Called with the reason when a batch was not acknowledged; what its entries are refused with. */
  readonly failed: (error: unknown) => Error
  /** What an entry is refused with that waited too long. */
  readonly tooLate: () => Error
}

interface PendingEntry {
  readonly value: Buffer
  readonly rows: number
  readonly sinceMs: number
  readonly resolve: (position: number) => void
  readonly reject: (error: Error) => void
}

/** The further records of an entry that has more rows than one record has positions. */
const filler = Buffer.alloc(0)
const unplaced = 0

export class JournalPartition {
  readonly #options: PartitionOptions
  #waiting: PendingEntry[] = []
  #writing: Promise<void> | null = null

  constructor(options: PartitionOptions) {
    this.#options = options
  }

  append(entry: JournalEntry): Promise<number> {
    const value = recordBytes(entry)
    return new Promise((resolve, reject) => {
      this.#waiting.push({ value, rows: entry.rows, sinceMs: performance.now(), resolve, reject })
      this.#writing ??= this.#write()
    })
  }

  /** Refuses what waits; what is on its way stays on its way. */
  refuse(error: Error): void {
    for (const { reject } of this.#waiting.splice(0)) reject(error)
  }

  /** Resolves when nothing waits any more. */
  async flush(): Promise<void> {
    await this.#writing
  }

  async #write(): Promise<void> {
    // All that is pushed in one turn of the event loop goes together.
    await null
    for (let batch = this.#take(); batch.length > 0; batch = this.#take()) await this.#store(batch)
    this.#writing = null
  }

  /** At least one, and as many more as fit. */
  #take(): readonly PendingEntry[] {
    const { batchBytesMax, waitMs, tooLate } = this.#options
    const nowMs = performance.now()
    const late = this.#waiting.findIndex(({ sinceMs }) => nowMs - sinceMs <= waitMs)
    for (const { reject } of this.#waiting.splice(0, late < 0 ? this.#waiting.length : late)) reject(tooLate())
    let bytes = 0
    let count = 0
    for (const { value } of this.#waiting) {
      bytes += value.length
      if (count > 0 && bytes > batchBytesMax) break
      count++
    }
    return this.#waiting.splice(0, count)
  }

  async #store(batch: readonly PendingEntry[]): Promise<void> {
    const { partition, producer, waitMs, observe, failed } = this.#options
    const startedMs = performance.now()
    const values = batch.flatMap(({ value, rows }) => [
      value,
      ...Array.from({ length: recordsOf(rows) - 1 }, () => filler),
    ])
    try {
      let offset = await producer.append(values, AbortSignal.timeout(waitMs))
      // A place that has no position is no place: nothing of the batch is acknowledged.
      positionAt(partition, offset + values.length)
      for (const { rows, resolve } of batch) {
        resolve(positionAt(partition, offset))
        offset += recordsOf(rows)
      }
    } catch (error) {
      const refusal = failed(error)
      for (const { reject } of batch) reject(refusal)
      return
    }
    const bytes = batch.reduce((sum, { value }) => sum + value.length, 0)
    const rows = batch.reduce((sum, one) => sum + one.rows, 0)
    observe({ kind: 'journalWritten', entries: batch.length, rows, bytes, ms: performance.now() - startedMs })
  }
}

/** As in a file, but that its place is where Kafka puts it. */
function recordBytes(entry: JournalEntry): Buffer {
  const record = encodeEntry(entry)
  placeRecord(record, unplaced, unplaced, unplaced)
  return record.buffers.length === 1 ? record.buffers[0] : Buffer.concat(record.buffers)
}
