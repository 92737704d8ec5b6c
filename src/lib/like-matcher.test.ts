import { expect, test } from 'vitest'
import { likeTest } from './like-matcher.ts'

test.each<[string, string | null, string, boolean]>([
  ['', null, '', true],
  ['', null, 'a', false],
  ['%', null, '', true],
  ['a%', null, 'abc', true],
  ['a%', null, 'ba', false],
  ['%a', null, 'aba', true],
  ['%a%b%', null, 'xxaxxbxx', true],
  ['%a%b', null, 'xbxa', false],
  ['a_c', null, 'abc', true],
  ['a_c', null, 'ac', false],
  ['_', null, '\u{1f600}', true],
  ['%__', null, 'a', false],
  ['a%a', null, 'a', false],
  ['a!%', '!', 'a%', true],
  ['a!%', '!', 'ab', false],
  ['a!_b', '!', 'a_b', true],
  ['a!!', '!', 'a!', true],
  ['a!', '!', 'a', true],
  ['a.c', null, 'abc', false],
  ['a%', null, 'a\nb', true],
])('pattern %s with escape %s on %s: %s', (pattern, escapedBy, text, is) => {
  expect(likeTest(pattern, escapedBy)(text)).toBe(is)
})

test('matches a pattern of many % without backtracking over each of them', () => {
  const startedMs = performance.now()
  expect(likeTest(`${'a%'.repeat(400)}b`, null)('a'.repeat(20_000))).toBe(false)
  expect(performance.now() - startedMs).toBeLessThan(5000)
})
