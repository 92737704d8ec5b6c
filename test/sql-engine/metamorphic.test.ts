// Random queries, some in `npm test`, many in `npm run test:agreement`: see metamorphic.ts. `TIDEMARK_TEST_SEED` sets the first seed.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { rounds } from '../support/rounds.ts'
import { belowLimit, Metamorphic, threeParts, windowAlone } from './metamorphic.ts'
import { type Planted, Worlds } from './worlds.ts'

const first = Number(process.env['TIDEMARK_TEST_SEED'] ?? 1)

let worlds: Worlds
beforeAll(async () => {
  worlds = await Worlds.open()
})
afterAll(() => worlds.close())

const count = rounds(120)

test(`${count} relations between random queries hold`, { timeout: 120_000 + count * 1000 }, async () => {
  const metamorphic = new Metamorphic(worlds)
  const wrong: string[] = []
  for (let seed = first; seed < first + count && wrong.length < 5; seed++) {
    const found = await metamorphic.check(seed)
    if (found !== null) wrong.push(found)
  }
  console.log(`${metamorphic.asked} queries; ${metamorphic.refused} relations of ${count} had a query that is refused`)
  expect(wrong).toEqual([])
  expect(metamorphic.refused / count).toBeLessThan(0.3)
})

/** The fault, the relation that shows it, the first seed to try (close to one that shows it, to save time), and the change to the earlier SQL. */
const planted = [
  [
    'IS DISTINCT FROM without IS TRUE in an OR',
    threeParts,
    100,
    (text) => text.replaceAll(/(DISTINCT FROM [^()]*\)) IS TRUE\)/g, '$1)'),
  ],
  [
    'an equality of two nulls without IS TRUE',
    threeParts,
    1,
    (text) => text.replaceAll('IS NULL) IS TRUE)', 'IS NULL))'),
  ],
  ['a LIMIT in a CTE that is not materialized', belowLimit, 1, (text) => text.replaceAll('AS MATERIALIZED', 'AS')],
  [
    'a repeated partition key of a window',
    windowAlone,
    60,
    (text) => text.replaceAll(/PARTITION BY (r\d+\.c\d+)\)/g, 'PARTITION BY $1, $1)'),
  ],
] as const satisfies readonly (readonly [string, unknown, number, Planted])[]

test.each(planted)('a planted fault is caught: %s', { timeout: 240_000 }, async (_fault, relation, from, plant) => {
  const metamorphic = new Metamorphic(worlds, plant)
  let found: string | null = null
  for (let seed = from; seed <= 1000 && found === null; seed++) found = await metamorphic.check(seed, relation)
  expect(found).toContain('with its optimizers')
})
