import { expect, test } from 'vitest'
import type { SharedCatalog } from '../../src/catalog/catalog.ts'
import type { SavedView } from '../../src/catalog/views.ts'

const view = (name: string, change: Partial<SavedView> = {}): SavedView => ({
  ...{ name, subscriberId: 1, subscriber: 'shift', entities: ['plant'], cells: 1, changedMs: 5 },
  ...{ definition: '{"cells":[]}', ...change },
})
const own = { viewsMax: 3, isAnyones: false }

/** Tests for the saved views of every catalog. */
export function viewTests(catalog: () => SharedCatalog): void {
  test('a view is saved, replaced and deleted by its owner, or by a caller that may change all views', async () => {
    const { views } = catalog()
    const odd = '\u{1F30A} \0 "b"'
    expect(await views.put(view(odd, { definition: '{"cells":["\\u0000"]}' }), own)).toBe(true)
    expect(await views.put(view('\uFFFD'), own)).toBe(true)
    expect(await views.put(view('a', { subscriberId: 2, subscriber: 'other' }), own)).toBe(true)
    await expect(views.put(view('d'), own)).rejects.toMatchObject({ code: 'conflict', message: /3 views/ })
    await expect(views.put(view('a'), own)).rejects.toMatchObject({ code: 'conflict', message: /another/ })
    const changed = view('a', { entities: ['pumps'], cells: 7, changedMs: 9, definition: '{}' })
    expect(await views.put(changed, { ...own, isAnyones: true })).toBe(false)
    // It still belongs to its creator.
    expect(await views.find('a')).toEqual({ ...changed, subscriberId: 2, subscriber: 'other' })
    expect(await views.find('A')).toBe(null)
    expect((await views.list()).map(({ name, cells }) => [name, cells])).toEqual([
      ['a', 7],
      ['\uFFFD', 1],
      [odd, 1],
    ])
    expect(await views.find(odd)).toMatchObject({ name: odd, definition: '{"cells":["\\u0000"]}', entities: ['plant'] })
    expect([await views.delete('a', 1), await views.delete('a', 2), await views.delete('a', null)]).toEqual([
      false,
      true,
      false,
    ])
    expect(await views.delete(odd, null)).toBe(true)
    const known = (knownMs: number | null) => views.put(view('\uFFFD'), { ...own, knownMs })
    for (const wrong of [null, 4]) await expect(known(wrong)).rejects.toMatchObject({ code: 'conflict' })
    expect(await known(5)).toBe(false)
    // Each change has a different date.
    expect(await known(6)).toBe(false)
    await expect(views.put(view('x'), { ...own, knownMs: 5 })).rejects.toMatchObject({ code: 'conflict' })
    expect(await views.put(view('a'), { ...own, knownMs: null })).toBe(true)
    await views.delete('a', 1)
    expect((await views.list()).map(({ name }) => name)).toEqual(['\uFFFD'])
  })
}
