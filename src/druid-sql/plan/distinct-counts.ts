/** What is counted: all values, or texts that are not empty. */
export type DistinctValues = 'values' | 'texts'

/** Exact here: see `src/druid-sql/functions/aggregates.ts`. */
export const distinctCounts: ReadonlyMap<string, DistinctValues> = new Map([
  ['APPROX_COUNT_DISTINCT', 'values'],
  ['APPROX_COUNT_DISTINCT_BUILTIN', 'values'],
  ['APPROX_COUNT_DISTINCT_DS_HLL', 'texts'],
  ['APPROX_COUNT_DISTINCT_DS_THETA', 'texts'],
])
