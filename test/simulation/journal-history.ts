// One history of a journal, drawn from a seed: several lives on one disk, each ended by a close, a kill or a crash in mid-operation.
import { setImmediate } from 'node:timers/promises'
import { openFileJournal } from '../../src/journal/file/file-journal.ts'
import { openFileJournalCursor } from '../../src/journal/file/file-journal-cursor.ts'
import type { JournalCursor, JournalEntry, LocalJournalWriter } from '../../src/journal/journal.ts'
import type { Disk } from '../../src/lib/disk.ts'
import { Problem } from '../../src/model/problem.ts'
import { type Random, seededRandom } from '../support/random.ts'
import { SimulatedDisk } from '../support/simulated-disk.ts'
import { JournalModel } from './journal-model.ts'

const directory = '/journal'
const settings = { segmentBytes: 3000, batchBytesMax: 2000, pendingBytesMax: 6000, apartBytesMin: 400 }
const livesMax = 5
const stepsMax = 12
const operationsMax = 200

/** Throws when the journal violates its guarantees. `sabotage` wraps the disk that the journal uses. */
export async function runHistory(seed: number, sabotage: (disk: Disk) => Disk): Promise<void> {
  const random = seededRandom(seed)
  const disk = new SimulatedDisk(random)
  const history = new History(disk, sabotage, random)
  for (let lives = 1 + random.below(livesMax); lives > 0; lives--) {
    const operations = random.below(5) === 0 ? Number.POSITIVE_INFINITY : 1 + random.below(operationsMax)
    await Promise.race([disk.haltAfter(operations), history.live()])
    // Halted code may still run where it needs no disk; after this it is stuck for good.
    await setImmediate()
    disk.spaceBytes = Number.POSITIVE_INFINITY
    if (random.below(5) === 0) disk.kill()
    else disk.crash()
  }
  await history.open()
}

class History {
  readonly #simulated: SimulatedDisk
  readonly #sabotage: (disk: Disk) => Disk
  readonly #random: Random
  readonly #model = new JournalModel()
  #followed = 0

  constructor(simulated: SimulatedDisk, sabotage: (disk: Disk) => Disk, random: Random) {
    this.#simulated = simulated
    this.#sabotage = sabotage
    this.#random = random
  }

  /** Opens the journal and checks all its content. */
  async open(): Promise<{ readonly journal: LocalJournalWriter; readonly reader: JournalCursor }> {
    const folder = { disk: this.#sabotage(this.#simulated.mount()), directory }
    const newSalt = (): number => this.#random.below(2 ** 32)
    const journal = await openFileJournal({ ...folder, settings, observe: () => {}, newSalt, nowMs: () => 0 })
    const reader = openFileJournalCursor(folder)
    await this.#check(journal, reader)
    return { journal, reader }
  }

  async live(): Promise<void> {
    const { journal, reader } = await this.open()
    const follower = openFileJournalCursor({ disk: this.#sabotage(this.#simulated.mount()), directory })
    this.#followed = this.#model.trimPosition
    for (let steps = this.#random.below(stepsMax); steps > 0; steps--) {
      this.#troubleDisk()
      const appends = Array.from({ length: this.#random.below(8) }, () => this.#append(journal))
      // Concurrently with the appends, so that the reader meets half-done writes.
      if (this.#random.below(2) === 0) await this.#check(journal, reader)
      await this.#follow(journal, follower)
      await this.#rearrange(journal)
      await Promise.all(appends)
    }
    await this.#check(journal, reader)
    if (this.#random.below(2) === 0) await journal.close()
  }

  #check(journal: LocalJournalWriter, reader: JournalCursor): Promise<void> {
    return this.#model.check(reader, journal.durablePosition, () => this.#random.below(2000))
  }

  /** Reads a little further, with a reader that keeps its position from call to call. */
  async #follow(journal: LocalJournalWriter, follower: JournalCursor): Promise<void> {
    this.#followed = Math.max(this.#followed, this.#model.trimPosition)
    for (let reads = this.#random.below(5); reads > 0; reads--) {
      const entries = await follower.read(this.#followed, journal.durablePosition, this.#random.below(1000))
      this.#followed = this.#model.checkRun(entries, this.#followed)
    }
  }

  async #append(journal: LocalJournalWriter): Promise<void> {
    const entry = this.#entry(this.#model.attempts)
    const attempt = this.#model.attempt(entry)
    try {
      this.#model.acknowledge(attempt, await journal.append(entry))
    } catch (error) {
      // Overloaded: certainly not stored. Unavailable: unknown.
      if (codeOf(error) === 'overloaded') this.#model.refuse(attempt)
    }
  }

  async #rearrange(journal: LocalJournalWriter): Promise<void> {
    const choice = this.#random.below(6)
    try {
      if (choice === 0) await journal.rotate()
      if (choice === 1) await journal.trim(this.#model.moveTrimPosition(journal.durablePosition, this.#random))
    } catch (error) {
      codeOf(error)
    }
  }

  #troubleDisk(): void {
    const choice = this.#random.below(20)
    this.#simulated.spaceBytes = choice < 3 ? this.#random.below(20_000) : Number.POSITIVE_INFINITY
    if (choice === 3) this.#simulated.failOnce('sync', 'EIO', this.#random.below(3))
    if (choice === 4) this.#simulated.failOnce('write', 'EIO', this.#random.below(3))
    if (choice === 5) this.#simulated.failOnce('write', 'ENOSPC', this.#random.below(3))
    if (choice === 6) this.#simulated.failOnce('syncDirectory', 'EIO')
  }

  #entry(number: number): JournalEntry {
    const size = this.#random.below(this.#random.below(10) === 0 ? 5000 : 600)
    return {
      ingestId: this.#random.below(5),
      fieldsVersion: this.#random.below(3),
      subscriberId: this.#random.below(3),
      receivedMs: this.#random.below(2 ** 41),
      format: this.#random.below(2) === 0 ? 'json' : 'ndjson',
      idempotencyKey: this.#random.below(2) === 0 ? null : 'k'.repeat(this.#random.below(20)),
      rows: this.#random.below(4),
      body: Buffer.from(`${number} ${'x'.repeat(size)}`),
    }
  }
}

/** The code of a Problem; rethrows any other error. */
function codeOf(error: unknown): string {
  if (error instanceof Problem) return error.code
  throw error
}
