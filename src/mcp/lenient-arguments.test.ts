import Type from 'typebox'
import { expect, test } from 'vitest'
import { lenientArguments } from './call-tool.ts'

const schema = Type.Object({
  entity: Type.String(),
  ids: Type.Optional(Type.Array(Type.String())),
  granularity: Type.Optional(Type.String()),
  max_rows: Type.Optional(Type.Integer()),
  wrap: Type.Optional(Type.Number()),
})

test.each<[asked: unknown, read: unknown]>([
  [null, {}],
  [undefined, {}],
  ['plant', 'plant'],
  [
    { entity: 'plant', max_rows: '3', wrap: ' 6.5e4 ' },
    { entity: 'plant', max_rows: 3, wrap: 65000 },
  ],
  [{ max_rows: 'three', wrap: '' }, { max_rows: 'three' }],
  [{ max_rows: '1e999' }, { max_rows: '1e999' }],
  [{ ids: '["a","b,c"]' }, { ids: ['a', 'b,c'] }],
  [{ ids: 'a,b' }, { ids: ['a,b'] }],
  [{ ids: '[draft' }, { ids: ['[draft'] }],
  [{ ids: ['1'] }, { ids: ['1'] }],
  [{ ids: null, granularity: '', entity: '' }, { entity: '' }],
  [
    { granularity: '5', _sessionID: 'x', other: '1' },
    { granularity: '5', other: '1' },
  ],
  [{ constructor: '1' }, { constructor: '1' }],
])('%j', (asked, read) => {
  expect(lenientArguments(schema, asked)).toEqual(read)
})
