import { afterEach, describe, expect, test } from 'vitest'
import { closeServices, service, tidemark } from '../../test/support/cli.ts'

afterEach(closeServices)

const key = (id: string, rights: readonly string[], expires: string | null = null) => ({
  id,
  rights,
  created: '2026-01-01T00:00:00.000Z',
  expires,
})
// The clock of these tests begins in 1970.
const past = '1969-12-31T00:00:00.000Z'
const future = '2027-01-01T00:00:00.000Z'
type Listed = Record<string, readonly ReturnType<typeof key>[]>

function holding(subscribers: Listed) {
  const items = Object.entries(subscribers).map(([name, keys]) => ({ name, created: '2026-01-01T00:00:00.000Z', keys }))
  return service({
    'GET /admin/subscribers': () => [200, { Items: items, NextToken: null }],
    'DELETE /admin/keys/a1': () => [204, ''],
    'DELETE /admin/keys/p1': () => [204, ''],
    'DELETE /admin/subscribers/admin': () => [204, ''],
  })
}

const two: Listed = {
  admin: [key('a1', ['admin'])],
  plant: [key('p1', ['ingest', 'consume'], future), key('p2', ['ingest'], past)],
}

test('revoking the key from TIDEMARK_ADMIN_KEY warns that a restart restores it', async () => {
  const { url } = await service({
    'DELETE /admin/keys/first-admin-key': () => [204, ''],
    'DELETE /admin/keys/k': () => [204, ''],
  })
  expect((await tidemark(url, ['keys', 'revoke', 'k', '--yes'])).err).toBe('')
  expect((await tidemark(url, ['keys', 'revoke', 'first-admin-key', '--yes'])).err).toContain('change or remove it too')
})

test.each([
  ['P7D', '1970-01-08T00:00:0'],
  ['PT36H', '1970-01-02T12:00:0'],
  ['2027-01-01', '2027-01-01'],
])('creates a key that expires: %s', async (text, expires) => {
  const { url, seen } = await service({ 'POST /admin/subscribers/a/keys': () => [201, { id: 'i', key: 'k' }] })
  const { code, err } = await tidemark(url, ['keys', 'create', 'a', '--rights', 'consume', '--expires', text])
  expect(code).toBe(0)
  expect(seen[0]).toContain(`"expires":"${expires}`)
  expect(err).toContain(`It expires on ${expires}`)
})

test('a duration beyond the year 9999 is refused', async () => {
  const { url, seen } = await service({})
  const { code } = await tidemark(url, ['keys', 'create', 'a', '--rights', 'consume', '--expires', 'P9000Y'])
  expect([code, seen]).toEqual([64, []])
})

test('lists keys with their subscriber and expiry', async () => {
  const { url } = await holding(two)
  expect((await tidemark(url, ['keys', 'list'])).out).toMatchInlineSnapshot(`
    "id  subscriber  rights           created                   expires
    a1  admin       admin            2026-01-01T00:00:00.000Z  never
    p1  plant       ingest, consume  2026-01-01T00:00:00.000Z  2027-01-01T00:00:00.000Z
    p2  plant       ingest           2026-01-01T00:00:00.000Z  1969-12-31T00:00:00.000Z (expired)
    "
  `)
  expect((await tidemark(url, ['keys', 'list', 'plant', '--json'])).out).toContain('"id": "p1"')
  expect((await tidemark(url, ['keys', 'list', 'plant'])).out).not.toContain('a1')
  expect((await tidemark(url, ['keys', 'list', 'nobody'])).err).toContain('There is no subscriber "nobody"')
  expect((await tidemark(url, ['subscribers', 'list'])).out).toMatchInlineSnapshot(`
    "subscriber  created                   keys
    admin       2026-01-01T00:00:00.000Z  a1 (admin; expires never)
    plant       2026-01-01T00:00:00.000Z  p1 (ingest, consume; expires 2027-01-01T00:00:00.000Z), p2 (ingest; expires 1969-12-31T00:00:00.000Z (expired))
    "
  `)
})

describe('protection of the last key with the right admin', () => {
  const revoke = ['keys', 'revoke', 'a1']
  const remove = ['subscribers', 'delete', 'admin']
  const others: Listed = { ops: [key('o1', ['admin'], past), key('o2', ['consume'])] }
  const another: Listed = { ops: [key('o1', ['consume', 'admin'], future)] }
  test.each<[string, readonly string[], Listed, string | null]>([
    ['refuses to revoke it', revoke, two, null],
    ['refuses to revoke it if other keys have expired or lack the right', revoke, { ...two, ...others }, null],
    ['refuses to delete its subscriber', remove, two, null],
    [
      'refuses to delete a subscriber that has the last two',
      remove,
      { admin: [key('a1', ['admin']), key('a2', ['admin'])] },
      null,
    ],
    ['revokes it with --yes', [...revoke, '--yes'], two, 'DELETE /admin/keys/a1'],
    ['deletes its subscriber with --yes', [...remove, '--yes'], two, 'DELETE /admin/subscribers/admin'],
    ['revokes a key if another subscriber has an admin key', revoke, { ...two, ...another }, 'DELETE /admin/keys/a1'],
    [
      'deletes a subscriber if another one has an admin key',
      remove,
      { ...two, ...another },
      'DELETE /admin/subscribers/admin',
    ],
    ['revokes a key without the right admin', ['keys', 'revoke', 'p1'], two, 'DELETE /admin/keys/p1'],
    [
      'revokes a key if the only admin key has already expired',
      ['keys', 'revoke', 'p1'],
      { admin: [key('a1', ['admin'], past)] },
      'DELETE /admin/keys/p1',
    ],
  ])('%s', async (_, argv, subscribers, asked) => {
    const { url, seen } = await holding(subscribers)
    const { code, err } = await tidemark(url, argv)
    const deleted = seen.filter((request) => request.startsWith('DELETE'))
    if (asked !== null) expect({ code, deleted }).toEqual({ code: 0, deleted: [asked] })
    else {
      expect({ code, deleted }).toEqual({ code: 1, deleted: [] })
      expect(err).toContain('a1 is the last key with the right admin')
      expect(err).toContain('--yes')
      expect(err).toContain('restart the service with another TIDEMARK_ADMIN_KEY')
    }
  })
})
