// A replica with a missing or damaged object: the requested state is restored entirely or not at all, and the object is named.
import { cp, readdir, readFile, rm, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect, test } from 'vitest'
import { restoreFromReplica, verifyReplicaAt } from '../../src/service/replicas.ts'
import { callOk, makeIngest } from '../support/api.ts'
import { isCopied, replicaState, replicaUrl, rowsOf } from '../support/replica-world.ts'
import { runCommand } from '../support/run-command.ts'
import { runService } from '../support/running-service.ts'
import { inScratchFolder } from '../support/scratch-folder.ts'
import { adminKey } from '../support/server-process.ts'

const settings = {
  'replica.intervalMs': '20',
  'replica.catalogMs': '100',
  'store.headRows': '40',
  'store.headAgeMs': '300',
}

interface MadeReplica {
  readonly url: string
  /** Moments; null for the newest state. */
  readonly ats: readonly (number | null)[]
}

/** A replica of two lives of a service. */
async function makeReplica(directory: string): Promise<MadeReplica> {
  const ats: (number | null)[] = [null]
  const url = replicaUrl(directory)
  let service = await runService(
    { ...settings, 'replica.url': url },
    { engine: 'embedded', dataDirectory: join(directory, 'data') },
  )
  const key = await makeIngest(service.url, adminKey, { alias: 'kept' })
  for (let value = 0; value < 160; value += 20) {
    if (value === 80) service = await service.restart()
    const body = rowsOf(Array.from({ length: 20 }, (_, index) => value + index))
    await callOk(service.url, 'POST', '/ingests/kept/data?wait=true', { key, body })
    await isCopied(service.url)
    if (value % 60 === 0) ats.push(Date.parse((await replicaState(service.url)).time!))
  }
  await service.close()
  return { url, ats }
}

const place = (url: string) => ({ url, endpoint: '', region: '' })
const events = { reach: () => undefined, progress: () => undefined, failed: () => undefined }

/** The positions up to which a restored state goes. */
async function restoredTo(url: string, atMs: number | null, data: string): Promise<readonly number[]> {
  try {
    return [...(await restoreFromReplica({ ...place(url), data, atMs }, events)).chosen.cut]
  } finally {
    for (const folder of [data, `${data}.restoring`]) await rm(folder, { recursive: true, force: true })
  }
}

async function damagesOf(url: string): Promise<string> {
  const damages: string[] = []
  for await (const { isDamaged, found } of verifyReplicaAt(place(url), events)) if (isDamaged) damages.push(found)
  return damages.join('\n')
}

async function namesIn(copy: string): Promise<readonly string[]> {
  const entries = await readdir(copy, { recursive: true, withFileTypes: true })
  const files = entries.filter((entry) => entry.isFile())
  return files.map((entry) => join(entry.parentPath, entry.name).slice(copy.length + 1)).sort()
}

const harms = {
  missing: (path: string) => rm(path),
  torn: async (path: string) => truncate(path, (await readFile(path)).length >> 1),
  flipped: async (path: string) => {
    const bytes = await readFile(path)
    bytes[bytes.length >> 1]! ^= 1
    await writeFile(path, bytes)
  },
}

test.each(Object.entries(harms))(
  'with any one object of a replica %s, a restore is complete or refused with the name of the object',
  (kind, harm) =>
    inScratchFolder('tidemark-damage-', async (directory) => {
      const { url, ats } = await makeReplica(directory)
      const copy = join(directory, 'copy')
      const whole = new Map<number | null, readonly number[]>()
      for (const atMs of ats) whole.set(atMs, await restoredTo(url, atMs, join(directory, 'whole')))
      expect(await damagesOf(url)).toBe('')
      const names = await namesIn(copy)
      const lastEntry = names.filter((name) => name.startsWith('log/')).at(-1)
      let refused = 0
      const tryOne = async (name: string): Promise<void> => {
        const harmed = join(directory, name.replaceAll('/', '-'))
        await cp(copy, harmed, { recursive: true })
        await harm(join(harmed, name))
        const harmedUrl = pathToFileURL(harmed).href
        // A log without its end is a shorter log, nothing needs the first claim, and only a claim must know that the replica exists.
        const isEnd = kind === 'missing' && name === lastEntry
        if (kind === 'missing' && !isEnd && name !== 'log/000000000000' && name !== 'begun')
          expect(await damagesOf(harmedUrl)).toContain(name)
        for (const atMs of ats) {
          if (isEnd && atMs === null) continue
          const given = await restoredTo(harmedUrl, atMs, `${harmed}-restored`).catch((error: Error) => error.message)
          if (typeof given === 'string') refused++
          if (typeof given === 'string') expect(given).toContain(name)
          else expect({ name, atMs, given }).toEqual({ name, atMs, given: whole.get(atMs) })
        }
        await rm(harmed, { recursive: true })
      }
      for (let index = 0; index < names.length; index += 8) {
        const tried = await Promise.allSettled(names.slice(index, index + 8).map(tryOne))
        for (const one of tried) if (one.status === 'rejected') throw one.reason
      }
      expect(refused).toBeGreaterThan(names.length / 2)
    }),
  240_000,
)

test('verify and restore report at once a path that is not a replica', () =>
  inScratchFolder('tidemark-damage-', async (directory) => {
    await writeFile(join(directory, 'file'), '')
    for (const [place, words] of [
      ['none', 'There is no replica at this address'],
      ['none/copy', 'is its disk mounted?'],
      ['file', 'cannot be read: a part of its path is not a folder'],
    ]) {
      const url = pathToFileURL(join(directory, place!)).href
      for (const command of [
        ['verify', url],
        ['restore', url, '--data', join(directory, 'data')],
      ])
        expect(await runCommand(command, {})).toMatchObject({ code: 1, errors: expect.stringContaining(words!) })
      expect((await readdir(directory)).filter((name) => name.startsWith('data'))).toEqual([])
    }
  }))

test('verify and restore exit with 1 and name the missing object, and --at restores an earlier moment', () =>
  inScratchFolder('tidemark-damage-', async (directory) => {
    const { url, ats } = await makeReplica(directory)
    const log = (await namesIn(join(directory, 'copy'))).filter((name) => name.startsWith('log/'))
    const gone = log.at(-3)!
    await rm(join(directory, 'copy', gone))
    const verified = await runCommand(['verify', url], {})
    expect(verified).toMatchObject({
      code: 1,
      output: expect.stringContaining(`the object ${gone} of the replica is missing`),
    })
    const data = join(directory, 'restored')
    const refused = await runCommand(['restore', url, '--data', data], {})
    expect(refused).toMatchObject({
      code: 1,
      errors: expect.stringContaining(`the object ${gone} of the replica is missing`),
    })
    // Where that moment cannot be restored either, the message names the one before it.
    for (let tried = refused; tried.code !== 0; ) {
      const before = /give --at (\S+) or an earlier moment/.exec(tried.errors)?.[1]
      expect(Date.parse(before!)).toBeGreaterThan(ats.at(1)!)
      tried = await runCommand(['restore', url, '--data', data, '--at', before!], {})
    }
  }))
