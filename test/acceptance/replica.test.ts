// A copy elsewhere: the folder is thrown away, and what the copy gives is what there was.
import { cp } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { callWell, makeIngest } from '../support/api.ts'
import {
  copyUrl,
  embedded,
  isCopied,
  restoreWell,
  rowsOf,
  serveCopied,
  upTo,
  valuesIn,
  withRestored,
} from '../support/replica-world.ts'
import { runService } from '../support/running-service.ts'
import { inScratchFolder } from '../support/scratch-folder.ts'
import { adminKey } from '../support/server-process.ts'

test('a push that was answered is in the copy', () =>
  inScratchFolder('tidemark-replica-', async (directory) => {
    const url = copyUrl(directory)
    const service = await serveCopied(directory, 'data', { 'replica.wait': 'true' })
    const key = await makeIngest(service.url, adminKey, { alias: 'kept' })
    await isCopied(service.url)
    await callWell(service.url, 'POST', '/ingests/kept/data', { key, body: rowsOf(upTo(10)) })
    await cp(join(directory, 'copy'), join(directory, 'as-answered'), { recursive: true })
    await restoreWell(url.replace(/copy$/, 'as-answered'), join(directory, 'restored'))
    const restored = await runService({}, { ...embedded, dataDirectory: join(directory, 'restored') })
    expect(await valuesIn(restored.url)).toEqual(upTo(10))
    await restored.close()
    await service.close()
  }))

test(
  'pushes that name fields which rows brought are restored with them',
  () =>
    inScratchFolder('tidemark-replica-', async (directory) => {
      const service = await serveCopied(directory, 'data', {
        'replica.catalogMs': '86400000',
        'store.headRows': '100000',
      })
      const key = await makeIngest(service.url, adminKey, { alias: 'kept' })
      await callWell(service.url, 'PATCH', '/admin/ingests/kept', { key: adminKey, body: { unknown: 'add' } })
      await isCopied(service.url)
      for (let value = 0; value < 5; value++) {
        const [row] = rowsOf([value])
        const body = [{ ...row, [`brought${value}`]: value }]
        await callWell(service.url, 'POST', '/ingests/kept/data?wait=true', { key, body })
      }
      await isCopied(service.url)
      await service.close()
      expect(await withRestored(directory, null, ({ url }) => valuesIn(url))).toEqual(upTo(5))
    }),
  60_000,
)
