// A replica whose folder is lost, whose writer is replaced, whose moments become too old, and which is unreachable.
import { cp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { callOk, makeIngest } from '../support/api.ts'
import { changedStore } from '../support/changed-store.ts'
import {
  embedded,
  isCopied,
  pushValues,
  quickReplica,
  replicaState,
  replicaUrl,
  restoreChecked,
  rowsOf,
  serveReplicated,
  upTo,
  valuesIn,
  withRestored,
} from '../support/replica-world.ts'
import { runService } from '../support/running-service.ts'
import { inScratchFolder } from '../support/scratch-folder.ts'
import { adminKey } from '../support/server-process.ts'

test(
  'after the data folder is lost, every moment of it is restored from the replica',
  () =>
    inScratchFolder('tidemark-replica-', async (directory) => {
      const first = await serveReplicated(directory, 'first')
      const key = await makeIngest(first.url, adminKey, { alias: 'kept' })
      const moments: { at: string; end: number; ingests: number }[] = []
      let end = 0
      for (let round = 0; round < 8; round++) {
        for (let count = 0; count < 5; count++) {
          await pushValues(first.url, key, upTo(end + 13, end))
          end += 13
        }
        if (round === 4) await makeIngest(first.url, adminKey, { alias: 'later' })
        await isCopied(first.url)
        const { time } = await replicaState(first.url)
        moments.push({ at: time!, end, ingests: round < 4 ? 1 : 2 })
      }
      await first.close()
      await rm(join(directory, 'first'), { recursive: true, force: true })
      for (const [index, { at, end: wanted, ingests }] of moments.entries()) {
        if (index % 3 !== 0) continue
        await withRestored(directory, at, async ({ url }) => {
          expect(await valuesIn(url)).toEqual(upTo(wanted))
          const listed = await callOk<{ Items: unknown[] }>(url, 'GET', '/admin/ingests', { key: adminKey })
          expect(listed.Items).toHaveLength(ingests)
        })
      }
      await restoreChecked(replicaUrl(directory), join(directory, 'second'))
      const second = await serveReplicated(directory, 'second')
      expect(await valuesIn(second.url)).toEqual(upTo(end))
      await pushValues(second.url, key, upTo(end + 20, end))
      await isCopied(second.url)
      await second.close()
      expect(await withRestored(directory, null, ({ url }) => valuesIn(url))).toEqual(upTo(end + 20))
    }),
  120_000,
)

test(
  'only one service writes to a prefix: a foreign one is refused, and a replaced one stops and reports it',
  () =>
    inScratchFolder('tidemark-replica-', async (directory) => {
      const old = await serveReplicated(directory, 'old')
      const key = await makeIngest(old.url, adminKey, { alias: 'kept' })
      await pushValues(old.url, key, upTo(10))
      await isCopied(old.url)
      await expect(serveReplicated(directory, 'stranger')).rejects.toThrow('holds the replica of another data folder')
      await restoreChecked(replicaUrl(directory), join(directory, 'new'))
      await cp(join(directory, 'new'), join(directory, 'late'), { recursive: true })
      const next = await serveReplicated(directory, 'new')
      await pushValues(next.url, key, upTo(20, 10))
      await isCopied(next.url)
      await pushValues(old.url, key, [1000])
      await expect
        .poll(async () => (await replicaState(old.url)).error)
        .toContain('Another service has taken over the replica')
      await old.close()
      await expect(serveReplicated(directory, 'late')).rejects.toThrow('Another service has taken over the replica')
      await pushValues(next.url, key, [20])
      await next.close()
      expect(await withRestored(directory, null, ({ url }) => valuesIn(url))).toEqual(upTo(21))
    }),
  60_000,
)

test('objects needed only by moments older than replica.keep are deleted', () =>
  inScratchFolder('tidemark-replica-', async (directory) => {
    const service = await serveReplicated(directory, 'data', { 'replica.keep': 'PT1S' })
    const key = await makeIngest(service.url, adminKey, { alias: 'kept' })
    for (let end = 0; end < 400; end += 40) {
      await pushValues(service.url, key, upTo(end + 40, end))
      await new Promise((resolve) => setTimeout(resolve, 300))
    }
    await isCopied(service.url)
    await service.close()
    await expect(restoreChecked(replicaUrl(directory), join(directory, 'old'), '2026-01-01T00:00:00Z')).rejects.toThrow(
      'The replica goes back to',
    )
    expect(await withRestored(directory, null, ({ url }) => valuesIn(url))).toEqual(upTo(400))
  }))

test(
  'with replica.wait a push is refused while the replica is unavailable, and stored once when it is back',
  () =>
    inScratchFolder('tidemark-replica-', async (directory) => {
      let isAway = false
      const settings = { ...quickReplica, 'replica.url': replicaUrl(directory), 'replica.wait': 'true' }
      const service = await runService(settings, {
        ...embedded,
        dataDirectory: join(directory, 'data'),
        wrapStore: (store) =>
          changedStore(store, {
            putIfAbsent: async (name, bytes) => {
              if (isAway) throw new Error('the store is away')
              return store.putIfAbsent(name, bytes)
            },
          }),
      })
      const key = await makeIngest(service.url, adminKey, { alias: 'kept' })
      await isCopied(service.url)
      const send = async (): Promise<number> => {
        const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json', 'idempotency-key': 'one' }
        const body = JSON.stringify(rowsOf(upTo(8)))
        return (await fetch(`${service.url}/ingests/kept/data`, { method: 'POST', headers, body })).status
      }
      isAway = true
      expect([await send(), await send()]).toEqual([503, 503])
      expect((await replicaState(service.url)).error).toContain('the store is away')
      isAway = false
      await expect.poll(send, { timeout: 20_000 }).toBe(200)
      expect(await valuesIn(service.url)).toEqual(upTo(8))
      await service.close()
    }),
  60_000,
)
