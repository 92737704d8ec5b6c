import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { nodeDisk } from '../../lib/node-disk.ts'
import { requireCatalog, requireDataFolder } from './require-catalog.ts'
import { openSqliteCatalog } from './sqlite-catalog.ts'

const directory = await mkdtemp(join(tmpdir(), 'tidemark-require-'))
afterAll(() => rm(directory, { recursive: true }))

let folders = 0
async function folder() {
  const data = join(directory, String(folders++))
  for (const name of ['journal', 'idempotency', 'store']) await mkdir(join(data, name), { recursive: true })
  const at = (name: string): string => join(data, name)
  return { catalog: at('catalog.sqlite'), journal: at('journal'), idempotency: at('idempotency'), store: at('store') }
}
type Folders = Awaited<ReturnType<typeof folder>>

async function makeCatalog({ catalog }: Folders): Promise<void> {
  await (await openSqliteCatalog({ path: catalog })).close()
}

const fine = 'ok'
const reported = (check: Promise<void>): Promise<string> =>
  check.then(
    () => fine,
    (error: unknown) => String(error),
  )

test.each<[string, (paths: Folders) => Promise<unknown>, dataFolder: RegExp, catalog: RegExp]>([
  ['no files', async () => undefined, /"data" is not a data folder/, /^ok$/],
  ['a catalog', makeCatalog, /^ok$/, /^ok$/],
  ['only an empty catalog', ({ catalog }) => writeFile(catalog, ''), /^ok$/, /^ok$/],
  [
    'a journal but no catalog',
    ({ journal }) => writeFile(join(journal, '1.journal'), 'x'),
    /^ok$/,
    /catalog.sqlite is missing, but its data is there \(.*1\.journal\)/,
  ],
  [
    'an empty catalog next to the files of two entities',
    async ({ catalog, store }) => {
      await writeFile(catalog, '')
      for (const name of ['1', '2']) await mkdir(join(store, name))
    },
    /^ok$/,
    /catalog.sqlite is empty, but its data is there \(.*, and others\)/,
  ],
  [
    'a catalog file that is not a database',
    ({ catalog }) => writeFile(catalog, 'x'.repeat(5000)),
    /^ok$/,
    /cannot be read \(.*\): it is damaged/,
  ],
])('a folder with %s', async (_, fill, dataFolder, catalog) => {
  const paths = await folder()
  await fill(paths)
  expect(await reported(requireDataFolder('data', paths, nodeDisk))).toMatch(dataFolder)
  expect(await reported(requireCatalog(paths, nodeDisk))).toMatch(catalog)
})
