import type { AggregationPlan, Groups, TimeBuckets } from '../../algebra/aggregation.ts'
import type { ScannedRow, ScanPlan } from '../../algebra/scan-plan.ts'
import type { CancelSignal } from '../../lib/cancellation.ts'
import { Pacer, type PacerOptions } from '../../lib/pacer.ts'
import { isOverTime, type Plan, type PlanLimits } from '../../model/plan.ts'
import type { RowBatch } from '../../model/row-batch.ts'
import { neededRange, requireRows } from '../hours/needed-rows.ts'
import { filledBuckets } from '../over-time/fill-buckets.ts'
import type {
  EntityStatistics,
  GroupsQuerier,
  ResultBatch,
  SeriesQuerier,
  SeriesWriter,
  TagPage,
  TagRequest,
} from '../series-store.ts'
import { runAggregation } from './aggregate/run-aggregation.ts'
import { baseOf } from './deletions/visible-file.ts'
import { EntityRows } from './entity-rows.ts'
import type { Table } from './head/table.ts'
import { ItemCounter } from './reading/count-items.ts'
import { SinceCounter } from './reading/count-since.ts'
import { FilePins } from './reading/file-pins.ts'
import type { SealedFile } from './reading/sealed-source.ts'
import { EntityRegistry } from './registry/entity-registry.ts'
import { type EntitySnapshot, type PlanRun, preparePlan } from './run/plan-run.ts'
import { runAverage } from './run/run-average.ts'
import { runLatest } from './run/run-latest.ts'
import { type RunMemory, SpareMemory } from './run/run-memory.ts'
import { runNeighbour } from './run/run-neighbour.ts'
import { runOverTime } from './run/run-over-time.ts'
import { runSelect } from './run/run-select.ts'
import { runSnap } from './run/run-snap.ts'
import { runTags } from './run/run-tags.ts'
import { runScanPlan } from './scan/run-scan-plan.ts'
import type { FileSwitch, FrozenRows } from './store-changes.ts'

export interface EmbeddedStoreSettings {
  /** Rows of one chunk of memory, 1 to 1,048,576. The first chunks of an entity are smaller. */
  readonly chunkRows: number
  /** The longest time that a run may block the event loop. */
  readonly sliceMs: number
  readonly nowMs: () => number
  /** Makes the pacers of runs. Tests measure the work between two rests. */
  readonly newPacer: (options: PacerOptions) => Pacer
}

const defaultSettings: EmbeddedStoreSettings = {
  chunkRows: 262_144,
  sliceMs: 1,
  nowMs: Date.now,
  newPacer: (options) => new Pacer(options),
}

/** The rows that are only in memory and are not being sealed. The limits of the head apply to them. */
export interface HeadState {
  readonly rows: number
  /** Approximate. */
  readonly bytes: number
  /** When the first of these rows was written; null if there is none. */
  readonly sinceMs: number | null
}

/** The parts of an entity's rows, for readers that do not use plans. */
export interface PinnedRows {
  /** The tables in memory. Rows are appended to them; they do not change otherwise. */
  readonly tables: readonly Table[]
  readonly files: readonly SealedFile[]
  /** Releases the files. Must be called once. */
  release(): void
}

/** Keeps the newest rows of all entities in memory and the others in sealed files, and runs plans over them. */
export class EmbeddedStore implements SeriesWriter, SeriesQuerier, GroupsQuerier {
  readonly #settings: EmbeddedStoreSettings
  readonly #entities = new Map<number, EntityRows>()
  readonly #pins = new FilePins()
  readonly #spareMemory = new SpareMemory()
  readonly #sinceCounter = new SinceCounter()
  readonly #itemCounter = new ItemCounter(this.#sinceCounter)
  #position: number
  #headSinceMs: number | null = null

  /** Rows before `position` are in sealed files, which `switchFiles` will add. */
  constructor(settings: Partial<EmbeddedStoreSettings> = {}, position = 0) {
    this.#settings = { ...defaultSettings, ...settings }
    this.#position = position
  }

  get position(): number {
    return this.#position
  }

  write(batch: RowBatch): void {
    if (batch.rows > 0) this.#headSinceMs ??= this.#settings.nowMs()
    this.#entity(batch.entityId).head.append(batch)
  }

  /** The series and columns of an entity, created on first use. */
  registry(entityId: number): EntityRegistry {
    return this.#entity(entityId).registry
  }

  /** The ids of all entities that have or had rows. */
  get entityIds(): readonly number[] {
    return [...this.#entities.keys()]
  }

  /** The sealed files of an entity that new runs read: files of rows and of hours. */
  files(entityId: number): readonly SealedFile[] {
    return this.#entities.get(entityId)?.files ?? []
  }

  /** The rows of an entity as they are stored. Its files are kept until they are released. */
  pin(entityId: number): PinnedRows {
    const entity = this.#entities.get(entityId)
    const files = entity?.seenFiles ?? []
    return { tables: entity?.tables ?? [], files, release: this.#pin(files) }
  }

  /** Whether the rows of a table are still read from it, not from files. */
  holds(table: Table): boolean {
    return this.#entities.get(table.registry.entityId)?.tables.includes(table) ?? false
  }

  get head(): HeadState {
    let rows = 0
    let bytes = 0
    for (const entity of this.#entities.values()) {
      rows += entity.headRows
      bytes += entity.headBytes
    }
    return { rows, bytes, sinceMs: this.#headSinceMs }
  }

  /**
   * Freezes the head of all entities at once; new rows go to a new head. `position` is the position of the pipeline: everything before it was
   * written. A set that could not be sealed is sealed later; another freeze does not include it.
   */
  freeze(position: number): FrozenRows {
    const tables: Table[] = []
    for (const entity of this.#entities.values()) {
      const table = entity.freeze()
      if (table !== null) tables.push(table)
    }
    this.#headSinceMs = null
    return { position, rows: tables.reduce((sum, { count }) => sum + count, 0), tables }
  }

  /** Switches readers to another set of files atomically: a run sees either the whole switch or nothing of it. */
  switchFiles({ add, remove, frozen, gone }: FileSwitch): void {
    const tables = frozen?.tables ?? []
    const ids = [...add.map(({ info }) => info.entityId), ...remove.map(({ info }) => info.entityId)]
    for (const id of new Set([...ids, ...tables.map(({ registry }) => registry.entityId)])) {
      const ofEntity = (file: SealedFile): boolean => file.info.entityId === id
      const frozenTables = tables.filter(({ registry }) => registry.entityId === id)
      this.#entity(id).replace(add.filter(ofEntity), remove.filter(ofEntity), frozenTables)
    }
    if (frozen !== null) this.#position = frozen.position
    for (const file of remove) this.#pins.remove(baseOf(file), () => gone(file))
  }

  /** Replaces the views of an entity's files atomically: the files are the same, with other rows deleted. */
  show(entityId: number, files: ReadonlyMap<SealedFile, SealedFile>): void {
    this.#entity(entityId).show(files)
  }

  /** Forgets all rows of an entity. `gone` is called for each of its files when no run reads it any more. */
  drop(entityId: number, gone: (file: SealedFile) => void): void {
    const files = this.files(entityId)
    this.#entities.delete(entityId)
    for (const file of files) this.#pins.remove(baseOf(file), () => gone(file))
  }

  async *run(
    plan: Plan,
    limits: PlanLimits,
    signal: CancelSignal,
    buckets: TimeBuckets | null = null,
  ): AsyncGenerator<ResultBatch> {
    const opened = this.#open(plan.selection.entityId)
    if (opened === null) return
    try {
      const run = await preparePlan(opened.snapshot, plan.selection, limits, this.#newPacer(signal), opened.memory)
      for await (const batch of resultBatches(plan, run, buckets)) {
        signal.throwIfAborted()
        yield batch
      }
    } finally {
      opened.close()
    }
  }

  aggregate(plan: AggregationPlan, signal: CancelSignal, buckets: TimeBuckets | null = null): Promise<Groups | null> {
    return this.#over(plan, signal, { rows: [], days: [] }, (_, snapshot, pacer, memory) =>
      runAggregation(plan, snapshot, pacer, memory, buckets),
    )
  }

  scan(plan: ScanPlan, signal: CancelSignal): Promise<readonly ScannedRow[] | null> {
    return this.#over(plan, signal, [], runScanPlan)
  }

  tags(request: TagRequest, signal: AbortSignal): Promise<TagPage> {
    const none: TagPage = { tags: [], more: false }
    const limits = { resultRows: request.limit, buckets: request.limit, resultBytes: request.bytesMax }
    const selection = { ...request.selection, tags: [request.selection.tags[0]] as const }
    return this.#over(selection, signal, none, async (_, snapshot, pacer, memory) =>
      runTags(request, await preparePlan(snapshot, selection, limits, pacer, memory)),
    )
  }

  async statistics(entityId: number, sinceMs: number | null, signal: CancelSignal): Promise<EntityStatistics> {
    signal.throwIfAborted()
    const entity = this.#entities.get(entityId)
    const hoursFromMs = entity?.hoursFromMs ?? null
    const statistics = await this.#statistics(entity, sinceMs, signal)
    return hoursFromMs === null ? statistics : { ...statistics, hoursFromMs }
  }

  async #statistics(
    entity: EntityRows | undefined,
    sinceMs: number | null,
    signal: CancelSignal,
  ): Promise<EntityStatistics> {
    if (entity === undefined) return { rows: 0, firstMs: null, lastMs: null }
    const all = entity.statistics()
    const replaces = entity.registry.columns.replaced !== null
    const isWhole = sinceMs === null || all.firstMs === null || all.firstMs >= sinceMs
    if (isWhole && !replaces) return all
    const snapshot = entity.open()
    if (snapshot === null) return all
    const unpin = this.#pin(snapshot.files)
    try {
      const pacer = this.#newPacer(signal)
      const counter = replaces ? this.#itemCounter : this.#sinceCounter
      return await counter.count(snapshot, sinceMs ?? Number.NEGATIVE_INFINITY, pacer)
    } finally {
      snapshot.close()
      unpin()
    }
  }

  /** The approximate memory use of the rows. */
  get bytes(): number {
    let bytes = 0
    for (const entity of this.#entities.values()) bytes += entity.bytes
    return bytes
  }

  /** Calls `make` with a snapshot of an entity's rows; returns `none` if it has no row. */
  async #over<Asked extends { readonly entityId: number }, Made>(
    asked: Asked,
    signal: CancelSignal,
    none: Made,
    make: (asked: Asked, snapshot: EntitySnapshot, pacer: Pacer, memory: RunMemory) => Promise<Made>,
  ): Promise<Made> {
    signal.throwIfAborted()
    const opened = this.#open(asked.entityId)
    if (opened === null) return none
    try {
      return await make(asked, opened.snapshot, this.#newPacer(signal), opened.memory)
    } finally {
      opened.close()
    }
  }

  /** A snapshot of an entity's rows, and memory for a run over it; null if it has no row. `close` must be called after use. */
  #open(entityId: number) {
    const snapshot = this.#entities.get(entityId)?.open() ?? null
    if (snapshot === null) return null
    const unpin = this.#pin([...snapshot.files, ...snapshot.hours])
    const memory = this.#spareMemory.take()
    const close = (): void => {
      this.#spareMemory.give(memory)
      snapshot.close()
      unpin()
    }
    return { snapshot, memory, close }
  }

  /** Keeps files on disk until the returned function is called. */
  #pin(files: readonly SealedFile[]): () => void {
    const bases = files.map(baseOf)
    this.#pins.pin(bases)
    return () => this.#pins.unpin(bases)
  }

  #newPacer(signal: CancelSignal): Pacer {
    const { newPacer, sliceMs } = this.#settings
    return newPacer({ sliceMs, signal })
  }

  #entity(entityId: number): EntityRows {
    const known = this.#entities.get(entityId)
    if (known !== undefined) return known
    const entity = new EntityRows(new EntityRegistry(entityId), this.#settings.chunkRows)
    this.#entities.set(entityId, entity)
    return entity
  }
}

/** The result of a plan of the data queries, in its order. */
function resultBatches(plan: Plan, run: PlanRun, buckets: TimeBuckets | null): AsyncGenerator<ResultBatch> {
  if (isOverTime(plan)) return runOverTime(plan, run, buckets)
  if (plan.kind !== 'average') requireRows(run.hours, neededRange(plan))
  switch (plan.kind) {
    case 'select':
      return runSelect(plan, run)
    case 'average':
      return filledBuckets(runAverage(plan, run, buckets), plan, { ...run, buckets })
    case 'latest':
      return runLatest(plan.fromMs, Number.POSITIVE_INFINITY, run)
    case 'last':
    case 'next':
      return runNeighbour(plan, run)
    case 'snap':
      return runSnap(plan, run)
    default:
      return plan satisfies never
  }
}
