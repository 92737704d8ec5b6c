import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from '@photostructure/sqlite'
import { afterAll, expect, test } from 'vitest'
import { openSqliteCatalog } from '../sqlite/sqlite-catalog.ts'

const directory = await mkdtemp(join(tmpdir(), 'tidemark-manifest-'))
afterAll(() => rm(directory, { recursive: true }))

test.each([
  ['store_files', 'rows = 11'],
  ['store_files', 'day = 20455'],
  ['store_files', 'checksum = checksum + 1'],
  ['store_registries', 'bytes = 17'],
  ['ingest_counts', 'judged = 0'],
  ['store_state', 'sealed_position = 8'],
  ['store_files', "name = '2'"],
])('a damaged row of %s (%s) is an error that names the catalog', async (table, change) => {
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
    seal: { position: 9, counts: [{ ingestId: 1, judged: 9, rejected: 0 }] },
  })
  const database = new DatabaseSync(path)
  database.exec(`update ${table} set ${change}`)
  database.close()
  await expect(catalog.manifest.load()).rejects.toThrow(`catalog.sqlite is damaged: a row of its table ${table}`)
  await catalog.close()
})
