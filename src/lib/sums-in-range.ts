// Aggregates of doubles in the SQL engine that overflow on the way although their result is a double.
import { type Sql, sql } from './sql-text.ts'

/** Exact except for numbers that are negligible in sums of that size. */
const scale = 2 ** -64
const most = sql.double(Number.MAX_VALUE * scale)
const back = sql.double(1 / scale)

/** The value to aggregate in addition to the value itself. */
export const scaled = (value: Sql): Sql => sql`(${value} * ${sql.double(scale)})`

/** The sum; if that is not finite, computed from the sum of the scaled values. */
export const sumInRange = (sum: Sql, ofScaled: Sql): Sql =>
  sql`CASE WHEN isfinite(${sum}) THEN ${sum} ELSE ${ofScaled} * ${back} END`

/** The mean, computed likewise. It is clamped, because rounding may go just beyond the largest double. */
export const meanInRange = (mean: Sql, ofScaled: Sql): Sql =>
  sql`CASE WHEN isfinite(${mean}) THEN ${mean} WHEN isfinite(${ofScaled}) THEN greatest(least(${ofScaled}, ${most}), -${most}) * ${back} ELSE ${mean} END`

/** The squares of larger numbers may overflow, which is an error in the engine; they have no result. */
export const squaredMax = 1e140
