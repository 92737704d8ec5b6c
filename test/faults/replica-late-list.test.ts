// A replica is taken over while the store's lists do not show its newest objects yet.
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { nodeDisk } from '../../src/lib/node-disk.ts'
import { FileStore } from '../../src/object-store/file/file-store.ts'
import { verifyReplicaAt } from '../../src/service/replicas.ts'
import { makeIngest } from '../support/api.ts'
import { LateLists } from '../support/late-lists.ts'
import {
  embedded,
  isCopied,
  pushValues,
  quickReplica,
  replicaState,
  replicaUrl,
  restoreChecked,
  serveReplicated,
  upTo,
  valuesIn,
  withRestored,
} from '../support/replica-world.ts'
import { type RunningService, runService } from '../support/running-service.ts'
import { inScratchFolder } from '../support/scratch-folder.ts'
import { adminKey } from '../support/server-process.ts'

const storeOf = (directory: string): FileStore => new FileStore(fileURLToPath(replicaUrl(directory)), nodeDisk)

/** A service on a folder restored from the replica, with late lists. */
function takeOver(directory: string, data: string, lists: LateLists): Promise<RunningService> {
  return runService(
    { ...quickReplica, 'replica.url': replicaUrl(directory) },
    { ...embedded, dataDirectory: join(directory, data), wrapStore: (store) => lists.wrap(store) },
  )
}

/** Resolves with the time of the replica's state when its newest moment certainly includes the operator's change. */
async function copiedTime(url: string): Promise<string> {
  // The copier polls for changes.
  await new Promise((resolve) => setTimeout(resolve, 200))
  await isCopied(url)
  return (await replicaState(url)).time!
}

test(
  "moments missing from the store's list at a takeover can still be restored",
  () =>
    inScratchFolder('tidemark-late-', async (directory) => {
      const lists = new LateLists()
      const first = await serveReplicated(directory, 'first')
      const keptKey = await makeIngest(first.url, adminKey, { alias: 'kept' })
      await pushValues(first.url, keptKey, upTo(50))
      await copiedTime(first.url)
      await lists.freeze(storeOf(directory))
      const laterKey = await makeIngest(first.url, adminKey, { alias: 'later' })
      await pushValues(first.url, laterKey, upTo(60), 'later')
      const at = await copiedTime(first.url)
      await pushValues(first.url, keptKey, upTo(100, 50))
      await copiedTime(first.url)
      await first.close()

      await restoreChecked(replicaUrl(directory), join(directory, 'second'))
      const second = await takeOver(directory, 'second', lists)
      await pushValues(second.url, laterKey, upTo(100, 60), 'later')
      await copiedTime(second.url)
      await second.close()

      lists.catchUp()
      const place = { url: replicaUrl(directory), endpoint: '', region: '' }
      for await (const finding of verifyReplicaAt(place, { failed: () => undefined }))
        expect(finding).toMatchObject({ isDamaged: false })
      for (const [moment, kept, later] of [
        [at, 50, 60],
        [null, 100, 100],
      ] as const) {
        await withRestored(directory, moment, async ({ url }) => {
          expect(await valuesIn(url, 'kept')).toEqual(upTo(kept))
          expect(await valuesIn(url, 'later')).toEqual(upTo(later))
        })
      }
    }),
  120_000,
)

test(
  'a service without a replica does not start one where a late list hides an existing replica',
  () =>
    inScratchFolder('tidemark-late-', async (directory) => {
      const lists = new LateLists()
      await lists.freeze(storeOf(directory))
      const owner = await serveReplicated(directory, 'owner', { 'replica.keep': 'PT1S' })
      const key = await makeIngest(owner.url, adminKey, { alias: 'kept' })
      let end = 0
      const push = async (): Promise<void> => {
        await pushValues(owner.url, key, upTo(end + 50, end))
        end += 50
      }
      while ((await storeOf(directory).get('log/000000000000')) !== null) await push()
      const stranger = await takeOver(directory, 'stranger', lists)
      await expect.poll(async () => (await replicaState(stranger.url)).error).toContain('a replica was begun here')
      lists.catchUp()
      await expect
        .poll(async () => (await replicaState(stranger.url)).error, { timeout: 60_000 })
        .toContain('holds the replica of another data folder')
      await stranger.close()
      await push()
      await isCopied(owner.url)
      await owner.close()
      expect(await withRestored(directory, null, ({ url }) => valuesIn(url))).toEqual(upTo(end))
    }),
  120_000,
)

test(
  'a takeover with a late list replaces the running service, and none of its rows is lost',
  () =>
    inScratchFolder('tidemark-late-', async (directory) => {
      const lists = new LateLists()
      const old = await serveReplicated(directory, 'old')
      const key = await makeIngest(old.url, adminKey, { alias: 'kept' })
      await pushValues(old.url, key, upTo(10))
      await isCopied(old.url)
      await lists.freeze(storeOf(directory))
      for (let end = 10; end < 110; end += 10) {
        await pushValues(old.url, key, upTo(end + 10, end))
        await isCopied(old.url)
      }
      await restoreChecked(replicaUrl(directory), join(directory, 'new'))
      const next = await takeOver(directory, 'new', lists)
      await pushValues(next.url, key, upTo(120, 110))
      await isCopied(next.url)
      await pushValues(old.url, key, [1000])
      await expect
        .poll(async () => (await replicaState(old.url)).error, { timeout: 30_000 })
        .toContain('Another service has taken over the replica')
      await old.close()
      await next.close()
      lists.catchUp()
      expect(await withRestored(directory, null, ({ url }) => valuesIn(url))).toEqual(upTo(120))
    }),
  120_000,
)
