import { expect, test } from 'vitest'
import type { Disk, DiskFile } from '../../src/lib/disk.ts'
import { runHistory } from './journal-history.ts'

const histories = 300
/** Within so many histories a planted fault must be found. */
const canaryHistories = 100

/** The first seed whose history goes wrong, and how; null when none does. */
async function firstFault(seeds: number, sabotage: (disk: Disk) => Disk): Promise<string | null> {
  for (let seed = 1; seed <= seeds; seed++) {
    try {
      await runHistory(seed, sabotage)
    } catch (error) {
      return `seed=${seed}: ${error instanceof Error ? error.message : error}`
    }
  }
  return null
}

/** A disk whose opened files are changed. */
function withFiles(change: (file: DiskFile) => Partial<DiskFile>): (disk: Disk) => Disk {
  return (disk) => changed(disk, { open: async (path, options) => open(disk, path, options) })
  async function open(disk: Disk, path: string, options: { readonly create: boolean }): Promise<DiskFile> {
    const file = await disk.open(path, options)
    return changed(file, change(file))
  }
}

/** The same object with some methods in the place of its own. */
function changed<T extends object>(original: T, methods: Partial<T>): T {
  return new Proxy(original, {
    get(target, name) {
      const found: unknown = Reflect.get(name in methods ? methods : target, name)
      return typeof found === 'function' ? found.bind(name in methods ? methods : target) : found
    },
  })
}

test('what was acknowledged is there once, in order and whole, whatever happens', async () => {
  expect(await firstFault(histories, (disk) => disk)).toBeNull()
})

test.each<[string, (disk: Disk) => Disk]>([
  ['never fsyncs files', withFiles(() => ({ sync: async () => {} }))],
  ['acknowledges before the fsync', withFiles((file) => ({ sync: async () => void file.sync().catch(() => {}) }))],
  ['never fsyncs folders', (disk) => changed(disk, { syncDirectory: async () => {} })],
  ['does not cut torn tails', withFiles(() => ({ truncate: async () => {} }))],
  [
    'acknowledges half a write',
    withFiles((file) => ({ write: (buffers, offset) => file.write(buffers.slice(0, -1), offset) })),
  ],
])('the same check finds a journal that %s', async (_, sabotage) => {
  expect(await firstFault(canaryHistories, sabotage)).not.toBeNull()
})
