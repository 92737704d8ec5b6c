import { dataQuery } from './data-query.ts'

export const postAverageDimensions = dataQuery('average-dimensions', {
  summary: 'The mean of each metric for each bucket, tag and combination of fields.',
  rows: 'A row for each bucket, tag and combination of `fields` that has items, in this order.',
})
