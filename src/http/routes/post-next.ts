import { dataQuery } from './data-query.ts'

export const postNext = dataQuery('next', {
  summary: 'The item of each tag after a date.',
  rows: 'An item for each tag that has one, ordered by time, then tag.',
})
