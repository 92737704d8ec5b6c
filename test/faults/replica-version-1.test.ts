// A copy that version 1 of its format wrote, and one that a later service has taken over.
import { createHash } from 'node:crypto'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { brotliDecompressSync, gunzipSync, gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { verifyCopyAt } from '../../src/service/copies.ts'
import { makeIngest } from '../support/api.ts'
import {
  copyState,
  copyUrl,
  isCopied,
  pushValues,
  restoreWell,
  serveCopied,
  upTo,
  valuesIn,
  withRestored,
} from '../support/replica-world.ts'
import { runHere } from '../support/run-command.ts'
import { inScratchFolder } from '../support/scratch-folder.ts'
import { adminKey } from '../support/server-process.ts'

const newline = 0x0a

/** An object with another version in its first line, and with what `change` makes of the JSON and the bytes behind it. */
function rewritten(
  bytes: Buffer,
  version: number,
  change: (header: Record<string, unknown>, payload: Buffer) => readonly [object, Buffer],
): Buffer {
  const body = bytes.subarray(bytes.indexOf(newline) + 1)
  const end = body.indexOf(newline)
  const [header, payload] = change(JSON.parse(body.toString('utf8', 0, end)), body.subarray(end + 1))
  const written = Buffer.concat([Buffer.from(`${JSON.stringify(header)}\n`), payload])
  const sha256 = createHash('sha256').update(written).digest('hex')
  return Buffer.concat([Buffer.from(`tidemark-replica ${version} ${sha256}\n`), written])
}

/** Makes of a copy what version 1 wrote, by its page alone. */
async function toVersion1(copy: string): Promise<void> {
  const each = async (folder: string, change: (bytes: Buffer) => Buffer): Promise<void> => {
    for (const name of await readdir(join(copy, folder))) {
      const path = join(copy, folder, name)
      await writeFile(path, change(await readFile(path)))
    }
  }
  await each('log', (bytes) =>
    rewritten(bytes, 1, ({ packing, ...entry }, payload) => [
      entry,
      packing === 'brotli' ? gzipSync(brotliDecompressSync(payload)) : payload,
    ]),
  )
  await each('moments', (bytes) => gzipSync(rewritten(gunzipSync(bytes), 1, (moment, none) => [moment, none])))
}

async function versionsIn(copy: string): Promise<readonly string[]> {
  const names = await readdir(join(copy, 'log'))
  const texts = await Promise.all(names.map((name) => readFile(join(copy, 'log', name), 'latin1')))
  return [...new Set(texts.map((text) => text.split(' ')[1]!))].sort()
}

test(
  'a copy of version 1 is restored, and so is what a service has written behind it',
  () =>
    inScratchFolder('tidemark-version-', async (directory) => {
      const copy = join(directory, 'copy')
      const restored = (at: string | null = null): Promise<readonly number[]> =>
        withRestored(directory, at, ({ url }) => valuesIn(url))
      const first = await serveCopied(directory, 'data')
      const key = await makeIngest(first.url, adminKey, { alias: 'kept' })
      for (let begin = 0; begin < 100; begin += 20) await pushValues(first.url, key, upTo(begin + 20, begin))
      await isCopied(first.url)
      const { time } = await copyState(first.url)
      await first.close()
      await toVersion1(copy)
      expect(await versionsIn(copy)).toEqual(['1'])
      expect(await restored()).toEqual(upTo(100))
      await restoreWell(copyUrl(directory), join(directory, 'next'))
      const next = await serveCopied(directory, 'next')
      await pushValues(next.url, key, upTo(150, 100))
      await isCopied(next.url)
      await next.close()
      expect(await versionsIn(copy)).toEqual(['1', '2'])
      expect(await restored()).toEqual(upTo(150))
      expect(await restored(time)).toEqual(upTo(100))
      const place = { url: copyUrl(directory), endpoint: '', region: '' }
      const told = { reach: () => undefined, progress: () => undefined, failed: () => undefined }
      for await (const { part, isDamaged, found } of verifyCopyAt(place, told))
        expect({ part, isDamaged, found }).toMatchObject({ isDamaged: false })
    }),
  120_000,
)

test('a copy of a later version is refused by name', () =>
  inScratchFolder('tidemark-version-', async (directory) => {
    const service = await serveCopied(directory, 'data')
    await isCopied(service.url)
    await service.close()
    const log = join(directory, 'copy', 'log')
    const last = (await readdir(log)).sort().at(-1)!
    await writeFile(
      join(log, last),
      rewritten(await readFile(join(log, last)), 3, (...parts) => parts),
    )
    const words = `the object log/${last} of the copy was written by a newer version of Tidemark. Take that one: the copy is not damaged`
    const url = copyUrl(directory)
    for (const command of [
      ['verify', url],
      ['restore', url, '--data', join(directory, 'restored')],
      ['restore', url, '--data', join(directory, 'restored'), '--at', '2026-01-01T00:00:00Z'],
    ]) {
      const { code, errors } = await runHere(command, {})
      expect({ code, errors }).toMatchObject({ code: 1, errors: expect.stringContaining(words) })
      expect(errors).not.toMatch(/It is tried again|new prefix|--at/)
    }
    await expect(serveCopied(directory, 'another')).rejects.toThrow(words)
  }))
