// The disk of a replica is not mounted: its mount point is an empty folder, and no second replica is started there.
import { mkdir, readdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { makeIngest } from '../support/api.ts'
import { changedStore } from '../support/changed-store.ts'
import {
  embedded,
  isCopied,
  pushValues,
  quickReplica,
  replicaState,
  replicaUrl,
  upTo,
  valuesIn,
  withRestored,
} from '../support/replica-world.ts'
import { runService } from '../support/running-service.ts'
import { inScratchFolder } from '../support/scratch-folder.ts'
import { adminKey } from '../support/server-process.ts'

const quick = { 'replica.intervalMs': '20', 'replica.catalogMs': '50' }

test('a first replica at a missing folder fails the start with a clear message', () =>
  inScratchFolder('tidemark-away-', async (directory) => {
    const options = { engine: 'embedded', dataDirectory: join(directory, 'data') } as const
    const url = `${replicaUrl(directory)}/of/none`
    const words = `A replica cannot be created at replica.url: the folder ${join(directory, 'copy', 'of')} does not exist: is its disk mounted? Correct that, or leave replica.url out, and start the service again.`
    await expect(runService({ ...quick, 'replica.url': url }, options)).rejects.toThrow(words)
    await mkdir(join(directory, 'copy', 'of'), { recursive: true })
    const service = await runService({ ...quick, 'replica.url': url }, options)
    await isCopied(service.url)
    await service.close()
  }))

test(
  'a clock that is set back does not hide the lag or stop the writing of file lists',
  () =>
    inScratchFolder('tidemark-clock-', async (directory) => {
      let isAway = false
      let backMs = 0
      const service = await runService(
        { ...quickReplica, 'replica.url': replicaUrl(directory) },
        {
          ...embedded,
          dataDirectory: join(directory, 'data'),
          nowMs: () => Date.now() - backMs,
          wrapStore: (store) =>
            changedStore(store, {
              putIfAbsent: async (name, bytes) => {
                if (isAway) throw new Error('the store is away')
                return store.putIfAbsent(name, bytes)
              },
            }),
        },
      )
      const key = await makeIngest(service.url, adminKey, { alias: 'kept' })
      await pushValues(service.url, key, [0])
      await isCopied(service.url)
      const moments = await readdir(join(directory, 'copy', 'moments'))
      isAway = true
      backMs = 3_600_000
      await pushValues(service.url, key, upTo(50, 1))
      await expect.poll(async () => (await replicaState(service.url)).lagMs).toBeGreaterThan(300)
      isAway = false
      const last = async () => (await readdir(join(directory, 'copy', 'moments'))).sort().at(-1)
      await expect.poll(last, { timeout: 20_000 }).not.toBe(moments.sort().at(-1))
      await isCopied(service.url)
      await service.close()
    }),
  60_000,
)

test(
  'an empty mount point is refused until the disk is back, unless a new replica is started deliberately',
  () =>
    inScratchFolder('tidemark-away-', async (directory) => {
      const copy = join(directory, 'copy')
      const options = { engine: 'embedded', dataDirectory: join(directory, 'data') } as const
      const failures: string[] = []
      let service = await runService(
        { ...quick, 'replica.url': replicaUrl(directory) },
        { ...options, observe: (event) => event.kind === 'replicaFailed' && failures.push(event.message) },
      )
      const key = await makeIngest(service.url, adminKey, { alias: 'kept' })
      const push = (value: number): Promise<void> => pushValues(service.url, key, [value])
      await push(0)
      await isCopied(service.url)

      // While the service runs.
      await rename(copy, `${copy}-away`)
      await mkdir(copy)
      await push(1)
      await expect.poll(async () => (await replicaState(service.url)).error).toContain('is its disk mounted?')
      expect(await readdir(copy)).toEqual([])

      // At a start.
      service = await service.restart()
      const words = `the replica of this data folder is no longer at ${replicaUrl(directory)}: is its disk mounted?`
      expect((await replicaState(service.url)).error).toContain(words)
      expect(failures.at(-1)).toContain('move replica.json out of the data folder')
      await push(2)
      expect(await readdir(copy)).toEqual([])

      // The disk is mounted again.
      await rm(copy, { recursive: true })
      await rename(`${copy}-away`, copy)
      await expect.poll(async () => (await replicaState(service.url)).error, { timeout: 20_000 }).toBeNull()
      await isCopied(service.url)
      expect(await withRestored(directory, null, ({ url }) => valuesIn(url))).toEqual([0, 1, 2])

      // Another address, and the same one without replica.json.
      service = await service.restart({ settings: { 'replica.url': `${replicaUrl(directory)}-new/` } })
      await isCopied(service.url)
      await rm(`${copy}-new`, { recursive: true })
      await rm(join(directory, 'data', 'replica.json'))
      service = await service.restart()
      await isCopied(service.url)
      expect(await readdir(`${copy}-new`)).toContain('log')
      await service.close()
    }),
  60_000,
)
