// One history of a service whose operator adds fields, replays, discards, drops and lets rows expire while clients push, with or without idempotency
// keys: several lives on one disk, each ended by a close, a kill or a crash in mid-operation.
import { setImmediate } from 'node:timers/promises'
import { Retentions } from '../../src/admin/retentions.ts'
import { IdempotencyKeys } from '../../src/ingest/idempotency/idempotency-keys.ts'
import { Replays } from '../../src/ingest/replay/replays.ts'
import { openFileJournalCursor } from '../../src/journal/file/file-journal-cursor.ts'
import { type JournalEntry, type LocalJournalWriter, positionAfter } from '../../src/journal/journal.ts'
import type { Disk } from '../../src/lib/disk.ts'
import type { Entity } from '../../src/model/entity.ts'
import type { Field } from '../../src/model/field.ts'
import { Problem } from '../../src/model/problem.ts'
import type { EmbeddedStore } from '../../src/store/embedded/embedded-store.ts'
import type { StoreSettings } from '../../src/store-thread/protocol.ts'
import { rowsOf } from '../support/expect-rows.ts'
import { noQuarantine } from '../support/no-quarantine.ts'
import { type Random, seededRandom } from '../support/random.ts'
import { type DiskOperation, SimulatedDisk } from '../support/simulated-disk.ts'
import { LifecycleCatalog, type OperatorCatalog } from './lifecycle-catalog.ts'
import { type AnsweredRow, type Batch, LifecycleModel, type PushedBatch, type PushedRow } from './lifecycle-model.ts'
import { restlessSettings } from './restless-settings.ts'
import type { EventCounts } from './service-history.ts'
import { isFault } from './simulated-catalog.ts'
import { SimulatedService } from './simulated-service.ts'
import { journalDirectory, type Sabotage, storeDirectory } from './simulated-thread.ts'

const livesMax = 4
const stepsMax = 10
const operationsMax = 500
const restTurnsMax = 5000
const fullTurnsMax = 2000
const dayMs = 86_400_000
const nowMs = 3 * dayMs + 3_600_000
const retentions = [null, 'P1D', 'P2D'] as const
const tags = ['', 'a', 'ab', 'é', ...Array.from({ length: 8 }, (_, tag) => `tag ${tag}`)]

const leavingEntity = 1
const replacingEntity = 2
/** Two ingests feed the first entity. Entities from 4 on are created to be dropped, each with its only ingest. */
const firstIngests = [
  { id: 1, entityId: leavingEntity },
  { id: 2, entityId: replacingEntity },
  { id: 3, entityId: leavingEntity },
]
const addedField: Field = { name: 'N', source: 'N', type: 'long', role: 'metric' }

const faults: readonly (readonly [operation: DiskOperation, code: string])[] = [
  ['sync', 'EIO'],
  ['write', 'EIO'],
  ['write', 'ENOSPC'],
  ['create', 'ENOSPC'],
  ['syncDirectory', 'EIO'],
  ['remove', 'EIO'],
  ['commit', 'EIO'],
]

/** Wrappers between the parts and the operator or the clients, for planted bugs. */
export interface LifecycleSabotage extends Sabotage {
  readonly keys?: (keys: IdempotencyKeys) => Pick<IdempotencyKeys, 'once' | 'beforeTrim'>
  /** `changed` makes the store read the catalog's changes. */
  readonly operator?: (operator: OperatorCatalog, changed: () => void) => OperatorCatalog
  readonly retainedBy?: (store: Retained) => Retained
}

type Retained = Pick<SimulatedService, 'changed' | 'purge'>

/** Throws when the service violates its guarantees. */
export async function runLifecycleHistory(
  seed: number,
  sabotage: LifecycleSabotage,
  happenings?: EventCounts,
): Promise<void> {
  const random = seededRandom(seed)
  const history = new History(random, sabotage)
  try {
    for (let lives = 1 + random.below(livesMax); lives > 0; lives--) await history.liveAndDie()
    await history.comeToRest()
  } finally {
    history.end()
    for (const [kind, times] of history.happenings) happenings?.set(kind, (happenings.get(kind) ?? 0) + times)
  }
}

/** A service and the parts that its operator and clients use. */
interface Generation {
  readonly service: SimulatedService
  readonly keys: Pick<IdempotencyKeys, 'once'>
  readonly operator: OperatorCatalog
  readonly replays: Replays
  readonly retentions: Retentions
}

class History {
  readonly happenings: EventCounts = new Map()
  readonly #random: Random
  readonly #disk: SimulatedDisk
  readonly #catalog: LifecycleCatalog
  readonly #model = new LifecycleModel()
  readonly #sabotage: LifecycleSabotage
  readonly #settings: StoreSettings
  readonly #fullIn: number
  #ended = new AbortController()
  #service: SimulatedService | null = null
  /** Records the outcome of a change without a response. */
  #unanswered: (() => void) | null = null
  #nextNumber = 1
  #nextIngest = 4

  constructor(random: Random, sabotage: LifecycleSabotage) {
    this.#random = random
    this.#disk = new SimulatedDisk(random)
    this.#catalog = new LifecycleCatalog(this.#disk, random)
    this.#sabotage = sabotage
    this.#fullIn = random.below(2) === 0 ? 30 : 100_000
    this.#settings = restlessSettings(random, () => ({ headRows: 5 + random.below(15) }))
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
  async open(): Promise<Generation> {
    this.#ended = new AbortController()
    const sabotaged = this.#sabotage
    const plain = this.#catalog.operator(this.#ended.signal)
    const operator = sabotaged.operator?.(plain, () => this.#service?.changed()) ?? plain
    let keys: Generation['keys'] | null = null
    const service = await SimulatedService.start({
      disk: this.#disk,
      catalog: this.#catalog,
      random: this.#random,
      settings: this.#settings,
      sabotage: sabotaged,
      fullIn: this.#fullIn,
      apartBytesMin: 400,
      opened: async (journal, disk) => {
        await this.#findUnknown(journal, disk)
        keys = await this.#openKeys(journal, disk)
      },
    })
    this.#service = service
    const life: Generation = {
      service,
      keys: keys!,
      operator,
      replays: new Replays({
        rejected: operator.rejected,
        quarantine: noQuarantine.quarantine,
        journal: service.journal,
        progress: service,
        isQueryable: async () => undefined,
        journaled: async () => undefined,
        nowMs: () => nowMs,
        reach: () => undefined,
      }),
      retentions: new Retentions({
        ingests: operator.ingests,
        store: sabotaged.retainedBy?.(service) ?? service,
        changed: async () => undefined,
        nowMs: () => nowMs,
        reach: () => undefined,
      }),
    }
    for (const ingest of firstIngests) await this.#create(life, ingest)
    await service.caughtUp()
    this.#model.settleRejected(this.#catalog.keptPositions)
    await this.#check(life)
    // As a start does: a recorded change may still have to be carried out.
    await this.#changeRetention(life, () => life.retentions.check())
    return life
  }

  /** Opens the service once more: when it is idle, nothing is left of dropped or replaced data. */
  async comeToRest(): Promise<void> {
    const life = await this.open()
    const disk = this.#disk.mount()
    for (let turns = 0; ; turns++) {
      life.service.requireSound()
      const faults = await this.#leftovers(disk)
      if (faults.length === 0) break
      if (turns > restTurnsMax) throw new Error(faults.join('; '))
      await setImmediate()
    }
    await this.#check(life)
    await life.service.close()
    life.service.requireSound()
  }

  /** Marks the end of the process. */
  end(): void {
    for (const [kind, times] of this.#service?.events ?? []) this.#count(kind, times)
    this.#service?.end()
    this.#service = null
    this.#ended.abort()
    this.#unanswered?.()
    this.#unanswered = null
  }

  async #live(): Promise<void> {
    const random = this.#random
    const life = await this.open()
    const { service } = life
    for (let steps = random.below(stepsMax); steps > 0; steps--) {
      if (service.hasEnded) return
      this.#troubleDisk()
      const pushes = Promise.all(Array.from({ length: random.below(6) }, () => this.#push(life)))
      // The operator's error may be thrown first.
      pushes.catch(() => undefined)
      for (let turns = random.below(20); turns > 0; turns--) await setImmediate()
      await this.#withRoomInTheEnd(this.#operate(life))
      await pushes
      if (service.hasEnded) return
      if (random.below(3) === 0) await this.#calm(life)
      service.requireSound()
      if (service.events.has('journalFailed')) break
    }
    await this.#calm(life)
    if (random.below(2) === 0) {
      await service.close()
      this.#count('close')
    }
    service.requireSound()
  }

  /** Frees space on a full disk after a while, for an operator that waits for it. */
  async #withRoomInTheEnd(operated: Promise<void>): Promise<void> {
    let isOver = false
    const { signal } = this.#ended
    const makeRoom = async (): Promise<void> => {
      for (let turns = 0; turns < fullTurnsMax && !isOver && !signal.aborted; turns++) await setImmediate()
      if (!isOver && !signal.aborted) this.#disk.spaceBytes = Number.POSITIVE_INFINITY
    }
    void makeRoom()
    try {
      await operated
    } finally {
      isOver = true
    }
  }

  /** Waits for the store to catch up, on a disk with space. */
  async #calm(life: Generation): Promise<void> {
    this.#disk.spaceBytes = Number.POSITIVE_INFINITY
    await life.service.caughtUp()
    await this.#check(life)
  }

  /** Resolves the outcome of appends that were never acknowledged: the journal shows which are stored. */
  async #findUnknown({ firstPosition, durablePosition }: LocalJournalWriter, disk: Disk): Promise<void> {
    const reader = openFileJournalCursor({ disk, directory: journalDirectory })
    for (let position = firstPosition; position < durablePosition; ) {
      const entries = await reader.read(position, durablePosition, 10_000)
      for (const entry of entries) {
        position = positionAfter(entry)
        if (entry.format !== 'replay') this.#model.stored(this.#model.batchOf(numberIn(entry.body)), entry.position)
      }
    }
    await reader.close()
    this.#model.refuseUnknown()
  }

  async #openKeys(journal: LocalJournalWriter, disk: Disk): Promise<Generation['keys']> {
    const { firstPosition, durablePosition } = journal
    const reader = openFileJournalCursor({ disk, directory: journalDirectory })
    const opened = await IdempotencyKeys.open({
      disk,
      directory: '/data/keys',
      newSalt: () => this.#random.below(2 ** 32),
      nowMs: () => nowMs,
      uptimeMs: () => nowMs,
      keysMax: 10_000,
      journal: { firstPosition, durablePosition, reader },
    })
    await reader.close()
    const keys = this.#sabotage.keys?.(opened) ?? opened
    journal.beforeTrim((position) => keys.beforeTrim(position))
    return keys
  }

  async #create({ operator }: Generation, ingest: { readonly id: number; readonly entityId: number }): Promise<void> {
    if (this.#catalog.ingest(ingest.id) !== null) return
    await operator.create(ingest, ingest.entityId === replacingEntity ? 'replace' : 'keep')
  }

  async #check({ service }: Generation): Promise<void> {
    const { entities } = this.#catalog
    const store = await service.caughtUp()
    const processed = service.processedPosition
    const kept = this.#catalog.keptPositions
    this.#model.checkRejected((id) => this.#catalog.ingest(id) !== null, kept, processed)
    for (const { id, duplicates, sinceMs } of entities) {
      const rows = await ask(store, id, sinceMs)
      if (duplicates === 'replace') this.#model.checkReplaced(id, rows, processed)
      else this.#model.checkRows(id, rows, sinceMs ?? Number.NEGATIVE_INFINITY, processed)
    }
    for (const { id } of this.#liveIngests()) this.#model.checkCounters(id, service.counters.of(id))
    this.#count('check')
  }

  #liveIngests(): readonly { readonly id: number; readonly entityId: number; readonly fieldsVersion: number }[] {
    return Array.from({ length: this.#nextIngest }, (_, id) => this.#catalog.ingest(id)).filter((one) => one !== null)
  }

  async #push(life: Generation): Promise<void> {
    const { service, keys } = life
    const known = this.#model.batches.filter(({ key, ingestId }) => key !== null && this.#catalog.ingest(ingestId))
    const again = this.#random.below(4) === 0 ? known[this.#random.below(known.length)] : undefined
    const batch = again ?? this.#newBatch()
    const entry = this.#entryOf(batch)
    const { key, ingestId } = batch
    const push = async () => ({ ...entry, position: (await service.push(entry)) - entry.rows })
    this.#count(again === undefined ? 'push' : 'repeated push')
    // A batch that was not stored in an earlier life may be in this one.
    if (batch.place === 'refused') batch.place = 'unknown'
    try {
      const { position } =
        key === null
          ? await push()
          : await keys.once({ subscriberId: 1, ingestId, key, body: entry.body, format: 'json' }, push)
      this.#model.stored(batch, position)
    } catch (error) {
      if (!(error instanceof Problem)) throw error
      this.#count(error.code)
      // Overloaded: certainly not stored by this push; another push of the same batch may be in progress.
      if (error.code === 'overloaded' && again === undefined && batch.place === 'unknown' && key === null)
        batch.place = 'refused'
    }
  }

  #newBatch(): Batch {
    const random = this.#random
    const live = this.#liveIngests()
    const { id, entityId, fieldsVersion } = live[random.below(live.length)]!
    const key = random.below(2) === 0 ? `key ${this.#nextNumber}` : null
    const rows = Array.from({ length: 1 + random.below(random.below(5) === 0 ? 25 : 5) }, (): PushedRow => {
      const n = [undefined, null, random.below(100)][random.below(3)]
      return {
        number: this.#nextNumber++,
        ms: random.below(3) * dayMs + random.below(3) * 1_800_000,
        tag: tags[random.below(tags.length)]!,
        // A later retry may meet other fields; the property must make no difference then.
        n: key !== null && fieldsVersion === 1 ? undefined : n,
        isBad: random.below(12) === 0,
      }
    })
    const batch: PushedBatch = { ingestId: id, entityId, fieldsVersion, key, rows }
    return this.#model.add(batch)
  }

  #entryOf({ ingestId, fieldsVersion, key, rows }: Batch): JournalEntry {
    const texts = rows.map(({ ms, tag, number, n, isBad }) =>
      JSON.stringify({ D: ms, T: isBad ? 5 : tag, V: number, ...(n === undefined ? {} : { N: n }) }),
    )
    const format = ingestId % 2 === 0 ? 'json' : 'ndjson'
    const body = Buffer.from(format === 'json' ? `[${texts.join()}]` : texts.join('\n'))
    const rest = { subscriberId: 1, receivedMs: nowMs, idempotencyKey: key, rows: rows.length }
    return { ingestId, fieldsVersion, format, body, ...rest }
  }

  async #operate(life: Generation): Promise<void> {
    const random = this.#random
    const live = this.#liveIngests()
    const ingest = live[random.below(live.length)]!
    switch (random.below(7)) {
      case 0:
        if (ingest.fieldsVersion === 1)
          await this.#ask('field added', () => life.operator.addField(ingest.id, addedField))
        return
      case 1:
      case 2:
        return this.#replay(life, ingest.id)
      case 3:
        return this.#discard(life, ingest.id)
      case 4: {
        const retention = retentions[random.below(retentions.length)]!
        return this.#changeRetention(life, () => life.retentions.set(`entity${leavingEntity}`, retention))
      }
      case 5:
        return this.#dropOrCreate(life)
      default:
        return
    }
  }

  /** Validates some or all of the rejected rows again. */
  #replay({ replays, service }: Generation, ingestId: number): Promise<void> {
    const ingest = this.#catalog.ingest(ingestId)!
    const chosen = this.#choose()
    const { processedPosition } = service
    const isDue = new Set(
      this.#model.rejectedOf(ingestId).filter(({ position }) => position !== null && position < processedPosition),
    )
    const due = new Set([...isDue].map(({ row }) => row))
    const note = (isDone: boolean): void => {
      for (const { row, position } of this.#model.rejectedOf(ingestId)) {
        if (row.isBad || row.state !== 'kept' || ingest.fieldsVersion === 1) continue
        if (position !== null && chosen !== null && !chosen.has(position)) continue
        row.state = isDone && due.has(row) ? 'stored' : 'replaying'
      }
    }
    const positions = chosen === null ? null : [...chosen]
    return this.#ask('replay', () => replays.replay(ingest, positions, new AbortController().signal), note)
  }

  #discard({ operator, service }: Generation, ingestId: number): Promise<void> {
    const chosen = this.#choose()
    const { processedPosition } = service
    const note = (isDone: boolean): void => {
      for (const { row, position } of this.#model.rejectedOf(ingestId)) {
        if (position !== null && chosen !== null && !chosen.has(position)) continue
        if (row.state !== 'kept') continue
        const wasThere = position !== null && position < processedPosition
        row.state = isDone && wasThere ? 'discarded' : 'discarding'
      }
    }
    const positions = chosen === null ? null : [...chosen]
    return this.#ask('discard', () => operator.rejected.discard(ingestId, positions), note)
  }

  /** Positions of rejected rows, or null for all. */
  #choose(): ReadonlySet<number> | null {
    if (this.#random.below(2) === 0) return null
    return new Set([...this.#catalog.keptPositions].filter(() => this.#random.below(2) === 0))
  }

  /** Changes the retention. Rows that had expired are gone for good when a change makes older rows visible again. */
  #changeRetention({ service }: Generation, change: () => Promise<unknown>): Promise<void> {
    const before = this.#leaving().sinceMs
    const { processedPosition } = service
    const note = (): void => {
      const after = this.#leaving().sinceMs
      if (before === null) return
      const isLifted = after === null || after < before
      this.#model.leave(leavingEntity, before, (position) => isLifted && position < processedPosition)
    }
    return this.#ask('retention', change, note)
  }

  #leaving(): Entity {
    return this.#catalog.entities.find(({ id }) => id === leavingEntity)!
  }

  async #dropOrCreate(life: Generation): Promise<void> {
    const short = this.#liveIngests().filter(({ id }) => id >= 4)
    const dropped = short[this.#random.below(short.length + 1)]
    if (dropped === undefined) {
      const id = this.#nextIngest++
      await this.#ask('created', () => this.#create(life, { id, entityId: id }))
    } else {
      await this.#ask('dropped', () => life.operator.drop(dropped.entityId))
      life.service.changed()
    }
  }

  /** Requests a change and records the outcome: it was made, or it may have been, now or at the next start. */
  async #ask(kind: string, change: () => Promise<unknown>, note?: (isDone: boolean) => void): Promise<void> {
    this.#unanswered = () => note?.(false)
    let isDone = false
    try {
      await change()
      isDone = true
      this.#count(kind)
    } catch (error) {
      if (!(error instanceof Problem) && !isFault(error)) throw error
      this.#count(`${kind} failed`)
    }
    // The process may have ended first.
    if (this.#unanswered === null) return
    this.#unanswered = null
    note?.(isDone)
  }

  async #leftovers(disk: Disk): Promise<readonly string[]> {
    const { manifest, rejectedIngests } = this.#catalog
    const known = [
      ...manifest.files.flatMap(({ entityId, name }) => [`${entityId}/${name}.index`, `${entityId}/${name}.parquet`]),
      ...manifest.registries.map(({ entityId }) => `${entityId}/series.log`),
    ].sort()
    const there: string[] = []
    for (const folder of await disk.listFolders(storeDirectory))
      there.push(...(await disk.list(`${storeDirectory}/${folder}`)).map((name) => `${folder}/${name}`))
    return [
      ...(there.sort().join() === known.join() ? [] : [`the store's folder holds ${there}, the manifest ${known}`]),
      ...[...rejectedIngests].filter((id) => this.#catalog.ingest(id) === null).map((id) => `rows of ingest ${id}`),
    ]
  }

  #troubleDisk(): void {
    const random = this.#random
    this.#disk.spaceBytes = random.below(8) === 0 ? random.below(40_000) : Number.POSITIVE_INFINITY
    if (random.below(4) > 0) return
    const [operation, code] = faults[random.below(faults.length)]!
    this.#disk.failOnce(operation, code, random.below(4))
  }

  #count(kind: string, times = 1): void {
    this.happenings.set(kind, (this.happenings.get(kind) ?? 0) + times)
  }
}

/** The number of the first row of a body. */
function numberIn(body: Uint8Array): number {
  return Number(/"V":(\d+)/.exec(Buffer.from(body).toString())?.[1])
}

async function ask(store: EmbeddedStore, entityId: number, sinceMs: number | null): Promise<readonly AnsweredRow[]> {
  const range = { fromMs: Number.NEGATIVE_INFINITY, toMs: Number.POSITIVE_INFINITY }
  const selection = {
    entityId,
    sinceMs,
    time: { name: 'D', type: 'timestamp', role: 'time' },
    tags: [{ name: 'T', type: 'string', role: 'tag' }],
    ids: null,
    prefixes: null,
    metrics: [
      { name: 'V', type: 'double', role: 'metric' },
      { name: 'N', type: 'long', role: 'metric' },
    ],
    fields: [],
  } as const
  const rows = await rowsOf(store, { kind: 'select', selection, range })
  return rows.map(([ms, tag, number, n]) => [Number(ms), String(tag), Number(number), n === null ? null : Number(n)])
}
