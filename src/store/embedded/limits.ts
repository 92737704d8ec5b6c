import { Problem } from '../../model/problem.ts'

const narrower = 'ask for a shorter range of dates, or for fewer ids'

/** `rows` is null when the query was ended before all of its rows were counted. */
export function resultTooLarge(limit: number, rows: number | null): Problem {
  const size = rows === null ? `more than ${limit} rows` : `${rows} rows`
  return new Problem('result_too_large', `the answer would have ${size}, the limit is ${limit}: ${narrower}`)
}

export function tooManyBuckets(limit: number): Problem {
  const detail = `the answer would have more than ${limit} buckets, which is the limit: ask for a coarser granularity, or ${narrower}`
  return new Problem('too_many_buckets', detail)
}
