import type { GroupValue } from '../../../algebra/aggregation.ts'
import { type Chunk, newChunk, type RowSlice } from '../head/chunk.ts'
import { GrowableFloat64, GrowableInt32 } from '../head/growable.ts'
import { Combinations } from '../run/combinations.ts'
import { compareKeys, type FieldAccessor, type FieldKey, keyAt } from '../run/field-accessor.ts'
import { GroupTable } from '../run/group-table.ts'
import type { PlanRun } from '../run/plan-run.ts'
import { type Accumulator, accumulatorOf, type ColumnHours } from './accumulator.ts'
import type { Fields, Grouping, GroupLimits } from './grouping.ts'
import { Items } from './items.ts'
import { type FilterTests, filterTests } from './row-conditions.ts'

const noRows = newChunk(0)

/** The groups of an aggregation. Each is one bucket and one combination of keys. */
export class GroupRows {
  /** Indexed by group, like all growing arrays here. The initial capacity is a week of hours. */
  readonly bucketsMs = new GrowableFloat64(170)
  readonly accumulators: readonly Accumulator[]
  /** Null where every row counts. */
  readonly items: Items | null
  /** Whether all tags that distinguish series are keys. Then the groups of one combination of tags are made before those of the next. */
  readonly areTagByTag: boolean
  /** The condition of each aggregate; null where it has none. */
  readonly #tests: readonly (FilterTests | null)[]
  readonly #keys: readonly FieldAccessor[]
  /** For each key: its place among the fields of combinations; -1 for a tag that is read from the series of the group. */
  readonly #places: readonly number[]
  /** Combinations of the other keys; null where there are none. */
  readonly #combinations: Combinations | null
  readonly #combinationOf = new GrowableInt32(200)
  readonly #series = new GrowableInt32(185)
  /** The groups of the current combination of tags. */
  #table: GroupTable
  #tags = 0
  readonly #limits: GroupLimits
  readonly #buckets: BucketCount | null

  /** `tags` are the tags that distinguish series; empty where series do not come tag by tag. */
  constructor(grouping: Grouping, fields: Fields, { memory }: Pick<PlanRun, 'memory'>, tags: PlanRun['tags'] = []) {
    const { aggregates, limits } = grouping
    const { accessorOf, columns } = fields
    const keys = grouping.keys.map(({ name }) => accessorOf(name))
    this.accumulators = aggregates.map((aggregate, place) => accumulatorOf(aggregate, columns[place], accessorOf))
    this.#tests = aggregates.map(({ where }) => (where === undefined ? null : filterTests(where, accessorOf)))
    this.items = grouping.countsItems ? new Items(grouping, fields) : null
    const isOfSeries = (key: FieldAccessor): boolean =>
      this.areTagByTag && (key.kind === 'absent' || tags.some((tag) => isSameTag(key, tag)))
    this.areTagByTag =
      tags.length > 0 && tags.every((tag) => tag.kind === 'absent' || keys.some((key) => isSameTag(key, tag)))
    const combined = keys.filter((key) => !isOfSeries(key))
    this.#keys = keys
    this.#places = keys.map((key) => (isOfSeries(key) ? -1 : combined.indexOf(key)))
    this.#combinations = combined.length === 0 ? null : new Combinations(combined)
    this.#table = memory.groups
    this.#limits = limits
    this.#buckets = limits.buckets === Number.POSITIVE_INFINITY ? null : new BucketCount(limits, combined.length === 0)
  }

  get length(): number {
    return this.bucketsMs.length
  }

  /** A series of each group. Keys that come from the series are read from its tags. */
  get series(): Int32Array {
    return this.#series.values
  }

  /** Whether the conditions of all aggregates depend on the series alone. */
  get areOfSeries(): boolean {
    return this.#tests.every((tests) => tests === null || tests.passesRow === null)
  }

  /** Starts the next combination of tags. */
  nextTag(): void {
    this.#tags++
    if (this.#tags === 2 && this.#buckets?.areGroupsOfFirst === true) {
      this.#buckets.seeFirst(this.#table)
      this.#table = new GroupTable()
    } else this.#table.clear()
  }

  /** The first row after `row` that has other keys; `end` if there is none. */
  sameUntil(chunk: Chunk, row: number, end: number): number {
    return this.#combinations?.sameUntil(chunk, row, end) ?? end
  }

  /** Adds rows [start, end) of a series, which belong to one group. */
  addRows(bucketMs: number, chunk: Chunk, start: number, end: number, series: number): void {
    if (this.items?.noteItems(chunk, start, end) === false) return
    const group = this.#take(bucketMs, this.#combinations?.at(chunk, start, series) ?? 0, series)
    for (let place = 0; place < this.accumulators.length; place++) {
      const tests = this.#tests[place]
      if (tests === null) this.accumulators[place].addRows(group, chunk, start, end, series)
      else addPassing(this.accumulators[place], tests, { chunk, start, end }, group, series)
    }
  }

  /** Adds a series for a plan that needs only its tags. */
  addSeries(series: number): void {
    this.addRows(0, noRows, 0, 0, series)
  }

  /** Adds an hour of a series. `keys` is a row with the keys of all its rows, null where tags are the only keys. */
  addHour(
    bucketMs: number,
    hours: readonly ColumnHours[],
    hour: number,
    rows: number,
    series: number,
    keys: RowSlice | null,
  ): void {
    if (this.items?.hasItem(hours, hour) === false) return
    const combination = this.#combinations?.at(keys?.chunk ?? noRows, keys?.start ?? 0, series) ?? 0
    const group = this.#take(bucketMs, combination, series)
    for (let place = 0; place < this.accumulators.length; place++) {
      if (this.#tests[place]?.passesSeries(series) === false) continue
      this.accumulators[place].addHour(group, hours[place], hour, rows, series)
    }
  }

  key(group: number, place: number): FieldKey {
    const combined = this.#places[place]
    if (combined === -1 || this.#combinations === null) {
      return keyAt(this.#keys[place], noRows, 0, this.#series.values[group])
    }
    return this.#combinations.key(this.#combinationOf.values[group], combined)
  }

  /** Compares two groups by their keys, starting at key `fromKey`. */
  compare(left: number, right: number, fromKey: number): number {
    for (let place = fromKey; place < this.#keys.length; place++) {
      const order = compareKeys(this.#keys[place], this.key(left, place), this.key(right, place))
      if (order !== 0) return order
    }
    return 0
  }

  /** The bucket, the keys and the aggregates of a group. */
  row(group: number): GroupValue[] {
    const row: GroupValue[] = [this.bucketsMs.values[group]]
    for (let place = 0; place < this.#keys.length; place++) {
      row.push(keyValue(this.#keys[place], this.key(group, place)))
    }
    for (const accumulator of this.accumulators) row.push(accumulator.value(group))
    return row
  }

  #take(bucketMs: number, combination: number, series: number): number {
    const next = this.length
    const group = this.#table.take(bucketMs, combination, next)
    if (group !== next) return group
    this.#buckets?.take(bucketMs, group, this.#tags <= 1)
    if (group === this.#limits.groups) throw this.#limits.passed('groups')
    this.bucketsMs.push(bucketMs)
    this.#combinationOf.push(combination)
    this.#series.push(series)
    return group
  }
}

/** Counts the distinct buckets of all groups, so that the limit applies as it does to the ticks of a snap. */
class BucketCount {
  /** Whether tags are the only keys: then the buckets of the first tag are its groups. */
  readonly areGroupsOfFirst: boolean
  readonly #limits: GroupLimits
  #seen: GroupTable | null = null
  #count = 0
  /** Whether the limit can still be passed. It cannot after two groups shared a bucket, if the limit of groups is no higher. */
  #mayPass = true

  constructor(limits: GroupLimits, areGroupsOfFirst: boolean) {
    this.#limits = limits
    this.areGroupsOfFirst = areGroupsOfFirst
  }

  /** Receives the groups of the first tag, whose buckets were counted without a lookup. */
  seeFirst(groups: GroupTable): void {
    this.#seen = groups
  }

  /** Counts the bucket of a new group. */
  take(bucketMs: number, group: number, isOfFirst: boolean): void {
    if (!this.#mayPass) return
    const { buckets, groups } = this.#limits
    if ((isOfFirst && this.areGroupsOfFirst) || this.#isNew(bucketMs, group)) this.#count++
    else if (groups <= buckets) this.#mayPass = false
    if (this.#count > buckets) throw this.#limits.passed('buckets')
    if (!this.#mayPass) this.#seen = null
  }

  #isNew(bucketMs: number, group: number): boolean {
    this.#seen ??= new GroupTable()
    return this.#seen.take(bucketMs, 0, group) === group
  }
}

function isSameTag(key: FieldAccessor, tag: FieldAccessor): boolean {
  return key.kind === 'tag' && tag.kind === 'tag' && key.tag === tag.tag
}

/** Adds neighbouring rows that pass together. */
function addPassing(
  accumulator: Accumulator,
  { passesSeries, passesRow }: FilterTests,
  { chunk, start, end }: RowSlice,
  group: number,
  series: number,
): void {
  if (!passesSeries(series)) return
  if (passesRow === null) {
    accumulator.addRows(group, chunk, start, end, series)
    return
  }
  for (let row = start; row < end; row++) {
    const first = row
    while (row < end && passesRow(chunk, row, series)) row++
    if (row > first) accumulator.addRows(group, chunk, first, row, series)
  }
}

function keyValue(accessor: FieldAccessor, key: FieldKey): GroupValue {
  if (key === null || accessor.kind === 'time') return null
  if (accessor.type === 'string') return accessor.dictionary.strings[Number(key)]
  return accessor.type === 'long' ? BigInt(key) : key
}
