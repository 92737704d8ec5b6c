// Where readers may resume: which ids are valid, and from which position on the journal is kept for them.
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

export interface LiveCheckpointsParts {
  readonly disk: Disk
  readonly path: string
  readonly journal: Pick<LocalJournalWriter, 'firstPosition' | 'durablePosition'>
  /** A cursor of the same journal, for this object's use alone. */
  readonly cursor: JournalCursor
  readonly ingests: Pick<IngestCatalog, 'findVersion'>
  readonly deletions: Pick<DeletionCatalog, 'lastChange' | 'hasChanged' | 'forgetChanges'>
  /** Rows before this position are not validated again at this start. */
  readonly sealedPosition: number
  /** Rows before this position are queryable. */
  readonly position: () => number
  /** `limits.liveKeepMs` */
  readonly keepMs: number
  readonly observe: Observe
  readonly nowMs: () => number
}

/** Ids of at most this number of runs of the service are valid. */
const epochsMax = 1000
const openEnd = { endPosition: null, endChange: null }
/** Deletion changes are kept for readers at least this long. */
const changesKeptMs = 3_600_000
const scanBytes = 1024 * 1024
const scansMax = 5
const scanAgainMs = 1000

export class LiveCheckpoints {
  readonly #parts: LiveCheckpointsParts
  readonly #entities: EntityPositions
  /** Where the journal ended when this run began. */
  readonly #beginPosition: number
  readonly #writes = new Serial()
  #epochs: readonly LiveEpoch[]
  #epoch: LiveEpoch | null = null
  #marks: readonly LiveMark[]
  /** Null until a reader begins, and again if that could not be written. */
  #begun: Promise<void> | null = null
  #readers = 0
  /** Resolves when the part of the journal that is not validated again has been scanned for the entities that received rows. */
  #learned: Promise<void> = Promise.resolve()

  private constructor(parts: LiveCheckpointsParts, { epochs, entities, marks }: LiveRecord, lastChange: number) {
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

  static async open(parts: LiveCheckpointsParts): Promise<LiveCheckpoints> {
    const record = await readLiveRecord(parts.path)
    const positions = new LiveCheckpoints(parts, record, await parts.deletions.lastChange())
    if (record.epochs.length === 0) return positions
    await positions.#write()
    positions.#learned = positions.#learn()
    return positions
  }

  /** How often to call `tick`. */
  get tickMs(): number {
    return Math.max(1000, Math.min(60_000, this.#parts.keepMs / 10))
  }

  /** A reader begins. Await this before anything is sent to it, so that it can resume from what it was sent, even after a kill. */
  async begin(): Promise<void> {
    this.#readers++
    // A mark that is being written counts only when it is on disk, so its write is awaited.
    if (this.#begun !== null && (this.#marks.length > 0 || this.#parts.keepMs === 0)) return this.#begun
    this.#epoch ??= { name: randomBytes(8).toString('hex'), secret: randomBytes(16).toString('hex'), ...openEnd }
    if (!this.#epochs.includes(this.#epoch)) this.#epochs = [...this.#epochs, this.#epoch].slice(-epochsMax)
    this.#mark()
    const begun = this.#write()
    this.#begun = begun
    begun.catch(() => {
      // The next reader retries.
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

  /** The place from which to send rows to a reader with this id; null if it is no longer known. */
  async startOf(entityId: number, id: string): Promise<string | null> {
    const place = decodeLiveId(this.#epochs, entityId, id)
    if (place === null) return null
    const { journal, deletions } = this.#parts
    const { position, change } = place
    if (await deletions.hasChanged(entityId, change, this.#oldMs)) return null
    // The position may be beyond the queryable rows: after a kill the journal is validated again.
    const { firstPosition } = journal
    if (position >= firstPosition) return livePlaceText(place)
    await this.#learned
    const hasMissedNone = this.#entities.trimmedPosition(entityId) <= position
    return hasMissedNone ? livePlaceText({ position: firstPosition, change }) : null
  }

  /** Records that a step stored rows of these entities. */
  stored(entityIds: readonly number[], fromPosition: number, toPosition: number): void {
    for (const entityId of entityIds) this.#entities.stored(entityId, fromPosition, toPosition)
  }

  /** Await this before the journal is trimmed to begin at the position. */
  async beforeTrim(firstPosition: number): Promise<void> {
    await this.#learned
    this.#entities.trim(firstPosition)
    if (this.#epochs.length > 0) await this.#write()
  }

  /** The journal must be kept from this position on. */
  get neededPosition(): number {
    const { keepMs, nowMs } = this.#parts
    const marksOldMs = nowMs() - keepMs
    const needed = this.#marks.findLast(({ timeMs }) => timeMs <= marksOldMs) ?? this.#marks[0]
    return needed?.position ?? Number.POSITIVE_INFINITY
  }

  /** Deletion changes made before this time are not kept for readers. */
  get #oldMs(): number {
    return this.#parts.nowMs() - Math.max(this.#parts.keepMs, changesKeptMs)
  }

  /** Forgets changes that no reader needs any more; the deletions themselves stay in effect. */
  forgetChanges(): Promise<void> {
    return this.#parts.deletions.forgetChanges(this.#oldMs)
  }

  /** Marks the pipeline's position while there are readers, and drops marks from which no reader can resume. */
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
    // If the clock was set back, marks with later times would be kept too long.
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

  /** If the scan keeps failing, ids of earlier runs become unknown. */
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

  /** Scans the part of the journal sealed before this run for the entities that received rows. Rejected rows count too, which only expires ids sooner. */
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

// The file that lets readers resume after a restart; docs/formats/live.md has its format. If it is missing or unreadable, ids are unknown.

/** The pipeline's position at a time. */
interface LiveMark {
  readonly position: number
  readonly timeMs: number
}

interface LiveRecord {
  /** Oldest first. */
  readonly epochs: readonly LiveEpoch[]
  /** By entity: no rows that are gone from the journal were stored at or after this position. */
  readonly entities: readonly (readonly [entityId: number, position: number])[]
  /** Positions while there were readers, oldest first; the journal is kept from one of them on. */
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
