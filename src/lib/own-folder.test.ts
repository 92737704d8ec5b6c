import { mkdir, readdir, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { expect, test } from 'vitest'
import { inScratchFolder } from '../../test/support/scratch-folder.ts'
import { openOwnFolder } from './own-folder.ts'

test('is created empty, deletes folders of dead processes only, and is deleted on close', () =>
  inScratchFolder('tidemark-own-', async (data) => {
    // Process 1 always exists; the id of the last process is higher than any system allows.
    const kept = ['process-1-1000-a', 'process-x', 'store']
    const left = [`process-${process.pid}-1000-a`, 'process-4194305-1000-a']
    for (const name of [...kept, ...left]) {
      await mkdir(join(data, name))
      await writeFile(join(data, name, 'answer'), '')
    }
    const closers: (() => Promise<void>)[] = []
    // Two services in one process, at the same time.
    const own = await Promise.all([openOwnFolder(data, closers), openOwnFolder(data, closers)])
    for (const folder of own) expect(await readdir(folder)).toEqual([])
    const names = own.map((folder) => basename(folder))
    expect(new Set(await readdir(data))).toEqual(new Set([...kept, ...names]))
    for (const close of closers) await close()
    expect(new Set(await readdir(data))).toEqual(new Set(kept))
  }))
