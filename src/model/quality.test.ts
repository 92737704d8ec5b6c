import { expect, test } from 'vitest'
import type { Value } from './column.ts'
import { type QualityCoding, type QualityWord, qualityOf } from './quality.ts'

const table: readonly (readonly [QualityCoding, QualityWord, readonly Value[]])[] = [
  // Null is good in every coding.
  ['opcda', 'good', [null]],
  ['opcua', 'good', [null]],
  // The two highest of 8 bits: 11 is good, 01 is uncertain, others are bad.
  ['opcda', 'good', [192, 193, 216, 255, 192n]],
  ['opcda', 'uncertain', [64, 80, 127, 64n]],
  ['opcda', 'bad', [0, 1, 63, 128, 191]],
  // Other numbers are bad; Sparkplug's 500 means stale.
  ['opcda', 'bad', [256, 500, -1, -64, 2 ** 31, 2 ** 53, 9223372036854775807n]],
  // The two highest of 32 bits: 00 is good, 01 is uncertain, others are bad.
  ['opcua', 'good', [0, 1, 192, 0x3fffffff]],
  ['opcua', 'uncertain', [0x40000000, 0x408f0000, 0x7fffffff]],
  ['opcua', 'bad', [0x80000000, 0x80340000, 0xbfffffff, 0xc0000000, 0xffffffff]],
  ['opcua', 'bad', [2 ** 32, -1, -2147483648, 9223372036854775807n]],
  // Words, in any case.
  ['opcda', 'good', ['good', 'Good', 'GOOD']],
  ['opcda', 'uncertain', ['uncertain', 'UNCERTAIN']],
  ['opcda', 'bad', ['bad', 'Bad']],
  ['opcua', 'good', ['good', 'gOOd']],
  // Digits, read by the coding.
  ['opcda', 'good', ['192', '0192', '255']],
  ['opcda', 'uncertain', ['64', '127']],
  ['opcda', 'bad', ['0', '63', '128', '256', '500', '99999999999999999999']],
  ['opcua', 'good', ['0', '1073741823']],
  ['opcua', 'uncertain', ['1073741824', '2147483647']],
  ['opcua', 'bad', ['2147483648', '4294967295', '4294967296']],
  // 0x and 8 hexadecimal digits, read by the coding.
  ['opcda', 'good', ['0x000000C0', '0x000000ff', '0X000000D8']],
  ['opcda', 'uncertain', ['0x00000040', '0x0000007F']],
  ['opcda', 'bad', ['0x00000000', '0x0000003f', '0x00000100', '0x40000000']],
  ['opcua', 'good', ['0x00000000', '0x3FFFFFFF']],
  ['opcua', 'uncertain', ['0x40000000', '0x7fffffff']],
  ['opcua', 'bad', ['0x80000000', '0xC0000000', '0xffffffff']],
  // Everything else is bad, including the empty text.
  [
    'opcda',
    'bad',
    ['', ' good', 'good ', 'good\n', 'goods', 'ok', '192.0', '1.92e2', '-192', '+192', '0xC0', '0x0000000C0', '192\n'],
  ],
  ['opcua', 'bad', ['', '0x0', '0b0', '١', 'null', 'true']],
]

test.each(table)('in the coding %s, these values are %s', (coding, word, values) => {
  expect(values.map((value) => qualityOf(value, coding))).toEqual(values.map(() => word))
})
