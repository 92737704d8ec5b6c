// The server ends at every step of a replay, of dropping an entity and of items that leave.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { lifecycleSteps } from '../../src/observe/step.ts'
import { LifecycleWorld } from './lifecycle-world.ts'

const seed = Number(process.env['TIDEMARK_CRASH_SEED'] ?? Date.now() % 1_000_000)
const steps = lifecycleSteps.flatMap((step) => [0, 2].map((passes) => [step, passes] as const))

let world: LifecycleWorld
beforeAll(async () => {
  world = await LifecycleWorld.open(seed)
})
afterAll(() => world?.close())

test.each(steps)(
  `a crash at %s, passed %i times before (TIDEMARK_CRASH_SEED=${seed})`,
  { timeout: 60_000 },
  async (step, passes) => {
    await world.endAt(step, passes)
    expect(await world.faults()).toEqual([])
  },
)
