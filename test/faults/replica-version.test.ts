// A replica that a service of a later version has taken over.
import { createHash } from 'node:crypto'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { isCopied, replicaUrl, serveReplicated } from '../support/replica-world.ts'
import { runHere } from '../support/run-command.ts'
import { inScratchFolder } from '../support/scratch-folder.ts'

/** The same object with a later version. */
function ofVersion2(bytes: Buffer): Buffer {
  const body = bytes.subarray(bytes.indexOf('\n') + 1)
  const sha256 = createHash('sha256').update(body).digest('hex')
  return Buffer.concat([Buffer.from(`tidemark-replica 2 ${sha256}\n`), body])
}

test('a replica written by a newer version is refused, naming the object', () =>
  inScratchFolder('tidemark-version-', async (directory) => {
    const service = await serveReplicated(directory, 'data')
    await isCopied(service.url)
    await service.close()
    const log = join(directory, 'copy', 'log')
    const last = (await readdir(log)).sort().at(-1)!
    await writeFile(join(log, last), ofVersion2(await readFile(join(log, last))))
    const words = `the object log/${last} of the replica was written by a newer version of Tidemark. Use that version: the replica is not damaged`
    const url = replicaUrl(directory)
    for (const command of [
      ['verify', url],
      ['restore', url, '--data', join(directory, 'restored')],
      ['restore', url, '--data', join(directory, 'restored'), '--at', '2026-01-01T00:00:00Z'],
    ]) {
      const { code, errors } = await runHere(command, {})
      expect({ code, errors }).toMatchObject({ code: 1, errors: expect.stringContaining(words) })
      expect(errors).not.toMatch(/Retrying|new prefix|--at/)
    }
    await expect(serveReplicated(directory, 'another')).rejects.toThrow(words)
  }))
