import { Problem } from '../model/problem.ts'

const narrower = 'Ask for a shorter range of dates, or for fewer tags (ids, prefixes)'

/** `rows` is null when the query was ended before all of its rows were counted. */
export function resultTooLarge(limit: number, rows: number | null): Problem {
  const size = rows === null ? `more than ${limit} rows` : `${rows} rows`
  return new Problem(
    'result_too_large',
    `The answer would have ${size}, and limits.resultRows is ${limit}. ${narrower}.`,
  )
}

/** The query was ended before all of its buckets were counted. */
export function tooManyBuckets(limit: number): Problem {
  return new Problem(
    'too_many_buckets',
    `The answer would have more than ${limit} buckets, which is limits.buckets. ${narrower}, or for a coarser granularity.`,
  )
}
