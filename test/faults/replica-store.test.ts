// A copy on a store that refuses, does not answer, loses answers, tears them, is slow, and lists late.
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { type ObjectStore, StoreRefused } from '../../src/object-store/object-store.ts'
import { callWell, makeIngest } from '../support/api.ts'
import { FaultyStore } from '../support/faulty-store.ts'
import { seededRandom } from '../support/random.ts'
import { copyState, copyUrl, isCopied, restoreWell, rowsOf, valuesIn } from '../support/replica-world.ts'
import { runService } from '../support/running-service.ts'
import { inScratchFolder } from '../support/scratch-folder.ts'
import { adminKey } from '../support/server-process.ts'
import { storeWithPut } from '../support/store-with-put.ts'

const embedded = { engine: 'embedded' } as const

test(
  'whatever the store does, the copy is whole in the end, also over starts',
  () =>
    inScratchFolder('tidemark-faults-', async (directory) => {
      const random = seededRandom(7)
      const stores: FaultyStore[] = []
      const settings = {
        'replica.url': copyUrl(directory),
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
          const values = Array.from({ length: 10 }, (_, index) => end + index)
          await callWell(service.url, 'POST', '/ingests/kept/data', { key, body: rowsOf(values) })
          await new Promise((resolve) => setTimeout(resolve, 50))
        }
      }
      for (const store of stores) store.isFaulty = false
      await isCopied(service.url)
      expect(await copyState(service.url)).toMatchObject({ error: null, lagBytes: 0 })
      await service.close()
      expect(stores.reduce((sum, { failures }) => sum + failures, 0)).toBeGreaterThan(3)
      await restoreWell(copyUrl(directory), join(directory, 'restored'))
      const restored = await runService({}, { ...embedded, dataDirectory: join(directory, 'restored') })
      expect(await valuesIn(restored.url)).toEqual(Array.from({ length: end }, (_, index) => index))
      await restored.close()
    }),
  120_000,
)

test('a store that refuses to be read ends the first start, and no later one', () =>
  inScratchFolder('tidemark-denied-', async (directory) => {
    let isDenied = true
    const options = {
      ...embedded,
      dataDirectory: join(directory, 'data'),
      wrapStore: (store: ObjectStore): ObjectStore => ({
        putIfAbsent: (name, bytes) => store.putIfAbsent(name, bytes),
        get: async (name) => {
          if (isDenied) throw new StoreRefused('s3://none: NoSuchBucket')
          return store.get(name)
        },
        list: (prefix, after) => store.list(prefix, after),
        delete: (name) => store.delete(name),
        close: () => store.close(),
      }),
    }
    const settings = { 'replica.url': copyUrl(directory), 'replica.intervalMs': '20' }
    await expect(runService(settings, options)).rejects.toThrow('at replica.url: s3://none: NoSuchBucket. Mend that')
    isDenied = false
    let service = await runService(settings, options)
    await isCopied(service.url)
    isDenied = true
    service = await service.restart()
    await expect.poll(async () => (await copyState(service.url)).error).toContain('NoSuchBucket')
    await service.close()
  }))

test('a store that takes a second object of one name is refused at the start', () =>
  inScratchFolder('tidemark-overwriting-', async (directory) => {
    const settings = { 'replica.url': copyUrl(directory) }
    const started = runService(settings, {
      ...embedded,
      dataDirectory: join(directory, 'data'),
      wrapStore: (store) =>
        storeWithPut(store, async (name, bytes) => {
          await store.delete(name)
          return store.putIfAbsent(name, bytes)
        }),
    })
    await expect(started).rejects.toThrow('writes an object although there is one of its name')
  }))
