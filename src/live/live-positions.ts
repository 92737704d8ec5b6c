// Where readers may go on: which ids are good, and from where on the journal is kept for them.
import { randomBytes } from 'node:crypto'
import { readFile, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { IngestCatalog } from '../catalog/catalog.ts'
import type { DeletionCatalog } from '../catalog/deletions.ts'
import { type JournalCursor, type LocalJournalWriter, positionAfter } from '../journal/journal.ts'
import type { Disk } from '../lib/disk.ts'
import { writeDurably } from '../lib/durable-files.ts'
import { Serial } from '../lib/serial.ts'
import { checkFailed } from '../observe/check-failed.ts'
import type { Observe } from '../observe/event.ts'
import { EntityPositions } from './entity-positions.ts'
import { decodeLiveId, encodeLiveId, type LiveEpoch } from './live-ids.ts'
import { livePlaceText } from './live-place.ts'

export interface LivePositionsParts {
  readonly disk: Disk
  readonly path: string
  readonly journal: Pick<LocalJournalWriter, 'firstPosition' | 'durablePosition'>
  /** Of the same journal, for this alone. */
  readonly cursor: JournalCursor
  readonly ingests: Pick<IngestCatalog, 'findVersion'>
  readonly deletions: Pick<DeletionCatalog, 'lastChange' | 'hasChanged' | 'forgetChanges'>
  /** Rows before it are not validated again at this start. */
  readonly sealedPosition: number
  /** Rows before it are queryable. */
  readonly position: () => number
  /** `limits.liveKeepMs` */
  readonly keepMs: number
  readonly observe: Observe
  readonly nowMs: () => number
}

/** So many runs of the service are known by their ids. */
const epochsMax = 1000
const openEnd = { endPosition: null, endChange: null }
/** Changes of deletions are told at least so long. */
const changesKeptMs = 3_600_000
const scanBytes = 1024 * 1024
const scansMax = 5
const scanAgainMs = 1000

export class LivePositions {
  readonly #parts: LivePositionsParts
  readonly #entities: EntityPositions
  /** How far the journal reached when this run began. */
  readonly #beginPosition: number
  readonly #writes = new Serial()
  #epochs: readonly LiveEpoch[]
  #epoch: LiveEpoch | null = null
  #marks: readonly LiveMark[]
  /** Null until a reader begins, and again where its beginning could not be written. */
  #begun: Promise<void> | null = null
  #readers = 0
  /** What happened in what the journal holds and is not validated again is known. */
  #learned: Promise<void> = Promise.resolve()

  private constructor(parts: LivePositionsParts, { epochs, entities, marks }: LiveRecord, lastChange: number) {
    this.#parts = parts
    this.#beginPosition = parts.journal.durablePosition
    this.#entities = new EntityPositions(entities)
    this.#epochs = epochs.map((epoch) => ({
      ...epoch,
      endPosition: epoch.endPosition ?? this.#beginPosition,
      endChange: epoch.endChange ?? lastChange,
    }))
    this.#marks = marks
  }

  static async open(parts: LivePositionsParts): Promise<LivePositions> {
    const record = await readLiveRecord(parts.path)
    const positions = new LivePositions(parts, record, await parts.deletions.lastChange())
    if (record.epochs.length === 0) return positions
    await positions.#write()
    positions.#learned = positions.#learn()
    return positions
  }

  /** How often `tick` is to be called. */
  get tickMs(): number {
    return Math.max(1000, Math.min(60_000, this.#parts.keepMs / 10))
  }

  /** A reader begins: what he is told can be gone on from, also after a kill. To be called, and awaited, before he is told anything. */
  async begin(): Promise<void> {
    this.#readers++
    // One that is being written is of use when it is on disk.
    if (this.#begun !== null && (this.#marks.length > 0 || this.#parts.keepMs === 0)) return this.#begun
    this.#epoch ??= { name: randomBytes(8).toString('hex'), secret: randomBytes(16).toString('hex'), ...openEnd }
    if (!this.#epochs.includes(this.#epoch)) this.#epochs = [...this.#epochs, this.#epoch].slice(-epochsMax)
    this.#mark()
    const begun = this.#write()
    this.#begun = begun
    begun.catch(() => {
      // The next reader tries again.
      this.#marks = []
      if (this.#begun === begun) this.#begun = null
    })
    await begun
  }

  end(): void {
    this.#readers--
  }

  get readers(): number {
    return this.#readers
  }

  idOf(entityId: number, place: string): string {
    if (this.#epoch === null) throw new Error('ids are given to readers alone, after their beginning')
    return encodeLiveId(this.#epoch, entityId, place)
  }

  /** From where on rows are to be told to whoever shows this id; null where that is not known any more. */
  async startOf(entityId: number, id: string): Promise<string | null> {
    const place = decodeLiveId(this.#epochs, entityId, id)
    if (place === null) return null
    const { journal, deletions } = this.#parts
    const { position, change } = place
    if (await deletions.hasChanged(entityId, change, this.#oldMs)) return null
    // It may lie behind what is queryable yet: a journal is validated again after a kill.
    const { firstPosition } = journal
    if (position >= firstPosition) return livePlaceText(place)
    await this.#learned
    const hasMissedNone = this.#entities.trimmedPosition(entityId) <= position
    return hasMissedNone ? livePlaceText({ position: firstPosition, change }) : null
  }

  /** A step stored rows of these entities. */
  stored(entityIds: readonly number[], fromPosition: number, toPosition: number): void {
    for (const entityId of entityIds) this.#entities.stored(entityId, fromPosition, toPosition)
  }

  /** To be awaited before the journal is cut to begin there. */
  async beforeTrim(firstPosition: number): Promise<void> {
    await this.#learned
    this.#entities.trim(firstPosition)
    if (this.#epochs.length > 0) await this.#write()
  }

  /** The journal is needed from this position on. */
  get neededPosition(): number {
    const { keepMs, nowMs } = this.#parts
    const marksOldMs = nowMs() - keepMs
    const needed = this.#marks.findLast(({ timeMs }) => timeMs <= marksOldMs) ?? this.#marks[0]
    return needed?.position ?? Number.POSITIVE_INFINITY
  }

  /** Changes of deletions are told so long. */
  get #oldMs(): number {
    return this.#parts.nowMs() - Math.max(this.#parts.keepMs, changesKeptMs)
  }

  /** Deletions that nobody has to be told of any more are forgotten as such: they stand. */
  forgetChanges(): Promise<void> {
    return this.#parts.deletions.forgetChanges(this.#oldMs)
  }

  /** Notes where the pipeline stands while there are readers, and forgets what nobody can go on from. */
  async tick(): Promise<void> {
    if (this.#marks.length === 0 && this.#readers === 0) return
    const { keepMs, nowMs } = this.#parts
    const marksOldMs = nowMs() - keepMs
    if (this.#readers > 0) this.#mark()
    const firstKept = this.#marks.findLastIndex(({ timeMs }) => timeMs <= marksOldMs)
    const isOver = (this.#marks.at(-1)?.timeMs ?? 0) + this.tickMs <= marksOldMs
    this.#marks = isOver ? [] : this.#marks.slice(Math.max(0, firstKept))
    await this.#write()
  }

  #mark(): void {
    const { position, nowMs, keepMs } = this.#parts
    if (keepMs === 0) return
    const timeMs = nowMs()
    // A clock that was put back would keep what was marked later for long.
    const before = this.#marks.map((mark) => ({ ...mark, timeMs: Math.min(mark.timeMs, timeMs) }))
    this.#marks = [...before, { position: position(), timeMs }]
  }

  #write(): Promise<void> {
    const { disk, path } = this.#parts
    return this.#writes.run(() => {
      const record = { epochs: this.#epochs, entities: this.#entities.trimmed, marks: this.#marks }
      return writeLiveRecord(disk, path, record)
    })
  }

  /** Where what happened cannot be known, ids of earlier runs are unknown from then on. */
  async #learn(): Promise<void> {
    for (let attempt = 1; attempt <= scansMax; attempt++) {
      try {
        return await this.#scan()
      } catch (error) {
        checkFailed(this.#parts.observe)(error)
        await sleep(scanAgainMs, undefined, { ref: false })
      }
    }
    this.#epochs = this.#epoch === null ? [] : [this.#epoch]
  }

  /** Looks which entities got rows that are in the journal and were sealed before this run. Rejected rows count too: that only makes ids older. */
  async #scan(): Promise<void> {
    const { journal, cursor, sealedPosition, ingests } = this.#parts
    const entityIds = new Map<number, number | null>()
    try {
      for (let position = journal.firstPosition; position < sealedPosition; ) {
        const entries = await cursor.read(position, sealedPosition, scanBytes)
        for (const entry of entries) {
          position = positionAfter(entry)
          if (entry.format === 'lost') continue
          const { ingestId, fieldsVersion } = entry
          if (!entityIds.has(ingestId)) {
            const ingest = await ingests.findVersion(ingestId, fieldsVersion)
            entityIds.set(ingestId, ingest?.entityId ?? null)
          }
          const entityId = entityIds.get(ingestId) ?? null
          if (entityId !== null) this.#entities.stored(entityId, entry.position, position)
        }
        if (entries.length === 0) break
      }
    } finally {
      await cursor.close()
    }
  }
}

// The file that lets readers go on after a restart: docs/formats/live.md is the format. Without it, or where it cannot be read, ids are unknown.

/** Where the pipeline stood at a time. */
interface LiveMark {
  readonly position: number
  readonly timeMs: number
}

interface LiveRecord {
  /** Oldest first. */
  readonly epochs: readonly LiveEpoch[]
  /** Of entities: the last position at which something was stored, of what is not in the journal any more. */
  readonly entities: readonly (readonly [entityId: number, position: number])[]
  /** While there were readers, oldest first: the journal is kept from one of these on. */
  readonly marks: readonly LiveMark[]
}

const format = 1
const emptyLiveRecord: LiveRecord = { epochs: [], entities: [], marks: [] }

async function readLiveRecord(path: string): Promise<LiveRecord> {
  const text = await readFile(path, 'utf8').catch(() => '{}')
  try {
    const { format: found, epochs, entities, marks } = JSON.parse(text)
    return found === format ? { epochs, entities, marks } : emptyLiveRecord
  } catch {
    return emptyLiveRecord
  }
}

async function writeLiveRecord(disk: Disk, path: string, record: LiveRecord): Promise<void> {
  const written = `${path}.tmp`
  await rm(written, { force: true })
  await writeDurably(disk, written, `${JSON.stringify({ format, ...record })}\n`)
  await disk.rename(written, path)
  await disk.syncDirectory(dirname(path))
}
