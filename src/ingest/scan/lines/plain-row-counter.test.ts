import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { rounds } from '../../../../test/support/rounds.ts'
import { checkBody } from '../check-body.ts'
import { lineAt } from './body-lines.ts'
import { PlainRowCounter } from './plain-row-counter.ts'

const format = 'fields-ns'

/** Counts by parsing each line. */
function rowsWithCare(body: string): number {
  const bytes = Buffer.from(body)
  let rows = 0
  for (let at = 0; at < bytes.length; ) {
    const line = lineAt(bytes, at, format)
    rows += line.rows
    at = line.nextAt
  }
  return rows
}

describe('the fast path', () => {
  test.each<[string, number]>([
    ['m v=1', 1],
    ['m,site=a,line=b v=1.5,n=-7i,u=7u,on=t,off=false,s="a, b=c" 1767225600000000000', 6],
    ['m,é=ü ß=1,ß=2', 2],
    ['m v=1,w=2\r\n', 2],
    ['disk\\ io,site=area\\ 7\\,b\\=c v=1,s="said \\"no\\", \\\\"', 2],
  ])('counts the rows of %s', (line, rows) => {
    const counter = new PlainRowCounter()
    const bytes = Buffer.from(line)
    expect([bytes.toString('utf8', counter.count(bytes, 0)), counter.rows]).toEqual([
      line.endsWith('\n') ? '\n' : '',
      rows,
    ])
    expect(rowsWithCare(line)).toBe(rows)
  })

  test.each([
    'm,a=1,a=2 v=1,w=2',
    'm v=1,w=x',
    'm v=1,w=',
    'm v=1,w=1u,x=-1u',
    'm v=1,w=9223372036854775808i',
    'm v=1,w=2 12a',
    'm v=1,w=2 99999999999999999999',
    'm v=1,w="a"b',
    'm v=1,w=tru',
    'm,a= v=1,w=2',
    `m v=1,w="${'x'.repeat(70_000)}"`,
  ])('refuses invalid and very long lines: %.40s', (line) => {
    expect(new PlainRowCounter().count(Buffer.from(line), 0)).toBe(-1)
    expect(checkBody(Buffer.from(line), format)).toBe(rowsWithCare(line))
  })
})

const name = fc.constantFrom('m', 'a', 'bb', 'é', '', 'a b', 'a\\ b', 'a=', '"', '#', 'x,y')
const value = fc.constantFrom(
  ...[
    '1',
    '-1',
    '1.',
    '.5',
    '-.5',
    '1e3',
    '1e999',
    '007',
    '1i',
    '-1i',
    '1u',
    '-1u',
    '1.5i',
    '123456789012345678901i',
    '',
  ],
  ...['t', 'T', 'true', 'TRUE', 'tru', 'f', 'False', '"a"', '"a,b=c d"', '"a\\"b"', '"a\nb"', '"', 'x', '1 ', '0x1'],
)
const often = <T>(good: fc.Arbitrary<T>, any: fc.Arbitrary<T>) => fc.oneof({ weight: 6, arbitrary: good }, any)
const pair = fc.tuple(
  often(fc.constantFrom('a', 'b', 'c'), name),
  often(fc.constantFrom('1', '2.5', 't', '"s"'), value),
)
const line = fc
  .record({
    measurement: often(fc.constant('m'), name),
    tags: fc.array(pair, { maxLength: 3 }),
    blank: often(fc.constant(' '), fc.constantFrom('', '  ', '\t', ' \0')),
    fields: fc.array(pair, { maxLength: 4 }),
    time: often(
      fc.constantFrom('', ' 1', ' 1767225600000000000'),
      fc.constantFrom(' ', '  1', ' -1', ' 1 ', ' x', ' 1.5', ','),
    ),
    end: often(fc.constant('\n'), fc.constantFrom('', '\r\n', '\r', '\n\n', '\n# v=1,w=2\n', '\n \t\n')),
  })
  .map(({ measurement, tags, blank, fields, time, end }) => {
    const head = [measurement, ...tags.map((tag) => tag.join('='))].join()
    return `${head}${blank}${fields.map((field) => field.join('=')).join()}${time}${end}`
  })

test('a body has as many rows as when each of its lines is parsed', () => {
  const lines = fc.array(line, { minLength: 1, maxLength: 6 }).map((all) => `m v=1\n${all.join('')}`)
  fc.assert(
    fc.property(lines, (body) => {
      expect(checkBody(Buffer.from(body), format)).toBe(rowsWithCare(body))
    }),
    { numRuns: rounds(20_000) },
  )
})
