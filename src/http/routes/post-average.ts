import { dataQuery } from './data-query.ts'

export const postAverage = dataQuery('average', {
  summary: 'The mean of each metric for each bucket and tag.',
  rows: 'A row for each bucket and tag that has items, ordered by bucket, then tag.',
})
