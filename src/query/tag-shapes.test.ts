import { expect, test } from 'vitest'
import type { MetadataEntity } from '../model/entity.ts'
import { attributeLine, type Item } from '../model/item.ts'
import { keyOfString } from '../model/item-key.ts'
import { tagShapes } from './tag-shapes.ts'

const tags: MetadataEntity = {
  id: 4,
  name: 'tags',
  fields: [
    { name: 'id', type: 'string', role: 'index' },
    { name: 'shape', type: 'json', role: 'attribute' },
  ],
}
const all: readonly Item[] = Object.entries({
  a: '"step"',
  b: '"line"',
  ba: 'true',
  c: 'false',
  d: '"bezier"',
  e: null,
}).map(([id, json]) => ({ key: keyOfString(id), attributes: json === null ? '' : attributeLine('shape', json) }))
/** Lists two items per page, and finds two keys per call. */
const items = {
  list: async (_: number, { from }: { readonly from: Uint8Array }) => {
    const rest = all.filter(({ key }) => Buffer.compare(key, from) >= 0)
    return { items: rest.slice(0, 2), more: rest.length > 2 }
  },
  find: async (_: number, keys: readonly Uint8Array[]) => {
    const asked = keys.slice(0, 2)
    const found = all.filter(({ key }) => asked.some((one) => Buffer.compare(one, key) === 0))
    return { items: found, keysRead: asked.length }
  },
}
const parts = { definitions: { metadataEntity: (name: string) => (name === 'tags' ? tags : undefined) }, items }
const from = { table: 'tags', attribute: 'shape' }

test.each<[string, readonly string[] | null, readonly string[] | null, string[]]>([
  ['all tags', null, null, ['a step', 'b line', 'ba step', 'c line']],
  ['the tags with given ids', ['a', 'c', 'd', 'x', 'ba'], null, ['a step', 'c line', 'ba step']],
  ['the tags with a given prefix', null, ['b'], ['b line', 'ba step']],
])('returns the shapes of %s', async (_, ids, prefixes, expected) => {
  expect((await tagShapes(from, { ids, prefixes }, parts)).map((one) => one.join(' '))).toEqual(expected)
})

test.each([
  ['table', { table: 'gone', attribute: 'shape' }],
  ['attribute', { table: 'tags', attribute: 'gone' }],
])('returns no shapes when the %s does not exist', async (_, gone) => {
  expect(await tagShapes(gone, { ids: null, prefixes: null }, parts)).toEqual([])
})
