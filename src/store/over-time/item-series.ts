// Passes the items of a series to the functions of time of its metrics.
import type { Value } from '../../model/column.ts'
import type { FieldType } from '../../model/field.ts'
import { formatInstant } from '../../model/instant.ts'
import type { FunctionOfTime, ItemOfMetric, ItemRollup, KeptItems } from './function-of-time.ts'
import type { GoodShares } from './good-shares.ts'
import { digitsAt, type ItemRun } from './item-run.ts'

/** Receives the items of one combination of tags and fields, in time order. */
export interface Series {
  add(run: ItemRun): void
  /** Whether it can receive rollups of several items. */
  readonly acceptsRollups: boolean
  /** Whether the rollups of neighbouring items can replace them. There is one for each metric, null for a metric without items. */
  canAdd(rollups: readonly (ItemRollup | null)[]): boolean
  /** Adds items that `canAdd` accepts. */
  addRollups(rollups: readonly (ItemRollup | null)[]): void
  /** Whether kept hours are sufficient. There is one for each metric, null for a metric without values in the hour. */
  canAddKept(hours: readonly (KeptItems | null)[]): boolean
  /** Adds hours that `canAddKept` accepts. */
  addKept(hours: readonly (KeptItems | null)[]): void
  /**
   * Adds the first item of a metric after the window, which belongs to none of the window's buckets. `endedMs` is when the value before it ends;
   * NaN if it does not.
   */
  addNext(metric: number, item: ItemOfMetric, endedMs: number): void
  /** Whether later items cannot change the result. */
  readonly isOver: boolean
  finish(): Promise<void>
}

export function seriesOf(
  functions: readonly FunctionOfTime[],
  {
    read,
    finish,
    acceptsRollups,
    shares,
  }: Pick<Series, 'finish' | 'acceptsRollups'> & {
    readonly read: readonly ((run: ItemRun) => void)[]
    readonly shares: readonly GoodShares[] | null
  },
): Series {
  const rollups = rollupsTo(functions)
  return {
    acceptsRollups,
    get isOver(): boolean {
      return functions.every((one) => one.isOver)
    },
    add: (run) => {
      for (const part of takenParts(run, functions)) for (const one of read) one(part)
      if (shares !== null) addShares(run, shares)
      // Later runs have later dates, or items of this date, which are in no window that ended before it.
      if (run.end > run.start) for (const one of functions) one.pass(run.times[run.end - 1])
    },
    finish,
    canAdd: rollups.canAdd,
    canAddKept: (hours) => hours.every((hour, metric) => hour === null || functions[metric].canAddKept(hour)),
    addKept: (hours) => {
      for (const [metric, hour] of hours.entries()) {
        if (hour === null) continue
        functions[metric].addKept(hour)
        if (hour.rollup !== null) shares?.[metric].addRollup(hour.rollup)
      }
    },
    addNext: (metric, item, endedMs) => functions[metric].addNext(item, endedMs),
    addRollups: (all) => {
      rollups.addRollups(all)
      for (const [metric, rollup] of all.entries()) if (rollup !== null) shares?.[metric].addRollup(rollup)
    },
  }
}

/** The accepted rows. Other rows end, in their order, the values of the metrics that they have a value of. */
export function* takenParts(run: ItemRun, functions: readonly FunctionOfTime[] = []): Generator<ItemRun> {
  const { quality, end } = run
  if (quality === null) {
    yield run
    return
  }
  for (let row = run.start; row < end; row++) {
    const start = row
    while (row < end && quality.isTaken(row)) row++
    if (row > start) yield run.part(start, row)
    if (row === end) return
    for (const [metric, one] of functions.entries()) if (run.value(metric, row) !== null) one.end(run.times[row])
  }
}

function addShares(run: ItemRun, shares: readonly GoodShares[]): void {
  for (let row = run.start; row < run.end; row++) {
    const isGood = run.quality === null || run.quality.isGood(row)
    for (const [metric, one] of shares.entries()) if (run.value(metric, row) !== null) one.add(run.times[row], isGood)
  }
}

/** Passes each rollup to its metric. */
export function rollupsTo(
  metrics: readonly Pick<FunctionOfTime, 'canAdd' | 'addRollup'>[],
): Pick<Series, 'canAdd' | 'addRollups'> {
  return {
    canAdd: (rollups) => rollups.every((rollup, metric) => rollup === null || metrics[metric].canAdd(rollup)),
    addRollups: (rollups) => {
      for (const [metric, rollup] of rollups.entries()) if (rollup !== null) metrics[metric].addRollup(rollup)
    },
  }
}

interface MetricTexts {
  readonly type: FieldType
  readonly texts: Texts
}

/** Maps the values of a metric to numbers: their indices, in the order in which they came. */
export class Texts {
  readonly all: string[] = []
  readonly values: Value[] = []
  readonly #places = new Map<Value, number>()

  placeOf(value: Value, text: string): number {
    const known = this.#places.get(value)
    if (known !== undefined) return known
    this.values.push(value)
    const place = this.all.push(text) - 1
    this.#places.set(value, place)
    return place
  }
}

export function addNumbers(run: ItemRun, metric: number, to: FunctionOfTime): void {
  const values = run.numbers(metric)
  if (values === null) return
  const { times, start, end } = run
  for (let row = start; row < end; row++) {
    const value = values[row]
    if (Number.isNaN(value)) continue
    to.add(times[row], value, digitsAt(run, metric, row, value))
  }
}

export function addTexts(run: ItemRun, metric: number, { type, texts }: MetricTexts, to: FunctionOfTime): void {
  for (let row = run.start; row < run.end; row++) {
    const value = run.value(metric, row)
    if (value !== null) to.add(run.times[row], texts.placeOf(value, textOf(value, type)))
  }
}

/** A value as JSON writes it, without the quotes of a string or an instant. */
function textOf(value: Value, type: FieldType): string {
  if (type === 'timestamp') return formatInstant(Number(value))
  return typeof value === 'string' ? value : value === 0 ? '0' : String(value)
}
