import { dataQuery } from './data-query.ts'

export const postSnap = dataQuery('snap', {
  summary: 'The state of each tag at each tick.',
  rows: 'An item for each tick and tag, ordered by tick, then tag; the tick is under `snap`.',
})
