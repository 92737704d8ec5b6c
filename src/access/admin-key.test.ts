import { createHash } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { Catalog } from '../catalog/catalog.ts'
import { openSqliteCatalog } from '../catalog/sqlite/sqlite-catalog.ts'
import { Access } from './access.ts'
import { ensureAdminKey } from './admin-key.ts'
import { isCaller } from './caller.ts'
import { hashKey, newKey } from './keys.ts'

let directory: string
let catalog: Catalog
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'tidemark-catalog-'))
  catalog = await openSqliteCatalog({ path: join(directory, 'catalog.sqlite') })
})
afterEach(async () => {
  await catalog.close()
  await rm(directory, { recursive: true })
})

const nowMs = () => 1000
const ensure = (configured: string | null) => ensureAdminKey(catalog.access, configured, nowMs)

/** Those of the keys that have operator rights. */
async function adminKeys(...keys: readonly string[]): Promise<readonly string[]> {
  const access = await Access.open(catalog.access, nowMs)
  return keys.filter((apiKey) => {
    const asker = access.identify({ apiKey })
    return isCaller(asker) && asker.rights.has('admin')
  })
}

test('a new key has 192 random bits and comes with its SHA-256 hash', () => {
  const random = Uint8Array.from({ length: 24 }, (_, index) => 255 - 10 * index)
  const counts: number[] = []
  const { key, hash } = newKey((count) => {
    counts.push(count)
    return random
  })
  expect(counts).toEqual([24])
  expect(key.slice(0, 3)).toBe('tm_')
  expect(Buffer.from(key.slice(3), 'base64url')).toEqual(Buffer.from(random))
  expect(hash).toBe(createHash('sha256').update(key).digest('hex'))
  expect(newKey().key).toMatch(/^tm_[A-Za-z0-9_-]{32}$/)
  expect(newKey().key).not.toBe(newKey().key)
})

test('without a configured key one is created, only once, and only its hash is stored', async () => {
  const made = (await ensure(null)) ?? ''
  expect(made).toMatch(/^tm_/)
  expect(await ensure(null)).toBeNull()
  expect(await adminKeys(made)).toEqual([made])
  expect((await catalog.access.state()).keys.map(({ hash }) => hash)).toEqual([hashKey(made)])
  expect(JSON.stringify(await catalog.access.state())).not.toContain(made)
})

test('a configured key replaces the previous one, and remains valid when it is no longer configured', async () => {
  const made = (await ensure(null)) ?? ''
  expect(await ensure('first')).toBeNull()
  expect(await adminKeys(made, 'first')).toEqual(['first'])
  expect(await ensure('first')).toBeNull()
  expect(await ensure('second')).toBeNull()
  expect(await adminKeys(made, 'first', 'second')).toEqual(['second'])
  expect(await ensure(null)).toBeNull()
  expect(await adminKeys('second')).toEqual(['second'])
})

test.each<[string, number | null, boolean]>([
  ['that never expires', null, false],
  ['that expires later', 1001, false],
  ['that has expired', 1000, true],
])('creates a key only when no other admin key is valid: with one %s', async (_, expiresMs, isMade) => {
  const { id: subscriberId } = await catalog.access.createSubscriber('operator', 1)
  await catalog.access.putKey({
    id: 'k',
    subscriberId,
    hash: hashKey('other'),
    rights: ['admin'],
    createdMs: 1,
    expiresMs,
  })
  expect((await ensure(null)) !== null).toBe(isMade)
})

test('a deleted admin subscriber is created again', async () => {
  await ensure('first')
  await catalog.access.deleteSubscriber('admin')
  await ensure('first')
  expect(await adminKeys('first')).toEqual(['first'])
})

test('refuses a configured key that belongs to another subscriber', async () => {
  const { id: subscriberId } = await catalog.access.createSubscriber('x', 1)
  const key = { id: 'k', subscriberId, hash: hashKey('theirs'), createdMs: 1, expiresMs: null }
  await catalog.access.putKey({ ...key, rights: ['consume'] })
  await expect(ensure('theirs')).rejects.toThrow('under the id "k"')
  expect(await adminKeys('theirs')).toEqual([])
})
