import { expect, test } from 'vitest'
import { viewOf } from '../explore/view.ts'
import {
  type Cell,
  cellOf,
  cellView,
  filled,
  frameOf,
  frameSaved,
  partFault,
  partsOf,
  type Variable,
  valuesOf,
} from './definition.ts'

const variables: readonly Variable[] = [
  { name: 'house', kind: 'entity', value: 'plant' },
  { name: 'pump', kind: 'tag', entity: '$house', value: 'P1' },
]
const asked = (text: string) => new URLSearchParams(text)

test.each([
  ['$pump', 'P1'],
  ['$pump.flow of $house', 'P1.flow of plant'],
  ['$pumps and $ and $1', '$pumps and $ and $1'],
  ['costs 5$', 'costs 5$'],
])('%s is expanded to %s', (text, expected) => {
  expect(filled(text, valuesOf(variables, asked('')))).toBe(expected)
})

test.each([
  ['one tag', ['$part.temp'], ['b1', 'b2']],
  ['several tags', ['$part.temp', '$part.flow'], ['b1', 'b2', 'p', 'plant.p1']],
  ['a tag with another variable', ['$house.$part'], ['p1.flow', 'x']],
  ['a variable at the end', ['b1.$part'], ['temp']],
  ['a pattern that matches no tag', ['$part.level'], []],
  ['a variable twice in one tag', ['$part/$part'], null],
  ['a variable that is a complete tag', ['$part', 'b1.temp'], null],
  ['a variable that is not used', ['$parts.temp'], null],
])('proposes the parts of tags that a variable can have: %s', (_, written, parts) => {
  const tags = ['b1.temp', 'b2.temp', 'p.flow', '.temp', 'plant.p1.flow', 'plant.x']
  expect(partsOf('part', written, tags, valuesOf(variables, asked('')))).toEqual(parts)
})

test('the address sets a variable, whose value is not expanded again', () => {
  const values = valuesOf(variables, asked('var-pump=$house'))
  expect(filled('$pump', values)).toBe('$house')
})

test.each([
  ['', {}, { range: 'P1D', from: '', to: '', zone: '' }],
  ['', { range: 'PT1H', zone: 'UTC' }, { range: 'PT1H', from: '', to: '', zone: 'UTC' }],
  ['', { range: 'PT1H', zone: 'Mars/Olympus' }, { range: 'PT1H', from: '', to: '', zone: '' }],
  ['', { from: '2026-01-01', to: '2026-01-02' }, { range: '', from: '2026-01-01', to: '2026-01-02', zone: '' }],
  [
    'from=2026-02-01&to=2026-02-02&zone=Europe/Madrid',
    { range: 'PT1H', zone: 'UTC' },
    { range: '', from: '2026-02-01', to: '2026-02-02', zone: 'Europe/Madrid' },
  ],
  ['from=soon', { range: 'PT1H' }, { range: '', from: 'soon', to: '' }],
])('the range in the address %j takes precedence over the saved one %j', (address, saved, expected) => {
  expect(frameOf({ cells: [], ...saved }, asked(address))).toMatchObject(expected)
})

test('a chart is drawn as it was saved, without duplicate tags', () => {
  const view = viewOf(asked('entity=plant&tag=a&tag=b&field=V&how=band&right=b&range=P7D&zone=UTC'))
  const cell = cellOf(view)
  expect(cell).toEqual({ kind: 'chart', entity: 'plant', tags: ['a', 'b'], fields: ['V'], how: 'band', right: ['b'] })
  const frame = frameOf({ cells: [cell], ...frameSaved(view) }, asked(''))
  expect(cellView(cell, frame, new Map())).toEqual(view)
  const both: Cell = { kind: 'state', entity: '$house', tags: ['$pump', 'P1', 'x.$pump'] }
  expect(cellView(both, frame, valuesOf(variables, asked('')))).toMatchObject({
    ...{ entity: 'plant', tags: ['P1', 'x.P1'], how: 'states' },
  })
})

test('a part with more tags or fields than the service accepts is refused', () => {
  const names = (count: number) => Array.from({ length: count }, (_, place) => `n${place}`)
  expect(partFault({ tags: names(20), fields: names(20) })).toBeNull()
  expect(partFault({ tags: names(21), fields: ['V'] })).toMatch('at most 20 tags, and these are 21')
  expect(partFault({ tags: ['a'], fields: names(23) })).toMatch('at most 20 fields, and these are 23')
})
