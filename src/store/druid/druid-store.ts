import type { AggregationPlan, Groups, TimeBuckets } from '../../algebra/aggregation.ts'
import type { DruidClient } from '../../druid-client/druid-client.ts'
import { type CancelSignal, nativeSignal } from '../../lib/cancellation.ts'
import { Pacer } from '../../lib/pacer.ts'
import type { DeletionSelection, HiddenByDeletion, HiddenItems, HiddenRows } from '../../model/deletion.ts'
import { dataSourceName, hoursSourceName, positionColumn, timeColumn } from '../../model/druid-row.ts'
import { type Entity, type EntityField, fieldsOfRole, timeField } from '../../model/entity.ts'
import { isOverTime, type Plan, type PlanLimits, type Range } from '../../model/plan.ts'
import { Problem } from '../../model/problem.ts'
import { neededRange, requireRows } from '../hours/needed-rows.ts'
import { filledBuckets } from '../over-time/fill-buckets.ts'
import type { EntityStatistics, ResultBatch, SeriesQuerier, TagPage, TagRequest } from '../series-store.ts'
import { countSelected, type DeletionRun, itemsMeeting } from './deleted-items.ts'
import { type Bounds, oneRow, type QueryTarget, timeBoundary } from './druid-query.ts'
import type { DruidRun } from './druid-run.ts'
import { aggregateOverHours } from './hours/aggregate-over-hours.ts'
import { countHours, hidesHours } from './hours/count-hours.ts'
import { firstHour, type KeptHours, keptHours } from './hours/kept-hours.ts'
import { intervalsOf } from './native-query.ts'
import { countReplaced } from './replaced-items.ts'
import { runAverage } from './run-average.ts'
import { runLatest, runNeighbour } from './run-nearest.ts'
import { runOverTime } from './run-over-time.ts'
import { runSelect } from './run-select.ts'
import { runSnap } from './run-snap.ts'
import { runTags } from './run-tags.ts'

export interface DruidStoreSettings {
  /** The prefix of data source names. */
  readonly clusterName: string
  /** Time limit of one Druid query. */
  readonly queryTimeMs: number
  /** The longest that a run may block the event loop. */
  readonly sliceMs: number
  /** The most rows that a query of values over time may read. */
  readonly readRows: number
}

type EntityDefinition = 'fields' | 'duplicates' | 'sinceMs' | 'hours' | 'hidden'

export interface DruidStoreParts {
  readonly client: Pick<DruidClient, 'query'>
  readonly settings: DruidStoreSettings
  /** The definition of an entity; undefined for one that was dropped. */
  readonly entity: (id: number) => Pick<Entity, EntityDefinition> | undefined
  readonly nowMs: () => number
}

/** How long the cached dates of an entity's first and last row may be used to choose where to search first. */
const boundsAgeMs = 1000

/** Runs plans on Druid, with one data source per entity. An entity whose data source Druid does not know yet is empty. */
export class DruidStore implements SeriesQuerier {
  readonly #parts: DruidStoreParts
  readonly #bounds = new Map<number, { readonly bounds: Bounds; readonly atMs: number }>()

  constructor(parts: DruidStoreParts) {
    this.#parts = parts
  }

  async *run(
    plan: Plan,
    limits: PlanLimits,
    signal: CancelSignal,
    buckets: TimeBuckets | null = null,
  ): AsyncGenerator<ResultBatch> {
    const { entityId } = plan.selection
    const target = this.#visible(entityId, nativeSignal(signal))
    const pacer = this.#pacer(signal)
    const bounds = (age: 'now' | 'about'): Promise<Bounds | null> => this.#boundsOf(entityId, target, age)
    const kept = this.#kept(entityId, target)
    yield* runPlan(kept === null ? plan : startingAt(kept, plan), {
      target,
      kept,
      limits,
      pacer,
      bounds,
      replacedBy: this.#replacedBy(entityId),
      readRows: this.#parts.settings.readRows,
      buckets,
    })
  }

  /** Aggregates over kept hours and rows; null where rows alone suffice. Throws Problem `rows_expired` when expired rows are needed. */
  async aggregate(plan: AggregationPlan, signal: CancelSignal, buckets: TimeBuckets | null): Promise<Groups | null> {
    const { entityId } = plan
    const kept = this.#kept(entityId, this.#visible(entityId, nativeSignal(signal)))
    if (kept === null) return null
    return aggregateOverHours(plan, {
      kept,
      buckets,
      pacer: this.#pacer(signal),
      replacedBy: this.#replacedBy(entityId),
    })
  }

  async statistics(entityId: number, sinceMs: number | null, signal: AbortSignal): Promise<EntityStatistics> {
    const kept = this.#kept(entityId, this.#visible(entityId, signal))
    const hoursFromMs = kept && (await firstHour(kept))
    const statistics = await this.#statistics(entityId, sinceMs, signal)
    return hoursFromMs === null ? statistics : { ...statistics, hoursFromMs }
  }

  async #statistics(entityId: number, sinceMs: number | null, signal: AbortSignal): Promise<EntityStatistics> {
    const target = this.#visible(entityId, signal)
    const tags = this.#replacedBy(entityId)
    if (tags !== null) {
      const range = { fromMs: sinceMs ?? Number.NEGATIVE_INFINITY, toMs: Number.POSITIVE_INFINITY }
      const { rows, firstMs, lastMs } = await countReplaced(target, range, tags, null)
      return { rows, firstMs: rows === 0 ? null : firstMs, lastMs: rows === 0 ? null : lastMs }
    }
    const aggregations = [
      { type: 'count', name: ':rows' },
      { type: 'longMin', name: ':first', fieldName: timeColumn },
      { type: 'longMax', name: ':last', fieldName: timeColumn },
    ]
    const [rows, firstMs, lastMs] = await oneRow(target, intervalsFrom(sinceMs), null, aggregations)
    const isEmpty = Number(rows ?? 0) === 0
    return {
      rows: Number(rows ?? 0),
      firstMs: isEmpty ? null : Number(firstMs),
      lastMs: isEmpty ? null : Number(lastMs),
    }
  }

  async tags(request: TagRequest, signal: AbortSignal): Promise<TagPage> {
    signal.throwIfAborted()
    return runTags(this.#visible(request.selection.entityId, signal), request)
  }

  /**
   * The number of rows that a deletion would hide from the current view; with metrics, of items of the selection in which one of the metrics is not null.
   * `ofHours` is its selection of hours of expired rows, each of which counts as one; null where it selects none.
   */
  async countHidden(
    entityId: number,
    taking: HiddenRows,
    ofHours: DeletionSelection | null,
    signal: AbortSignal,
  ): Promise<number> {
    const count = async (hidden: readonly HiddenByDeletion[]): Promise<number> => {
      const kept = ofHours && this.#kept(entityId, { ...this.#target(entityId, signal), hidden }, hidden)
      const rows = await countSelected(taking.selection, this.#deletionRun(entityId, hidden, signal))
      return rows + (kept === null ? 0 : await countHours(kept, ofHours!))
    }
    const { hidden = [] } = this.#entity(entityId)
    return (await count(hidden)) - (await count([...hidden, { ...taking, id: Number.MAX_SAFE_INTEGER }]))
  }

  /** Whether a deletion hides anything kept of expired rows. */
  async hidesHours(entityId: number, deletionId: number, signal: AbortSignal): Promise<boolean> {
    const kept = this.#kept(entityId, this.#visible(entityId, signal))
    const hidden = this.#entity(entityId).hidden?.find(({ id }) => id === deletionId)
    return kept !== null && hidden !== undefined && hidesHours(kept, hidden)
  }

  /**
   * The items that meet a deletion's condition, from rows pushed before it, regardless of other deletions; null where the deletion applies to single rows.
   * Throws Problem `invalid_request` for more than `itemsMax` items.
   */
  async itemsMeeting(
    entityId: number,
    taking: Omit<HiddenRows, 'items'>,
    itemsMax: number,
    signal: AbortSignal,
  ): Promise<readonly HiddenItems[] | null> {
    const run = this.#deletionRun(entityId, [], signal)
    return taking.selection.where === null || run.tags === null ? null : itemsMeeting(taking, run.tags, run, itemsMax)
  }

  #deletionRun(entityId: number, hidden: readonly HiddenRows[], signal: AbortSignal): DeletionRun {
    const { fields, sinceMs } = this.#entity(entityId)
    const pacer = this.#pacer(signal)
    const target = { ...this.#target(entityId, signal), hidden }
    return { target, pacer, tags: this.#replacedBy(entityId), time: timeField({ fields }), sinceMs }
  }

  #entity(entityId: number): Pick<Entity, EntityDefinition> {
    const entity = this.#parts.entity(entityId)
    if (entity === undefined) throw new Problem('not_found', 'The entity was dropped meanwhile.')
    return entity
  }

  /** The number of rows that Druid has from position `from` to `to` (exclusive), hidden or not. `range` is the range of their dates, if it is known. */
  async countPositions(entityId: number, from: number, to: number, range: Range | null): Promise<number> {
    const target = this.#target(entityId, new AbortController().signal)
    const { fromMs, toMs } = range ?? { fromMs: Number.NEGATIVE_INFINITY, toMs: Number.POSITIVE_INFINITY }
    const filter = {
      type: 'range',
      column: positionColumn,
      matchValueType: 'LONG',
      lower: from,
      upper: to,
      upperOpen: true,
    }
    const [rows] = await oneRow(target, intervalsOf(fromMs, toMs), filter, [{ type: 'count', name: ':rows' }])
    return Number(rows ?? 0)
  }

  /** The number of rows that Druid has at these positions, hidden or not. */
  async countAt(entityId: number, positions: readonly number[]): Promise<number> {
    const target = this.#target(entityId, new AbortController().signal)
    const filter = { type: 'in', dimension: positionColumn, values: positions.map(String) }
    const [rows] = await oneRow(target, intervalsFrom(null), filter, [{ type: 'count', name: ':rows' }])
    return Number(rows ?? 0)
  }

  #pacer(signal: CancelSignal): Pacer {
    return new Pacer({ sliceMs: this.#parts.settings.sliceMs, signal })
  }

  #replacedBy(entityId: number): readonly EntityField[] | null {
    const entity = this.#parts.entity(entityId)
    return entity?.duplicates === 'replace' ? fieldsOfRole(entity, 'tag') : null
  }

  #target(entityId: number, signal: AbortSignal): QueryTarget {
    const { client, settings } = this.#parts
    const dataSource = dataSourceName(settings.clusterName, entityId)
    return { client, dataSource, hidden: [], timeoutMs: settings.queryTimeMs, signal }
  }

  #visible(entityId: number, signal: AbortSignal): QueryTarget {
    return { ...this.#target(entityId, signal), hidden: this.#parts.entity(entityId)?.hidden ?? [] }
  }

  #kept(entityId: number, target: QueryTarget, hidden?: readonly HiddenByDeletion[]): KeptHours | null {
    const entity = this.#parts.entity(entityId)
    const source = hoursSourceName(this.#parts.settings.clusterName, entityId)
    return entity === undefined
      ? null
      : keptHours(hidden === undefined ? entity : { ...entity, hidden }, target, source)
  }

  async #boundsOf(entityId: number, target: QueryTarget, age: 'now' | 'about'): Promise<Bounds | null> {
    const nowMs = this.#parts.nowMs()
    const known = this.#bounds.get(entityId)
    if (age === 'about' && known !== undefined && nowMs - known.atMs < boundsAgeMs) return known.bounds
    const bounds = await timeBoundary(target)
    if (bounds === null) this.#bounds.delete(entityId)
    else this.#bounds.set(entityId, { bounds, atMs: nowMs })
    return bounds
  }
}

function intervalsFrom(sinceMs: number | null): readonly string[] {
  return intervalsOf(sinceMs ?? Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY)
}

/** Rows may have expired since the query was planned. */
function startingAt<Asked extends Plan>({ untilMs }: KeptHours, plan: Asked): Asked {
  return { ...plan, selection: { ...plan.selection, sinceMs: untilMs } }
}

function runPlan(plan: Plan, run: DruidRun): AsyncGenerator<ResultBatch> {
  if (isOverTime(plan)) return runOverTime(plan, run)
  if (plan.kind !== 'average') requireRows(run.kept, neededRange(plan))
  switch (plan.kind) {
    case 'select':
      return runSelect(plan, run)
    case 'average':
      return filledBuckets(runAverage(plan, run), plan, run)
    case 'latest':
      return runLatest(plan, run)
    case 'last':
    case 'next':
      return runNeighbour(plan, run)
    case 'snap':
      return runSnap(plan, run)
    default:
      return plan satisfies never
  }
}
