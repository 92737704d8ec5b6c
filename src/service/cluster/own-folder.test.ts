import { mkdir, readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { inScratchFolder } from '../../../test/support/scratch-folder.ts'
import type { Closer } from '../open-storage.ts'
import { openOwnFolder } from './own-folder.ts'

test('is empty, leaves those of living processes, and goes with its own', () =>
  inScratchFolder('tidemark-own-', async (data) => {
    const own = `process-${process.pid}`
    // The first process is always there; no system has as many as the last.
    const others = ['process-1', 'process-4194305', 'process-x', 'kept']
    for (const name of [own, ...others]) {
      await mkdir(join(data, name))
      await writeFile(join(data, name, 'answer'), '')
    }
    const closers: Closer[] = []
    expect(await openOwnFolder(data, closers)).toBe(join(data, own))
    expect(await readdir(join(data, own))).toEqual([])
    expect((await readdir(data)).sort()).toEqual(['kept', 'process-1', own, 'process-x'].sort())
    for (const close of closers) await close(new AbortController().signal)
    expect(await readdir(data)).not.toContain(own)
  }))
