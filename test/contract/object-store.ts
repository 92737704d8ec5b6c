import { afterEach, beforeEach, expect, test } from 'vitest'
import type { ObjectStore } from '../../src/object-store/object-store.ts'

export interface StoreUnderTest {
  readonly store: ObjectStore
  readonly remove: () => Promise<void>
}

const bytes = (text: string): Buffer => Buffer.from(text)

/** Tests for every object store, on a place that is empty at first. */
export function objectStoreContract(open: () => Promise<StoreUnderTest>): void {
  let opened: StoreUnderTest
  beforeEach(async () => {
    opened = await open()
  })
  afterEach(async () => {
    opened.store.close()
    await opened.remove()
  })

  const names = async (prefix: string, after?: string): Promise<string[]> => {
    const found: string[] = []
    for await (const name of opened.store.list(prefix, after)) found.push(name)
    return found
  }

  test('a stored object is not overwritten', async () => {
    const { store } = opened
    expect(await store.get('log/1')).toBeNull()
    expect(await store.putIfAbsent('log/1', bytes('one'))).toBe(true)
    expect(await store.putIfAbsent('log/1', bytes('two'))).toBe(false)
    expect(Buffer.from((await store.get('log/1'))!)).toEqual(bytes('one'))
  })

  test('one of several concurrent writes to a name succeeds', async () => {
    const written = await Promise.all(
      Array.from({ length: 8 }, (_, index) => opened.store.putIfAbsent('log/2', bytes(`writer ${index}`))),
    )
    expect(written.filter((isFirst) => isFirst)).toHaveLength(1)
    const winner = written.indexOf(true)
    expect(Buffer.from((await opened.store.get('log/2'))!)).toEqual(bytes(`writer ${winner}`))
  })

  test('names are listed by prefix, in order, after a given name', async () => {
    for (const name of ['parts/1/b', 'log/3', 'log/1', 'parts/1/a', 'log/2'])
      await opened.store.putIfAbsent(name, bytes(name))
    expect(await names('log/')).toEqual(['log/1', 'log/2', 'log/3'])
    expect(await names('log/', 'log/1')).toEqual(['log/2', 'log/3'])
    expect(await names('parts/')).toEqual(['parts/1/a', 'parts/1/b'])
    expect(await names('none/')).toEqual([])
  })

  test('lists 1100 names, which are more than one page', async () => {
    const wanted = Array.from({ length: 1100 }, (_, index) => `log/${String(index).padStart(6, '0')}`)
    for (let index = 0; index < wanted.length; index += 50)
      await Promise.all(wanted.slice(index, index + 50).map((name) => opened.store.putIfAbsent(name, bytes(''))))
    expect(await names('log/')).toEqual(wanted)
  }, 60_000)

  test('a deleted object is gone, and deleting it again is not an error', async () => {
    await opened.store.putIfAbsent('log/1', bytes('one'))
    await opened.store.delete('log/1')
    await opened.store.delete('log/1')
    expect(await opened.store.get('log/1')).toBeNull()
    expect(await names('log/')).toEqual([])
    expect(await opened.store.putIfAbsent('log/1', bytes('again'))).toBe(true)
  })

  test('stores an object of 5 MiB, and an empty one', async () => {
    const large = Buffer.alloc(5 * 1024 * 1024, 'tidemark')
    await opened.store.putIfAbsent('parts/1', large)
    await opened.store.putIfAbsent('parts/2', bytes(''))
    expect(large.equals((await opened.store.get('parts/1'))!)).toBe(true)
    expect(Buffer.from((await opened.store.get('parts/2'))!)).toEqual(bytes(''))
  })
}
