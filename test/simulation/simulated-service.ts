// A service without HTTP and threads on a simulated disk: the journal's writer, the trimmer, and the store's thread, which is restarted when it dies of
// a fault.

import { setImmediate } from 'node:timers/promises'
import { acknowledgedPositionOf } from '../../src/catalog/acknowledged-position.ts'
import { openFileJournal } from '../../src/journal/file/file-journal.ts'
import { type JournalEntry, type LocalJournalWriter, positionAfter } from '../../src/journal/journal.ts'
import { Trimmer } from '../../src/journal/trimmer.ts'
import type { Disk } from '../../src/lib/disk.ts'
import { Problem } from '../../src/model/problem.ts'
import type { ServiceEvent } from '../../src/observe/event.ts'
import type { EmbeddedStore } from '../../src/store/embedded/embedded-store.ts'
import type { StoreState } from '../../src/store/embedded/upkeep/upkeep.ts'
import { Counters } from '../../src/store-thread/main-side/counters.ts'
import type { StoreSettings } from '../../src/store-thread/protocol.ts'
import type { Random } from '../support/random.ts'
import type { SimulatedDisk } from '../support/simulated-disk.ts'
import { type CatalogOnDisk, isFault, isFaultText } from './simulated-catalog.ts'
import { journalDirectory, type Sabotage, SimulatedThread } from './simulated-thread.ts'

export interface ServiceParts {
  readonly disk: SimulatedDisk
  readonly catalog: CatalogOnDisk
  readonly random: Random
  readonly settings: StoreSettings
  readonly sabotage: Sabotage
  /** One in this many writes of the store's files finds no space. */
  readonly fullIn: number
  readonly apartBytesMin?: number
  /** Called when the journal is open, before anything follows it. */
  readonly opened?: (journal: LocalJournalWriter, disk: Disk) => Promise<void>
}

interface Opened {
  readonly parts: ServiceParts
  readonly journal: LocalJournalWriter
  readonly events: Map<ServiceEvent['kind'], number>
  readonly noteEnd: () => Promise<void>
}

/** Far more turns of the event loop than anything here takes. */
const turnsMax = 20_000

function threadIsAway(): Problem {
  return new Problem('unavailable', 'The store is being started again.')
}

export class SimulatedService {
  readonly counters = new Counters()
  /** The number of events of each kind. */
  readonly events: Map<ServiceEvent['kind'], number>
  readonly #parts: ServiceParts
  readonly #journal: LocalJournalWriter
  readonly #trimmer: Trimmer
  #thread: SimulatedThread | null = null
  #ended = new AbortController()
  readonly #noteEnd: () => Promise<void>
  #closed = false
  #wrong: unknown = null

  /** Resolves before the store has caught up. Throws when a disk fault hits the journal. */
  static async start(parts: ServiceParts): Promise<SimulatedService> {
    const disk: Disk = (parts.sabotage.disk ?? ((each) => each))(parts.disk.mount())
    const { random, catalog, sabotage, apartBytesMin = 2 ** 30, opened } = parts
    const { manifest: plain, outcomes } = catalog.connect(new AbortController().signal)
    const manifest = sabotage.manifest?.(plain) ?? plain
    const events = new Map<ServiceEvent['kind'], number>()
    const journal = await openFileJournal({
      disk,
      directory: journalDirectory,
      settings: { segmentBytes: 1500, batchBytesMax: 1000, pendingBytesMax: 6000, apartBytesMin },
      observe: ({ kind }) => events.set(kind, (events.get(kind) ?? 0) + 1),
      reachedPosition: catalog.manifest.sealedPosition,
      acknowledgedPosition: await acknowledgedPositionOf({ manifest, outcomes }),
      newSalt: () => random.below(2 ** 32),
      nowMs: () => 0,
    })
    await opened?.(journal, disk)
    const noteEnd = async (): Promise<void> => {
      await manifest.noteJournalEnd(journal.durablePosition).catch((error: unknown) => {
        if (!isFault(error)) throw error
      })
    }
    await noteEnd()
    return new SimulatedService({ parts, journal, events, noteEnd })
  }

  private constructor({ parts, journal, events, noteEnd }: Opened) {
    this.events = events
    this.#parts = parts
    this.#noteEnd = noteEnd
    this.#journal = journal
    this.#trimmer = new Trimmer({ journal, observe: (event) => this.#observe(event), reach: () => undefined })
    journal.onDurable((position) => this.#thread?.durable(position))
    void this.#run()
  }

  /** Null while the thread is starting. */
  get store(): EmbeddedStore | null {
    return this.#thread?.store ?? null
  }

  get processedPosition(): number {
    return this.#thread?.processedPosition ?? 0
  }

  get journal(): LocalJournalWriter {
    return this.#journal
  }

  get durablePosition(): number {
    return this.#journal.durablePosition
  }

  get firstPosition(): number {
    return this.#journal.firstPosition
  }

  /** Resolves with the position after the entry. */
  async push(entry: JournalEntry): Promise<number> {
    const position = await this.#journal.append(entry)
    this.counters.accepted(entry.ingestId, entry.rows)
    return positionAfter({ ...entry, position })
  }

  /** Waits until everything that the journal has now is validated, by a live thread. */
  async caughtUp(): Promise<EmbeddedStore> {
    const { durablePosition } = this.#journal
    for (let turns = 0; turns < turnsMax && !this.#closed; turns++) {
      this.requireSound()
      if (this.#thread !== null && this.processedPosition >= durablePosition) return this.#thread.store
      await setImmediate()
    }
    throw new Error(`the store has reached ${this.processedPosition} of ${durablePosition}, and no more`)
  }

  /** Waits for one position; never resolves when the process has ended. */
  async waitFor(position: number, signal: AbortSignal): Promise<void> {
    while (this.processedPosition < position && !this.#closed) {
      signal.throwIfAborted()
      await setImmediate()
    }
    if (this.#closed) await new Promise(() => {})
  }

  /** The catalog's settings for the store have changed. */
  changed(): void {
    void this.#thread?.learnChanges().catch((error: unknown) => this.#failed(error))
  }

  /** Resolves when expired rows are gone. Throws Problem `unavailable` when the thread is away, or dies meanwhile. */
  async purge(entityId: number): Promise<void> {
    const thread = this.#thread
    if (thread === null) throw threadIsAway()
    const died = thread.followed.then(
      () => new Promise<never>(() => {}),
      () => Promise.reject(threadIsAway()),
    )
    await Promise.race([thread.purge(entityId), died])
  }

  /** Whether the process has ended or is being closed. */
  get hasEnded(): boolean {
    return this.#closed
  }

  /** Throws the first error that is not a disk fault, if there was one. */
  requireSound(): void {
    if (this.#wrong !== null) throw this.#wrong
  }

  async close(): Promise<void> {
    this.#closed = true
    await this.#thread?.close().catch((error: unknown) => this.#failed(error))
    this.end()
    await this.#trimmer.stop()
    await this.#journal.close()
    await this.#noteEnd()
  }

  /** Stops all work, because the process has ended. */
  end(): void {
    this.#closed = true
    this.#ended.abort()
    this.#thread?.end()
  }

  /** Restarts a thread that died, as the main thread does. */
  async #run(): Promise<void> {
    while (!this.#closed) {
      this.#ended = new AbortController()
      try {
        const { durablePosition } = this.#journal
        const thread = await SimulatedThread.open(
          {
            ...this.#parts,
            counters: this.counters,
            observe: (event) => this.#observe(event),
            durablePosition,
            sealed: ({ sealedPosition }: StoreState) => this.#trimmer.sealed(sealedPosition),
            trim: (position) => this.#trim(position),
          },
          this.#ended,
        )
        this.#thread = thread
        thread.durable(this.#journal.durablePosition)
        await thread.followed
        return
      } catch (error) {
        this.#failed(error)
        this.#ended.abort()
        this.#thread?.end()
        this.#thread = null
        if (this.#wrong !== null) return
        await setImmediate()
      }
    }
  }

  /** A failed journal is not trimmed. */
  async #trim(position: number): Promise<void> {
    await this.#journal.trim(position).catch((error: unknown) => this.#failed(error))
  }

  #observe(event: ServiceEvent): void {
    this.events.set(event.kind, (this.events.get(event.kind) ?? 0) + 1)
    if (event.kind === 'sealFailed' || event.kind === 'mergeFailed' || event.kind === 'removalFailed') {
      if (!isFaultText(event.message)) this.#wrong ??= new Error(`${event.kind}: ${event.message}`)
    }
  }

  #failed(error: unknown): void {
    if (!isFault(error)) this.#wrong ??= error
  }
}
