import { dataQuery } from './data-query.ts'

export const postAverage = dataQuery('average', {
  summary: 'Means for each bucket and tag.',
  rows: 'A row for each bucket and tag that has items, ordered by bucket, then tag.',
})
