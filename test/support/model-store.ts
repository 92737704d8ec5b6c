// A store that runs every plan by the contract's definitions over plain objects: slow, and simple enough to trust. Tests compare the real stores
// with it.

import { nativeBucketStart } from '../../src/druid-time/native-granularity.ts'
import { timeBuckets, zonedGranularity } from '../../src/druid-time/plain-granularity.ts'
import { compareCodePoints } from '../../src/lib/compare-code-points.ts'
import { type Value, valueAt } from '../../src/model/column.ts'
import type { DeletionSelection } from '../../src/model/deletion.ts'
import { addDuration } from '../../src/model/duration.ts'
import type { EntityField } from '../../src/model/entity.ts'
import { type BucketGranularity, bucketStart, nextBucketStart } from '../../src/model/granularity.ts'
import {
  type AveragePlan,
  type BucketedPlan,
  isOverTime,
  type NeighbourPlan,
  type OverTimePlan,
  type Plan,
  type Range,
  type Selection,
  type SnapPlan,
  valueColumns,
} from '../../src/model/plan.ts'
import { type QualityWord, qualityOf } from '../../src/model/quality.ts'
import type { RowBatch } from '../../src/model/row-batch.ts'
import type { ResultBatch } from '../../src/store/series-store.ts'
import { overTimeRows } from './model-over-time.ts'

/** A stored row. An absent field is null. */
export interface ModelRow {
  readonly entityId: number
  readonly position: number
  readonly values: Readonly<Record<string, Value>>
  /** Only where newer rows replace older ones: the key shared by the rows of one item (`itemOf`). `values` then has only the pushed properties. */
  readonly item?: string
}

/** The values of one row of a result, in the order of the plan's output. */
export type ResultRow = readonly Value[]

export class ModelStore {
  readonly #written: ModelRow[] = []
  /** The rows, and the metrics in them, that each deletion hides, by deletion id. */
  readonly #deleted = new Map<number, { readonly rows: Set<ModelRow>; readonly metrics: readonly string[] | null }>()

  write({ entityId, rows, positions, fields, columns, pushedNulls }: RowBatch): void {
    for (let row = 0; row < rows; row++) {
      const values: Record<string, Value> = {}
      fields.forEach((field, index) => {
        const value = valueAt(columns[index], row)
        const isPushed = pushedNulls === undefined || value !== null || pushedNulls[index]?.[row] === 1
        if (isPushed) values[field.name] = value
      })
      const item = pushedNulls === undefined ? {} : { item: itemOf(fields, values) }
      this.writeRow({ entityId, position: positions[row], values, ...item })
    }
  }

  writeRow(row: ModelRow): void {
    this.#written.push(row)
  }

  /** Removes rows before a date for good. */
  forget(entityId: number, beforeMs: number): void {
    const stays = (row: ModelRow): boolean => row.entityId !== entityId || timeIn(row) >= beforeMs
    this.#written.splice(0, this.#written.length, ...this.#written.filter(stays))
  }

  /** All visible rows. */
  get rows(): readonly ModelRow[] {
    const deleted = [...this.#deleted.values()]
    const seen = this.#written.filter((row) => !deleted.some(({ rows, metrics }) => metrics === null && rows.has(row)))
    return replaced(
      seen.map((row) => {
        const hidden = deleted.flatMap(({ rows, metrics }) => (rows.has(row) ? (metrics ?? []) : []))
        return hidden.length === 0 ? row : without(row, hidden)
      }),
    )
  }

  /** Hides the selected rows and returns the number of rows that this changes. */
  delete(id: number, selection: DeletionSelection, sinceMs: number | null): number {
    const before = this.rows
    const merged = new Map(
      replaced(this.#written).flatMap((row) => (row.item === undefined ? [] : [[row.item, row] as const])),
    )
    const rows = this.#written.filter((row) =>
      isSelected(selection, row.item === undefined ? row : merged.get(row.item)!),
    )
    const metrics = selection.metrics?.map(({ name }) => name) ?? null
    this.#deleted.set(id, { rows: new Set(rows), metrics })
    const isCounted = ({ values }: ModelRow): boolean =>
      metrics === null || metrics.some((name) => (values[name] ?? null) !== null)
    const count = (seen: readonly ModelRow[]): number =>
      seen.filter((row) => isCounted(row) && (sinceMs === null || timeIn(row) >= sinceMs)).length
    return count(before) - count(this.rows)
  }

  takeBack(id: number): void {
    this.#deleted.delete(id)
  }

  /** Whether a row that a deletion hides is still stored. */
  isThere(id: number, sinceMs: number | null): boolean {
    const { rows } = this.#deleted.get(id)!
    return this.#written.some((row) => rows.has(row) && (sinceMs === null || timeIn(row) >= sinceMs))
  }

  /** Removes the rows of a deletion for good, so that a later deletion does not find them. */
  erase(id: number): void {
    const { rows, metrics } = this.#deleted.get(id)!
    this.#deleted.delete(id)
    for (const row of rows) {
      const left = metrics === null ? [] : [without(row, metrics)]
      const at = this.#written.indexOf(row)
      if (at === -1) continue
      this.#written.splice(at, 1, ...left)
      for (const other of this.#deleted.values()) {
        if (other.rows.delete(row)) for (const one of left) other.rows.add(one)
      }
    }
  }

  /** The rows that a store must return, in order. Limits do not apply. */
  run(plan: Plan): ResultRow[] {
    const all = this.#items(plan.selection)
    if (isOverTime(plan)) return overTime(plan, all)
    const items = all.filter((row) => isTaken(row, plan.selection))
    switch (plan.kind) {
      case 'select':
        return inContractOrder(plan.selection, within(items, plan.selection, plan.range))
      case 'average':
        return filled(plan, averages(plan, within(items, plan.selection, plan.range)))
      case 'latest': {
        const range = { fromMs: plan.fromMs, toMs: Number.POSITIVE_INFINITY }
        const newest = byTag(within(items, plan.selection, range), plan.selection).map((rows) => rows[rows.length - 1])
        return inContractOrder(plan.selection, newest)
      }
      case 'last':
      case 'next':
        return neighbours(plan, items)
      case 'snap':
        return snaps(plan, items)
      default:
        return plan satisfies never
    }
  }

  statistics(
    entityId: number,
    sinceMs: number | null = null,
  ): { rows: number; firstMs: number | null; lastMs: number | null } {
    const times = this.rows
      .filter((row) => row.entityId === entityId)
      .map(timeIn)
      .filter((ms) => sinceMs === null || ms >= sinceMs)
      .sort((left, right) => left - right)
    return { rows: times.length, firstMs: times.at(0) ?? null, lastMs: times.at(-1) ?? null }
  }

  #items({ entityId, sinceMs, tags, ids, prefixes, metrics }: Selection): ModelRow[] {
    return this.rows.filter((row) => {
      if (row.entityId !== entityId || (sinceMs !== null && timeIn(row) < sinceMs)) return false
      const value = valueIn(row, tags[0])
      if (ids !== null && !ids.some((id) => id === value)) return false
      if (prefixes !== null && !prefixes.some((prefix) => typeof value === 'string' && value.startsWith(prefix)))
        return false
      return metrics.some((metric) => valueIn(row, metric) !== null)
    })
  }
}

function without(row: ModelRow, names: readonly string[]): ModelRow {
  const values = Object.entries(row.values).filter(([name]) => !names.includes(name))
  return { ...row, values: Object.fromEntries(values) }
}

function isSelected({ tag, ids, prefixes, fromMs, toMs, where }: DeletionSelection, row: ModelRow): boolean {
  const value = row.values[tag] ?? null
  const ms = timeIn(row)
  if (ms < (fromMs ?? Number.NEGATIVE_INFINITY) || ms > (toMs ?? Number.POSITIVE_INFINITY)) return false
  if (ids !== null && !ids.some((id) => id === value)) return false
  if (prefixes !== null && !prefixes.some((prefix) => typeof value === 'string' && value.startsWith(prefix)))
    return false
  if (where === null) return true
  const of = row.values[where.metric.name] ?? null
  if (of === null) return false
  const given = where.value
  const isText = typeof of === 'string'
  const [less, same] = isText
    ? [compareCodePoints(of, String(given)) < 0, of === given]
    : [of < given, Number(of) === Number(given)]
  switch (where.operator) {
    case '<':
      return less
    case '<=':
      return less || same
    case '>':
      return !less && !same
    case '>=':
      return !less
    case '=':
      return same
    case '!=':
      return !same
  }
}

/** A row's date is its first value. */
function timeIn({ values }: ModelRow): number {
  return Number(Object.values(values)[0])
}

/** The time and all tags of a row. */
export function itemOf(fields: readonly EntityField[], values: Readonly<Record<string, Value>>): string {
  const key = fields.filter(({ role, name }) => role === 'time' || (role === 'tag' && (values[name] ?? null) !== null))
  return JSON.stringify(key.map(({ name }) => [name, values[name]]).sort())
}

/** Merges the rows of one item: a later row replaces the properties it was pushed with. */
function replaced(written: readonly ModelRow[]): readonly ModelRow[] {
  const items = new Map<string, ModelRow>()
  const others = written.filter(({ item }) => item === undefined)
  for (const row of written.toSorted((left, right) => left.position - right.position)) {
    if (row.item === undefined) continue
    const key = `${row.entityId} ${row.item}`
    items.set(key, { ...row, values: { ...items.get(key)?.values, ...row.values } })
  }
  return [...others, ...items.values()]
}

/** The rows of a result's batches. */
export function resultRows(batches: readonly ResultBatch[]): ResultRow[] {
  return batches.flatMap(({ rows, columns }) =>
    Array.from({ length: rows }, (_, row) => columns.map((column) => valueAt(column, row))),
  )
}

/** Null first; strings by code point; false before true. */
function compareValues(left: Value, right: Value): number {
  if (left === right) return 0
  if (left === null) return -1
  if (right === null) return 1
  if (typeof left === 'string' && typeof right === 'string')
    return Buffer.compare(Buffer.from(left), Buffer.from(right))
  return left < right ? -1 : left > right ? 1 : 0
}

function compareLists(left: readonly Value[], right: readonly Value[]): number {
  for (let index = 0; index < left.length; index++) {
    const order = compareValues(left[index], right[index])
    if (order !== 0) return order
  }
  return 0
}

function valueIn(row: ModelRow, field: EntityField): Value {
  return row.values[field.name] ?? null
}

function timeOf(row: ModelRow, selection: Selection): number {
  return Number(valueIn(row, selection.time))
}

function qualityIn(row: ModelRow, field: EntityField): QualityWord {
  return qualityOf(valueIn(row, field), field.coding ?? 'opcda')
}

function isTaken(row: ModelRow, { quality }: Selection): boolean {
  return quality === undefined || quality.words.includes(qualityIn(row, quality.field))
}

function within(rows: readonly ModelRow[], selection: Selection, { fromMs, toMs }: Range): ModelRow[] {
  return rows.filter((row) => timeOf(row, selection) >= fromMs && timeOf(row, selection) <= toMs)
}

function output(row: ModelRow, { time, tags, fields, metrics }: Selection): ResultRow {
  return [time, ...tags, ...fields, ...metrics].map((field) => valueIn(row, field))
}

function inContractOrder(selection: Selection, rows: readonly ModelRow[]): ResultRow[] {
  const { time, tags, fields } = selection
  const key = (row: ModelRow): Value[] => [
    ...[time, ...tags, ...fields].map((field) => valueIn(row, field)),
    row.position,
  ]
  return rows.toSorted((left, right) => compareLists(key(left), key(right))).map((row) => output(row, selection))
}

/** The rows of each combination of tags, oldest first, in the order of the combinations. */
function byTag(rows: readonly ModelRow[], selection: Selection): ModelRow[][] {
  const groups = new Map<string, { readonly tags: Value[]; readonly group: ModelRow[] }>()
  for (const row of rows) {
    const tags = selection.tags.map((tag) => valueIn(row, tag))
    const key = JSON.stringify(tags)
    groups.set(key, { tags, group: [...(groups.get(key)?.group ?? []), row] })
  }
  const age = (row: ModelRow): Value[] => [timeOf(row, selection), row.position]
  return [...groups.values()]
    .sort((left, right) => compareLists(left.tags, right.tags))
    .map(({ group }) => group.sort((left, right) => compareLists(age(left), age(right))))
}

function neighbours(plan: NeighbourPlan, items: readonly ModelRow[]): ResultRow[] {
  const { selection, dateMs, offset } = plan
  const found = byTag(items, selection).flatMap((rows) => {
    const side =
      plan.kind === 'last'
        ? rows.filter((row) => timeOf(row, selection) < dateMs).reverse()
        : rows.filter((row) => timeOf(row, selection) > dateMs)
    return side.slice(offset, offset + 1)
  })
  return inContractOrder(selection, found)
}

function snaps({ selection, ticksMs }: SnapPlan, items: readonly ModelRow[]): ResultRow[] {
  const tags = byTag(items, selection)
  return [...ticksMs].flatMap((tickMs) =>
    tags.flatMap((rows) => {
      const state = rows.findLast((row) => timeOf(row, selection) <= tickMs)
      return state === undefined ? [] : [[...output(state, selection), tickMs]]
    }),
  )
}

export function bucketOf(granularity: AveragePlan['granularity'], ms: number): number {
  if (granularity.kind === 'all') return 0
  return granularity.kind === 'zoned'
    ? nativeBucketStart(zonedGranularity(granularity), ms)
    : bucketStart(granularity, ms)
}

function averages(plan: AveragePlan, items: readonly ModelRow[]): ResultRow[] {
  const { selection, granularity, range, byTag: keepTag } = plan
  if (items.length === 0) return []
  const openStart = items.reduce((ms, row) => Math.min(ms, timeOf(row, selection)), Number.POSITIVE_INFINITY)
  const allMs = range.fromMs === Number.NEGATIVE_INFINITY ? openStart : range.fromMs
  const keyFields = [...(keepTag ? selection.tags : []), ...selection.fields]
  const groups = new Map<string, { key: Value[]; rows: ModelRow[] }>()
  for (const row of items) {
    const bucketMs = granularity.kind === 'all' ? allMs : bucketOf(granularity, timeOf(row, selection))
    const key = [bucketMs, ...keyFields.map((field) => valueIn(row, field))]
    const text = key.map(keyText).join()
    const group = groups.get(text) ?? { key, rows: [] }
    group.rows.push(row)
    groups.set(text, group)
  }
  return [...groups.values()]
    .sort((left, right) => compareLists(left.key, right.key))
    .map(({ key, rows }) => [
      ...key,
      ...selection.metrics.map((metric) => mean(rows.map((row) => valueIn(row, metric)))),
    ])
}

/** Numbers are compared by their digits, because a long may be a number or a bigint. */
function keyText(value: Value): string {
  if (typeof value === 'string') return JSON.stringify(value)
  return value === 0 ? '0' : String(value)
}

/** Divides before adding, so that no sum overflows. */
function mean(values: readonly Value[]): number | null {
  const numbers = values.filter((value) => value !== null).map(Number)
  if (numbers.length === 0) return null
  return numbers.reduce((sum, value) => sum + value / numbers.length, 0)
}

/** The rows, with one for each bucket of each series. Neighbors are searched again for each bucket. */
function filled(plan: BucketedPlan, rows: readonly ResultRow[]): ResultRow[] {
  const { granularity, range, fill } = plan
  const columns = valueColumns(plan)
  if (fill === undefined || granularity.kind === 'all') return [...rows]
  const keys = rows[0] === undefined ? 0 : rows[0].length - columns.length
  const keyOf = (row: ResultRow): string => row.slice(1, keys).map(keyText).join()
  const whole = [...new Set(rows.map(keyOf))].flatMap((key) => {
    const known = rows.filter((row) => keyOf(row) === key)
    const [first, last] = [Number(known[0]![0]), Number(known.at(-1)![0])]
    const starts: number[] = []
    let ms = range.fromMs === Number.NEGATIVE_INFINITY ? first : bucketOf(granularity, range.fromMs)
    const untilMs = plan.kind === 'average' ? range.toMs + 1 : Math.min(range.toMs, plan.values.nowMs)
    const endMs = range.toMs === Number.POSITIVE_INFINITY ? last + 1 : untilMs
    for (; ms < endMs; ms = after(granularity, ms)) starts.push(ms)
    return starts.map((startMs) => {
      const row = known.find(([bucketMs]) => bucketMs === startMs)
      const values = columns.map(({ whenEmpty }, metric) => {
        const value = row?.[keys + metric] ?? null
        if (whenEmpty !== 'filled') return row === undefined ? whenEmpty : value
        return (
          value ??
          filledValue(
            plan,
            known.map((one) => [Number(one[0]), one[keys + metric] ?? null]),
            startMs,
          )
        )
      })
      return [startMs, ...known[0]!.slice(1, keys), ...values]
    })
  })
  return whole.sort((left, right) => compareLists(left.slice(0, keys), right.slice(0, keys)))
}

function after(granularity: AveragePlan['granularity'], startMs: number): number {
  return granularity.kind === 'zoned'
    ? timeBuckets(granularity).nextStart(startMs)
    : nextBucketStart(granularity as BucketGranularity, startMs)
}

function filledValue(
  { fill, granularity }: BucketedPlan,
  values: readonly (readonly [number, Value])[],
  startMs: number,
): Value {
  const known = values.filter(([, value]) => value !== null)
  const before = known.findLast(([ms]) => ms < startMs)
  const behind = known.find(([ms]) => ms > startMs)
  if (before === undefined || fill === undefined || fill.kind === 'null') return null
  const isNear = fill.maxGap === null || startMs <= addDuration(after(granularity, before[0]), fill.maxGap, 1)
  if (!isNear) return null
  if (fill.kind === 'previous') return before[1]
  if (behind === undefined) return null
  const share = (startMs - before[0]) / (behind[0] - before[0])
  return Number(before[1]) * (1 - share) + Number(behind[1]) * share
}

/** Sorted as in the result. A plot is also sorted by position, which is not shown. */
function overTime(plan: OverTimePlan, items: readonly ModelRow[]): ResultRow[] {
  const { selection } = plan
  const { tags, fields, metrics, quality } = selection
  const modelItems = items.map((row) => ({
    ms: timeOf(row, selection),
    position: row.position,
    keys: [...tags, ...(plan.kind === 'plot' ? [] : fields)].map((field) => valueIn(row, field)),
    values: metrics.map((metric) => valueIn(row, metric)),
    shown: plan.kind === 'plot' ? fields.map((field) => valueIn(row, field)) : [],
    isTaken: isTaken(row, selection),
    isGood: quality === undefined || qualityIn(row, quality.field) === 'good',
  }))
  const granularity = 'granularity' in plan ? plan.granularity : { kind: 'all' as const }
  const cuts = {
    startOf: (ms: number) => bucketOf(granularity, ms),
    after: (startMs: number) => after(granularity, startMs),
  }
  const rows = overTimeRows(plan, modelItems, cuts)
  const keys = 1 + tags.length + fields.length + (plan.kind === 'states' ? 2 : 0)
  const order = (row: ResultRow): ResultRow =>
    plan.kind === 'snap'
      ? [row.at(-1)!, ...row.slice(1, keys)]
      : [...row.slice(0, keys), plan.kind === 'plot' ? row.at(-1)! : 0]
  const ordered = rows.toSorted((left, right) => compareLists(order(left), order(right)))
  if (plan.kind === 'plot') return ordered.map((row) => row.slice(0, -1))
  return plan.kind === 'snap' ? ordered : filled(plan, ordered)
}
