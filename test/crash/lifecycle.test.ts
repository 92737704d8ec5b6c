// The server is killed at every step of a replay, of dropping an entity and of expiring items.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { lifecycleCrashPoints } from '../../src/observe/crash-point.ts'
import { testProgram } from '../support/compiled.ts'
import { LifecycleWorld } from './lifecycle-world.ts'
import { withPasses } from './passes.ts'

const seed = Number(process.env['TIDEMARK_TEST_SEED'] ?? Date.now() % 1_000_000)
const steps = withPasses(lifecycleCrashPoints, () => [0, 2])

let world: LifecycleWorld
beforeAll(async () => {
  world = await LifecycleWorld.open(seed)
})
afterAll(() => world?.close())

test.each(steps)(
  `the state is right after a crash at %s, passed %i times before (TIDEMARK_TEST_SEED=${seed})`,
  { timeout: 900_000 },
  async (step, passes) => {
    await world.endAt(step, passes)
    expect(await world.faults()).toEqual([])
  },
)

test('canary: a store that applies a replay twice is detected', { timeout: 900_000 }, async () => {
  const planted = await LifecycleWorld.open(seed, testProgram('crash/serve-replay-twice'))
  try {
    await planted.endAt('replay-taken', 2)
    expect(await planted.faults()).toContainEqual(expect.stringMatching(/is there 2 times/))
  } finally {
    await planted.close()
  }
})
