import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { afterAll, expect, test } from 'vitest'
import { checkSqliteFile } from './check-files.ts'
import { copySqliteCatalog } from './copy-catalog.ts'
import { openSqliteCatalog } from './sqlite-catalog.ts'
import { diskErrorOf } from './statements.ts'

const directory = await mkdtemp(join(tmpdir(), 'tidemark-copy-'))
afterAll(() => rm(directory, { recursive: true }))

test('a copy made during other writes is a consistent snapshot', async () => {
  const path = join(directory, 'catalog.sqlite')
  const catalog = await openSqliteCatalog({ path })
  const seal = (position: number): Promise<void> =>
    catalog.manifest.commit({
      add: [],
      remove: [],
      registries: [],
      seal: { position, counts: [{ ingestId: 1, validated: position, rejected: 0 }], journalEnd: position },
    })
  await seal(1)
  let [position, copied] = [1, false]
  const writing = (async () => {
    while (!copied) {
      await seal(++position)
      await setImmediate()
    }
  })()
  const copyPath = join(directory, 'copy.sqlite')
  await copySqliteCatalog(path, copyPath)
  copied = true
  await writing
  const copy = await openSqliteCatalog({ path: copyPath, readOnly: true })
  const { sealedPosition, counts } = await copy.manifest.load()
  await copy.close()
  expect(counts).toEqual([{ ingestId: 1, validated: sealedPosition, rejected: 0 }])
  expect(sealedPosition).toBeGreaterThan(0)
  expect((await catalog.manifest.load()).sealedPosition).toBe(position)
  await catalog.close()
  expect((await readdir(directory)).filter((name) => name.startsWith('copy'))).toEqual(['copy.sqlite'])
  expect(checkSqliteFile(copyPath)).toEqual([])
})

test.each([
  [13, 'ENOSPC'],
  [10 | (4 << 8), 'EIO'],
  [1, 'ERR_SQLITE_ERROR'],
])('SQLite error %i gets the error code of the disk failure behind it', (errcode, code) => {
  const error = Object.assign(new Error('said by SQLite'), { code: 'ERR_SQLITE_ERROR', errcode })
  expect(diskErrorOf(error)).toMatchObject({ code, message: expect.stringContaining('said by SQLite') })
})
