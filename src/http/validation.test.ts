import { expect, test } from 'vitest'
import { schemaCompiler } from './validation.ts'

const list = { type: ['array', 'null'], items: { type: 'string' } }
const schema = {
  type: 'object',
  properties: { ids: list, prefixes: { ...list, maxItems: 1000 }, many: { ...list, maxItems: 15_000 } },
}
const check = schemaCompiler({ schema, httpPart: 'body', method: 'POST', url: '/' })
const texts = (count: number): string[] => Array.from({ length: count }, () => 'a')

test.each<[string, object, string | null]>([
  ['a long list', { ids: texts(20_000) }, null],
  [
    'faults from the first item on',
    { ids: Array.from({ length: 20_000 }, () => 1) },
    'ids[0] must be a text (and 7 more, see errors).',
  ],
  ['a fault at the very end', { ids: [...texts(20_000), 1] }, 'ids[20000] must be a text.'],
  ['too many items', { prefixes: texts(20_000) }, 'prefixes must have at most 1000 items.'],
  ['more than is looked at first', { many: texts(15_001) }, 'many must have at most 15000 items.'],
])('%s', (_name, data, said) => {
  const outcome = check(data)
  const error = typeof outcome === 'object' && 'error' in outcome ? outcome.error : null
  expect(error instanceof Error ? error.message : null).toBe(said)
})
