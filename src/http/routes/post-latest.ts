import { dataQuery } from './data-query.ts'

export const postLatest = dataQuery('latest', {
  summary: 'The newest item of each tag.',
  rows: 'An item for each tag, ordered by time, then tag.',
})
