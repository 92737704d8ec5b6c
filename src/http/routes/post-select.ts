import { dataQuery } from './data-query.ts'

export const postSelect = dataQuery('select', {
  summary: 'The items in a range of time.',
  rows: 'The items, ordered by time, then tag, then `fields`.',
})
