import { describe, expect, test } from 'vitest'
import { PatternCheck } from './backtracking.ts'

const backtracking = (pattern: string) => new PatternCheck().slowness(pattern)
/** Shortens a pattern for a test's name; some have thousands of characters. */
const named = (pattern: string) => (pattern.length > 60 ? `${pattern.slice(0, 60)}...` : pattern)

describe('common patterns are accepted', () => {
  const patterns = [
    '',
    'abc',
    '^a.*b$',
    '.*foo.*bar.*',
    '^.*foo.*bar.*baz$',
    '^PLANT-[0-9]+-(north|south)-[a-z]{2,5}$',
    '(foo|bar|baz)+',
    '^(\\w+\\.)*\\w+$',
    '^(\\w+\\.)*\\w+@(\\w+\\.)+[a-z]{2,}$',
    '^[\\w.+-]+@[\\w-]+\\.[\\w.-]+$',
    '^(\\d{1,3}\\.){3}\\d{1,3}$',
    '^(([01]?\\d\\d?|2[0-4]\\d|25[0-5])\\.){3}([01]?\\d\\d?|2[0-4]\\d|25[0-5])$',
    '^([0-9a-fA-F]{1,4}:){1,7}[0-9a-fA-F]{1,4}$',
    '^((\\d+\\.)+\\d+;)+$',
    '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$',
    '^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}(:\\d{2}(\\.\\d+)?)?(Z|[+-]\\d{2}:?\\d{2})?$',
    '^([A-Z][a-z]+)+$',
    '(?i)^(temp|pressure)_\\d+(_[a-z]+)*$',
    '^[^/]*/[^/]*/[^/]*/[^/]*/[^/]*/[^/]*$',
    '^"[^"]*"(,"[^"]*")*$',
    '^/(?:[a-z]+/)*[a-z]+(?:\\?.*)?$',
    '\\bfoo\\b.*\\bbar\\b',
    '^\\s*\\w+\\s*=\\s*.*$',
    '\\Q(a+)+\\E',
    '[(a+)+]',
    '\\(a+\\)+',
    'a?b?c?d?e?f?g?h?i?j?k?l?m?n?o?p?q?r?',
    '^(ab|cd|ef){30}$',
    'a{1000}',
    '^-?\\d+(\\.\\d+)?([eE][+-]?\\d+)?$',
    `^(${Array.from({ length: 500 }, (_, index) => `tag${index}`).join('|')})$`,
  ]
  test.each(patterns.map((pattern) => [named(pattern), pattern]))('%s', (_, pattern) => {
    expect(backtracking(pattern)).toBeNull()
  })
})

describe('patterns that would block a thread are refused', () => {
  const patterns: readonly (readonly [string, RegExp])[] = [
    ['(a+)+b', /repeats/],
    ['^((a+)+)+b', /repeats/],
    ['^(a*)*b', /repeats/],
    ['^(.*a)*b', /repeats/],
    ['^(a|a)*b', /repeats/],
    ['^(a|aa)+$', /repeats/],
    ['^(a|aa){30}b', /repeats/],
    ['^(a{1,20}){1,20}b', /repeats/],
    ['^(\\w+\\s?)+$', /repeats/],
    ['^((a|aa)+x?)+b', /repeats/],
    ['^([a-z]+|[a-y]+)*1', /repeats/],
    ['(?i)([A-Z]+|[a-z])*1', /repeats/],
    ['^(a+){20}b', /repeats/],
    ['((?:a|b|ab)+)*c', /repeats/],
    ['^.*.*.*.*b', /more than 3/],
    ['^a*a*a*a*b', /more than 3/],
    ['.*a.*b.*c.*d', /more than 3/],
    ['^(aa)*(aa)*(aa)*(aa)*b', /more than 3/],
    ['^(.+,){4}b', /more than 3/],
    ['(x*){4}y', /more than 3/],
    ['[\\d]+[^a]+\\w+[0-9a-f]+!', /more than 3/],
    [`${'a?'.repeat(28)}b`, /more than 3/],
    ['(a+)\\1', /refers back/],
    ['(?<x>a+)\\k<x>', /refers back/],
    [`(${'(a|b)?'.repeat(2000)})*c`, /repeats|too large/],
    ['a'.repeat(30_000), /too large/],
    ['(?x)(a+ # ( \n)+b', /comments/],
    [`${'('.repeat(150)}(a+)+b${')'.repeat(150)}`, /nested groups/],
  ]
  test.each(patterns.map(([pattern, why]) => [named(pattern), pattern, why] as const))('%s', (_, pattern, why) => {
    expect(backtracking(pattern)).toMatch(why)
  })
})

test.each(['(', ')', '[', 'a{', '\\', '(?', '*', '(((((', '[]', '[^]', 'a{2}{3}', '(?<', '\\p{', '\\Q'])(
  'an invalid pattern does not throw: %s',
  (pattern) => {
    expect(() => backtracking(pattern)).not.toThrow()
  },
)

test('the total cost of the patterns of a query is limited', () => {
  const check = new PatternCheck()
  const letters = `(${[...'abcdefghijklmnopqrstuvwxyz'].join('|')})*`
  const verdicts = Array.from({ length: 100 }, () => check.slowness(letters))
  expect(verdicts[0]).toBeNull()
  expect(verdicts.at(-1)).toMatch(/too large/)
})
