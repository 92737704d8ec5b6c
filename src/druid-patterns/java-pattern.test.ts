import { expect, test } from 'vitest'
import { mayBeEmpty, re2Replacement, readJavaPattern } from './java-pattern.ts'

test.each([
  ['(a)|(b)', '(a)|(b)', ['a', 'b']],
  ['(?:a(b))(?<c>d(e)?)', '(?:a(b))(?P<c>d(e)?)', ['b', 'd(e)?', 'e']],
  ['\\(?<a', '\\(?<a', []],
  ['[(?<a>)]', '[(?<a>)]', []],
  ['[]a](b)', '[]a](b)', ['b']],
  ['[^](]', '[^](]', []],
  ['\\Q(a[\\E(b)', '\\Q(a[\\E(b)', ['b']],
  ['[\\[&](a)', '[\\[&](a)', ['a']],
  ['(?<=a)b', '(?<=a)b', []],
])('%s', (pattern, re2, groups) => {
  expect(readJavaPattern(pattern)).toMatchObject({ re2, groups })
})

test.each(['[a-c&&b]', '[a[b]]', '[[:alpha:]]', '[^a&&[^b]]'])(
  '%s is not translated: its character class has a Java-only syntax',
  (pattern) => {
    expect(readJavaPattern(pattern)).toBeNull()
  },
)

test.each([
  ['a', false],
  ['a?', true],
  ['a|', true],
  ['(?<', true],
  ['[a-z]+', false],
])('a group %j may be empty: %s', (group, isSo) => {
  expect(mayBeEmpty(group)).toBe(isSo)
})

const named = (name: string): string => ['$', '{', name, '}'].join('')
test.each([
  ['[$1]', '[\\1]'],
  ['$0$2', '\\0\\2'],
  ['\\$1', '$1'],
  ['\\\\', '\\\\'],
  [named('q'), '\\2'],
  ['$', null],
  ['$3', null],
  ['a\\', null],
  [named('r'), null],
])('the replacement %s becomes %s', (replacement, written) => {
  expect(re2Replacement(replacement, readJavaPattern('(a)(?<q>b)')!)).toBe(written)
})
