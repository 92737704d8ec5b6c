import fc from 'fast-check'
import { expect, test } from 'vitest'
import { readDouble, readPlainWhole } from './read-number.ts'

/** The number within a row, with a character before it and one that ends it. */
function inRow(text: string): Buffer {
  return Buffer.from(`:${text}}`)
}

function doubleOf(text: string): number {
  const values = new Float64Array(1)
  expect(readDouble(inRow(text), 1, values, 0)).toBe(1 + text.length)
  return values[0]!
}

const finite = fc.oneof(
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.double({ min: -1e6, max: 1e6, noNaN: true }),
  fc.integer().map((i) => i / 1000),
  fc.maxSafeInteger(),
)

/** Spellings of approximately one number, from few digits to more than are needed. */
const spelt = fc.oneof(
  finite.map(String),
  fc.tuple(finite, fc.nat(30)).map(([value, digits]) => value.toExponential(digits)),
  fc.tuple(finite, fc.integer({ min: 1, max: 30 })).map(([value, digits]) => value.toPrecision(digits)),
  fc.tuple(fc.double({ min: -1e20, max: 1e20, noNaN: true }), fc.nat(30)).map(([v, digits]) => v.toFixed(digits)),
  fc.stringMatching(/^-?(0|[1-9]\d{0,25})(\.\d{1,40})?([eE][+-]?\d{1,3})?$/),
)

test('reads doubles like Number, bit for bit, in any spelling', () => {
  fc.assert(
    fc.property(spelt, (text) => {
      expect(Object.is(doubleOf(text), Number(text))).toBe(true)
    }),
    { numRuns: 5000 },
  )
})

test.each([
  '-0',
  '0.0',
  '9007199254740992',
  '9007199254740993',
  '9007199254740991e22',
  '0.30000000000000004',
  '2.2250738585072014e-308',
  '5e-324',
  '2e-324',
  '1e22',
  '1e23',
  '0.0000000000000000000001',
  '0.00000000000000000000001',
  '179769313486231580793728971405301e277',
])('reads %s as the same double as Number', (text) => {
  expect(Object.is(doubleOf(text), Number(text))).toBe(true)
})

test('reads longs of plain digits below 2^53, and no others', () => {
  const values = new Float64Array(1)
  for (const text of ['0', '-0', '12', '-12', '9007199254740991', '-9007199254740991']) {
    expect(readPlainWhole(inRow(text), 1, values, 0)).toBe(1 + text.length)
    expect(values[0]).toBe(Number(text) + 0)
  }
  for (const text of ['9007199254740992', '1.0', '1e3', '1E3']) {
    expect(readPlainWhole(inRow(text), 1, values, 0)).toBe(-1)
  }
})
