import { expect, test } from 'vitest'
import type { ViewDefinition } from '../../../../src/client/answers.ts'
import { exportedIn, importText } from './exported.ts'

const view: ViewDefinition = {
  variables: [
    { name: 'house', kind: 'entity', value: 'pumps' },
    { name: 'pump', kind: 'tag', entity: '$house', value: 'P1' },
  ],
  cells: [
    { kind: 'chart', entity: 'plant', tags: ['a'] },
    { kind: 'table', entity: '$house', tags: ['$pump'] },
    { kind: 'text', text: 'Boilers' },
  ],
}

test('an import is described beforehand: name, number of parts, entities shown', () => {
  const what = 'It saves the new view Night, of 3 parts and 2 variables, which show items of plant, pumps.'
  expect(importText('Night', view, ['pumps', 'plant'])).toBe(what)
  expect(importText('Night', view, null)).toBe(what)
  expect(importText('Night', view, ['plant'])).toMatch(/do not exist, or this key may not read them: pumps\./)
  expect(importText('Night', { cells: [{ kind: 'text', text: 'a' }] }, [])).toBe(
    'It saves the new view Night, of 1 part.',
  )
})

test.each([
  '',
  '{}',
  '{"name":"a"}',
  '{"name":1,"view":{"cells":[]}}',
  '{"name":"a","view":{"cells":[],"variables":1}}',
])('%j is not an exported view', (text) => {
  expect(() => exportedIn(text)).toThrow('The file is not an exported view')
})

test('any other fault of a view is left to the service to report', () => {
  const odd = exportedIn('{"name":"a","view":{"cells":[null,{"entity":1}],"variables":[null]}}')
  expect(importText(odd.name, odd.view, [])).toBe('It saves the new view a, of 2 parts and 1 variable.')
})
