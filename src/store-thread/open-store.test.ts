import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { loadSettings } from '../config/load.ts'
import type { Disk } from '../lib/disk.ts'
import { nodeDisk } from '../lib/node-disk.ts'
import { openStore } from './open-store.ts'

const directory = await mkdtemp(join(tmpdir(), 'tidemark-open-'))
afterAll(() => rm(directory, { recursive: true }))

test('registries that were written down before one failed are recorded by the next attempt', async () => {
  let isFull = true
  const disk: Disk = {
    ...nodeDisk,
    open: async (path, options) => {
      if (isFull && options.create && path.includes('/2/')) throw new Error('no space left')
      return nodeDisk.open(path, options)
    },
  }
  const opened = await openStore({
    disk,
    directory,
    settings: loadSettings({ flags: {}, environment: {}, file: null }).store,
    manifest: { sealedPosition: 0, files: [], registries: [], counts: [] },
    replacing: new Set(),
    observe: () => undefined,
  })
  for (const entityId of [1, 2]) {
    const { series } = opened.store.registry(entityId)
    series.addTag('T')
    series.restore(['a'])
  }
  await expect(opened.extendRegistries()).rejects.toThrow('no space left')
  isFull = false
  const recorded = await opened.extendRegistries()
  expect(recorded.map(({ entityId, series }) => [entityId, series])).toEqual([
    [1, 1],
    [2, 1],
  ])
  expect(await opened.extendRegistries()).toEqual([])
})
