// Aggregates of doubles in the SQL engine that go beyond all doubles on their way, though their value is a double.
import { type Sql, sql } from './sql-text.ts'

/** Exact but for numbers that vanish beside such sums. */
const scale = 2 ** -64
const most = sql.double(Number.MAX_VALUE * scale)
const back = sql.double(1 / scale)

/** What is summed up beside the values themselves. */
export const scaled = (value: Sql): Sql => sql`(${value} * ${sql.double(scale)})`

/** The sum; where that is no number, by the sum of what is scaled. */
export const sumInRange = (sum: Sql, ofScaled: Sql): Sql =>
  sql`CASE WHEN isfinite(${sum}) THEN ${sum} ELSE ${ofScaled} * ${back} END`

/** The mean likewise. Rounding may lead a hair beyond the largest double. */
export const meanInRange = (mean: Sql, ofScaled: Sql): Sql =>
  sql`CASE WHEN isfinite(${mean}) THEN ${mean} WHEN isfinite(${ofScaled}) THEN greatest(least(${ofScaled}, ${most}), -${most}) * ${back} ELSE ${mean} END`

/** The squares of larger numbers may be beyond all doubles, which the engine fails at: nothing can be said of them. */
export const squaredMax = 1e140
