import { expect, test } from 'vitest'
import { parseInfluxql } from './parse.ts'
import { likesOf, matcher } from './patterns.ts'

const many = (part: string, count: number): string => part.repeat(count)

test.each<[string, string]>([
  ['', 'found EOF, expected SELECT, SHOW at line 1, char 1'],
  ['selec v', 'found selec, expected SELECT, SHOW at line 1, char 1'],
  ['SELECT v\nFROM', 'found EOF, expected identifier at line 2, char 5'],
  ['SELECT v INTO x FROM m', 'SELECT INTO is not supported: push what you read'],
  ['SELECT v FROM (SELECT v FROM m)', 'a subquery is not supported: write it in SQL'],
  ['DELETE FROM m', 'DELETE is not supported: an operator sets how long'],
  ['CREATE CONTINUOUS QUERY q ON d BEGIN SELECT 1 END', 'there are no continuous queries'],
  ['ALTER RETENTION POLICY p ON d DURATION 1d', 'ALTER is not supported'],
  ['SHOW QUERIES', 'SHOW QUERIES is not supported'],
  ['SHOW TAG VALUES FROM m', 'expected WITH KEY'],
  ['SELECT v FROM m ORDER BY v', 'only ORDER BY time is supported'],
  ['SELECT v & 1 FROM m', 'found &, expected FROM'],
  ['SELECT v FROM m LIMIT -1', 'expected a whole number'],
  ['SELECT v FROM m GROUP BY time(1m) fill(some)', 'expected null, none, previous, linear or a number'],
  ['SELECT v FROM m WHERE host = $host', 'missing parameter: host'],
  ["SELECT 'v FROM m", 'which is not allowed here'],
  [`SELECT ${many('(', 101)}v`, 'nests deeper than 100 levels'],
  [`SELECT ${many('f(', 101)}v`, 'nests deeper than 100 levels'],
  [`SELECT ${many('-(', 101)}v`, 'nests deeper than 100 levels'],
  [`SELECT v${many('+v', 101)} FROM m`, 'nests deeper than 100 levels'],
  [many('SHOW DATABASES;', 101), 'more than 100 statements'],
  [many(' ', 65_537), 'more than 65536 characters'],
])('%.60s is refused', (text, message) => {
  expect(() => parseInfluxql(text)).toThrow(message)
})

test.each<[string, object]>([
  [
    'SELECT mean("v"::field) FROM "a".."b" GROUP BY time(1h, -5m), host::tag',
    { sources: [{ database: 'a', measurement: 'b' }] },
  ],
  [
    'select v from "p"."b c" fill(-1.5)',
    { sources: [{ database: null, measurement: 'b c' }], fill: { digits: '-1.5' } },
  ],
  ['SELECT v FROM m WHERE a =~ /x\\/y/ -- why\n', { where: { operator: '=~', right: { source: 'x/y' } } }],
  [
    'SELECT v FROM "d"."autogen"./^c.*/, autogen./n$/ WHERE a =~ // LIMIT 1',
    {
      sources: [
        { database: 'd', measurement: { source: '^c.*' } },
        { database: null, measurement: { source: 'n$' } },
      ],
      where: { right: { source: '' } },
    },
  ],
  ["SELECT v / 2 FROM /m|n/ tz('UTC')", { sources: [{ measurement: { source: 'm|n' } }], zone: 'UTC' }],
  ['SELECT v FROM m GROUP BY time(1h, now())', { groupBy: { interval: { offset: { kind: 'call', name: 'now' } } } }],
  ['SELECT v FROM m GROUP BY time(1h30m)', { groupBy: { interval: { ns: 5_400_000_000_000n } } }],
])('%s is parsed', (text, statement) => {
  expect(parseInfluxql(text)).toMatchObject([statement])
})

test.each<[string, object | null]>([
  ['^(a|b\\.c)$', { texts: ['a', 'b.c'], patterns: [] }],
  ['^a$', { texts: ['a'], patterns: [] }],
  ['^$', { texts: [''], patterns: [] }],
  ['a', { texts: [], patterns: ['%a%'] }],
  ['^50%_.*x\\$$', { texts: [], patterns: ['50\\%\\_%x$'] }],
  ['a|b', { texts: [], patterns: ['%a%', '%b%'] }],
  ['^a|b$', null],
  ['(a)(b)', null],
  ['[ab]', null],
  ['a+', null],
  ['\\d', null],
])('/%s/ as LIKE', (source, likes) => {
  expect(likesOf(source)).toEqual(likes)
})

test.each<[string, string, boolean]>([
  ['(?i)CPU.*', 'xcpu', true],
  ['^cp.$', 'cpu', true],
  ['^cp.+$', 'cp', false],
  ['.*', '', true],
])('/%s/ matches %j: %s', (source, name, matches) => {
  expect(matcher({ kind: 'pattern', source })(name)).toBe(matches)
})

test('a pattern that could backtrack is refused for names', () => {
  expect(() => matcher({ kind: 'pattern', source: '(a+)+$' })).toThrow('Write a simpler one')
})
