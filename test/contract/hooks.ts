import { expect, test } from 'vitest'
import type { SharedCatalog } from '../../src/catalog/catalog.ts'
import type { Condition } from '../../src/catalog/hooks.ts'

const hook = (name: string, change: object = {}) => ({
  ...{ name, url: 'https://a/', kinds: [{ kind: 'disk_low' as const }], nowMs: 1 },
  ...change,
})
const shown = (name: string) => ({ name, url: 'https://a/', kinds: [{ kind: 'disk_low' as const }], createdMs: 1 })
const low = (hook: string, key: string | null = `low ${hook}`): Condition => ({
  ...{ key, hook, kind: 'disk_low', details: { free: '\0' } },
})

/** Tests for the hooks of every catalog. */
export function hookTests(catalog: () => SharedCatalog): void {
  const ids = async (name: string) =>
    (await catalog().hooks.deliveries(name, { before: null, limit: 100 })).map(({ id }) => id)

  test('hooks are created, replaced and deleted; a replacement without a secret keeps the old one', async () => {
    const { hooks } = catalog()
    expect(await hooks.put(hook('b', { secret: 's\0' }), 2)).toBe(true)
    expect(await hooks.put(hook('a'), 2)).toBe(true)
    await expect(hooks.put(hook('c'), 2)).rejects.toMatchObject({ code: 'conflict' })
    expect(await hooks.put(hook('b', { url: 'https://b/', nowMs: 9 }), 2)).toBe(false)
    expect(await hooks.list()).toEqual([
      { ...shown('a'), secret: null, secretSetMs: null },
      { ...shown('b'), url: 'https://b/', secret: 's\0', secretSetMs: 1 },
    ])
    await hooks.put(hook('b', { secret: 't', nowMs: 10 }), 2)
    expect(await hooks.find('b')).toMatchObject({ secret: 't', secretSetMs: 10, createdMs: 1 })
    expect(await hooks.find('c')).toBe(null)
    expect([await hooks.delete('b'), await hooks.delete('b')]).toEqual([true, false])
  })

  test('a lasting condition is one event until it is over; an occurrence is an event each time', async () => {
    const { hooks } = catalog()
    await hooks.put(hook('a'), 9)
    await hooks.put(hook('b'), 9)
    await hooks.raise([low('a'), low('b'), low('gone')], 5, 100)
    await hooks.raise([low('a'), low('gone')], 6, 100)
    expect([await ids('a'), await ids('b')].map(({ length }) => length)).toEqual([1, 1])
    await hooks.raise([low('a'), low('b'), low('a', null)], 7, 100)
    await hooks.raise([low('a'), low('b'), low('a', null)], 8, 100)
    expect([await ids('a'), await ids('b')].map(({ length }) => length)).toEqual([3, 2])
    // The condition was over for a moment, so there is nothing new.
    await hooks.raise([{ ...low('a'), isOver: true }, low('b')], 9, 100)
    expect((await ids('a')).length).toBe(3)
    await hooks.raise([{ ...low('a'), isOver: true }], 9, 100)
    expect((await ids('a')).length).toBe(4)
    await hooks.raise([low('a')], 9, 2)
    expect((await ids('a')).length).toBe(2)
    await hooks.delete('a')
    expect(await ids('a')).toEqual([])
    await hooks.raise([low('a')], 10, 100)
    await hooks.put(hook('a'), 9)
    await hooks.raise([low('a')], 11, 100)
    expect((await ids('a')).length).toBe(1)
    await hooks.delete('a')
    await hooks.put(hook('a'), 9)
    await hooks.raise([low('a')], 12, 100)
    expect((await ids('a')).length).toBe(1)
  })

  test('a delivery is due at its next time, until it is given up', async () => {
    const { hooks } = catalog()
    await hooks.put(hook('a'), 9)
    await hooks.raise([low('a', null), low('a', null)], 5, 100)
    const [first, second] = await hooks.due('a', 5, 9)
    expect(first).toMatchObject({ hook: 'a', kind: 'disk_low', timeMs: 5, details: { free: '\0' }, state: 'waiting' })
    expect(await hooks.due('a', 4, 9)).toEqual([])
    const failed = { attempts: 1, status: null, error: 'no\0', endedMs: null }
    await hooks.note({ ...failed, id: first!.id, state: 'waiting', nextMs: 20 })
    await hooks.note({ ...failed, id: second!.id, state: 'given_up', nextMs: null, endedMs: 6 })
    expect((await hooks.due('a', 19, 9)).map(({ id }) => id)).toEqual([])
    expect(await hooks.due('a', 20, 9)).toMatchObject([{ id: first!.id, attempts: 1, error: 'no\0' }])
    const page = await hooks.deliveries('a', { before: second!.id, limit: 1 })
    expect(page.map(({ id }) => id)).toEqual([first!.id])
  })

  test('one process holds the lease until it expires', async () => {
    const { hooks } = catalog()
    expect(await hooks.lease('one', 0, 10)).toBe(true)
    expect(await hooks.lease('two', 5, 15)).toBe(false)
    expect(await hooks.lease('one', 8, 18)).toBe(true)
    expect(await hooks.lease('two', 17, 27)).toBe(false)
    expect(await hooks.lease('two', 19, 29)).toBe(true)
    expect(await hooks.lease('one', 20, 30)).toBe(false)
  })

  test('the record of received data is replaced completely', async () => {
    const { hooks } = catalog()
    expect(await hooks.lastReceived()).toEqual([])
    await hooks.putLastReceived([{ key: '1', count: 5, sinceMs: 7 }])
    expect(await hooks.lastReceived()).toEqual([{ key: '1', count: 5, sinceMs: 7 }])
    await hooks.putLastReceived([])
    expect(await hooks.lastReceived()).toEqual([])
  })
}
