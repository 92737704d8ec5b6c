import { expect, test } from 'vitest'
import { catalog, ingests, pages, refusal, useAdminSide } from '../../test/support/admin-side.ts'
import type { DiskSize } from '../model/disk-size.ts'
import { NextTokens } from '../model/next-token.ts'
import { StorageList } from './storage.ts'

useAdminSide()

const size: DiskSize = { files: 2, rows: 30, bytes: 4000, firstMs: 0, lastMs: 86_400_000 }
const { signal } = new AbortController()

test('lists entities by name, page by page, with zeros for entities without files', async () => {
  for (const alias of ['c', 'a', 'b']) await ingests.create({ alias, kind: 'series' })
  const asked: (readonly number[])[] = []
  const list = new StorageList({
    ingests: catalog.ingests,
    sizes: async (ids) => {
      asked.push(ids)
      return new Map([[2, size]])
    },
    tokens: new NextTokens(Buffer.alloc(32)),
  })
  const none = { files: 0, rows: 0, bytes: 0, first_date: null, last_date: null }
  const dates = { first_date: '1970-01-01T00:00:00.000Z', last_date: '1970-01-02T00:00:00.000Z' }
  expect(await pages((request) => list.list(request, signal), 2)).toEqual([
    [
      { entity: 'a', files: 2, rows: 30, bytes: 4000, ...dates },
      { entity: 'b', ...none },
    ],
    [{ entity: 'c', ...none }],
  ])
  expect(asked).toEqual([[2, 3], [1]])
  await expect(list.list({ token: 'x' }, signal)).rejects.toEqual(refusal('invalid_token'))
})

test('requests no sizes if there are no entities', async () => {
  const sizes = () => Promise.reject(new Error('asked'))
  const list = new StorageList({ ingests: catalog.ingests, sizes, tokens: new NextTokens(Buffer.alloc(32)) })
  expect(await list.list({}, signal)).toEqual({ Items: [], NextToken: null })
})
