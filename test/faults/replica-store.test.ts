// A replica on a store that refuses requests, does not respond, loses and tears responses, is slow, and lists late.
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { type ObjectStore, StoreRefused } from '../../src/object-store/object-store.ts'
import { callOk, makeIngest } from '../support/api.ts'
import { changedStore } from '../support/changed-store.ts'
import { FaultyStore } from '../support/faulty-store.ts'
import { seededRandom } from '../support/random.ts'
import {
  embedded,
  isCopied,
  replicaState,
  replicaUrl,
  rowsOf,
  upTo,
  valuesIn,
  withRestored,
} from '../support/replica-world.ts'
import { runService } from '../support/running-service.ts'
import { inScratchFolder } from '../support/scratch-folder.ts'
import { adminKey } from '../support/server-process.ts'

test(
  'a replica on a faulty store is complete in the end, also across restarts',
  () =>
    inScratchFolder('tidemark-faults-', async (directory) => {
      const random = seededRandom(7)
      const stores: FaultyStore[] = []
      const settings = {
        'replica.url': replicaUrl(directory),
        'replica.intervalMs': '20',
        'replica.catalogMs': '50',
        'replica.requestMs': '200',
        'replica.keep': 'PT2S',
        'store.headRows': '40',
      }
      let end = 0
      let service = await runService(settings, {
        ...embedded,
        dataDirectory: join(directory, 'data'),
        wrapStore: (store) => {
          stores.push(new FaultyStore(store, random))
          return stores.at(-1)!
        },
      })
      const key = await makeIngest(service.url, adminKey, { alias: 'kept' })
      for (let start = 0; start < 3; start++) {
        if (start > 0) service = await service.restart()
        for (let count = 0; count < 20; count++, end += 10) {
          await callOk(service.url, 'POST', '/ingests/kept/data', { key, body: rowsOf(upTo(end + 10, end)) })
          await new Promise((resolve) => setTimeout(resolve, 50))
        }
      }
      for (const store of stores) store.isFaulty = false
      await isCopied(service.url)
      expect(await replicaState(service.url)).toMatchObject({ error: null, lagBytes: 0 })
      await service.close()
      expect(stores.reduce((sum, { failures }) => sum + failures, 0)).toBeGreaterThan(3)
      expect(await withRestored(directory, null, ({ url }) => valuesIn(url))).toEqual(upTo(end))
    }),
  120_000,
)

test('a store that refuses reads fails the first start, but no later one', () =>
  inScratchFolder('tidemark-denied-', async (directory) => {
    let isDenied = true
    const options = {
      ...embedded,
      dataDirectory: join(directory, 'data'),
      wrapStore: (store: ObjectStore) =>
        changedStore(store, {
          get: async (name) => {
            if (isDenied) throw new StoreRefused('s3://none: NoSuchBucket')
            return store.get(name)
          },
        }),
    }
    const settings = { 'replica.url': replicaUrl(directory), 'replica.intervalMs': '20' }
    await expect(runService(settings, options)).rejects.toThrow('at replica.url: s3://none: NoSuchBucket. Correct that')
    isDenied = false
    let service = await runService(settings, options)
    await isCopied(service.url)
    isDenied = true
    service = await service.restart()
    await expect.poll(async () => (await replicaState(service.url)).error).toContain('NoSuchBucket')
    await service.close()
  }))

test('a store that overwrites existing objects is refused at the start', () =>
  inScratchFolder('tidemark-overwriting-', async (directory) => {
    const settings = { 'replica.url': replicaUrl(directory) }
    const started = runService(settings, {
      ...embedded,
      dataDirectory: join(directory, 'data'),
      wrapStore: (store) =>
        changedStore(store, {
          putIfAbsent: async (name, bytes) => {
            await store.delete(name)
            return store.putIfAbsent(name, bytes)
          },
        }),
    })
    await expect(started).rejects.toThrow('overwrites existing objects')
  }))
