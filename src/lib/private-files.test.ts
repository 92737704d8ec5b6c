import { chmod, mkdir, mkdtemp, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { nodeDisk } from './node-disk.ts'
import { makePrivateFile, narrowFolder } from './private-files.ts'

let root: string
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'tidemark-private-'))
})
afterEach(() => rm(root, { recursive: true }))

const modeOf = async (path: string): Promise<string> => ((await stat(join(root, path))).mode & 0o777).toString(8)

test.each([0o000, 0o022, 0o077, 0o277])(
  'creates files and folders for their owner only, whatever the umask (%i)',
  async (umask) => {
    const before = process.umask(umask)
    try {
      await nodeDisk.makeDirectory(join(root, 'a/b/c'))
      await (await nodeDisk.open(join(root, 'a/file'), { create: true })).close()
      makePrivateFile(join(root, 'a/other'))
    } finally {
      process.umask(before)
    }
    expect(await Promise.all(['a', 'a/b', 'a/b/c', 'a/file', 'a/other'].map(modeOf))).toEqual([
      ...['700', '700', '700', '600', '600'],
    ])
  },
)

test('closes a folder that was open to other users, with its content', async () => {
  const files = ['catalog.sqlite', 'journal/0.journal', 'store/1/a.parquet', 'closed/within']
  for (const path of files) {
    await mkdir(join(root, dirname(path)), { recursive: true })
    await writeFile(join(root, path), '')
    await chmod(join(root, path), 0o644)
  }
  for (const path of ['.', 'journal', 'store', 'store/1']) await chmod(join(root, path), 0o755)
  await chmod(join(root, 'closed'), 0o700)
  const { changed, refused } = await narrowFolder(root)
  expect(changed.length).toBe(7)
  expect(refused).toEqual([])
  expect(await Promise.all(['.', 'journal', 'store', 'store/1', ...files].map(modeOf))).toEqual([
    ...['700', '700', '700', '700', '600', '600', '600'],
    // No other user can reach it.
    '644',
  ])
  expect(await narrowFolder(root)).toEqual({ changed: [], refused: [] })
})
