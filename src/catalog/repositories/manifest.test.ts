import { appendFile, copyFile, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from '@photostructure/sqlite'
import { afterAll, expect, test } from 'vitest'
import type { Catalog } from '../catalog.ts'
import { openSqliteCatalog } from '../sqlite/sqlite-catalog.ts'

const directory = await mkdtemp(join(tmpdir(), 'tidemark-manifest-'))
afterAll(() => rm(directory, { recursive: true }))

test.each([
  ['store_files', 'rows = 11'],
  ['store_files', 'day = 20455'],
  ['store_files', 'checksum = checksum + 1'],
  ['store_registries', 'bytes = 17'],
  ['ingest_counts', 'validated = 0'],
  ['store_state', 'sealed_position = 8'],
  ['store_files', "name = '2'"],
])('a damaged row in %s (%s) fails with an error that names the catalog', async (table, change) => {
  const path = join(directory, `${table} ${change}.sqlite`)
  const catalog = await openSqliteCatalog({ path })
  const file = {
    entityId: 1,
    name: '1',
    kind: 'day' as const,
    day: 3,
    rows: 10,
    firstMs: 0,
    lastMs: 9,
    firstPosition: 0,
    lastPosition: 9,
  }
  await catalog.manifest.commit({
    add: [{ ...file, bytes: 5, indexBytes: 6 }],
    remove: [],
    registries: [{ entityId: 1, series: 1, bytes: 16 }],
    seal: { position: 9, counts: [{ ingestId: 1, validated: 9, rejected: 0 }], journalEnd: 9 },
  })
  const database = new DatabaseSync(path)
  database.exec(`update ${table} set ${change}`)
  database.close()
  await expect(catalog.manifest.load()).rejects.toThrow(`catalog.sqlite is damaged: a row of its table ${table}`)
  await catalog.close()
})

const sealTo = (catalog: Catalog, position: number): Promise<void> =>
  catalog.manifest.commit({ add: [], remove: [], registries: [], seal: { position, counts: [], journalEnd: position } })

let copies = 0

/** The catalog as another process finds it after a power failure: file and log, without the state in memory. */
async function afterCrash(path: string): Promise<{ readonly path: string; readonly catalog: Catalog }> {
  const copy = join(directory, `copy-${++copies}.sqlite`)
  await copyFile(path, copy)
  await copyFile(`${path}-wal`, `${copy}-wal`)
  return { path: copy, catalog: await openSqliteCatalog({ path: copy }) }
}

async function positionAfterCrash(path: string): Promise<number> {
  const { catalog } = await afterCrash(path)
  const { sealedPosition } = await catalog.manifest.load()
  await catalog.close()
  return sealedPosition
}

test('a commit whose sync failed may reappear after a crash, but not after settle()', async () => {
  const path = join(directory, 'settled.sqlite')
  const catalog = await openSqliteCatalog({ path })
  await sealTo(catalog, 1)
  // The log entry of such a commit, taken from a copy in which the commit did not fail.
  const copy = await afterCrash(path)
  await sealTo(copy.catalog, 2)
  const log = await readFile(`${copy.path}-wal`)
  await copy.catalog.close()
  await appendFile(`${path}-wal`, log.subarray((await readFile(`${path}-wal`)).length))
  expect(await positionAfterCrash(path)).toBe(2)
  expect((await catalog.manifest.load()).sealedPosition).toBe(1)
  await catalog.manifest.settle()
  expect(await positionAfterCrash(path)).toBe(1)
  await sealTo(catalog, 3)
  expect(await positionAfterCrash(path)).toBe(3)
  await catalog.close()
})
