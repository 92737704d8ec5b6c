// Readers of live rows, through cuts and kills.
import { expect, test } from 'vitest'
import { checkLive } from '../support/live-rounds.ts'
import { rounds } from '../support/rounds.ts'

test.each(Array.from({ length: rounds(6) }, (_, seed) => seed))(
  'each reader has the rows that it asked for, once and in order (seed %i)',
  (seed) => checkLive(seed, { steps: 60 }),
)

test('the same check finds a reader that goes on from an id one too early', async () => {
  const found = checkLive(3, { steps: 60, idOf: ({ lastId, idBefore }) => idBefore ?? lastId })
  await expect(found).rejects.toThrow(/expected/)
})
