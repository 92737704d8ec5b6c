import { crc32 } from 'node:zlib'
import type { KafkaClient } from '../../kafka/kafka-client.ts'
import { isGone } from '../../kafka/kafka-errors.ts'
import { endOffset, fetchRecords } from '../../kafka/read-partition.ts'
import type { Observe } from '../../observe/event.ts'
import { type JournalCursor, type PlacedEntry, positionAfter } from '../journal.ts'
import { offsetFrom, partitionOf, positionAt } from '../partition-position.ts'
import { decodeEntry, decodeRecordHeader, isRecordHeader, recordHeaderBytes } from '../record.ts'

interface CursorOptions {
  /** Used by this cursor only: a broker delays its response while nothing arrives, and sends no other one meanwhile. */
  readonly client: KafkaClient
  readonly topic: string
  /** How long it waits for entries when there are none. */
  readonly waitMs: number
  readonly observe: Observe
}

/** Reads one partition at a time: that of the position. */
export class KafkaJournalCursor implements JournalCursor {
  readonly #options: CursorOptions
  /** Entries that were fetched together with earlier ones and not requested yet: a compressed batch is larger than it seemed. */
  #ahead: readonly PlacedEntry[] = []
  #aheadFrom = 0

  constructor(options: CursorOptions) {
    this.#options = options
  }

  async read(position: number, untilPosition: number, bytesMax: number): Promise<readonly PlacedEntry[]> {
    const untilOffset =
      partitionOf(untilPosition) > partitionOf(position) ? Number.POSITIVE_INFINITY : offsetFrom(untilPosition)
    const isNext = this.#ahead.length > 0 && this.#aheadFrom === position
    const found = isNext ? this.#ahead : await this.#fetch(position, untilOffset, bytesMax)
    const entries = firstOf(found, untilOffset, bytesMax)
    this.#ahead = found.slice(entries.length)
    this.#aheadFrom = entries.length === 0 ? position : positionAfter(entries.at(-1)!)
    return entries
  }

  async #fetch(position: number, untilOffset: number, bytesMax: number): Promise<readonly PlacedEntry[]> {
    const { client, topic, waitMs } = this.#options
    const partition = partitionOf(position)
    for (let offset = offsetFrom(position); offset < untilOffset; ) {
      const place = { topic, partition, offset, bytesMax, waitMs }
      const fetched = await fetchRecords(client, place).catch((error) => this.#orFirst(error, partition, offset))
      const entries = fetched.records.flatMap(({ offset: own, value }) =>
        value.length === 0 ? [] : [placedEntry(value, partition, own)],
      )
      // When there are only fillers, reading continues after them.
      if (entries.length > 0 || fetched.nextOffset === offset) return entries
      offset = fetched.nextOffset
    }
    return []
  }

  async close(): Promise<void> {
    this.#options.client.close()
  }

  /** Skips records that Kafka has deleted; the rest is still read. */
  async #orFirst(error: unknown, partition: number, offset: number) {
    if (!isGone(error)) throw error
    const { client, topic, observe } = this.#options
    const first = await endOffset(client, { topic, partition }, 'first')
    if (first <= offset) {
      const message = `partition ${partition} of ${topic} ends before offset ${offset}, which was read already: the topic is not the one it was`
      throw new Error(message, { cause: error })
    }
    observe({ kind: 'journalGap', topic, partition, fromOffset: offset, toOffset: first })
    return { records: [], nextOffset: first }
  }
}

/** The entries before an offset, with about `bytesMax` bytes: at least one of them. */
function firstOf(entries: readonly PlacedEntry[], untilOffset: number, bytesMax: number): readonly PlacedEntry[] {
  let bytes = 0
  let count = 0
  for (const { position, body } of entries) {
    bytes += body.length
    if (offsetFrom(position) >= untilOffset || (count > 0 && bytes > bytesMax)) break
    count++
  }
  return entries.slice(0, count)
}

/** Throws an Error that names the place when the record is not as it was written. */
function placedEntry(value: Buffer, partition: number, offset: number): PlacedEntry {
  const isWhole = value.length >= recordHeaderBytes && isRecordHeader(value, 0, 0)
  const header = isWhole ? decodeRecordHeader(value, 0) : null
  if (header === null || header.isMark || header.bytes !== value.length) {
    throw new Error(
      `partition ${partition} of the journal, offset ${offset}: the record is damaged, or of a newer version`,
    )
  }
  const payload = value.subarray(recordHeaderBytes, recordHeaderBytes + header.payloadBytes)
  if (crc32(payload) !== header.payloadCrc) {
    throw new Error(`partition ${partition} of the journal, offset ${offset}: the body is damaged`)
  }
  return { ...decodeEntry(value, 0), position: positionAt(partition, offset) }
}
