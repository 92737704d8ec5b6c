import { expect, test } from 'vitest'
import type { TidemarkClient } from '../../../../src/client/client.ts'
import { tagsFound, tagTexts, unitOf } from './tag-texts.ts'

const field = (name: string, type: string, role: string) => ({ name, type, role })
const table = (entity: string, items: number, type = 'string') => ({
  entity,
  type: 'metadata',
  index_field: 'id',
  items,
  fields: [
    field('id', type, 'index'),
    field('area', 'string', 'attribute'),
    field('description', 'string', 'attribute'),
    field('unit', 'string', 'attribute'),
    field('max', 'double', 'attribute'),
  ],
})
const items = [
  { id: 'X.1', area: 'North', description: 'Boiler temperature', unit: '°C', max: 90 },
  { id: 'X.2', area: 'South', description: null, unit: 'bar', max: null },
]
const client = {
  metadata: async () => [table('tags', 2), table('numbered', 2, 'long'), table('huge', 20_000)],
  items: async (entity: string) => ({ Items: entity === 'tags' ? items : [], NextToken: null }),
} as unknown as TidemarkClient

test('a tag has its description and unit, and is found by any part of its metadata texts', async () => {
  const texts = await tagTexts(client)
  expect([...texts]).toEqual([
    ['X.1', { description: 'Boiler temperature', unit: '°C', texts: ['North', 'Boiler temperature', '°C'] }],
    ['X.2', { description: '', unit: 'bar', texts: ['South', 'bar'] }],
  ])
  const tags = ['X.1', 'X.2', 'a.x.2', 'Y']
  expect(tagsFound(tags, texts, '')).toEqual(tags)
  expect(tagsFound(tags, texts, 'BOIL')).toEqual(['X.1'])
  expect(tagsFound(tags, texts, 'temp north')).toEqual(['X.1'])
  expect(tagsFound(tags, texts, 'x.2')).toEqual(['X.2', 'a.x.2'])
  expect(tagsFound(tags, texts, 'bar °')).toEqual([])
})

test.each([
  ['double', 'kWh'],
  ['long', 'kWh'],
  ['boolean', ''],
  ['string', ''],
] as const)('a metric of type %s has the unit %j', (type, unit) => {
  const text = { description: '', unit: 'kWh', texts: ['kWh'] }
  expect(unitOf(text, 'M', { fields: [{ name: 'M', type, role: 'metric' }] })).toBe(unit)
})
