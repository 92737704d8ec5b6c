import Type from 'typebox'
import { expect, test } from 'vitest'
import { schemaCompiler } from './validation.ts'

const list = { type: ['array', 'null'], items: { type: 'string' } }
const schema = {
  type: 'object',
  properties: {
    ids: list,
    prefixes: { ...list, maxItems: 1000 },
    many: { ...list, maxItems: 15_000 },
    rows: { anyOf: [{ type: 'array', items: { type: 'string' }, maxItems: 10_000 }, { type: 'null' }] },
  },
}
const check = schemaCompiler({ schema, httpPart: 'body', method: 'POST', url: '/' })
const texts = (count: number): string[] => Array.from({ length: count }, () => 'a')

test.each<[string, object, string | null]>([
  ['a long valid list', { ids: texts(20_000) }, null],
  [
    'a list of invalid items',
    { ids: Array.from({ length: 20_000 }, () => 1) },
    'ids[0] must be a string (and 7 more, see errors).',
  ],
  ['an invalid last item', { ids: [...texts(20_000), 1] }, 'ids[20000] must be a string.'],
  ['too many items', { prefixes: texts(20_000) }, 'prefixes must have at most 1000 items.'],
  [
    'too many items, none of which is validated',
    { prefixes: Array.from({ length: 20_000 }, () => 1) },
    'prefixes must have at most 1000 items.',
  ],
  ['one item more than a large maximum', { many: texts(15_001) }, 'many must have at most 15000 items.'],
  ['too many items of a nullable list', { rows: texts(10_001) }, 'rows must have at most 10000 items.'],
  ['one invalid item between valid ones', { many: [...texts(700), 1, ...texts(700)] }, 'many[700] must be a string.'],
])('%s', (_name, data, said) => {
  const outcome = check(data)
  const error = typeof outcome === 'object' && 'error' in outcome ? outcome.error : null
  expect(error instanceof Error ? error.message : null).toBe(said)
})

const nothingElse = { additionalProperties: false }
const named = Type.Object(
  { name: Type.String(), parts: Type.Optional(Type.Array(Type.Object({ size: Type.Number() }, nothingElse))) },
  nothingElse,
)
const strangers = (count: number): object =>
  Object.fromEntries(Array.from({ length: count }, (_, at) => [`x${at}`, at]))

function faultOf(data: unknown, httpPart = 'body'): string | null {
  const outcome = schemaCompiler({ schema: named, httpPart, method: 'POST', url: '/' })(data)
  const error = typeof outcome === 'object' && 'error' in outcome ? outcome.error : null
  return error instanceof Error ? error.message : null
}

test.each<[string, object, string]>([
  [
    'many unknown properties',
    { ...strangers(100_000), name: 'a' },
    'x0 is not a property of this request; allowed: name, parts (and 7 more, see errors).',
  ],
  [
    'many unknown properties of an object in a list',
    { name: 'a', parts: [{ size: 1 }, { ...strangers(100_000), size: 1 }] },
    'parts[1].x0 is not a property of this request; allowed: size (and 7 more, see errors).',
  ],
])('%s are refused without checking each', (_name, data, said) => {
  expect(faultOf(data)).toBe(said)
})

test.each([
  [['a', 'b'], 'name is given twice: give it once.'],
  [['a', 'b', 'c'], 'name is given 3 times: give it once.'],
])('a repeated query parameter is reported as repeated: %j', (name, said) => {
  expect(faultOf({ name }, 'querystring')).toBe(said)
})

test('a missing property is reported with its allowed words', () => {
  const kind = Type.Enum(['series', 'metadata'])
  const field = Type.Object({ name: Type.String(), kind })
  const body = Type.Object({ kind, fields: Type.Array(field) })
  const outcome = schemaCompiler({ schema: body, httpPart: 'body', method: 'POST', url: '/' })({ fields: [{}] })
  expect(outcome).toMatchObject({
    error: {
      message: 'kind is required: series or metadata (and 2 more, see errors).',
      errors: [
        { path: 'kind', message: 'is required: series or metadata' },
        { path: 'fields[0].name', message: 'is required' },
        { path: 'fields[0].kind', message: 'is required: series or metadata' },
      ],
    },
  })
})

const words = Type.Enum(['low', 'high'])
const thing = Type.Object({ kind: words, over: Type.Optional(Type.Integer()) }, { additionalProperties: false })

test.each<[string, unknown, string]>([
  [
    'an unknown word is reported with all words and the object form',
    'lw',
    'must be low or high or a JSON object with kind.',
  ],
  ['a value of another type is reported in the same way', 5, 'must be low or high or a JSON object with kind.'],
  ['an object is reported only with the error within it', { kind: 'low', over: '1' }, '.over must be a whole number.'],
  ['an object is reported with the words of its own property', { kind: 'lw' }, '.kind must be low or high.'],
])('in a union of words and objects, %s', (_name, one, said) => {
  const schema = Type.Object({ kinds: Type.Array(Type.Union([thing, words])) })
  const outcome = schemaCompiler({ schema, httpPart: 'body', method: 'PUT', url: '/' })({ kinds: [one] })
  const error = typeof outcome === 'object' && 'error' in outcome ? outcome.error : null
  expect(error instanceof Error ? error.message : null).toBe(`kinds[0]${said.startsWith('.') ? '' : ' '}${said}`)
})
