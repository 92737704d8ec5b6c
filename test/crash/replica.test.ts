// The machine is lost while it copies, again and again: nothing that was acknowledged is missing, or no more than was said.
import { expect, test } from 'vitest'
import { copyRestoreCrashPoints, replicaCrashPoints } from '../../src/observe/crash-point.ts'
import { inScratchFolder } from '../support/scratch-folder.ts'
import { ReplicaRounds } from './replica-rounds.ts'

const rounds = Number(process.env['TIDEMARK_REPLICA_ROUNDS'] ?? 6)
const seed = Number(process.env['TIDEMARK_CRASH_SEED'] ?? Date.now() % 1_000_000)
const none = { lost: 0, doubled: 0, foreign: 0 }

const withRounds = (wait: boolean, work: (world: ReplicaRounds) => Promise<void>): Promise<void> =>
  inScratchFolder('tidemark-lost-', async (directory) => {
    const world = new ReplicaRounds({ directory, seed, wait })
    await world.begin()
    await work(world)
  })

test(`with wait every acknowledged row is there once (seed ${seed})`, () =>
  withRounds(true, async (world) => {
    for (let round = 0; round < rounds; round++) {
      await world.loseMachine(null)
      await world.restore()
      expect(await world.findings()).toMatchObject(none)
    }
  }))

test(`without it a prefix is there, no older than the lag that was shown (seed ${seed})`, () =>
  withRounds(false, async (world) => {
    for (let round = 0; round < rounds; round++) {
      await world.loseMachine(null)
      await world.restore()
      expect(await world.findings()).toMatchObject(none)
    }
  }))

test(`killed at each step of copying and of restoring (seed ${seed})`, () =>
  withRounds(true, async (world) => {
    for (const step of replicaCrashPoints) {
      for (const passes of [0, 3]) {
        await world.loseMachine({ step, passes: step === 'replica-claimed' ? 0 : passes })
        await world.restore(
          passes === 0
            ? null
            : copyRestoreCrashPoints[replicaCrashPoints.indexOf(step) % copyRestoreCrashPoints.length],
        )
        expect({ step, passes, ...(await world.findings()) }).toMatchObject(none)
      }
    }
  }))

test('a file that is deleted before the catalog that no longer names it is copied is noticed', () =>
  withRounds(true, async (world) => {
    const environment = { DELETE_EARLY: '1' }
    await world.loseMachine({ step: 'replica-moment-written', passes: 6 }, environment)
    await expect(world.restore()).rejects.toThrow(/the object parts\/\S+ of the copy is missing/)
  }))
