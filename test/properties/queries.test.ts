// The whole path without HTTP: random histories of an entity (rows pushed through several ingests, fields added, rejected rows replayed, items expiring) in
// one process of plain parts, and random requests, whose answers are read as bytes in each format. A plain model computes the expected results, also after a
// restart from the journal. TIDEMARK_TEST_WORLDS sets the number of worlds, TIDEMARK_TEST_SEED the seed of a failed one.

import { expect, test } from 'vitest'
import { spanMs, type Times } from '../support/random-queries.ts'
import { rounds } from '../support/rounds.ts'
import { firstSeed, seeded, worldsAsked } from './asked-worlds.ts'
import type { HistoryWorld } from './history-world.ts'
import { InProcessWorld } from './in-process-world.ts'
import { plantedFaults } from './planted-faults.ts'
import { type HistorySize, RandomHistory } from './random-history.ts'

const worlds = worldsAsked ?? rounds(60)
/** The canaries are the same in each run. */
const canarySeed = 12
const size: HistorySize = { batchesMax: 6, rowsMax: 30, minutes: 1, questions: 20 }
const originMs = Date.UTC(2026, 0, 1)
const times: Times = { originMs, nowMs: originMs + spanMs / 2 }

async function run(seed: number, plant: (world: HistoryWorld) => HistoryWorld = (world) => world): Promise<void> {
  const world = new InProcessWorld(times)
  const history = new RandomHistory(seed, size, times, plant(world))
  await history.begin()
  await world.restart()
  await history.continueAfterRestart()
  await world.close()
}

test(`${worlds} worlds answer ${size.questions} random requests each like the model, before and after a restart`, async () => {
  for (let seed = firstSeed; seed < firstSeed + worlds; seed++) await seeded(seed, () => run(seed))
}, 600_000)

test.each(plantedFaults)('random requests detect a planted fault: %s', async (_, plant) => {
  const isShown = (seed: number): Promise<boolean> =>
    run(seed, plant).then(
      () => false,
      (error: unknown) => String(error).includes('asked '),
    )
  let seed = canarySeed
  while (seed < canarySeed + 60 && !(await isShown(seed))) seed++
  expect(seed).toBeLessThan(canarySeed + 60)
})
