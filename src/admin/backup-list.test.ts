import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { NextTokens } from '../model/next-token.ts'
import { contentsName, encodeContents } from './backup-contents.ts'
import { BackupList } from './backup-list.ts'

let directory: string
const tokens = new NextTokens(Buffer.alloc(32))

async function folder(name: string, made: string | null, bytes: number): Promise<void> {
  await mkdir(join(directory, name))
  if (made === null) return
  const files = [{ path: 'catalog.sqlite', bytes, checksum: 1 }]
  await writeFile(join(directory, name, contentsName), encodeContents({ made, sealedPosition: 0, position: 0, files }))
}

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'tidemark-backup-list-'))
  await folder('tidemark-20260101T000000.000Z', '2026-01-01T00:00:00.000Z', 10)
  await folder('tidemark-20260102T000000.000Z', '2026-01-02T00:00:00.000Z', 20)
  await folder('tidemark-20260103T000000.000Z', null, 0)
  await folder('.unfinished-x-20260104T000000.000Z', '2026-01-04T00:00:00.000Z', 1)
  await folder('holidays', null, 0)
})
afterAll(() => rm(directory, { recursive: true }))

test('lists complete backups, newest first, page by page', async () => {
  const list = new BackupList({ directory, tokens })
  const path = (name: string): string => join(directory, name)
  const first = await list.list({ limit: 1 })
  expect(first.Items).toEqual([
    { path: path('tidemark-20260102T000000.000Z'), made: '2026-01-02T00:00:00.000Z', bytes: 20, files: 1 },
  ])
  const second = await list.list({ limit: 1, token: first.NextToken! })
  expect(second).toEqual({
    Items: [{ path: path('tidemark-20260101T000000.000Z'), made: '2026-01-01T00:00:00.000Z', bytes: 10, files: 1 }],
    NextToken: null,
  })
})

test.each([null, '/no/such/folder'])('without a backup directory (%s) the list is empty', async (none) => {
  expect(await new BackupList({ directory: none, tokens }).list({})).toEqual({ Items: [], NextToken: null })
})

test('an unreadable backup directory is an error, not an empty list', async () => {
  const file = join(directory, 'file')
  await writeFile(file, '')
  const list = new BackupList({ directory: file, tokens })
  await expect(list.list({})).rejects.toMatchObject({ code: 'unavailable', message: expect.stringContaining(file) })
})
