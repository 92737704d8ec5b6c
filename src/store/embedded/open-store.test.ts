import { mkdir, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import type { StoreRegistry } from '../../catalog/manifest.ts'
import { loadSettings } from '../../config/load.ts'
import type { Disk } from '../../lib/disk.ts'
import { nodeDisk } from '../../lib/node-disk.ts'
import { groupRowsOf, openStore } from './open-store.ts'

const directory = await mkdtemp(join(tmpdir(), 'tidemark-open-'))
afterAll(() => rm(directory, { recursive: true }))

test('registries written before another one failed are recorded by the next attempt', async () => {
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
    settle: async () => undefined,
    replacing: new Set(),
    isHeld: false,
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

test('files and series in no manifest are deleted only when no pending commit can still name them', async () => {
  const data = join(directory, 'settled')
  const entity = join(data, '1')
  await mkdir(entity, { recursive: true })
  const path = join(entity, '2026-01-01-000000000000.parquet')
  const settings = loadSettings({ flags: {}, environment: {}, file: null }).store
  const parts = {
    disk: nodeDisk,
    directory: data,
    settings,
    replacing: new Set<number>(),
    isHeld: false,
    observe: () => undefined,
  }
  const manifest = (registries: readonly StoreRegistry[]) => ({ sealedPosition: 0, files: [], registries, counts: [] })
  const settle = async (): Promise<void> => undefined
  const opened = await openStore({ ...parts, manifest: manifest([]), settle })
  const { series } = opened.store.registry(1)
  series.addTag('T')
  series.restore(['a'])
  const recorded = await opened.extendRegistries()
  series.restore(['b'])
  await opened.extendRegistries()
  const cannot = () => Promise.reject(new Error('the catalog does not commit'))
  const whole = await stat(join(entity, 'series.log'))
  // The registry is longer than the manifest records.
  await expect(openStore({ ...parts, manifest: manifest(recorded), settle: cannot })).rejects.toThrow('does not commit')
  await writeFile(path, '')
  await expect(openStore({ ...parts, manifest: manifest(recorded), settle: cannot })).rejects.toThrow('does not commit')
  await expect(openStore({ ...parts, manifest: manifest([]), settle: cannot })).rejects.toThrow('does not commit')
  expect((await stat(join(entity, 'series.log'))).size).toBe(whole.size)
  expect((await stat(path)).size).toBe(0)
  let settled = 0
  const count = async (): Promise<void> => {
    settled++
  }
  await openStore({ ...parts, manifest: manifest(recorded), settle: count })
  expect(settled).toBe(1)
  // Nothing is left to delete, so this start commits nothing, as most starts do.
  await openStore({ ...parts, manifest: manifest(recorded), settle: cannot })
})

test('deletes nothing while files are held, as for a backup that outlasts a restart of the thread', async () => {
  const data = join(directory, 'held')
  const paths = ['1/2026-01-01-000000000000.parquet', '1/series.log', '2/2026-01-01-000000000000.index']
  for (const path of paths) {
    await mkdir(join(data, dirname(path)), { recursive: true })
    await writeFile(join(data, path), '')
  }
  const there = async () => (await readdir(data, { recursive: true })).filter((name) => name.includes('.')).sort()
  const settings = loadSettings({ flags: {}, environment: {}, file: null }).store
  const manifest = { sealedPosition: 0, files: [], registries: [], counts: [] }
  const parts = { disk: nodeDisk, directory: data, settings, manifest, replacing: new Set<number>() }
  const settle = async (): Promise<void> => undefined
  await openStore({ ...parts, settle, observe: () => undefined, isHeld: true })
  expect(await there()).toEqual(paths)
  await openStore({ ...parts, settle, observe: () => undefined, isHeld: false })
  expect(await there()).toEqual([])
})

test.each([
  [1, 65_536],
  [125_000, 125_000],
  [1_000_000, 1_000_000],
  [10_000_000, 1_048_576],
])('with a head of %i rows, row groups have at most %i rows', (headRows, groupRows) => {
  expect(groupRowsOf(headRows)).toBe(groupRows)
})
