// Random pushes, seals, merges and queries; the store's results are compared with the model's.
import { expect } from 'vitest'
import type { DeletionCatalog } from '../../src/catalog/deletions.ts'
import { parsePeriod } from '../../src/druid-time/iso.ts'
import { periodGranularity } from '../../src/druid-time/native-granularity.ts'
import { plainGranularity } from '../../src/druid-time/plain-granularity.ts'
import { Zone } from '../../src/druid-time/zone.ts'
import { Pacer } from '../../src/lib/pacer.ts'
import type { ColumnType } from '../../src/model/column.ts'
import type { Deletion, DeletionChange, DeletionSelection } from '../../src/model/deletion.ts'
import type { EntityField } from '../../src/model/entity.ts'
import { parseGranularity } from '../../src/model/granularity.ts'
import type { AveragePlan, Plan } from '../../src/model/plan.ts'
import type { RowBatch } from '../../src/model/row-batch.ts'
import { ActiveDeletions } from '../../src/store/embedded/deletions/active-deletions.ts'
import { rewriteFiles } from '../../src/store/embedded/deletions/rewrite-files.ts'
import { baseOf, VisibleFile } from '../../src/store/embedded/deletions/visible-file.ts'
import { EmbeddedStore } from '../../src/store/embedded/embedded-store.ts'
import type {
  SealedFile,
  SealedFileInfo,
  SealedFolder,
  StoredFile,
  StoredFolder,
} from '../../src/store/embedded/reading/sealed-source.ts'
import type { EntityRegistry } from '../../src/store/embedded/registry/entity-registry.ts'
import { chooseMerge } from '../../src/store/embedded/sealing/choose-merge.ts'
import { mergeFiles } from '../../src/store/embedded/sealing/merge-files.ts'
import { sealRows } from '../../src/store/embedded/sealing/sealer.ts'
import type { FileSwitch, FrozenRows } from '../../src/store/embedded/store-changes.ts'
import { Deletions } from '../../src/store/embedded/upkeep/deletions.ts'
import { expectSame, rowsOf } from './expect-rows.ts'
import { ModelStore } from './model-store.ts'
import { planSince } from './plan-since.ts'
import {
  columnOf,
  type Draw,
  drawFrom,
  oneOf,
  type RandomEntity,
  randomBatches,
  randomEntity,
  randomOverTimePlan,
  randomPlan,
  replacing,
  withReplays,
} from './random-rows.ts'

const spansMs = [4, 60_000, 5 * 3_600_000, 30 * 3_600_000, 5 * 86_400_000, 100 * 86_400_000]
const rules = { filesMin: 2, fileRowsMax: 500, smallFileRows: 50 }
const entityId = 1
const dayMs = 86_400_000
/** Small numbers, so that an extra row is not lost in a mean next to a large value. */
const measure: EntityField = { name: 'M', type: 'double', role: 'metric' }
const hourly = ['all', 'hour', 'PT2H', 'day', 'week', 'month', 'P1M1D']

export interface TestedFolder extends SealedFolder {
  /** Opens a file as a restarted store does; files are passed on unchanged where this is absent. */
  open?(info: SealedFileInfo): SealedFile
  /** The stored form of a file. */
  stored?(file: SealedFile): StoredFile
  /** Deletes a file that no reader uses any more. */
  remove?(file: SealedFile): Promise<void>
}

/** The pushed batches and the time that they span. */
export interface PushedRows {
  readonly entity: RandomEntity
  readonly spanMs: number
  batches(): readonly RowBatch[]
}

export interface AtRestParts {
  /** Rows of any kind where this is absent. */
  readonly rows?: (draw: Draw) => PushedRows
  folder(store: EmbeddedStore, draw: Draw): TestedFolder
  /** Whether rows are deleted and restored. */
  readonly deletes?: boolean
  /** For planted bugs. */
  switch?(store: EmbeddedStore, change: FileSwitch): void
  readonly keepsAfterRestart?: boolean
  /** An additional check of the rows, run once after each push. */
  look?(seen: SeenHistory): Promise<void>
}

export interface SeenHistory {
  readonly store: EmbeddedStore
  readonly folder: TestedFolder
  readonly model: ModelStore
  readonly entity: RandomEntity
  readonly replaces: boolean
  /** Rows before this date have expired. */
  readonly sinceMs: number | null
}

/** Checks one history drawn from a seed. Throws at the first result that differs from the model's. */
export async function checkHistory(seed: number, parts: AtRestParts): Promise<void> {
  const draw = drawFrom(seed)
  const { entity: pushed, spanMs, batches } = (parts.rows ?? anyRows)(draw)
  const entity = { ...pushed, others: [...pushed.others, measure] }
  const history = new History(draw, parts)
  const replaces = draw(2) === 0
  for (const part of withReplays(draw, batches())) {
    const batch = withMeasure(draw, part)
    history.write(replaces ? replacing(draw, batch) : batch)
    const { model } = history
    // A run that began before a switch reads the files it began with.
    const early = history.asked(randomPlan(draw, entity, spanMs))
    const earlyAnswer = model.run(early)
    const earlyRows = rowsOf(history.store, early)
    for (let steps = 1 + draw(2); steps > 0; steps--) await history.step()
    expectSame(early, await earlyRows, earlyAnswer)
    if (draw(4) === 0) await history.expire(spanMs)
    if (parts.deletes === true && draw(3) === 0) await history.delete(randomDeletion(draw, entity, spanMs))
    if (parts.deletes === true && draw(5) === 0) await history.undoDeletion()
    if (parts.deletes === true && draw(5) === 0) await history.erase()
    for (let question = draw(6); question > 0; question--) {
      const isOfMeasure = draw(3) === 0
      const plan = history.asked(isOfMeasure ? randomMeans(draw, entity, spanMs) : randomPlan(draw, entity, spanMs))
      expectSame(plan, await rowsOf(history.store, plan), model.run(plan), isOfMeasure ? 'small' : 'any')
    }
    const ofOverTime = drawFrom(draw(2 ** 31))
    const isOfMeasure = ofOverTime(2) === 0
    const ofMeasure = [measure, ...entity.others.filter(({ role }) => role === 'quality')]
    const asked = isOfMeasure ? { ...entity, others: ofMeasure } : entity
    const overTime = history.asked(randomOverTimePlan(ofOverTime, asked, spanMs))
    expectSame(overTime, await rowsOf(history.store, overTime), model.run(overTime), isOfMeasure ? 'small' : 'any')
    const { store, folder } = history
    await parts.look?.({ store, folder, model, entity, replaces, sinceMs: history.sinceMs })
    const sinceMs = draw(2) === 0 ? history.sinceMs : Math.max(draw(spanMs), history.sinceMs ?? 0)
    expect(await history.store.statistics(entityId, sinceMs, new AbortController().signal)).toEqual(
      model.statistics(entityId, sinceMs),
    )
  }
  await history.end()
}

function randomDeletion(draw: Draw, entity: RandomEntity, spanMs: number): DeletionSelection {
  const { selection } = randomPlan(draw, entity, spanMs)
  const [first, second] = [draw(spanMs), draw(spanMs)].sort((a, b) => a - b) as [number, number]
  const metrics = selection.metrics.map(({ name, type }) => ({ name, type: type as ColumnType }))
  return {
    tag: selection.tags[0].name,
    ids: selection.ids,
    prefixes: selection.prefixes,
    fromMs: draw(3) === 0 ? null : first,
    toMs: draw(3) === 0 ? null : second,
    metrics: draw(3) === 0 ? metrics : null,
    where:
      draw(3) === 0
        ? {
            metric: { name: measure.name, type: 'double' },
            operator: oneOf(draw, ['<', '<=', '>', '>=', '=', '!=']),
            value: draw(1000) / 4,
          }
        : null,
  }
}

function anyRows(draw: Draw): PushedRows {
  const entity = randomEntity(draw)
  const spanMs = spansMs[draw(spansMs.length)]
  return { entity, spanMs, batches: () => randomBatches(draw, entity, spanMs) }
}

function withMeasure(draw: Draw, batch: RowBatch): RowBatch {
  const values = Array.from({ length: batch.rows }, () => (draw(5) === 0 ? null : draw(1000) / 4))
  return { ...batch, fields: [...batch.fields, measure], columns: [...batch.columns, columnOf('double', values)] }
}

/** Means that rollups can compute, over a range whose ends lie among the rows. */
function randomMeans(draw: Draw, entity: RandomEntity, spanMs: number): Plan {
  const { selection: drawn } = randomPlan(draw, entity, spanMs)
  // Means of all series together use separate code paths.
  const ofAll = draw(2) === 0
  const selection = ofAll ? { ...drawn, ids: null, prefixes: null, fields: [] } : drawn
  const fields = selection.fields.filter(({ role }) => role === 'tag')
  const [first, second] = [draw(spanMs), draw(spanMs)]
  return {
    kind: 'average',
    selection: { ...selection, metrics: [measure], fields },
    range: {
      fromMs: draw(4) === 0 ? Number.NEGATIVE_INFINITY : Math.min(first, second),
      toMs: draw(4) === 0 ? Number.POSITIVE_INFINITY : Math.max(first, second),
    },
    granularity: draw(5) === 0 ? randomZoned(draw) : (parseGranularity(hourly[draw(hourly.length)]) ?? { kind: 'all' }),
    byTag: draw(2) === 0,
  }
}

/** Buckets by the local time of a zone. */
export function randomZoned(draw: Draw): AveragePlan['granularity'] {
  const zone = Zone.find(
    oneOf(draw, ['Europe/Madrid', 'America/New_York', 'Asia/Kolkata', 'Australia/Lord_Howe', '-03:00']),
  )!
  const period = parsePeriod(oneOf(draw, ['P1D', 'PT1H', 'P1M', 'P1W', 'PT1M', 'P2D']))!
  return plainGranularity(periodGranularity(period, zone, null)!)!
}

class History {
  store: EmbeddedStore
  readonly model = new ModelStore()
  readonly #draw: Draw
  readonly #parts: AtRestParts
  folder: TestedFolder
  readonly #removals: Promise<void>[] = []
  readonly #pacer = new Pacer({ sliceMs: 5, signal: new AbortController().signal })
  readonly #dayRowsMin: number
  /** All pushed batches, each at its journal position. */
  readonly #batches: RowBatch[] = []
  #frozen: FrozenRows | null = null
  #deletionIds: number[] = []
  /** Deletions that hid rows. */
  readonly #taking = new Set<number>()
  readonly #erased = new Set<number>()
  readonly #deletionCatalog = memoryDeletions()
  /** Rows before this date have expired. */
  sinceMs: number | null = null

  constructor(draw: Draw, parts: AtRestParts) {
    this.#draw = draw
    this.#parts = parts
    this.store = this.#newStore([8, 64, 4096][draw(3)], 0)
    this.folder = parts.folder(this.store, draw)
    this.#dayRowsMin = [1, 10, 1000][draw(3)]
  }

  write(batch: RowBatch): void {
    this.store.write(batch)
    this.model.write(batch)
    this.#batches.push(batch)
  }

  /** One random event between two pushes. */
  async step(): Promise<void> {
    switch (this.#draw(6)) {
      case 0:
        this.#frozen ??= this.#freeze()
        return
      case 1:
      case 2:
        this.#frozen ??= this.#freeze()
        await this.#seal(this.#frozen)
        this.#frozen = null
        return
      case 3:
        await this.#mergeSmall()
        return
      case 4:
        this.#restart()
    }
  }

  /** The plan with the current expiry. */
  asked(plan: Plan): Plan {
    return planSince(plan, this.sinceMs)
  }

  /** Days expire; or the retention is lifted, and rows that had expired are gone for good. */
  async expire(spanMs: number): Promise<void> {
    if (this.sinceMs !== null && this.#draw(3) === 0) {
      await this.#purge(this.sinceMs)
      return
    }
    const day = Math.floor((this.#draw(spanMs * 2) - spanMs) / dayMs) * dayMs
    this.sinceMs = Math.max(day, this.sinceMs ?? day)
    this.#dropDays(this.sinceMs)
  }

  /** Deletes among all rows: seals them first. */
  async delete(selection: DeletionSelection): Promise<void> {
    await this.#sealAll()
    const deletions = this.#deletions
    const made = deletions.add(
      {
        entityId,
        selection,
        reason: 'wrong',
        subscriber: 'plant',
        createdMs: 0,
        pushed: [],
        isDry: false,
        deletionsMax: 1000,
        waitMs: 60_000,
      },
      0,
    )
    await deletions.runNext()
    const { rows, deletion } = await made
    expect(rows).toBe(this.model.delete(deletion!.id, selection, this.sinceMs))
    this.#deletionIds.push(deletion!.id)
    if (rows > 0) this.#taking.add(deletion!.id)
  }

  async undoDeletion(): Promise<void> {
    const [id] = this.#deletionIds.splice(this.#draw(this.#deletionIds.length || 1), 1)
    if (id === undefined) return
    const deletions = this.#deletions
    const done = deletions.takeBack({ entityId, deletionId: id, nowMs: 0, waitMs: 60_000 }, 0)
    const outcome = done.catch((error: unknown) => error)
    await deletions.runNext()
    if (this.#taking.has(id) && !this.model.isThere(id, this.sinceMs)) {
      expect(await outcome).toMatchObject({ code: 'conflict' })
      return
    }
    expect(await outcome).toBe(true)
    this.model.takeBack(id)
  }

  /** Removes the rows of one deletion for good. */
  async erase(): Promise<void> {
    const [id] = this.#deletionIds.splice(this.#draw(this.#deletionIds.length || 1), 1)
    if (id === undefined) return
    this.#erased.add(id)
    const isDue = (file: SealedFile): boolean =>
      file instanceof VisibleFile && file.vectors.some(({ deletionId }) => this.#erased.has(deletionId))
    for (const file of this.store.files(entityId)) if (isDue(file)) await this.#merge([file])
    expect(this.store.files(entityId).some(isDue)).toBe(false)
    this.model.erase(id)
  }

  get #deletions(): Deletions {
    const { stored } = this.folder
    if (stored === undefined) throw new Error('rows are deleted of files on disk')
    return new Deletions({
      store: this.store,
      folder: { stored: (file) => stored.call(this.folder, file) },
      catalog: this.#deletionCatalog,
      standing: new ActiveDeletions([], []),
      runDue: async () => undefined,
      shown: () => undefined,
      sinceMs: () => this.sinceMs,
      keepsHours: () => false,
      goneMs: () => this.sinceMs,
      reach: () => undefined,
      signal: new AbortController().signal,
    })
  }

  async #sealAll(): Promise<void> {
    for (const frozen of [this.#frozen, this.#freeze()]) if (frozen !== null) await this.#seal(frozen)
    this.#frozen = null
  }

  #dropDays(sinceMs: number): void {
    const remove = this.store.files(entityId).filter((file) => baseOf(file).info.lastMs < sinceMs)
    this.#switch({ add: [], remove, frozen: null, gone: (file) => this.#remove(file) })
  }

  async #purge(sinceMs: number): Promise<void> {
    await this.#sealAll()
    this.#dropDays(sinceMs)
    for (const file of this.store.files(entityId)) if (baseOf(file).info.firstMs < sinceMs) await this.#merge([file])
    this.model.forget(entityId, sinceMs)
    this.sinceMs = null
  }

  #newStore(chunkRows: number, position: number): EmbeddedStore {
    return new EmbeddedStore({ chunkRows }, position)
  }

  #freeze(): FrozenRows {
    return this.store.freeze(this.#batches.length)
  }

  /** Memory is lost: the files stay, and the batches after their position are pushed again. */
  #restart(): void {
    const before = this.store
    const store = this.#newStore(64, before.position)
    const folder = this.#parts.folder(store, this.#draw)
    restoreSeries(before.registry(entityId), store.registry(entityId))
    if (folder.open === undefined) restoreColumns(before.registry(entityId), store.registry(entityId))
    const add = before.files(entityId).map((file): SealedFile => {
      const base = baseOf(file)
      const opened = folder.open?.(base.info) ?? base
      if (!(file instanceof VisibleFile)) return opened
      return new VisibleFile(folder.stored!(opened), file.vectors, store.registry(entityId))
    })
    const replaces = before.registry(entityId).columns.replaced !== null
    if (replaces && this.#parts.keepsAfterRestart !== true) store.registry(entityId).columns.replaceRows()
    store.switchFiles({ add, remove: [], frozen: null, gone: () => {} })
    for (const batch of this.#batches.slice(before.position)) store.write(batch)
    this.store = store
    this.folder = folder
    this.#frozen = null
  }

  async #seal(frozen: FrozenRows): Promise<void> {
    const options = {
      folder: this.folder,
      dayRowsMin: this.#dayRowsMin,
      sinceMs: () => this.sinceMs,
      pacer: this.#pacer,
      reach: () => {},
    }
    this.#switch({ add: await sealRows(frozen, options), remove: [], frozen, gone: () => {} })
  }

  async #mergeSmall(): Promise<void> {
    const { replaced } = this.store.registry(entityId).columns
    const files = this.store.files(entityId).filter((file) => replaced === null || !(file instanceof VisibleFile))
    const remove = chooseMerge(files, rules)
    if (remove !== null) await this.#merge(remove)
  }

  async #merge(remove: readonly SealedFile[]): Promise<void> {
    const { folder } = this
    const options = {
      registry: this.store.registry(entityId),
      dayRowsMin: this.#dayRowsMin,
      sinceMs: remove[0].info.kind === 'day' ? null : this.sinceMs,
      pacer: this.#pacer,
      reach: () => {},
      isErased: (id: number) => this.#erased.has(id),
      remove: (file: SealedFile) => this.#remove(file),
    }
    const add = isStored(folder)
      ? (await rewriteFiles(remove, { ...options, folder })).files
      : await mergeFiles(remove, { ...options, folder })
    this.#switch({ add, remove, frozen: null, gone: (file) => this.#remove(file) })
  }

  #remove(file: SealedFile): void {
    const removal = this.folder.remove?.(file)
    if (removal !== undefined) this.#removals.push(removal)
  }

  /** Waits for pending deletions of files. */
  async end(): Promise<void> {
    await Promise.all(this.#removals)
  }

  #switch(change: FileSwitch): void {
    if (this.#parts.switch === undefined) this.store.switchFiles(change)
    else this.#parts.switch(this.store, change)
  }
}

function isStored(folder: TestedFolder): folder is TestedFolder & StoredFolder {
  return folder.stored !== undefined
}

function memoryDeletions(): DeletionCatalog {
  let made: Deletion[] = []
  let id = 0
  return {
    list: async () => made,
    all: async () => made,
    vectors: async () => [],
    create: async (deletion) => {
      const one = { ...deletion, id: ++id, erasedMs: null }
      made.push(one)
      return { deletion: one, change: changeOf(one, false) }
    },
    takeBack: async (_, taken) => {
      const one = made.find((deletion) => deletion.id === taken)
      made = made.filter((deletion) => deletion !== one)
      return one === undefined ? null : changeOf(one, true)
    },
    erase: async () => 0,
    changes: async () => [],
    lastChange: async () => 0,
    hasChanged: async () => false,
    forgetChanges: async () => undefined,
  }
}

function changeOf({ id, entityId, position, selection }: Deletion, isUndone: boolean): DeletionChange {
  return { id, entityId, deletionId: id, place: position, isUndone, selection }
}

function restoreSeries(from: EntityRegistry, to: EntityRegistry): void {
  for (const { name } of from.series.tags) to.series.addTag(name)
  for (let series = 0; series < from.series.count; series++) to.series.restore(from.series.valuesOf(series))
}

function restoreColumns(from: EntityRegistry, to: EntityRegistry): void {
  for (const { name, type } of from.columns.all) to.columns.learn(name, type)
}
