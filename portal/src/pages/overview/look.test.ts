import { expect, test } from 'vitest'
import type { EntityDescription } from '../../../../src/client/answers.ts'
import { tagsToLookAt } from './look.ts'
import type { EntityState } from './plant-state.ts'

const entity = (name: string, tags: readonly string[], type: 'double' | 'string' = 'double'): EntityState => ({
  entity: { entity: name, fields: [{ name: 'V', type, role: 'metric' }] } as unknown as EntityDescription,
  tags: tags.map((tag, place) => ({ tag, items: 9, newestMs: 1000 - place, silent: false })),
  ...{ isCut: false, tagsTotal: tags.length, tagsMore: false, rowsByHour: [], newestMs: 1000, aheadMs: null },
})
const text = (unit: string) => ({ description: '', unit, texts: [] })
const many = Array.from({ length: 20 }, (_, place) => `t${place}`)

test.each<[string, readonly { entity: string; tag: string }[], EntityState[], [string, string][], string[]]>([
  ['the freshest tags if no unit is known', [], [entity('plant', many)], [], ['t0', 't1', 't2', 't3', 't4', 't5']],
  [
    'one tag of each unit, and more only if these are few',
    [],
    [entity('plant', many)],
    many.slice(0, 10).map((tag, place) => [tag, place < 4 ? 'bar' : `u${place}`]),
    ['t0', 't4', 't5', 't6', 't7', 't8', 't9', 't10'],
  ],
  [
    'pinned tags first, if they exist',
    [
      { entity: 'plant', tag: 't9' },
      { entity: 'gone', tag: 't1' },
    ],
    [entity('plant', many)],
    [],
    ['t9', 't0', 't1', 't2', 't3', 't4'],
  ],
  ['no tags without numeric metrics', [], [entity('words', ['w'], 'string'), entity('plant', ['a'])], [], ['a']],
])('the overview shows %s', (_, pinned, entities, units, expected) => {
  const texts = new Map(units.map(([tag, unit]) => [tag, text(unit)]))
  expect(tagsToLookAt(pinned, { entities }, texts).map(({ tag }) => tag)).toEqual(expected)
})
