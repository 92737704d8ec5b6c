import { expect, test } from 'vitest'
import { allLines, type CsvLines } from '../lib/csv-parser.ts'
import { type DecimalMark, likelyWriting, parseDelimiter } from './csv-writing.ts'

test.each<[string, string, { delimiter: string; decimal: DecimalMark } | null]>([
  ['D;T;V\n2026-01-01;a;1,5\n', ',', { delimiter: ';', decimal: 'comma' }],
  ['D;T;V\n2026-01-01;a;1.5\n', ',', { delimiter: ';', decimal: 'point' }],
  ['"D";"T, all";"V"\r\n', ';', null],
  ['D;T;V\n2026-01-01;a;1,500\n', ',', { delimiter: ';', decimal: 'point' }],
  ['D;T;V\n2026-01-01;a;1,500\n2026-01-02;a;0,125\n', ',', { delimiter: ';', decimal: 'comma' }],
  ['D;T;V;W\n2026-01-01;a;1,5;1.5\n', ',', { delimiter: ';', decimal: 'point' }],
  ['D;T;V\n2026-01-01;a;1.081\n2026-01-02;a;12,5\n', ',', { delimiter: ';', decimal: 'comma' }],
  ['D;T;V\n2026-01-01;a;1.081\n2026-01-02;a;1,234\n', ',', { delimiter: ';', decimal: 'point' }],
  ['D\tT\tV\n2026-01-01\ta\t1,5', ',', { delimiter: '\t', decimal: 'comma' }],
  ['D|T\n', ',', { delimiter: '|', decimal: 'point' }],
  ['D,T,V\n', ';', { delimiter: ',', decimal: 'point' }],
  ['D,T;V\n', ',', null],
  ['V\n1\n', ',', null],
  ['"D";"V"\n"2026-01-01";1,5\n', ',', { delimiter: ';', decimal: 'comma' }],
  ['A;B;C\n1;x;0,5\n1;x;1,5\n', ',', { delimiter: ';', decimal: 'comma' }],
  ['A;B;C\nx;y z;x0,5y\nx;y z;x1,5y\n', ',', { delimiter: ';', decimal: 'point' }],
  ['"a";"b\n', ',', null],
  ['', ',', null],
])('detects the format of %j when it is read with %j', (text, delimiter, likely) => {
  expect(likelyWriting(text, { delimiter, lines: allLines })).toEqual(likely && { ...likely, lines: allLines })
})

test.each<[string, string, string, Partial<CsvLines>]>([
  [
    'a TOA5 header',
    '"TOA5","st","CR1000"\n"TIMESTAMP","RECORD"\n"TS","RN"\n"",""\n"2026-01-01",1\n',
    ',',
    { headerLine: 2, skipLines: 4 },
  ],
  ['a title line', '"Plot Title: a, b"\n"#","Date","Temp"\n1,2026-01-01,2\n2,2026-01-01,3\n', ',', { skipLines: 1 }],
  [
    'a block of names and values',
    'Station;7\n\nName;x\nDatum;T;V\n1.1.2026;1,5;2\n1.1.2026;1,5;2\n',
    ';',
    { skipLines: 3 },
  ],
  [
    'lines of annotations',
    '#group,false,false\n#datatype,string,double\n,_time,_value\n,2026-01-01,2\n',
    ',',
    { comment: '#' },
  ],
  ['comments with another delimiter', '# by a logger, no 5\nD;V\n2026-01-01;2\n', ';', { comment: '#' }],
  ['a header after a #', '# by a logger\n# D,V\n2026-01-01,2\n2026-01-01,2\n', ',', { headerLine: 2 }],
])('detects %s before the rows', (_, text, delimiter, lines) => {
  expect(likelyWriting(text, { delimiter: ',', lines: allLines })).toMatchObject({
    delimiter,
    lines: { ...allLines, ...lines },
  })
})

test.each([
  ['rows with an extra cell', 'D,T,V\n2026-01-01,a,2,5\n2026-01-01,a,2,5\n'],
  ['a header with a # column', '#,D,V\n1,2026-01-01,5\n2,2026-01-01,5\n'],
  ['cells with line breaks', 'D,T\n2026-01-01,"a\nb,c"\n2026-01-01,"a,\n,b"\n'],
  ['a short row', 'D,T,V\n2026-01-01,a\n2026-01-01,a,1\n'],
])('proposes no other format for %s', (_, text) => {
  expect(likelyWriting(text, { delimiter: ',', lines: allLines })).toBeNull()
})

test('a delimiter is one character or tab', () => {
  expect([';', 'tab', '\\t', ','].map(parseDelimiter)).toEqual([';', '\t', '\t', ','])
  for (const text of ['', ';;', '"', '\n']) expect(() => parseDelimiter(text)).toThrow('is not a delimiter')
})
