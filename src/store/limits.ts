import { Problem } from '../model/problem.ts'

const narrower = 'Narrow the query to a shorter range of dates, or to fewer tags (ids, prefixes)'

/** `rows` is null when the query ended before all of its rows were counted. */
export function resultTooLarge(limit: number, rows: number | null): Problem {
  const size = rows === null ? `more than ${limit} rows` : `${rows} rows`
  return new Problem(
    'result_too_large',
    `The answer would have ${size}, and limits.resultRows is ${limit}. ${narrower}.`,
  )
}

/** Values over time are held per metric until the rows of their tag are complete. */
export function tooManyBuffered(limit: number): Problem {
  return new Problem(
    'result_too_large',
    `The query would hold more than ${limit} values of buckets or ticks at once, which is the limit. ${narrower}, to fewer metrics (metric_name_field), to no fields, or to a coarser granularity.`,
  )
}

/** The query ended before all of its buckets were counted. */
export function tooManyBuckets(limit: number): Problem {
  return new Problem(
    'too_many_buckets',
    `The answer would have more than ${limit} buckets, which is limits.buckets. ${narrower}, or to a coarser granularity.`,
  )
}

/** Values over time need all rows of a range. */
export function tooManyRead(rows: number, limit: number): Problem {
  return new Problem(
    'result_too_large',
    `The query would read ${rows} rows, and limits.readRows is ${limit}. Narrow the query: a shorter range of dates, fewer tags (ids, prefixes), or no fields.`,
  )
}
