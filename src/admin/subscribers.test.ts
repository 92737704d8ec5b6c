import { beforeEach, describe, expect, test } from 'vitest'
import { now, pages, refusal, reported, subscribers, useAdminSide } from '../../test/support/admin-side.ts'
import type { PutSubscriptions } from './subscriber-schemas.ts'

useAdminSide()

describe('subscribers', () => {
  test('are created, listed by code point and deleted', async () => {
    const names = ['a', 'plant 7', '～', '😀']
    for (const name of names.toReversed()) {
      expect(await subscribers.create({ name })).toEqual({ name, created: now, keys: [] })
    }
    const list = await pages((request) => subscribers.list(request), 3)
    expect(list.map((page) => page.map(({ name }) => name))).toEqual([names.slice(0, 3), names.slice(3)])
    await subscribers.delete('a')
    await expect(subscribers.delete('a')).rejects.toEqual(refusal('not_found'))
    expect(reported.changes).toBe(5)
  })

  test.each(['', '.', '..', 'a\nb', 'a\u0000', '\ud800', 'x'.repeat(129)])('cannot be named %j', async (name) => {
    await expect(subscribers.create({ name })).rejects.toEqual(refusal('invalid_request', 'name'))
  })

  test('cannot have a name already in use', async () => {
    await subscribers.create({ name: 'a' })
    await expect(subscribers.create({ name: 'a' })).rejects.toEqual(refusal('conflict', 'name'))
  })

  test('have keys, which are created, listed and deleted', async () => {
    await subscribers.create({ name: 'a' })
    const expires = '2026-01-01T00:00:00.001Z'
    expect(await subscribers.createKey('a', { rights: ['ingest', 'ingest'] })).toEqual({ id: 'id1', key: 'key 1' })
    expect(await subscribers.createKey('a', { rights: ['consume', 'admin'], expires })).toMatchObject({ id: 'id2' })
    expect((await subscribers.list({})).Items[0]!.keys).toEqual([
      { id: 'id1', rights: ['ingest'], created: now, expires: null },
      { id: 'id2', rights: ['consume', 'admin'], created: now, expires },
    ])
    await subscribers.deleteKey('id1')
    await expect(subscribers.deleteKey('id1')).rejects.toEqual(refusal('not_found'))
    await expect(subscribers.createKey('b', { rights: ['ingest'] })).rejects.toEqual(refusal('not_found'))
    expect(reported.changes).toBe(4)
  })

  test.each(['2026-01-01T00:00:00Z', '2025-01-01', 'never', 'P1D', ''])(
    'cannot have a key that expires at %j',
    async (expires) => {
      await subscribers.create({ name: 'a' })
      await expect(subscribers.createKey('a', { rights: ['ingest'], expires })).rejects.toEqual(
        refusal('invalid_request', 'expires'),
      )
    },
  )
})

describe('subscriptions', () => {
  beforeEach(async () => {
    await subscribers.create({ name: 'a' })
  })

  test('are replaced and returned', async () => {
    const put: PutSubscriptions = [
      { ingest: 'not-yet', entity: '*', from: '2026-01-01', until: '2026-01-01T02:00:00+02:00', suspended: true },
      { ingest: '*', entity: null, from: null },
    ]
    const got = {
      Items: [
        { ingest: 'not-yet', entity: '*', from: now, until: now, suspended: true },
        { ingest: '*', from: null, until: null, suspended: false },
      ],
      NextToken: null,
    }
    expect(await subscribers.putSubscriptions('a', put)).toEqual(got)
    expect(await subscribers.getSubscriptions('a')).toEqual(got)
    expect(await subscribers.putSubscriptions('a', got.Items)).toEqual(got)
    expect(await subscribers.putSubscriptions('a', [])).toEqual({ Items: [], NextToken: null })
    expect(reported.changes).toBe(4)
  })

  test.each<[PutSubscriptions[number], string]>([
    [{}, '[1]'],
    [{ ingest: null, suspended: true }, '[1]'],
    [{ ingest: 'a b' }, '[1].ingest'],
    [{ entity: '' }, '[1].entity'],
    [{ entity: '**' }, '[1].entity'],
    [{ ingest: 'a', from: 'PT1H' }, '[1].from'],
    [{ ingest: 'a', until: 'tomorrow' }, '[1].until'],
    [{ ingest: 'a', from: '2026-01-02', until: '2026-01-01' }, '[1].until'],
  ])('cannot contain %j', async (entry, path) => {
    await expect(subscribers.putSubscriptions('a', [{ ingest: '*' }, entry])).rejects.toEqual(
      refusal('invalid_request', path),
    )
    expect((await subscribers.getSubscriptions('a')).Items).toEqual([])
  })

  test('of an unknown subscriber are refused as not found', async () => {
    await expect(subscribers.putSubscriptions('b', [])).rejects.toEqual(refusal('not_found'))
    await expect(subscribers.getSubscriptions('b')).rejects.toEqual(refusal('not_found'))
  })
})
