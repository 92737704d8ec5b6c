import type { ItemOfMetric } from './function-of-time.ts'

/**
 * What neighbouring items of one metric say together: at least one, each of a date of its own, and no other item lies between two of them.
 * What is not known is NaN.
 */
export interface ItemRollup {
  readonly count: number
  readonly first: ItemOfMetric
  readonly last: ItemOfMetric
  /** The longest time between two neighbours. */
  readonly longestGapMs: number
  readonly sum: number
  /** What the additions lost. */
  readonly lost: number
  readonly least: number
  readonly greatest: number
  /** Dates of the first least and the first greatest one. */
  readonly leastMs: number
  readonly greatestMs: number
  /** The sum of squares of the differences to the mean. */
  readonly squares: number
  /** From the first to the last item, in value times milliseconds: of values that hold, and of values on the line. */
  readonly held: number
  readonly line: number
  /** How often a value is less than the one before, the sum of these falls, and that of the values that they end on, where these are positive. */
  readonly falls: number
  readonly fallen: number
  readonly restarted: number
}
