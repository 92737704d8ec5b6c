// A replica in a third-party S3 server: the contract of every object store, the loss of a machine, and the commands.
import { randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { S3Store } from '../../src/object-store/s3/s3-store.ts'
import { objectStoreContract } from '../contract/object-store.ts'
import { loseAtEachStep, loseAtRandom, ReplicaRounds } from '../crash/replica-rounds.ts'
import { allThere } from '../crash/replicated-pushes.ts'
import { runCommand } from '../support/run-command.ts'
import { bucket, type S3Server, startS3Server } from './s3-server.ts'

/** For long runs: the number of machines lost at random, with and without `replica.wait`, and lost at each step. */
const rounds = Number(process.env['TIDEMARK_S3_ROUNDS'] ?? 0)
const seed = Number(process.env['TIDEMARK_TEST_SEED'] ?? Date.now() % 1_000_000)

let directory: string
let server: S3Server

beforeAll(async () => {
  process.env['AWS_ACCESS_KEY_ID'] = 'tidemark'
  process.env['AWS_SECRET_ACCESS_KEY'] = 'of the tests'
  directory = await mkdtemp(join(tmpdir(), 'tidemark-s3-'))
  server = await startS3Server(join(directory, 'buckets'))
})

afterAll(async () => {
  await server.stop()
  await rm(directory, { recursive: true })
})

const place = (prefix: string = randomUUID()) => ({
  url: `s3://${bucket}/${prefix}`,
  endpoint: server.endpoint,
  region: '',
})

describe('S3Store', () => {
  objectStoreContract(async () => ({
    store: new S3Store({ ...place(), requestMs: 30_000 }),
    remove: async () => undefined,
  }))

  test('a prefix does not see names of a longer prefix that begins with it', async () => {
    const [one, two] = ['copy', 'copy2'].map((prefix) => new S3Store({ ...place(prefix), requestMs: 30_000 }))
    await two!.putIfAbsent('log/1', Buffer.from('two'))
    expect(await one!.get('log/1')).toBeNull()
    for await (const name of one!.list('')) expect.fail(name)
  })

  test('a missing bucket is an error, not an empty replica', async () => {
    const store = new S3Store({ ...place(), url: 's3://missing/copy', requestMs: 30_000 })
    await expect(store.get('log/0')).rejects.toThrow('s3://missing/copy/log/0: NoSuchBucket')
    await expect(store.list('log/')[Symbol.asyncIterator]().next()).rejects.toThrow('NoSuchBucket')
  })
})

test('every acknowledged row exists once after a lost machine and a killed restore', async () => {
  const world = new ReplicaRounds({ directory, seed: 1, wait: true, place: place('lost') })
  await world.begin()
  for (const step of [null, 'replica-restore-journal-written', 'replica-restore-file-written'] as const) {
    await world.loseMachine(null)
    await world.restore(step)
    expect(await world.findings()).toMatchObject(allThere)
  }
  await world.end()
  const { url, endpoint } = place('lost')
  const credentials = { AWS_ACCESS_KEY_ID: 'tidemark', AWS_SECRET_ACCESS_KEY: 'of the tests' }
  const verified = await runCommand(['verify', url, '--endpoint', endpoint], credentials)
  expect(verified).toMatchObject({ code: 0 })
  expect(verified.output).toContain('a restore would give the state')
  const data = join(directory, 'by-command')
  const environment = { ...credentials, TIDEMARK_REPLICA_ENDPOINT: endpoint }
  const restored = await runCommand(['restore', url, '--data', data], environment)
  expect(restored).toMatchObject({ code: 0, output: expect.stringContaining(`${data} holds the state up to position`) })
})

describe.skipIf(rounds === 0)(`after repeated losses of machines (seed ${seed})`, () => {
  const minutes = 60_000
  const lose = async (wait: boolean, work: (world: ReplicaRounds) => Promise<unknown>): Promise<void> => {
    const own = await mkdtemp(join(directory, 'lost-'))
    const world = new ReplicaRounds({ directory: own, seed, wait, place: place() })
    try {
      await world.begin()
      await work(world)
    } finally {
      await world.end()
    }
  }

  test('with replica.wait every acknowledged row exists once', { timeout: (5 + rounds) * minutes }, () =>
    lose(true, (world) => loseAtRandom(world, rounds)),
  )

  test('without replica.wait a prefix remains, no older than the lag', { timeout: (5 + rounds) * minutes }, () =>
    lose(false, (world) => loseAtRandom(world, rounds)),
  )

  test(
    'with a kill at each step of copying and restoring every acknowledged row exists once',
    { timeout: 30 * minutes },
    () => lose(true, loseAtEachStep),
  )
})
