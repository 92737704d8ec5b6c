// One history of a service, drawn from a seed: several lives on one disk, each ended by a close, a kill or a crash in mid-operation.
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import type { Manifest } from '../../src/catalog/manifest.ts'
import { isSegmentName, positionOfName } from '../../src/journal/file/segment-header.ts'
import type { JournalEntry } from '../../src/journal/journal.ts'
import type { EntityField } from '../../src/model/entity.ts'
import type { Field } from '../../src/model/field.ts'
import type { Ingest } from '../../src/model/ingest.ts'
import type { Plan, Selection } from '../../src/model/plan.ts'
import { Problem } from '../../src/model/problem.ts'
import type { EmbeddedStore } from '../../src/store/embedded/embedded-store.ts'
import type { StoreSettings } from '../../src/store-thread/protocol.ts'
import { rowsOf } from '../support/expect-rows.ts'
import { type Random, seededRandom } from '../support/random.ts'
import { type DiskOperation, SimulatedDisk } from '../support/simulated-disk.ts'
import { restlessSettings } from './restless-settings.ts'
import { type PushedBatch, type PushedRow, ServiceModel } from './service-model.ts'
import { isFault, SimulatedCatalog } from './simulated-catalog.ts'
import { SimulatedService } from './simulated-service.ts'
import { journalDirectory, type Sabotage, storeDirectory } from './simulated-thread.ts'

const livesMax = 4
const stepsMax = 8
const operationsMax = 400
/** Far more turns of the event loop than the service needs to become idle. */
const restTurnsMax = 5000
const dayMs = 86_400_000
/** So many that most batches bring new series. */
const tags = ['', 'a', 'ab', 'é', '\uffff', '\u{1f600}', ...Array.from({ length: 60 }, (_, tag) => `tag ${tag}`)]

const faults: readonly (readonly [operation: DiskOperation, code: string])[] = [
  ['sync', 'EIO'],
  ['write', 'EIO'],
  ['write', 'ENOSPC'],
  ['create', 'ENOSPC'],
  ['syncDirectory', 'EIO'],
  ['rename', 'EIO'],
  ['remove', 'EIO'],
  ['read', 'EIO'],
  ['commit', 'EIO'],
  ['commit', 'EIO'],
]

const firstFields: readonly Field[] = [
  { name: 'D', source: 'D', type: 'timestamp', role: 'time' },
  { name: 'T', source: 'T', type: 'string', role: 'tag' },
  { name: 'V', source: 'V', type: 'double', role: 'metric' },
]
const addedField: Field = { name: 'N', source: 'N', type: 'long', role: 'metric' }

/** Two ingests feed one entity, and each ingest has been given a field over time. */
const ingests: readonly Ingest[] = [1, 2, 3].flatMap((id) =>
  [1, 2].map((fieldsVersion): Ingest => {
    const entityId = id === 3 ? 1 : id
    return {
      id,
      alias: `ingest${id}`,
      kind: 'series',
      entity: `entity${entityId}`,
      entityId,
      fields: fieldsVersion === 1 ? firstFields : [...firstFields, addedField],
      fieldsVersion,
      duplicates: 'keep',
      state: 'active',
      reason: null,
      createdMs: 0,
    }
  }),
)
const entityIds = [1, 2]

/** The number of events in the histories by kind, to show whether enough happens. */
export type EventCounts = Map<string, number>

/** Throws when the service violates its guarantees. */
export async function runServiceHistory(seed: number, sabotage: Sabotage, happenings?: EventCounts): Promise<void> {
  const random = seededRandom(seed)
  const history = new History(random, sabotage)
  try {
    for (let lives = 1 + random.below(livesMax); lives > 0; lives--) await history.liveAndDie()
    await history.checkIdle()
  } finally {
    history.end()
    for (const [kind, times] of history.happenings) happenings?.set(kind, (happenings.get(kind) ?? 0) + times)
  }
}

class History {
  readonly happenings: EventCounts = new Map()
  readonly #random: Random
  readonly #disk: SimulatedDisk
  readonly #catalog: SimulatedCatalog
  readonly #model = new ServiceModel()
  readonly #sabotage: Sabotage
  readonly #settings: StoreSettings
  readonly #fullIn: number
  #service: SimulatedService | null = null
  #nextNumber = 1
  /** The end of the journal after a clean stop that nothing has followed yet; null otherwise. */
  #cleanEnd: number | null = null
  /** Restores a file that was removed temporarily. */
  #putBack = (): void => undefined

  constructor(random: Random, sabotage: Sabotage) {
    this.#random = random
    this.#disk = new SimulatedDisk(random)
    this.#catalog = new SimulatedCatalog(this.#disk, random, ingests)
    this.#sabotage = sabotage
    this.#fullIn = random.below(2) === 0 ? 30 : 100_000
    this.#settings = restlessSettings(random, () => ({ unsealedBytes: 2000 + random.below(20_000) }))
  }

  async liveAndDie(): Promise<void> {
    const random = this.#random
    const operations = random.below(5) === 0 ? Number.POSITIVE_INFINITY : 1 + random.below(operationsMax)
    await Promise.race([this.#disk.haltAfter(operations), this.#live()])
    // Halted code may still run where it needs no disk; after this it is stuck for good.
    await setImmediate()
    this.#disk.spaceBytes = Number.POSITIVE_INFINITY
    const crashes = random.below(5) > 0
    this.#count(crashes ? 'crash' : 'kill')
    this.end()
    if (crashes) this.#disk.crash()
    else this.#disk.kill()
    this.#catalog.end()
  }

  /** Opens the service and checks all its content. */
  async open(): Promise<SimulatedService> {
    if (this.#cleanEnd !== null && this.#random.below(2) === 0) await this.#loseNewestFile(this.#cleanEnd)
    this.#cleanEnd = null
    this.#service = await this.#start()
    const store = await this.#service.caughtUp()
    const found = await this.#check(this.#service, store)
    this.#model.settle(found, this.#catalog.rejected, this.#service.durablePosition)
    this.#checkCounters(this.#service)
    return this.#service
  }

  /** A service that was stopped cleanly must not start without the newest file of its journal; the file is then restored. */
  async #loseNewestFile(endPosition: number): Promise<void> {
    const names = await this.#disk.mount().list(journalDirectory)
    const name = names.filter(isSegmentName).at(-1)!
    // An empty file may be created again.
    if (positionOfName(name)! >= endPosition && names.length > 1) return
    this.#count('lost file')
    const path = join(journalDirectory, name)
    const bytes = this.#disk.contents(path)
    this.#disk.delete(path)
    this.#putBack = () => {
      this.#disk.put(path, bytes)
      this.#putBack = () => undefined
    }
    const lost = /its newest file is missing|holds no file of the journal|ends before position/
    const started = await this.#start().then(
      () => true,
      (error: unknown) => {
        if (!isFault(error) && !(error instanceof Error && lost.test(error.message))) throw error
        return false
      },
    )
    if (started) throw new Error(`the service was started without ${name}, the newest file of its journal`)
    this.#putBack()
  }

  #start(): Promise<SimulatedService> {
    return SimulatedService.start({
      disk: this.#disk,
      catalog: this.#catalog,
      random: this.#random,
      settings: this.#settings,
      sabotage: this.#sabotage,
      fullIn: this.#fullIn,
    })
  }

  /** Opens the service once more: when it is idle, its folder contains the files of the manifest and nothing else. */
  async checkIdle(): Promise<void> {
    const service = await this.open()
    const disk = this.#disk.mount()
    for (let turns = 0; ; turns++) {
      service.requireSound()
      const there: string[] = []
      for (const id of entityIds)
        there.push(...(await disk.list(`${storeDirectory}/${id}`)).map((name) => `${id}/${name}`))
      const known = filesOf(this.#catalog.manifest)
      if (there.join() === known.join()) break
      if (turns > restTurnsMax) throw new Error(`the store's folder holds ${there}, the manifest ${known}`)
      await setImmediate()
    }
    await service.close()
    service.requireSound()
  }

  /** Marks the end of the process. */
  end(): void {
    for (const [kind, times] of this.#service?.events ?? []) this.#count(kind, times)
    this.#service?.end()
    this.#service = null
    this.#putBack()
  }

  async #live(): Promise<void> {
    const random = this.#random
    const service = await this.open()
    for (let steps = random.below(stepsMax); steps > 0; steps--) {
      // Code that waits for nothing from the disk would continue after the process has ended.
      if (service.hasEnded) return
      this.#troubleDisk()
      const pushes = Array.from({ length: random.below(8) }, () => this.#push(service))
      for (let turns = random.below(20); turns > 0; turns--) await setImmediate()
      if (random.below(5) === 0 && service.store !== null) await this.#check(service, service.store)
      await Promise.all(pushes)
      if (random.below(4) === 0) await this.#calm(service)
      service.requireSound()
      // The journal accepts nothing more until the service is restarted.
      if (service.events.has('journalFailed') && random.below(2) === 0) break
    }
    await this.#calm(service)
    if (random.below(2) === 0) {
      await service.close()
      this.#count('close')
      if (!service.events.has('journalFailed')) this.#cleanEnd = service.durablePosition
    }
    service.requireSound()
  }

  /** Waits for the store to catch up, on a disk with space. */
  async #calm(service: SimulatedService): Promise<void> {
    this.#disk.spaceBytes = Number.POSITIVE_INFINITY
    await this.#check(service, await service.caughtUp())
    this.#checkCounters(service)
  }

  #checkCounters({ counters }: SimulatedService): void {
    for (const ingestId of new Set(ingests.map(({ id }) => id)))
      this.#model.checkCounters(ingestId, counters.of(ingestId))
  }

  /** Queries all rows and returns their numbers. */
  async #check({ processedPosition }: SimulatedService, store: EmbeddedStore): Promise<ReadonlySet<number>> {
    const found = new Set<number>()
    for (const entityId of entityIds) {
      const rows = await this.#ask(store, entityId)
      this.#model.checkRows(entityId, rows, processedPosition)
      for (const { number } of rows) found.add(number)
    }
    this.#count('check')
    return found
  }

  /** All rows of an entity; the store's other results must agree with them. */
  async #ask(store: EmbeddedStore, entityId: number): Promise<readonly PushedRow[]> {
    const selection = selectionOf(entityId)
    const range = { fromMs: Number.NEGATIVE_INFINITY, toMs: Number.POSITIVE_INFINITY }
    // All of them start at once, so that they see the same rows.
    const [items, newest, means, { rows: count }] = await Promise.all([
      rowsOf(store, { kind: 'select', selection, range }),
      rowsOf(store, { kind: 'latest', selection, fromMs: Number.NEGATIVE_INFINITY }),
      rowsOf(store, meansOf(selection)),
      store.statistics(entityId, null, new AbortController().signal),
    ])
    const rows = items.map(([ms, tag, number, n]): PushedRow => {
      return { number: Number(number), ms: Number(ms), tag: String(tag), count: n === null ? null : Number(n) }
    })
    if (count !== rows.length) throw new Error(`statistics of ${count} rows, answered are ${rows.length}`)
    expectNumbers('latest', newest, newestOf(rows))
    expectNumbers('average', means, meansOfTags(rows))
    return rows
  }

  async #push(service: SimulatedService): Promise<void> {
    const batch = this.#batch()
    const attempt = this.#model.attempt(batch)
    this.#count('push')
    try {
      this.#model.acknowledge(attempt, await service.push(this.#entry(batch)))
    } catch (error) {
      // Overloaded: certainly not stored. Unavailable: unknown.
      if (!(error instanceof Problem)) throw error
      if (error.code === 'overloaded') this.#model.refuse(attempt)
      this.#count(error.code)
    }
  }

  /** Late rows, rows of the same date and tag, sometimes many at once, and some invalid ones. */
  #batch(): PushedBatch {
    const random = this.#random
    const ingestId = 1 + random.below(3)
    const fieldsVersion = 1 + random.below(2)
    const rows: PushedRow[] = []
    const bad: number[] = []
    for (let left = random.below(random.below(5) === 0 ? 30 : 6); left > 0; left--) {
      const number = this.#nextNumber++
      if (random.below(10) === 0) {
        bad.push(number)
        continue
      }
      const ms = random.below(3) * dayMs + random.below(4) * 1_800_000
      const count = fieldsVersion === 1 || random.below(3) === 0 ? null : random.below(100)
      rows.push({ number, ms, tag: tags[random.below(tags.length)]!, count })
    }
    return { ingestId, fieldsVersion, entityId: ingestId === 3 ? 1 : ingestId, rows, bad }
  }

  #entry({ ingestId, fieldsVersion, rows, bad }: PushedBatch): JournalEntry {
    const random = this.#random
    const good = rows.map(({ number, ms, tag, count }) => {
      return JSON.stringify({ D: ms, T: tag, V: number, ...(count === null ? {} : { N: count }) })
    })
    // Of a wrong type.
    const texts = [...good, ...bad.map((number) => JSON.stringify({ D: 0, T: 'a', V: String(number) }))]
    const format = random.below(2) === 0 ? 'json' : 'ndjson'
    const body = format === 'json' ? `[${texts.join()}]` : texts.join('\n')
    return {
      ingestId,
      fieldsVersion,
      subscriberId: 1,
      receivedMs: 0,
      format,
      idempotencyKey: null,
      rows: texts.length,
      body: Buffer.from(body),
    }
  }

  #troubleDisk(): void {
    const random = this.#random
    this.#disk.spaceBytes = random.below(8) === 0 ? random.below(40_000) : Number.POSITIVE_INFINITY
    if (random.below(3) > 0) return
    const [operation, code] = faults[random.below(faults.length)]!
    this.#disk.failOnce(operation, code, random.below(4))
  }

  #count(kind: string, times = 1): void {
    this.happenings.set(kind, (this.happenings.get(kind) ?? 0) + times)
  }
}

function filesOf({ files, registries }: Manifest): string[] {
  const names = files.flatMap(({ entityId, name }) => [`${entityId}/${name}.index`, `${entityId}/${name}.parquet`])
  return [...names, ...registries.map(({ entityId }) => `${entityId}/series.log`)].sort()
}

function selectionOf(entityId: number): Selection {
  const [time, tag, ...metrics] = [...firstFields, addedField].map(
    ({ name, type, role }): EntityField => ({ name, type, role }),
  )
  return { entityId, sinceMs: null, time: time!, tags: [tag!], ids: null, prefixes: null, metrics, fields: [] }
}

/** Means that rollups compute in part. */
function meansOf(selection: Selection): Plan {
  const range = { fromMs: 0, toMs: 2 * dayMs + 3_600_000 }
  const granularity = { kind: 'all' } as const
  return { kind: 'average', selection, range, granularity, byTag: true }
}

function newestOf(rows: readonly PushedRow[]): number[] {
  const newest = new Map<string, PushedRow>()
  for (const row of rows) newest.set(row.tag, row)
  return [...newest.values()].map(({ number }) => number).sort((one, other) => one - other)
}

function meansOfTags(rows: readonly PushedRow[]): number[] {
  const sums = new Map<string, { sum: number; rows: number }>()
  for (const { tag, ms, number } of rows) {
    if (ms > 2 * dayMs + 3_600_000) continue
    const known = sums.get(tag) ?? { sum: 0, rows: 0 }
    sums.set(tag, { sum: known.sum + number, rows: known.rows + 1 })
  }
  return [...sums.values()].map(({ sum, rows: count }) => sum / count).sort((one, other) => one - other)
}

/** Compares the first metric of the answer. */
function expectNumbers(what: string, answer: readonly (readonly unknown[])[], expected: readonly number[]): void {
  const given = answer.map((row) => Number(row[2])).sort((one, other) => one - other)
  const isSame =
    given.length === expected.length && given.every((value, index) => Math.abs(value - expected[index]!) < 1e-6)
  if (!isSame) throw new Error(`${what} answers ${given}, of the rows it is ${expected}`)
}
