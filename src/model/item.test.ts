import { expect, test } from 'vitest'
import type { EntityField } from './entity.ts'
import { attributeLine, itemJson } from './item.ts'
import { keyOfString } from './item-key.ts'

const field = (name: string, role: EntityField['role'] = 'attribute'): EntityField => ({ name, type: 'json', role })
const index: EntityField = { name: 'id', type: 'string', role: 'index' }
const lines = (...members: readonly (readonly [string, string])[]): string =>
  members.map(([name, json]) => attributeLine(name, json)).join('')

test.each<[string, readonly EntityField[], string, string]>([
  ['every attribute', [index, field('a'), field('b')], lines(['a', '1'], ['b', '"x:y"']), '{"id":"k","a":1,"b":"x:y"}'],
  ['no attribute pushed', [index, field('a'), field('b')], '', '{"id":"k","a":null,"b":null}'],
  [
    'a missing attribute between others',
    [index, field('a'), field('b'), field('c')],
    lines(['a', '1'], ['c', '3']),
    '{"id":"k","a":1,"b":null,"c":3}',
  ],
  [
    'a field added later',
    [index, field('a'), field('new')],
    lines(['a', '{"a":[1]}']),
    '{"id":"k","a":{"a":[1]},"new":null}',
  ],
  ['another order', [field('b'), index, field('a')], lines(['a', '1'], ['b', '2']), '{"b":2,"id":"k","a":1}'],
  ['names with the same beginning', [index, field('a'), field('ab')], lines(['ab', '1']), '{"id":"k","a":null,"ab":1}'],
  ['a name within a string', [index, field('b'), field('a')], lines(['a', '"b:1"']), '{"id":"k","b":null,"a":"b:1"}'],
  ['the index alone', [index], '', '{"id":"k"}'],
])('%s', (_, fields, attributes, json) => {
  expect(itemJson(fields, { key: keyOfString('k'), attributes })).toBe(json)
})
