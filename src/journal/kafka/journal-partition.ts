// Writes one partition of the journal. Group commit: entries that arrive while a batch is being sent go into the next one.
import type { BatchProducer } from '../../kafka/batch-producer.ts'
import type { Observe } from '../../observe/event.ts'
import type { JournalEntry } from '../journal.ts'
import { positionAt, recordsOf } from '../partition-position.ts'
import { encodeEntry, placeRecord } from '../record.ts'

interface PartitionOptions {
  readonly partition: number
  readonly producer: Pick<BatchProducer, 'append'>
  readonly batchBytesMax: number
  /** The longest time that an entry waits for its batch, and then the batch for Kafka. */
  readonly waitMs: number
  readonly observe: Observe
  /** Called with the reason when a batch was not acknowledged; returns the error for its entries. */
  readonly failed: (error: unknown) => Error
  /** Returns the error for an entry that waited too long. */
  readonly tooLate: () => Error
}

interface PendingEntry {
  readonly value: Buffer
  readonly rows: number
  readonly sinceMs: number
  readonly resolve: (position: number) => void
  readonly reject: (error: Error) => void
}

/** The value of the further records of an entry with more rows than one record has positions. */
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

  /** Refuses waiting entries; a batch that is being sent is not affected. */
  refuse(error: Error): void {
    for (const { reject } of this.#waiting.splice(0)) reject(error)
  }

  /** Resolves when no entry waits. */
  async flush(): Promise<void> {
    await this.#writing
  }

  async #write(): Promise<void> {
    // Entries pushed in one turn of the event loop go together.
    await null
    for (let batch = this.#take(); batch.length > 0; batch = this.#take()) await this.#store(batch)
    this.#writing = null
  }

  /** Refuses entries that waited too long. Takes at least one of the others, and as many more as fit. */
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
      // Throws when the partition has no positions left: then nothing of the batch is acknowledged.
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

/** Encoded as in a file, except for its place, which Kafka determines. */
function recordBytes(entry: JournalEntry): Buffer {
  const record = encodeEntry(entry)
  placeRecord(record, unplaced, unplaced, unplaced)
  return record.buffers.length === 1 ? record.buffers[0] : Buffer.concat(record.buffers)
}
