import { existsSync, readdirSync, writeFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { seededRandom } from '../../../../test/support/random.ts'
import { type Entity, mixed, newPacer, temporaryFolder, writeEntity } from '../../../../test/support/sealed-files.ts'
import { SimulatedDisk } from '../../../../test/support/simulated-disk.ts'
import { newChunk } from '../head/chunk.ts'
import { EntityRegistry } from '../registry/entity-registry.ts'
import { LocalFolder } from './local-folder.ts'

const folder = temporaryFolder()
const row = { ms: 5, position: 1, values: [1.5] }
const plant: Entity = {
  tags: ['T'],
  columns: [['V', 'double']],
  series: [
    { tags: ['a'], rows: [row, { ...row, ms: 9, position: 3 }] },
    { tags: ['b'], rows: [{ ...row, ms: 7, position: 2 }] },
  ],
}

function names(): string[] {
  return readdirSync(`${folder.path}/${mixed.entityId}`).sort()
}

describe('a folder', () => {
  test('stores a file and its index, and describes their content', async () => {
    const { file } = await writeEntity(folder.path, plant)
    const { name, bytes, indexBytes, ...info } = file.info
    expect(info).toEqual({
      entityId: mixed.entityId,
      kind: 'mixed',
      day: null,
      rows: 3,
      firstMs: 5,
      lastMs: 9,
      firstPosition: 1,
      lastPosition: 3,
    })
    expect(name).toMatch(/^mixed-[0-9a-f]{12}$/)
    expect(names()).toEqual([`${name}.index`, `${name}.parquet`])
    expect([bytes, indexBytes].every((length) => length > 100)).toBe(true)
  })

  test('removes a file', async () => {
    const { file, folder: stored } = await writeEntity(folder.path, plant)
    await stored.remove(file)
    expect(names().filter((name) => name.startsWith(file.info.name))).toEqual([])
  })

  test('removes files in no manifest, and nothing else', async () => {
    const { file, folder: stored } = await writeEntity(folder.path, plant)
    const { file: orphan } = await writeEntity(folder.path, plant)
    const others = ['series.log', 'notes.txt']
    const left = ['2026-01-01-0.parquet.tmp', '2026-01-01-0.index.tmp', 'alone.index']
    for (const name of [...others, ...left]) writeFileSync(`${folder.path}/${mixed.entityId}/${name}`, '')
    let settled = 0
    const settle = async (): Promise<void> => {
      expect(names()).toContain(`${orphan.info.name}.parquet`)
      settled++
    }
    const removed = await stored.removeOrphans(mixed.entityId, [file.info], settle)
    expect(settled).toBe(1)
    expect(removed).toEqual(expect.arrayContaining([expect.stringContaining(orphan.info.name)]))
    expect(names()).toEqual([`${file.info.name}.index`, `${file.info.name}.parquet`, ...others].sort())
    expect(await stored.removeOrphans(mixed.entityId, [file.info], settle)).toEqual([])
    expect(await stored.removeOrphans(999, [], settle)).toEqual([])
    expect(existsSync(`${folder.path}/999`)).toBe(false)
    expect(settled).toBe(1)
  })

  test('keeps complete files in no manifest while a file of the manifest is missing', async () => {
    const { file, folder: stored } = await writeEntity(folder.path, plant)
    const { file: merged } = await writeEntity(folder.path, plant)
    writeFileSync(`${folder.path}/${mixed.entityId}/begun.index.tmp`, '')
    await stored.remove(file)
    const never = () => Promise.reject(new Error('nothing that was recorded is to go'))
    const removed = await stored.removeOrphans(mixed.entityId, [file.info], never)
    expect(removed).toEqual([expect.stringContaining('begun.index.tmp')])
    expect(names()).toEqual(expect.arrayContaining([`${merged.info.name}.index`, `${merged.info.name}.parquet`]))
  })
})

describe('a writer', () => {
  const operations = ['create', 'write', 'sync', 'rename'] as const
  test.each(operations.flatMap((operation) => [0, 1].map((after) => [operation, after] as const)))(
    'leaves no file when it is abandoned after a failing %s (number %i)',
    async (operation, after) => {
      const disk = new SimulatedDisk(seededRandom(1))
      const mounted = disk.mount()
      const registry = new EntityRegistry(1)
      registry.series.addTag('T')
      registry.columns.learn('V', 'double')
      registry.series.restore(['a'])
      const stored = new LocalFolder({
        disk: mounted,
        directory: 'store',
        registryOf: () => registry,
        pageRows: 8,
        pageCacheBytes: 0,
        indexCacheBytes: 0,
      })
      disk.failOnce(operation, 'ENOSPC', after)
      const write = async () => {
        const writer = await stored.create({ entityId: 1, kind: 'day', day: 20_454 }, newPacer())
        try {
          await writer.addSeries(0, [{ chunk: newChunk(1), start: 0, end: 1 }])
          await writer.finish()
          await writer.publish()
        } catch (error) {
          await writer.abandon()
          throw error
        }
      }
      await expect(write()).rejects.toThrow('ENOSPC')
      expect(await mounted.list('store/1')).toEqual([])
    },
  )

  test.each([
    ['series in the wrong order', [1, 0], 'in the order of the values of their tags'],
    ['a repeated series', [0, 0], 'in the order of the values of their tags'],
  ])('refuses %s', async (_, order, message) => {
    const { folder: stored } = await writeEntity(folder.path, plant)
    const writer = await stored.create(mixed, newPacer())
    const add = async () => {
      for (const series of order) await writer.addSeries(series, [{ chunk: newChunk(1), start: 0, end: 1 }])
    }
    await expect(add()).rejects.toThrow(message)
    await writer.abandon()
  })

  test('refuses a series without rows, rows out of order, and a file without rows', async () => {
    const { folder: stored } = await writeEntity(folder.path, plant)
    const chunk = newChunk(2)
    chunk.times.set([5, 3])
    const one = { chunk, start: 0, end: 1 }
    const other = { chunk, start: 1, end: 2 }
    for (const [work, message] of [
      [async (writer) => writer.addSeries(0, []), 'a series that is added has rows'],
      [async (writer) => writer.addSeries(0, [one, other]), 'in the order of their times'],
      [async (writer) => void (await writer.finish()), 'a sealed file has rows'],
    ] satisfies [(writer: Awaited<ReturnType<LocalFolder['create']>>) => Promise<void>, string][]) {
      const writer = await stored.create(mixed, newPacer())
      await expect(work(writer)).rejects.toThrow(message)
      await writer.abandon()
    }
  })
})
