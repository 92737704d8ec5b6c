import fc from 'fast-check'
import { expect, test } from 'vitest'
import { likeForm } from './like.ts'

/** Whether a text matches a LIKE pattern, by the definition. */
function isLike(text: string, pattern: string, escapedBy: string | null): boolean {
  const parts: ({ readonly any: boolean } | { readonly is: string | null })[] = []
  const characters = [...pattern]
  for (let at = 0; at < characters.length; at++) {
    const character = characters[at]!
    if (character === escapedBy) {
      const next = characters[++at]
      if (next !== undefined) parts.push({ is: next })
    } else parts.push(character === '%' ? { any: true } : { is: character === '_' ? null : character })
  }
  let reached = new Set([0])
  const follow = (at: number, into: Set<number>): void => {
    for (let next = at; ; next++) {
      into.add(next)
      const part = parts[next]
      if (part === undefined || !('any' in part)) return
    }
  }
  const start = new Set<number>()
  follow(0, start)
  reached = start
  for (const character of text) {
    const next = new Set<number>()
    for (const at of reached) {
      const part = parts[at]
      if (part === undefined) continue
      if ('any' in part) follow(at, next)
      else if (part.is === null || part.is === character) follow(at + 1, next)
    }
    reached = next
  }
  return reached.has(parts.length)
}

/** Replaces `(?s)` and `\x{..}` with their JavaScript forms. */
const matches = (text: string, pattern: string): boolean =>
  new RegExp(`^(?:${pattern.replace('(?s)', '').replaceAll('\\x{', '\\u{')})$`, 'su').test(text)

test.each([
  ['a%', null, { kind: 'like', pattern: 'a%' }],
  ['%a%b', null, { kind: 'like', pattern: '%a%b' }],
  ['a__', null, { kind: 'like', pattern: 'a__' }],
  ['%_a%', null, { kind: 'regex', pattern: '(?s).*.a.*' }],
  ['a!%b', '!', { kind: 'regex', pattern: '(?s)a\\x{25}b' }],
  ['ax', 'x', { kind: 'regex', pattern: '(?s)a' }],
  ['a.%_', null, { kind: 'regex', pattern: '(?s)a\\x{2e}.*.' }],
])('%s escaped by %s', (pattern, escapedBy, form) => {
  expect(likeForm(pattern, escapedBy)).toEqual(form)
})

test('the translation of any pattern matches the same strings as LIKE', () => {
  const piece = fc.string({ unit: fc.constantFrom('a', 'b', '%', '_', '!', '.', '\\', '\n', 'é', '😀'), maxLength: 8 })
  fc.assert(
    fc.property(piece, piece, fc.constantFrom(null, '!', '%', 'a'), (text, pattern, escapedBy) => {
      const form = likeForm(pattern, escapedBy)
      const isMatch = form.kind === 'regex' ? matches(text, form.pattern) : isLike(text, form.pattern, null)
      expect(isMatch).toBe(isLike(text, pattern, escapedBy))
    }),
    { numRuns: 5000 },
  )
})
