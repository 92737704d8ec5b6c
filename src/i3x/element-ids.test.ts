import fc from 'fast-check'
import { expect, test } from 'vitest'
import { codePoint } from '../../test/support/code-point.ts'
import { childIn, type Element, elementId, elementOf, lastPart, parentOf } from './element-ids.ts'

const text = fc.string({ unit: codePoint })
const parts = fc
  .array(fc.constantFrom('.', '/', 'a', 'b', ' ', '%', '\n', '\u{1f600}'), { maxLength: 8 })
  .map((all) => all.join(''))
const name = fc.constantFrom('plant', 'a.b', '_x-1')
const element: fc.Arbitrary<Element> = fc.oneof(
  name.map((entity): Element => ({ kind: 'entity', entity })),
  name.map((table): Element => ({ kind: 'table', table })),
  fc.record({ kind: fc.constant('tag'), entity: name, tag: fc.oneof(text, parts) }),
  fc.record({ kind: fc.constant('item'), table: name, item: fc.oneof(text, parts) }),
  fc.record({ kind: fc.constant('folder'), entity: name, prefix: parts.map((prefix) => `${prefix}.`) }),
)

test('an id has no surrounding spaces or control characters, and parses back to its element', () => {
  fc.assert(
    fc.property(element, (one) => {
      const id = elementId(one)
      expect(id).toBe(id.trim())
      expect(id).not.toMatch(/\p{C}/u)
      expect(elementOf(id)).toEqual(one)
    }),
  )
})

test('different elements have different ids', () => {
  fc.assert(
    fc.property(element, element, (one, other) => {
      expect(elementId(one) === elementId(other)).toBe(JSON.stringify(one) === JSON.stringify(other))
    }),
  )
})

test.each([
  '',
  'plant',
  'tag:plant',
  'tag:plant:%',
  'tag:plant:%61',
  'tag:plant:a\n',
  'folder:plant:a',
  'entity:',
  'tag:plant:\ud800',
])('is not an id: %j', (id) => expect(elementOf(id)).toBeNull())

test('the parent of each element is its folder, up to the entity', () => {
  fc.assert(
    fc.property(parts, (tag) => {
      const way: Element[] = []
      for (let prefix = ''; ; ) {
        const child = childIn('plant', prefix, tag)
        way.push(child)
        if (child.kind !== 'folder') break
        prefix = child.prefix
      }
      for (const [at, child] of way.entries()) {
        const parent = way[at - 1] ?? { kind: 'entity', entity: 'plant' }
        expect(parentOf('plant', child.kind === 'folder' ? child.prefix : tag)).toEqual(parent)
      }
    }),
  )
})

test.each([
  ['boiler.temp', 'temp'],
  ['site/line1/', 'line1'],
  ['pump', 'pump'],
  ['.', '.'],
])('%s is displayed as %s', (whole, shown) => expect(lastPart(whole)).toBe(shown))
