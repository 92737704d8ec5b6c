// The machine is lost while it copies, again and again: no acknowledged push is missing, or no more than the reported lag allows.
import { expect, test } from 'vitest'
import { upTo } from '../support/replica-world.ts'
import { inScratchFolder } from '../support/scratch-folder.ts'
import { loseAtEachStep, loseAtRandom, ReplicaRounds } from './replica-rounds.ts'
import { allThere, type ReplicatedPush, validatePushes } from './replicated-pushes.ts'

const rounds = Number(process.env['TIDEMARK_REPLICA_ROUNDS'] ?? 6)
const firstSeed = Number(process.env['TIDEMARK_TEST_SEED'] ?? Date.now() % 1_000_000)
/** After this many rounds a new replica begins with the next seed, because each round reads all rows. */
const roundsOfWorld = 10

const withRounds = (wait: boolean, work: (world: ReplicaRounds) => Promise<unknown>, seed = firstSeed): Promise<void> =>
  inScratchFolder('tidemark-lost-', async (directory) => {
    const world = new ReplicaRounds({ directory, seed, wait })
    try {
      await world.begin()
      await work(world)
    } finally {
      await world.end()
    }
  })

async function loseAtRandomInWorlds(wait: boolean): Promise<void> {
  const sum = { rounds: 0, pushes: 0, rows: 0 }
  for (let seed = firstSeed; sum.rounds < rounds; seed++) {
    await withRounds(
      wait,
      async (world) => {
        const own = Math.min(roundsOfWorld, rounds - sum.rounds)
        const { pushes, rows } = await loseAtRandom(world, own)
        sum.rounds += own
        sum.pushes += pushes
        sum.rows += rows
      },
      seed,
    )
  }
  console.log({ wait, firstSeed, ...sum, ...allThere })
}

test(`with replica.wait every acknowledged row exists once after losses (seed ${firstSeed})`, () =>
  loseAtRandomInWorlds(true))

test(`without replica.wait a prefix remains, no older than the reported lag (seed ${firstSeed})`, () =>
  loseAtRandomInWorlds(false))

test(`with a kill at each step of copying and restoring no acknowledged row is lost (seed ${firstSeed})`, () =>
  withRounds(true, loseAtEachStep))

test('canary: deleting a file before the catalog without it is copied is detected', () =>
  withRounds(true, async (world) => {
    await world.loseMachine({ step: 'replica-moment-written', passes: 6 }, { PLANTED: 'delete-early' })
    await expect(world.restore()).rejects.toThrow(/the object parts\/\S+ of the replica is missing/)
  }))

test('canary: acknowledging pushes before they are in the replica is detected', () =>
  withRounds(true, async (world) => {
    let lost = 0
    for (let round = 0; round < 5 && lost === 0; round++) {
      await world.loseMachine(null, { PLANTED: 'tell-early' })
      await world.restore()
      lost = (await world.findings()).lost
    }
    expect(lost).toBeGreaterThan(0)
  }))

/** Three pushes: rows 0 to 9 and 10 to 19 were acknowledged one after the other, 20 to 29 were not. */
const three: readonly ReplicatedPush[] = [
  { first: 0, rows: 10, sent: 0, acknowledged: 1, acknowledgedMs: 100 },
  { first: 10, rows: 10, sent: 2, acknowledged: 3, acknowledgedMs: 200 },
  { first: 20, rows: 10, sent: 4, acknowledged: null, acknowledgedMs: null },
]

test.each([
  ['all pushes', upTo(30), 'all', {}],
  ['all acknowledged pushes', upTo(20), 'all', {}],
  ['less than the acknowledged pushes', upTo(10), 'all', { lost: 10 }],
  ['part of an acknowledged push', upTo(19), 'all', { lost: 1, partial: 1 }],
  ['part of an unacknowledged push', upTo(21), 'all', { partial: 1 }],
  ['a duplicate row', [...upTo(20), 3], 'all', { doubled: 1 }],
  ['a row that was never pushed', [...upTo(20), 30], 'all', { foreign: 1 }],
  ['the rows that the lag promised', upTo(10), { copiedMs: 150 }, {}],
  ['less than the lag promised', upTo(10), { copiedMs: 200 }, { lost: 10 }],
  ['later rows without earlier ones', upTo(20, 10), { copiedMs: 0 }, { lost: 10 }],
] as const)('the check of a restored state: %s', (_, values, wanted, found) =>
  expect(validatePushes(three, values, wanted)).toMatchObject({ ...allThere, ...found }),
)
