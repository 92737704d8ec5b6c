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
import type { HoursAsked } from '../hours/hours-of-rows.ts'
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

/** One state of an entity's rows. */
export interface EntitySnapshot {
  readonly registry: EntityRegistry
  readonly tables: readonly { readonly table: Table; readonly view: TableView }[]
  readonly files: readonly SealedFile[]
  /** Those of hours of rows that left. */
  readonly hours: readonly SealedFile[]
}

/** What a run takes by the quality of rows. */
export interface RunQuality {
  readonly accessor: FieldAccessor
  /** Null, as the test is, where any is taken. */
  readonly condition: Scalar | null
  readonly passesRow: RowTest | null
  readonly takesGood: boolean
  /** That a row is good, and the test of it. */
  readonly goodCondition: Scalar
  readonly isGood: RowTest
}

/** What the runs of all plan kinds share. */
export interface PlanRun {
  /** All rows of a series that have not left, in order. */
  readonly source: SeriesSource
  /** Rows before this date have left. */
  readonly sinceMs: number
  /** What is kept of rows that have left; null where none have, or no hours are kept. */
  readonly hours: KeptHours | null
  /** With `files` the parts of the source, for what needs no order. */
  readonly tables: readonly TableView[]
  /** Between which dates the rows of each table lie. */
  readonly tableSpans: readonly Range[]
  readonly files: readonly OpenFile[]
  /** Whether rows of one date, in several parts, are one item. */
  readonly replaces: boolean
  readonly selected: SelectedSeries
  /** Whether the selection has no filter of tags. */
  readonly isOfAll: boolean
  /** How many series the entity has. */
  readonly seriesCount: number
  /** The one that is filtered by. */
  readonly tag: TagAccessor
  /** All that items are told apart by, the first included. */
  readonly tags: readonly (TagAccessor | AbsentAccessor)[]
  readonly fields: readonly FieldAccessor[]
  readonly metrics: readonly FieldAccessor[]
  /** Null where the entity has no quality. */
  readonly quality: RunQuality | null
  readonly items: ItemTest
  readonly limits: PlanLimits
  readonly pacer: Pacer
  readonly memory: RunMemory
  /** Picks in the memory of the run: those before are over. */
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

/** What is read of each row, besides its tags. */
function readFields(snapshot: EntitySnapshot, selection: Selection): ReadFields {
  const { registry } = snapshot
  // An hour may have a metric that no row has any more.
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

/** Before which date the hours of rows are kept, and no rows; null where none have left, or no hours are kept. */
function keptUntilMs({ hours }: EntitySnapshot, { sinceMs, hours: kept }: Selection): number | null {
  if (kept === undefined) return null
  // Rows may have left since the question was planned.
  const days = hours.map(({ info }) => (Math.floor(info.lastMs / msPerDay) + 1) * msPerDay)
  const untilMs = Math.max(sinceMs ?? Number.NEGATIVE_INFINITY, ...days)
  return untilMs === Number.NEGATIVE_INFINITY ? null : untilMs
}

function keptMetric({ name, type, role }: EntityField, accessor: FieldAccessor): HoursAsked['metrics'] {
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

/** Those that series may differ in: what no row came with yet is null in all of them. */
function knownOf({ series }: EntityRegistry, tags: PlanRun['tags']): readonly TagIndex[] {
  return tags.flatMap((accessor) =>
    accessor.kind === 'tag' && series.tags.includes(accessor.tag) ? [accessor.tag] : [],
  )
}

/** Whether two items of an answer may have the same date, tag and fields. */
export function mayTie({ selected, fields }: Pick<PlanRun, 'selected' | 'fields'>): boolean {
  const isOneSeriesPerTag = selected.bounds.length - 1 === selected.series.length
  return !isOneSeriesPerTag || fields.length > 0
}

/** Codes of one table are read as they are; those of several sources, as codes of a dictionary of the run. */
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

/** Of the columns of a plan those that newer rows replace; null when the entity keeps all rows. */
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
