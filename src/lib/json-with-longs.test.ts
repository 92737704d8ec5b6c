import { expect, test } from 'vitest'
import { parseWithLongs, withExactLongs } from './json-with-longs.ts'

test.each<[string, unknown]>([
  ['9007199254740993', 9007199254740993n],
  ['-9223372036854775809', -9223372036854775809n],
  ['[9007199254740991,9007199254740993]', [9007199254740991, 9007199254740993n]],
  ['{"a":-12345678901234567890,"b":"12345678901234567890"}', { a: -12345678901234567890n, b: '12345678901234567890' }],
  ['0.30000000000000004', 0.30000000000000004],
  ['[1.12345678901234567,9007199254740993]', [Number('1.12345678901234567'), 9007199254740993n]],
  ['1e0000000000000001', 10],
  ['1e-0000000000000001', 0.1],
  ['1E+0000000000000001', 10],
  ['1e9999999999999999', Number.POSITIVE_INFINITY],
  ['12345678901234567890.5', Number('12345678901234567890.5')],
  ['12345678901234567890e2', Number('12345678901234567890e2')],
  ['["long:0","\\u006cong:0",9007199254740993]', ['long:0', 'long:0', 9007199254740993n]],
  ['["\\"12345678901234567890",9007199254740993]', ['"12345678901234567890', 9007199254740993n]],
])('%s', (text, value) => {
  expect(parseWithLongs(text)).toEqual(value)
})

test('reads longs before deep nesting and under any name', () => {
  const deep = 100_000
  expect(parseWithLongs(`[9007199254740993,${'['.repeat(deep)}${']'.repeat(deep)}]`)).toContain(9007199254740993n)
  const named = parseWithLongs('{"__proto__":9007199254740993}')
  expect(Object.entries(Object(named))).toEqual([['__proto__', 9007199254740993n]])
})

test('reads a million digits as an infinite double', () => {
  expect(parseWithLongs(`[${'9'.repeat(1_000_000)}]`)).toEqual([Number.POSITIVE_INFINITY])
})

/** Each would take hours if every quote were tried as the start of a string. */
test.each([
  ['escaped quotes in an unterminated string', `"${'\\"'.repeat(500_000)}`],
  ['an unterminated string that ends in a backslash', `"${'\\"'.repeat(500_000)}\\`],
  ['lines in an unterminated string', `"${'\\\n'.repeat(500_000)}`],
])('refuses %s', (_name, text) => {
  expect(() => parseWithLongs(text)).toThrow(SyntaxError)
})

test.each([
  ['[9007199254740993,1]', '["9007199254740993",1]'],
  ['[-9223372036854775808]', '["-9223372036854775808"]'],
  ['["9007199254740993","\\"9007199254740993"]', '["9007199254740993","\\"9007199254740993"]'],
  ['[0.30000000000000004,1.7E308,9007199254740991]', '[0.30000000000000004,1.7E308,9007199254740991]'],
])('the longs of %s keep their digits', (json, exact) => {
  expect(withExactLongs(json)).toBe(exact)
})
