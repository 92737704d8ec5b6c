import { expect, test } from 'vitest'
import { referTitled } from './document.ts'

const inner = { title: 'Inner', type: 'string' }
const outer = { title: 'Outer', type: 'object', properties: { title: inner, other: { type: 'number' } } }

test('a titled schema appears once, with nested titled ones, and a property may be named title', () => {
  const schemas = {}
  const told = referTitled([{ schema: outer }, { schema: inner, examples: [{ title: 'Sir' }] }], schemas)
  const [outerRef, innerRef] = ['Outer', 'Inner'].map((name) => ({ $ref: `#/components/schemas/${name}` }))
  expect(told).toEqual([{ schema: outerRef }, { schema: innerRef, examples: [{ title: 'Sir' }] }])
  expect(schemas).toEqual({
    Inner: { type: 'string' },
    Outer: { type: 'object', properties: { title: innerRef, other: { type: 'number' } } },
  })
})

test('two different schemas with the same title are refused', () => {
  expect(() => referTitled([inner, { ...inner, type: 'number' }], {})).toThrow('Inner')
})
