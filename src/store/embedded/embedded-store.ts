import { Pacer } from '../../lib/pacer.ts'
import type { Plan, PlanLimits } from '../../model/plan.ts'
import type { RowBatch } from '../../model/row-batch.ts'
import type { EntityStatistics, ResultBatch, SeriesReader, SeriesWriter } from '../series-store.ts'
import { EntityRegistry } from './entity-registry.ts'
import { type PlanRun, preparePlan } from './plan-run.ts'
import { runAverage } from './run-average.ts'
import { runLatest } from './run-latest.ts'
import { runNeighbour } from './run-neighbour.ts'
import { runSelect } from './run-select.ts'
import { runSnap } from './run-snap.ts'
import { Table } from './table.ts'

export interface EmbeddedStoreSettings {
  /** Rows of one chunk of memory, 1 to 1,048,576; an entity's first chunks are smaller. */
  readonly generationRows: number
  /** How long a run may hold the event loop. */
  readonly sliceMs: number
}

const defaultSettings: EmbeddedStoreSettings = { generationRows: 262_144, sliceMs: 5 }

/** Keeps the rows of all entities in memory and runs plans over them. */
export class EmbeddedStore implements SeriesWriter, SeriesReader {
  /** Nothing is stored for good here: after a restart the journal is read from its beginning. */
  readonly position = 0
  readonly #settings: EmbeddedStoreSettings
  readonly #registries = new Map<number, EntityRegistry>()
  readonly #tables = new Map<number, Table>()

  constructor(settings: Partial<EmbeddedStoreSettings> = {}) {
    this.#settings = { ...defaultSettings, ...settings }
  }

  write(batch: RowBatch): void {
    let table = this.#tables.get(batch.entityId)
    if (table === undefined) {
      table = new Table(this.registry(batch.entityId), this.#settings.generationRows)
      this.#tables.set(batch.entityId, table)
    }
    table.append(batch)
  }

  /** The series and columns of an entity. */
  registry(entityId: number): EntityRegistry {
    const known = this.#registries.get(entityId)
    if (known !== undefined) return known
    const registry = new EntityRegistry(entityId)
    this.#registries.set(entityId, registry)
    return registry
  }

  async *run(plan: Plan, limits: PlanLimits, signal: AbortSignal): AsyncGenerator<ResultBatch> {
    const pacer = new Pacer({ sliceMs: this.#settings.sliceMs, signal })
    const { entityId } = plan.selection
    const table = this.#tables.get(entityId)
    if (table === undefined) return
    const view = table.open()
    try {
      const run = await preparePlan(
        { registry: this.registry(entityId), tables: [{ table, view }], files: [] },
        plan.selection,
        limits,
        pacer,
      )
      for await (const batch of runPlan(plan, run)) {
        signal.throwIfAborted()
        yield batch
      }
    } finally {
      table.release(view)
    }
  }

  async statistics(entityId: number): Promise<EntityStatistics> {
    return this.#tables.get(entityId)?.statistics() ?? { rows: 0, firstMs: null, lastMs: null }
  }

  /** About how much memory the rows take. */
  get bytes(): number {
    let bytes = 0
    for (const registry of this.#registries.values()) bytes += registry.series.bytes
    for (const table of this.#tables.values()) bytes += table.bytes
    return bytes
  }
}

function runPlan(plan: Plan, run: PlanRun): AsyncGenerator<ResultBatch> {
  switch (plan.kind) {
    case 'select':
      return runSelect(plan, run)
    case 'average':
      return runAverage(plan, run)
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
