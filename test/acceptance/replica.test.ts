// A replica: after the data folder is deleted, the replica restores the same data.
import { cp } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { nodeDisk } from '../../src/lib/node-disk.ts'
import { FileStore } from '../../src/object-store/file/file-store.ts'
import { callOk, makeIngest } from '../support/api.ts'
import { changedStore } from '../support/changed-store.ts'
import {
  embedded,
  isCopied,
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

test('with replica.wait, an acknowledged push is in the replica', () =>
  inScratchFolder('tidemark-replica-', async (directory) => {
    const url = replicaUrl(directory)
    const service = await serveReplicated(directory, 'data', { 'replica.wait': 'true' })
    const key = await makeIngest(service.url, adminKey, { alias: 'kept' })
    await isCopied(service.url)
    await callOk(service.url, 'POST', '/ingests/kept/data', { key, body: rowsOf(upTo(10)) })
    await cp(join(directory, 'copy'), join(directory, 'as-answered'), { recursive: true })
    await restoreChecked(url.replace(/copy$/, 'as-answered'), join(directory, 'restored'))
    const restored = await runService({}, { ...embedded, dataDirectory: join(directory, 'restored') })
    expect(await valuesIn(restored.url)).toEqual(upTo(10))
    await restored.close()
    await service.close()
  }))

test('the replica reports a lag immediately after a change', () =>
  inScratchFolder('tidemark-replica-', async (directory) => {
    const { service, held } = await serveHeld(directory)
    try {
      await isCopied(service.url)
      held.hold(() => true)
      await callOk(service.url, 'POST', '/admin/subscribers', { key: adminKey, body: { name: 'new' } })
      expect((await replicaState(service.url)).lagMs).toBeGreaterThan(0)
    } finally {
      held.release()
      await service.close()
    }
  }))

test(
  'rows that added fields are restored with them',
  () =>
    inScratchFolder('tidemark-replica-', async (directory) => {
      const service = await serveReplicated(directory, 'data', {
        'replica.catalogMs': '86400000',
        'store.headRows': '100000',
      })
      const key = await makeIngest(service.url, adminKey, { alias: 'kept' })
      await callOk(service.url, 'PATCH', '/admin/ingests/kept', { key: adminKey, body: { unknown: 'add' } })
      await isCopied(service.url)
      for (let value = 0; value < 5; value++) {
        const [row] = rowsOf([value])
        const body = [{ ...row, [`brought${value}`]: value }]
        await callOk(service.url, 'POST', '/ingests/kept/data?wait=true', { key, body })
      }
      await isCopied(service.url)
      await service.close()
      expect(await withRestored(directory, null, ({ url }) => valuesIn(url))).toEqual(upTo(5))
    }),
  60_000,
)

test('a push during the upload of the list of files is not restored at a time before it', () =>
  inScratchFolder('tidemark-replica-', async (directory) => {
    const { service, held } = await serveHeld(directory)
    const key = await makeIngest(service.url, adminKey, { alias: 'kept' })
    await isCopied(service.url)
    held.hold((name) => name.startsWith('parts/'))
    // This many rows are sealed, so the replica gets a new list of files, and the journal continues in a new segment.
    await callOk(service.url, 'POST', '/ingests/kept/data?wait=true', { key, body: rowsOf(upTo(50)) })
    await expect.poll(() => held.isMet, { timeout: 30_000 }).toBe(true)
    const atMs = Date.now()
    await expect.poll(() => Date.now()).toBeGreaterThan(atMs)
    const entries = await logOf(directory)
    await callOk(service.url, 'POST', '/ingests/kept/data?wait=true', { key, body: rowsOf(upTo(60, 50)) })
    await expect.poll(() => logOf(directory), { timeout: 30_000 }).toBeGreaterThan(entries)
    held.release()
    await isCopied(service.url)
    await service.close()
    const at = new Date(atMs).toISOString()
    expect(await withRestored(directory, at, ({ url }) => valuesIn(url))).toEqual(upTo(50))
    expect(await withRestored(directory, null, ({ url }) => valuesIn(url))).toEqual(upTo(60))
  }))

/** A service whose writes to the replica can be delayed. */
async function serveHeld(directory: string) {
  const held = new HeldWrites()
  const service = await runService(
    { ...quickReplica, 'replica.url': replicaUrl(directory) },
    {
      ...embedded,
      dataDirectory: join(directory, 'data'),
      wrapStore: (store) =>
        changedStore(store, {
          async putIfAbsent(name, bytes) {
            await held.until(name)
            return store.putIfAbsent(name, bytes)
          },
        }),
    },
  )
  return { service, held }
}

class HeldWrites {
  /** Whether a write is or was delayed. */
  isMet = false
  #isHeld: (name: string) => boolean = () => false
  #released: Promise<void> = Promise.resolve()
  #release = (): void => undefined

  hold(isHeld: (name: string) => boolean): void {
    this.#isHeld = isHeld
    this.#released = new Promise((resolve) => {
      this.#release = resolve
    })
  }

  async until(name: string): Promise<void> {
    if (!this.#isHeld(name)) return
    this.isMet = true
    await this.#released
  }

  release(): void {
    this.#isHeld = () => false
    this.#release()
  }
}

/** The number of entries in the replica's log. */
async function logOf(directory: string): Promise<number> {
  const store = new FileStore(fileURLToPath(replicaUrl(directory)), nodeDisk)
  let entries = 0
  for await (const _ of store.list('log/')) entries++
  return entries
}
