import { dataQuery } from './data-query.ts'

export const postLast = dataQuery('last', {
  summary: 'The item of each tag before a date.',
  rows: 'An item for each tag that has one, ordered by time, then tag.',
})
