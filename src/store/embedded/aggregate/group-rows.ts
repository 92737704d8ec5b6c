import type { AggregationPlan, GroupValue } from '../../../algebra/aggregation.ts'
import { type Chunk, newChunk, type Stretch } from '../head/chunk.ts'
import { GrowableFloat64, GrowableInt32 } from '../head/growable.ts'
import { Combinations } from '../run/combinations.ts'
import type { FieldAccessor, FieldKey } from '../run/field-accessor.ts'
import { GroupTable } from '../run/group-table.ts'
import { type Accumulator, accumulatorOf, type ColumnHours } from './accumulator.ts'
import { AnotherWay } from './another-way.ts'
import { type FilterTests, filterTests } from './row-conditions.ts'

export interface GroupFields {
  readonly accessorOf: (name: string) => FieldAccessor
  /** The index of the column of each aggregate, -1 where it has none. */
  readonly columns: readonly number[]
}

const noRows = newChunk(0)

/** The groups of an aggregation: a bucket and a combination of keys each. */
export class GroupRows {
  readonly accumulators: readonly Accumulator[]
  /** Which rows each aggregate is of; null where all are. */
  readonly #tests: readonly (FilterTests | null)[]
  readonly #combinations: Combinations
  readonly #keys: readonly FieldAccessor[]
  readonly #groups = new GroupTable()
  readonly #bucketsMs = new GrowableFloat64()
  readonly #combinationOf = new GrowableInt32()
  readonly #groupsMax: number

  constructor({ aggregates, keys: keyFields, groupsMax }: AggregationPlan, { accessorOf, columns }: GroupFields) {
    const keys = keyFields.map(({ name }) => accessorOf(name))
    this.accumulators = aggregates.map((aggregate, place) => accumulatorOf(aggregate, columns[place], accessorOf))
    this.#tests = aggregates.map(({ where }) => (where === undefined ? null : filterTests(where, accessorOf)))
    this.#combinations = new Combinations(keys)
    this.#keys = keys
    this.#groupsMax = groupsMax
  }

  get length(): number {
    return this.#bucketsMs.length
  }

  /** The first row of a series after `row` that has other keys; `end` when there is none. */
  sameUntil(chunk: Chunk, row: number, end: number): number {
    return this.#combinations.sameUntil(chunk, row, end)
  }

  /** The group of a row. */
  at(bucketMs: number, chunk: Chunk, row: number, series: number): number {
    return this.#take(bucketMs, this.#combinations.at(chunk, row, series))
  }

  /** The group of rows of a series, where all keys are tags. */
  ofSeries(bucketMs: number, series: number): number {
    return this.#take(bucketMs, this.#combinations.at(noRows, 0, series))
  }

  /** Whether no aggregate needs more than the series of a row to know whether it counts. */
  get areOfSeries(): boolean {
    return this.#tests.every((tests) => tests === null || tests.passesRow === null)
  }

  /** Adds a series of which only tags are asked for. */
  addSeries(series: number): void {
    this.addRows(this.ofSeries(0, series), noRows, 0, 0, series)
  }

  /** Adds rows [start, end) of a series. */
  addRows(group: number, chunk: Chunk, start: number, end: number, series: number): void {
    for (let place = 0; place < this.accumulators.length; place++) {
      const tests = this.#tests[place]
      if (tests === null) this.accumulators[place].addRows(group, chunk, start, end, series)
      else addPassing(this.accumulators[place], tests, { chunk, start, end }, group, series)
    }
  }

  addHour(group: number, hours: readonly ColumnHours[], hour: number, rows: number, series: number): void {
    for (let place = 0; place < this.accumulators.length; place++) {
      if (this.#tests[place]?.passesSeries(series) === false) continue
      this.accumulators[place].addHour(group, hours[place], hour, rows, series)
    }
  }

  /** Its bucket, its keys, its aggregates. */
  row(group: number): GroupValue[] {
    const combination = this.#combinationOf.values[group]
    const row: GroupValue[] = [this.#bucketsMs.values[group]]
    for (let place = 0; place < this.#keys.length; place++) {
      row.push(keyValue(this.#keys[place], this.#combinations.key(combination, place)))
    }
    for (const accumulator of this.accumulators) row.push(accumulator.value(group))
    return row
  }

  #take(bucketMs: number, combination: number): number {
    const next = this.length
    const group = this.#groups.take(bucketMs, combination, next)
    if (group !== next) return group
    if (group === this.#groupsMax) throw new AnotherWay()
    this.#bucketsMs.push(bucketMs)
    this.#combinationOf.push(combination)
    return group
  }
}

/** Neighbouring rows that pass are added together. */
function addPassing(
  accumulator: Accumulator,
  { passesSeries, passesRow }: FilterTests,
  { chunk, start, end }: Stretch,
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
