// The machine is lost while it copies, again and again: nothing that was acknowledged is missing, or no more than was said.
import { expect, test } from 'vitest'
import { inScratchFolder } from '../support/scratch-folder.ts'
import { loseAtEachStep, loseAtRandom, ReplicaRounds } from './replica-rounds.ts'

const rounds = Number(process.env['TIDEMARK_REPLICA_ROUNDS'] ?? 6)
const seed = Number(process.env['TIDEMARK_CRASH_SEED'] ?? Date.now() % 1_000_000)

const withRounds = (wait: boolean, work: (world: ReplicaRounds) => Promise<void>): Promise<void> =>
  inScratchFolder('tidemark-lost-', async (directory) => {
    const world = new ReplicaRounds({ directory, seed, wait })
    await world.begin()
    await work(world)
  })

test(`with wait every acknowledged row is there once (seed ${seed})`, () =>
  withRounds(true, (world) => loseAtRandom(world, rounds)))

test(`without it a prefix is there, no older than the lag that was shown (seed ${seed})`, () =>
  withRounds(false, (world) => loseAtRandom(world, rounds)))

test(`killed at each step of copying and of restoring (seed ${seed})`, () => withRounds(true, loseAtEachStep))

test('a file that is deleted before the catalog that no longer names it is copied is noticed', () =>
  withRounds(true, async (world) => {
    const environment = { DELETE_EARLY: '1' }
    await world.loseMachine({ step: 'replica-moment-written', passes: 6 }, environment)
    await expect(world.restore()).rejects.toThrow(/the object parts\/\S+ of the copy is missing/)
  }))
