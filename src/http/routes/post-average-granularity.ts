import { dataQuery } from './data-query.ts'

export const postAverageGranularity = dataQuery('average-granularity', {
  summary: 'The mean of each metric for each bucket and combination of fields.',
  rows: 'A row for each bucket and combination of `fields` that has items, in this order; all selected tags are pooled.',
})
