import type { AggregationPlan, GroupValue } from '../../../model/aggregation.ts'
import { type Chunk, newChunk } from '../head/chunk.ts'
import { GrowableFloat64, GrowableInt32 } from '../head/growable.ts'
import { Combinations } from '../run/combinations.ts'
import type { FieldKey, FieldReader } from '../run/field-reader.ts'
import { GroupTable } from '../run/group-table.ts'
import { type Accumulator, accumulatorOf, type ColumnHours } from './accumulator.ts'

/** Thrown where there are more groups than may be kept, or more rows than may be read: another way answers then. */
export class TooMuchToDo extends Error {}

const noRows = newChunk(0)

/** The groups of an aggregation: a bucket and a combination of keys each. */
export class GroupRows {
  readonly accumulators: readonly Accumulator[]
  readonly #combinations: Combinations
  readonly #keys: readonly FieldReader[]
  readonly #groups = new GroupTable()
  readonly #bucketsMs = new GrowableFloat64()
  readonly #combinationOf = new GrowableInt32()
  readonly #groupsMax: number

  constructor({ aggregates, groupsMax }: AggregationPlan, keys: readonly FieldReader[], columns: readonly number[]) {
    this.accumulators = aggregates.map((aggregate, place) => accumulatorOf(aggregate, columns[place]))
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

  addRows(group: number, chunk: Chunk, start: number, end: number): void {
    for (const accumulator of this.accumulators) accumulator.addRows(group, chunk, start, end)
  }

  addHour(group: number, hours: readonly ColumnHours[], hour: number, rows: number): void {
    for (let place = 0; place < this.accumulators.length; place++) {
      this.accumulators[place].addHour(group, hours[place], hour, rows)
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
    if (group === this.#groupsMax) throw new TooMuchToDo()
    this.#bucketsMs.push(bucketMs)
    this.#combinationOf.push(combination)
    return group
  }
}

function keyValue(reader: FieldReader, key: FieldKey): GroupValue {
  if (key === null || reader.kind === 'time') return null
  if (reader.type === 'string') return reader.dictionary.strings[Number(key)]
  return reader.type === 'long' ? BigInt(key) : key
}
