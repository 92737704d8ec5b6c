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
}

/** The digits of a number of a run that is a long beyond 2^53; null of others. */
export function digitsAt(run: ItemRun, metric: number, row: number, value: number): bigint | null {
  if (!Number.isInteger(value) || Number.isSafeInteger(value)) return null
  const long = run.value(metric, row)
  return typeof long === 'bigint' ? long : null
}
