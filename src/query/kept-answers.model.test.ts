// Random histories (rows, replays, seals, merges, restarts, days that leave and are purged), in which the same questions are asked again and
// again: what was kept is what the store answers now, at each step.
import { tmpdir } from 'node:os'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { checkHistory } from '../../test/support/data-at-rest.ts'
import { inProcessRunner } from '../../test/support/in-process.ts'
import { randomMemoryFolder } from '../../test/support/memory-files.ts'
import { planSince } from '../../test/support/plan-since.ts'
import { drawFrom, oneOf, randomPlan } from '../../test/support/random-rows.ts'
import { rounds } from '../../test/support/rounds.ts'
import { UnsentAnswers } from '../answer/unsent-answers.ts'
import { Cancellation } from '../lib/cancellation.ts'
import { ChangeCounts } from '../lib/change-counts.ts'
import type { Plan } from '../model/plan.ts'
import type { EmbeddedStore } from '../store/embedded/embedded-store.ts'
import { KeptAnswers } from './kept-answers.ts'

type Counted = Pick<ChangeCounts, 'changed' | 'allChanged'>

const dayMs = 86_400_000
const spool = { answerMemoryBytes: 1e6, memoryBytes: 1e9, fileBytes: 0 }
const limits = { resultRows: 1e6, buckets: 1e6, resultBytes: 1e9 }

/** How often a kept answer was good. */
async function check(seed: number, plant: (counts: ChangeCounts) => Counted): Promise<number> {
  const draw = drawFrom(seed)
  // Histories begin in 1970: their days are told apart, or are all very old.
  const changes = ChangeCounts.fresh(oneOf(draw, [0, 50 * dayMs, 20_000 * dayMs]))
  const unsent = new UnsentAnswers(spool)
  const kept = new KeptAnswers({ bytesMax: 10_000 + draw(100_000), changes, isReady: () => true, unsent })
  const asked: Plan[] = []
  let last: EmbeddedStore | null = null
  let hits = 0
  const ask = async (store: EmbeddedStore, plan: Plan): Promise<void> => {
    const format = oneOf(draw, ['json', 'csv', 'arrow'] as const)
    const question = kept.question(plan, format)!
    const found = kept.find(question)
    const runner = inProcessRunner(store, { spoolDirectory: tmpdir() })
    const fresh = await runner.run(plan, format, limits, new Cancellation())
    if (found === null) return kept.keep(question, fresh)
    hits++
    expect(found.text).toBe(fresh.text)
    expect(found.rows).toBe(fresh.rows)
  }
  await checkHistory(seed, {
    folder: randomMemoryFolder,
    changes: plant(changes),
    look: async ({ store, entity, sinceMs }) => {
      for (let more = draw(5); more > 0; more--) asked.push(randomPlan(draw, entity, oneOf(draw, [60_000, 9 * dayMs])))
      for (let round = 0; round < 4; round++) for (const plan of asked) await ask(store, planSince(plan, sinceMs))
      last = store
    },
  })
  if (last === null) return hits
  const store: EmbeddedStore = last
  store.drop(1, () => undefined)
  for (const plan of asked) await ask(store, plan)
  return hits
}

const honest = (counts: ChangeCounts): Counted => counts

test('what was kept is what the store answers', async () => {
  let hits = 0
  await fc.assert(
    fc.asyncProperty(fc.nat(), async (seed) => {
      hits += await check(seed, honest)
    }),
    { numRuns: rounds(100) },
  )
  expect(hits).toBeGreaterThan(rounds(100))
})

test.each<[string, (counts: ChangeCounts) => Counted]>([
  ['rows that are not counted', (counts) => ({ changed: () => undefined, allChanged: (id) => counts.allChanged(id) })],
  [
    'rows of which the first is counted alone',
    (counts) => ({
      changed: (id, timesMs, rows) => counts.changed(id, timesMs, Math.min(rows, 1)),
      allChanged: (id) => counts.allChanged(id),
    }),
  ],
  [
    'files and drops that are not counted',
    (counts) => ({ changed: (...rows) => counts.changed(...rows), allChanged: () => undefined }),
  ],
])('the canary: the same check finds %s', async (_, plant) => {
  const found = await fc.check(
    fc.asyncProperty(fc.nat(), async (seed) => {
      await check(seed, plant)
    }),
    { numRuns: 300, endOnFailure: true, seed: 13 },
  )
  expect(found.errorInstance).toMatchObject({ name: 'AssertionError' })
})
