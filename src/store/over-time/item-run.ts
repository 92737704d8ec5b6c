import type { Value } from '../../model/column.ts'

/** Neighbouring items of one function of time: rows [start, end), by time and then by position. */
export interface ItemRun {
  readonly times: Float64Array
  readonly start: number
  readonly end: number
  /** The values of a metric that is a number by row, `NaN` for null; null where it has none, or is no number. */
  numbers(metric: number): Float64Array | null
  value(metric: number, row: number): Value
  position(row: number): number
  /** What is shown of a row before its metrics. */
  shown(row: number): readonly Value[]
  /** Some of its rows. */
  part(start: number, end: number): ItemRun
  /** Null where all are taken, and good. */
  readonly quality: QualityOfRows | null
}

export interface QualityOfRows {
  isTaken(row: number): boolean
  isGood(row: number): boolean
}

/** The digits of a number of a run that is a long beyond 2^53; null of others. */
export function digitsAt(run: ItemRun, metric: number, row: number, value: number): bigint | null {
  if (!Number.isInteger(value) || Number.isSafeInteger(value)) return null
  const long = run.value(metric, row)
  return typeof long === 'bigint' ? long : null
}
