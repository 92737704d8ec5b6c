// The server is killed at every step of a deletion, and of the rewrites that erase deleted rows.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type CrashPoint, deletionCrashPoints } from '../../src/observe/crash-point.ts'
import { DeletionWorld } from './deletion-world.ts'
import { withPasses } from './passes.ts'

const seed = Number(process.env['TIDEMARK_TEST_SEED'] ?? Date.now() % 1_000_000)
/** Steps around the transaction that exchanges files with their vectors; the others are steps of every merge (steps.test.ts). */
const rewriteSteps = [
  'merge-file-renamed',
  'merge-manifest-committed',
  'merge-readers-switched',
  'merge-files-removed',
] as const
const steps = withPasses<CrashPoint>([...deletionCrashPoints, ...rewriteSteps], () => [6, 1])

let world: DeletionWorld
beforeAll(async () => {
  world = await DeletionWorld.open(seed)
})
afterAll(() => world?.close())

test.each(steps)(
  `every row is right after a crash at %s, passed %i times before (TIDEMARK_TEST_SEED=${seed})`,
  { timeout: 300_000 },
  async (step, passes) => {
    await world.endAt(step, passes)
    expect(await world.faults()).toEqual([])
  },
)
