import { goodOnly, qualityCondition } from '../../../algebra/quality-condition.ts'
import type { Scalar } from '../../../algebra/scalar.ts'
import type { Pacer } from '../../../lib/pacer.ts'
import type { EntityField } from '../../../model/entity.ts'
import { msPerDay } from '../../../model/instant.ts'
import type { PlanLimits, Range, Selection } from '../../../model/plan.ts'
import { filterTests, type RowTest } from '../aggregate/row-conditions.ts'
import type { CopiedColumn } from '../head/copy-rows.ts'
import { Dictionary } from '../head/dictionary.ts'
import { KeptRows } from '../head/kept-rows.ts'
import type { Table } from '../head/table.ts'
import type { TableView } from '../head/table-view.ts'
import { HourColumns } from '../hours/hour-columns.ts'
import type { RequestedHours } from '../hours/hours-of-rows.ts'
import { KeptHours } from '../hours/kept-hours.ts'
import { MergedSource } from '../reading/merged-source.ts'
import { OpenFile } from '../reading/open-file.ts'
import type { ReplacedColumn } from '../reading/replace-rows.ts'
import type { SealedFile } from '../reading/sealed-source.ts'
import type { SeriesSource } from '../reading/series-source.ts'
import { since } from '../reading/since-source.ts'
import type { EntityRegistry } from '../registry/entity-registry.ts'
import type { TagIndex } from '../registry/series-index.ts'
import {
  type AbsentAccessor,
  type FieldAccessor,
  fieldAccessor,
  type TagAccessor,
  tagAccessor,
  tagAccessorOf,
} from './field-accessor.ts'
import { ItemTest } from './item-filter.ts'
import { PickedRows } from './picked-rows.ts'
import type { RunMemory } from './run-memory.ts'
import { type SelectedSeries, selectSeries } from './selected-series.ts'

/** The rows of an entity at one point in time. */
export interface EntitySnapshot {
  readonly registry: EntityRegistry
  readonly tables: readonly { readonly table: Table; readonly view: TableView }[]
  readonly files: readonly SealedFile[]
  /** Files with the hours of expired rows. */
  readonly hours: readonly SealedFile[]
}

/** The quality of rows that a run accepts. */
export interface RunQuality {
  readonly accessor: FieldAccessor
  /** Null, like `passesRow`, where every quality is accepted. */
  readonly condition: Scalar | null
  readonly passesRow: RowTest | null
  readonly takesGood: boolean
  /** The condition that a row is good, and the test of it. */
  readonly goodCondition: Scalar
  readonly isGood: RowTest
}

/** The parts shared by the runs of all plan kinds. */
export interface PlanRun {
  /** All rows of a series that have not expired, in order. */
  readonly source: SeriesSource
  /** Rows before this date have expired. */
  readonly sinceMs: number
  /** The kept hours of expired rows; null where none have expired or no hours are kept. */
  readonly hours: KeptHours | null
  /** Together with `files`, the parts of the source, for uses that need no order. */
  readonly tables: readonly TableView[]
  /** The date range of the rows of each table. */
  readonly tableSpans: readonly Range[]
  readonly files: readonly OpenFile[]
  /** Whether rows of the same date in several parts form one item. */
  readonly replaces: boolean
  readonly selected: SelectedSeries
  /** Whether the selection has no filter of tags. */
  readonly isOfAll: boolean
  /** The number of series of the entity. */
  readonly seriesCount: number
  /** The tag that the selection filters by. */
  readonly tag: TagAccessor
  /** All tags that distinguish items, including the first. */
  readonly tags: readonly (TagAccessor | AbsentAccessor)[]
  readonly fields: readonly FieldAccessor[]
  readonly metrics: readonly FieldAccessor[]
  /** Null where the entity has no quality field. */
  readonly quality: RunQuality | null
  readonly items: ItemTest
  readonly limits: PlanLimits
  readonly pacer: Pacer
  readonly memory: RunMemory
  /** Starts new picks in the memory of the run; earlier picks become invalid. */
  newPicks(): PickedRows
}

export async function preparePlan(
  snapshot: EntitySnapshot,
  selection: Selection,
  limits: PlanLimits,
  pacer: Pacer,
  memory: RunMemory,
): Promise<PlanRun> {
  const { registry } = snapshot
  const [first, ...others] = selection.tags
  const tag = tagAccessor(await registry.series.tagOrNullsPaced(first.name, pacer))
  const tags = [tag, ...others.map((other) => tagAccessorOf(registry, other))]
  const read = readFields(snapshot, selection)
  const { metrics, fields, quality } = read
  const columns = copiedColumns([...fields, ...metrics, ...(quality === null ? [] : [quality.accessor])])
  const untilMs = keptUntilMs(snapshot, selection)
  const sinceMs = untilMs ?? selection.sinceMs
  const replaced = replacedColumns(registry, columns)
  const { source, tables, files } = openSources(snapshot, columns, replaced, sinceMs)
  const sourceOfLeft = (left: RowSources): SeriesSource => openSources(left, columns, replaced, null).source
  const hours = untilMs === null ? null : keptHours(snapshot, selection, untilMs, read, sourceOfLeft)
  const selected = await selectSeries(registry.series, tag.tag, knownOf(registry, tags), selection, pacer)
  return {
    source,
    replaces: replaced !== null,
    sinceMs: sinceMs ?? Number.NEGATIVE_INFINITY,
    hours,
    tables,
    tableSpans: snapshot.tables.map(({ table }) => ({ fromMs: table.firstMs, toMs: table.lastMs })),
    files,
    selected,
    isOfAll: selection.ids === null && selection.prefixes === null,
    seriesCount: registry.series.count,
    tag,
    tags,
    fields,
    metrics,
    quality,
    items: new ItemTest(metrics, quality?.passesRow ?? null),
    limits,
    pacer,
    memory,
    newPicks: () => {
      memory.clear()
      return new PickedRows(files.length > 0 ? new KeptRows(columns, mayTie({ selected, fields })) : null, memory)
    },
  }
}

type ReadFields = Pick<PlanRun, 'metrics' | 'fields' | 'quality'>

/** The fields that are read from each row, in addition to its tags. */
function readFields(snapshot: EntitySnapshot, selection: Selection): ReadFields {
  const { registry } = snapshot
  // A kept hour may have a metric that no remaining row has.
  if (selection.hours !== undefined)
    for (const { name, type, role } of [...selection.metrics, ...selection.fields])
      if (role === 'metric' && (type === 'double' || type === 'long')) registry.columns.learn(name, type)
  const dictionaryOf = dictionariesOf(snapshot)
  const accessorOf = (field: EntityField): FieldAccessor => fieldAccessor(registry, field, dictionaryOf)
  return {
    metrics: selection.metrics.map(accessorOf),
    fields: selection.fields.map(accessorOf),
    quality: runQuality(selection, accessorOf),
  }
}

/** The date before which only hours are kept, no rows; null where no rows have expired or no hours are kept. */
function keptUntilMs({ hours }: EntitySnapshot, { sinceMs, hours: kept }: Selection): number | null {
  if (kept === undefined) return null
  // Rows may have expired since the query was planned.
  const days = hours.map(({ info }) => (Math.floor(info.lastMs / msPerDay) + 1) * msPerDay)
  const untilMs = Math.max(sinceMs ?? Number.NEGATIVE_INFINITY, ...days)
  return untilMs === Number.NEGATIVE_INFINITY ? null : untilMs
}

function keptMetric({ name, type, role }: EntityField, accessor: FieldAccessor): RequestedHours['metrics'] {
  if (role !== 'metric' || (type !== 'double' && type !== 'long')) return []
  return [{ name, type, index: accessor.kind === 'column' ? accessor.index : -1 }]
}

type RowSources = Pick<EntitySnapshot, 'tables' | 'files'>

function keptHours(
  { registry, tables, files, hours }: EntitySnapshot,
  selection: Selection,
  untilMs: number,
  { metrics, fields, quality }: ReadFields,
  sourceOf: (left: RowSources) => SeriesSource,
): KeptHours {
  const accessors = [...metrics, ...fields]
  const asked = {
    metrics: [...selection.metrics, ...selection.fields].flatMap((field, at) => keptMetric(field, accessors[at]!)),
    isGood: quality?.isGood ?? null,
  }
  const columns = new HourColumns(registry.hours.columns, asked.metrics)
  const left = {
    tables: tables.filter(({ table }) => table.firstMs < untilMs),
    files: files.filter(({ info }) => info.firstMs < untilMs),
  }
  return new KeptHours({
    files: hours.map((file) => new OpenFile(file, columns.indices, 'cached')),
    columns,
    rows: left.tables.length + left.files.length === 0 ? null : sourceOf(left),
    asked,
    sinceMs: selection.hours?.sinceMs ?? Number.NEGATIVE_INFINITY,
    untilMs,
  })
}

function runQuality({ quality }: Selection, accessorOf: (field: EntityField) => FieldAccessor): RunQuality | null {
  if (quality === undefined) return null
  const accessor = accessorOf(quality.field)
  const condition = qualityCondition(quality)
  const testOf = (one: Scalar | null): RowTest | null => filterTests(one, () => accessor).passesRow
  const goodCondition = goodOnly(quality.field)
  return {
    accessor,
    condition,
    passesRow: testOf(condition),
    takesGood: quality.words.includes('good'),
    goodCondition,
    isGood: testOf(goodCondition) ?? (() => true),
  }
}

/** The tags in which series can differ. A tag that no row has had yet is null in all of them. */
function knownOf({ series }: EntityRegistry, tags: PlanRun['tags']): readonly TagIndex[] {
  return tags.flatMap((accessor) =>
    accessor.kind === 'tag' && series.tags.includes(accessor.tag) ? [accessor.tag] : [],
  )
}

/** Whether items of the same date and tags must be ordered by fields and position. Within one series and without fields they already are. */
export function mayTie({ selected, fields }: Pick<PlanRun, 'selected' | 'fields'>): boolean {
  const isOneSeriesPerTag = selected.bounds.length - 1 === selected.series.length
  return !isOneSeriesPerTag || fields.length > 0
}

/** Codes of a single table are used as they are. Codes of several sources are translated to a dictionary of the run. */
function dictionariesOf({ tables, files }: EntitySnapshot): (column: number) => Dictionary {
  if (files.length === 0 && tables.length === 1) return (column) => tables[0].table.dictionary(column)
  const dictionaries = new Map<number, Dictionary>()
  return (column) => {
    const known = dictionaries.get(column)
    if (known !== undefined) return known
    const dictionary = new Dictionary()
    dictionaries.set(column, dictionary)
    return dictionary
  }
}

function copiedColumns(accessors: readonly FieldAccessor[]): readonly CopiedColumn[] {
  const columns = new Map<number, CopiedColumn>()
  for (const accessor of accessors) if (accessor.kind === 'column') columns.set(accessor.index, accessor)
  return [...columns.values()]
}

/** The columns of a plan whose values newer rows replace; null when the entity keeps all rows. */
function replacedColumns(
  { columns }: EntityRegistry,
  copied: readonly CopiedColumn[],
): readonly ReplacedColumn[] | null {
  const { replaced } = columns
  if (replaced === null) return null
  const wanted = new Set(copied.map(({ index }) => index))
  return replaced.filter(({ index }) => wanted.has(index))
}

function openSources(
  snapshot: Pick<EntitySnapshot, 'tables' | 'files'>,
  copied: readonly CopiedColumn[],
  replaced: readonly ReplacedColumn[] | null,
  sinceMs: number | null,
): Pick<PlanRun, 'source' | 'tables' | 'files'> {
  const tables = snapshot.tables.map(({ view }) => view)
  const origins = (replaced ?? []).map(({ originIndex }): CopiedColumn => {
    return { index: originIndex, type: 'long', dictionary: new Dictionary() }
  })
  const columns = [...copied, ...origins]
  const indices = columns.map(({ index }) => index)
  const files = snapshot.files
    .filter(({ info }) => sinceMs === null || info.lastMs >= sinceMs)
    .map((file) => new OpenFile(file, indices, 'cached'))
  const isOneTable = files.length === 0 && tables.length === 1
  const source = isOneTable ? tables[0] : new MergedSource(tables, files, () => columns, replaced)
  return { source: since(source, sinceMs), tables, files }
}
