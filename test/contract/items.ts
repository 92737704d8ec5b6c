import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { SharedCatalog } from '../../src/catalog/catalog.ts'
import type { RejectedRow } from '../../src/catalog/rejected.ts'
import { compareCodePoints } from '../../src/lib/compare-code-points.ts'
import type { ItemWrite } from '../../src/model/item.ts'
import { allKeys, type KeyRange, keyAfter, keyOfString, keysBeginningWith } from '../../src/model/item-key.ts'

function item(name: string, position: number, change: Partial<ItemWrite> = {}): ItemWrite {
  return { entityId: 1, key: keyOfString(name), position, attributes: `p:${position}\n`, ...change }
}

const unbounded = { itemsMax: 10_000, bytesMax: 100_000_000 }

/** Names and attributes of the items in a range. */
async function listed(catalog: SharedCatalog, range: KeyRange = allKeys, entityId = 1): Promise<readonly string[]> {
  const { items } = await catalog.items.list(entityId, range, unbounded)
  return items.map(({ key, attributes }) => `${Buffer.from(key)} ${attributes.trim()}`)
}

function keep(catalog: SharedCatalog, items: readonly ItemWrite[], throughPosition = 0): Promise<void> {
  return catalog.outcomes.add({ rejected: [], items }, throughPosition)
}

/** Tests for the items of every catalog, whatever it is stored in. */
export function itemTests(catalog: () => SharedCatalog): void {
  test('the newest push of an item wins, within a step and across steps, in any order of writes', async () => {
    await keep(catalog(), [item('a', 1), item('b', 2), item('a', 3)], 4)
    expect(await listed(catalog())).toEqual(['a p:3', 'b p:2'])
    await keep(catalog(), [item('b', 5), item('a', 0), item('c', 6)], 7)
    expect(await listed(catalog())).toEqual(['a p:3', 'b p:5', 'c p:6'])
    await keep(catalog(), [item('a', 9), item('a', 8)], 10)
    expect(await listed(catalog())).toEqual(['a p:9', 'b p:5', 'c p:6'])
    expect(await catalog().items.counts()).toEqual(new Map([[1, 3]]))
    expect(await catalog().outcomes.validatedPosition()).toBe(10)
  })

  test('storing a step again changes nothing', async () => {
    const steps = [
      [item('a', 0), item('b', 1)],
      [item('b', 2), item('c', 3)],
    ]
    for (const [index, step] of [...steps, ...steps].entries()) await keep(catalog(), step, (index % 2) * 2 + 2)
    expect(await listed(catalog())).toEqual(['a p:0', 'b p:2', 'c p:3'])
    expect(await catalog().items.counts()).toEqual(new Map([[1, 3]]))
    expect(await catalog().outcomes.validatedPosition()).toBe(4)
  })

  test('items and rejected rows of a step are stored together or not at all', async () => {
    const row: RejectedRow = {
      ingestId: 1,
      position: 1,
      batchPosition: 1,
      batchRows: 2,
      subscriberId: 1,
      index: 0,
      row: '{}',
      field: 'id',
      code: 'missing_index',
      message: 'id is missing',
      receivedMs: 0,
    }
    const items = [item('a', 2), item('b', 2, { entityId: Number.NaN })]
    await expect(catalog().outcomes.add({ rejected: [row], items }, 5)).rejects.toThrow()
    expect(await listed(catalog())).toEqual([])
    expect(await catalog().rejected.counts()).toEqual(new Map())
    expect(await catalog().outcomes.validatedPosition()).toBe(0)
    await catalog().outcomes.add({ rejected: [row], items: items.slice(0, 1) }, 5)
    expect(await listed(catalog())).toEqual(['a p:2'])
    expect(await catalog().rejected.counts()).toEqual(new Map([[1, 1]]))
  })

  test('entities do not see each other’s items', async () => {
    await keep(catalog(), [item('a', 0), item('a', 1, { entityId: 2 }), item('b', 2, { entityId: 2 })])
    expect(await listed(catalog())).toEqual(['a p:0'])
    expect(await listed(catalog(), allKeys, 2)).toEqual(['a p:1', 'b p:2'])
    expect(await listed(catalog(), allKeys, 3)).toEqual([])
    expect(await catalog().items.counts()).toEqual(
      new Map([
        [1, 1],
        [2, 2],
      ]),
    )
  })

  test('strings are ordered by code point, including NUL and supplementary characters', async () => {
    const names = [
      'a',
      'a\0',
      'a\0b',
      'aa',
      'b',
      'é',
      '\uffff',
      '😀',
      '\u{10ffff}',
      "'; DROP TABLE items; --",
      'A',
      '"',
    ]
    await keep(
      catalog(),
      names.map((name, position) => item(name, position, { attributes: '' })),
    )
    const { items } = await catalog().items.list(1, allKeys, unbounded)
    expect(items.map(({ key }) => Buffer.from(key).toString())).toEqual(names.toSorted(compareCodePoints))
  })

  test('attributes of any size are returned unchanged', async () => {
    const texts = ['', 'a:1\n', `t:"${'é😀'.repeat(100_000)}"\n`, 't:"\\u0000"\n']
    await keep(
      catalog(),
      texts.map((attributes, position) => item(`i${position}`, position, { attributes })),
    )
    const { items } = await catalog().items.list(1, allKeys, unbounded)
    expect(items.map(({ attributes }) => attributes)).toEqual(texts)
  })

  test('ranges and limits return the same as a sorted array', async () => {
    const name = fc.string({ unit: fc.constantFrom('a', 'b', '\0', 'é', '😀', '\uffff'), minLength: 1, maxLength: 3 })
    const all = [...new Set(fc.sample(name, { numRuns: 120, seed: 7 }))].sort(compareCodePoints)
    await keep(
      catalog(),
      all.map((each, position) => item(each, position)),
    )
    const key = fc.string({ unit: fc.constantFrom('a', 'b', '\0', 'é', '😀'), maxLength: 2 }).map(keyOfString)
    const range = fc.oneof(
      fc.record({ from: key, to: fc.option(key) }),
      key.map(keysBeginningWith),
      key.map((one) => ({ from: one, to: keyAfter(one) })),
    )
    await fc.assert(
      fc.asyncProperty(range, fc.integer({ min: 1, max: 130 }), async (asked, itemsMax) => {
        const inside = all.filter((each) => {
          const bytes = keyOfString(each)
          return Buffer.compare(bytes, asked.from) >= 0 && (asked.to === null || Buffer.compare(bytes, asked.to) < 0)
        })
        const page = await catalog().items.list(1, asked, { itemsMax, bytesMax: 1_000_000 })
        expect(page.items.map((one) => Buffer.from(one.key).toString())).toEqual(inside.slice(0, itemsMax))
        expect(page.more).toBe(inside.length > itemsMax)
      }),
      { numRuns: 200 },
    )
  })

  test('a list ends at bytesMax, and has at least one item', async () => {
    const attributes = `t:"${'x'.repeat(1000)}"\n`
    await keep(
      catalog(),
      ['a', 'b', 'c'].map((each, position) => item(each, position, { attributes })),
    )
    const names = async (bytesMax: number): Promise<readonly [number, boolean]> => {
      const page = await catalog().items.list(1, allKeys, { itemsMax: 10, bytesMax })
      return [page.items.length, page.more]
    }
    expect(await names(1)).toEqual([1, true])
    expect(await names(2100)).toEqual([2, true])
    expect(await names(10_000)).toEqual([3, false])
  })

  test('finds items by key, in the requested order, up to bytesMax', async () => {
    await keep(
      catalog(),
      ['a', 'b', 'c', 'd'].map((each, position) => item(each, position)),
    )
    const find = async (names: readonly string[], bytesMax: number) => {
      const { items, keysRead } = await catalog().items.find(1, names.map(keyOfString), bytesMax)
      return [items.map(({ key }) => Buffer.from(key).toString()).join(''), keysRead]
    }
    expect(await find(['d', 'x', 'a'], 1000)).toEqual(['da', 3])
    expect(await find(['x', 'd', 'y', 'a', 'b'], 5)).toEqual(['d', 3])
    expect(await find(['d', 'a'], 1)).toEqual(['d', 1])
    expect(await find(['x', 'y'], 1)).toEqual(['', 2])
  })

  test('a deleted item stays deleted when older rows are validated again, until a newer row is pushed', async () => {
    await keep(catalog(), [item('a', 1), item('b', 2)], 5)
    expect(await catalog().items.delete(1, keyOfString('a'), 5)).toBe(true)
    expect(await catalog().items.delete(1, keyOfString('a'), 5)).toBe(false)
    expect(await catalog().items.delete(1, keyOfString('x'), 5)).toBe(false)
    expect(await catalog().items.delete(2, keyOfString('b'), 5)).toBe(false)
    await keep(catalog(), [item('a', 1), item('a', 4)], 5)
    expect(await listed(catalog())).toEqual(['b p:2'])
    expect(await catalog().items.counts()).toEqual(new Map([[1, 1]]))
    await keep(catalog(), [item('a', 4), item('a', 5)], 6)
    expect(await listed(catalog())).toEqual(['a p:5', 'b p:2'])
    expect(await catalog().items.counts()).toEqual(new Map([[1, 2]]))
    expect(await catalog().items.delete(1, keyOfString('a'), 8)).toBe(true)
    await keep(catalog(), [item('a', 5)], 8)
    expect(await listed(catalog())).toEqual(['b p:2'])
  })

  test('a deletion does not delete an item that was pushed after the request', async () => {
    await keep(catalog(), [item('a', 7)], 8)
    expect(await catalog().items.delete(1, keyOfString('a'), 7)).toBe(true)
    expect(await listed(catalog())).toEqual(['a p:7'])
  })
}
