import fc from 'fast-check'
import { expect, test } from 'vitest'
import { NextTokens, type TokenScope } from './next-token.ts'

const tokens = new NextTokens(new Uint8Array(32).fill(7))
const invalid = expect.objectContaining({ code: 'invalid_token' })
const scope = ['/admin/ingests']

test('a token decodes to its key, whatever the key', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), (key) => {
      expect(tokens.decode(scope, tokens.encode(scope, key))).toBe(key)
    }),
  )
})

test.each<[string, TokenScope]>([
  ['another list', ['/admin/entities']],
  ['another filter', ['/admin/ingests', 1]],
  ['a filter of another type', ['/admin/ingests', null]],
])('a token is invalid for %s', (_, other) => {
  expect(() => tokens.decode(other, tokens.encode(scope, 'a'))).toThrow(invalid)
})

test('a token is invalid for a filter with other parts or types of the same text', () => {
  expect(() => tokens.decode(['a', 'bc'], tokens.encode(['ab', 'c'], 'k'))).toThrow(invalid)
  expect(() => tokens.decode(['a', 1], tokens.encode(['a', '1'], 'k'))).toThrow(invalid)
})

test('a token of another service is invalid', () => {
  const other = new NextTokens(new Uint8Array(32).fill(8))
  expect(() => tokens.decode(scope, other.encode(scope, 'a'))).toThrow(invalid)
})

test('a changed token is invalid, wherever it was changed', () => {
  const token = tokens.encode(scope, 'alias')
  const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
  for (let at = 0; at < token.length; at++) {
    for (const letter of letters) {
      if (letter === token[at]) continue
      expect(() => tokens.decode(scope, token.slice(0, at) + letter + token.slice(at + 1))).toThrow(invalid)
    }
  }
  for (const other of ['', 'x', `${token}A`, `${token}=`, ` ${token}`, token.slice(0, -1)]) {
    expect(() => tokens.decode(scope, other)).toThrow(invalid)
  }
})
