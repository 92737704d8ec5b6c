import { expect, test } from 'vitest'
import { type LikelyWriting, likelyWriting, parseDelimiter } from './csv-writing.ts'

test.each<[string, string, LikelyWriting | null]>([
  ['D;T;V\n2026-01-01;a;1,5\n', ',', { delimiter: ';', decimal: 'comma' }],
  ['D;T;V\n2026-01-01;a;1.5\n', ',', { delimiter: ';', decimal: 'point' }],
  ['"D";"T, all";"V"\r\n', ';', null],
  ['D;T;V\n2026-01-01;a;1,500\n', ',', { delimiter: ';', decimal: 'point' }],
  ['D;T;V\n2026-01-01;a;1,500\n2026-01-02;a;0,125\n', ',', { delimiter: ';', decimal: 'comma' }],
  ['D;T;V;W\n2026-01-01;a;1,5;1.5\n', ',', { delimiter: ';', decimal: 'point' }],
  ['D\tT\tV\n2026-01-01\ta\t1,5', ',', { delimiter: '\t', decimal: 'comma' }],
  ['D|T\n', ',', { delimiter: '|', decimal: 'point' }],
  ['D,T,V\n', ';', { delimiter: ',', decimal: 'point' }],
  ['D,T;V\n', ',', null],
  ['V\n1\n', ',', null],
  ['"a";"b\n', ',', null],
  ['', ',', null],
])('%j, read with %j', (text, delimiter, likely) => {
  expect(likelyWriting(text, delimiter)).toEqual(likely)
})

test('a delimiter is one character, or tab', () => {
  expect([';', 'tab', '\\t', ','].map(parseDelimiter)).toEqual([';', '\t', '\t', ','])
  for (const text of ['', ';;', '"', '\n']) expect(() => parseDelimiter(text)).toThrow('is no delimiter')
})
