import type { Value } from '../../model/column.ts'

/** Neighbouring items of one function of time: rows [start, end), ordered by time and position. */
export interface ItemRun {
  readonly times: Float64Array
  readonly start: number
  readonly end: number
  /** The values of a numeric metric by row, `NaN` for null; null if there are none, or the metric is not numeric. */
  numbers(metric: number): Float64Array | null
  value(metric: number, row: number): Value
  position(row: number): number
  /** The values of a row that a result shows before its metrics. */
  shown(row: number): readonly Value[]
  /** Some of the rows. */
  part(start: number, end: number): ItemRun
  /** Null where all items are accepted and good. */
  readonly quality: QualityOfRows | null
}

export interface QualityOfRows {
  isTaken(row: number): boolean
  isGood(row: number): boolean
}

/** The exact value of a long beyond 2^53; null for other numbers. */
export function digitsAt(run: ItemRun, metric: number, row: number, value: number): bigint | null {
  if (!Number.isInteger(value) || Number.isSafeInteger(value)) return null
  const long = run.value(metric, row)
  return typeof long === 'bigint' ? long : null
}
