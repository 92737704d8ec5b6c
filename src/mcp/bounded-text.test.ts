import { expect, test } from 'vitest'
import { csvRecords, firstLines, textBytesMax } from './bounded-text.ts'

async function* inPieces(text: string, size: number): AsyncGenerator<Uint8Array> {
  const bytes = Buffer.from(text)
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
}

async function all(lines: AsyncIterable<string>): Promise<string[]> {
  const taken: string[] = []
  for await (const line of lines) taken.push(line)
  return taken
}

test.each<[text: string, records: string[]]>([
  ['', []],
  ['T,V\r\n', ['T,V']],
  ['T,V\r\na,1\r\nb,\r\n', ['T,V', 'a,1', 'b,']],
  ['T,V\r\n"a\r\nb",1\r\nc,2', ['T,V', '"a\r\nb",1', 'c,2']],
  ['T\r\n"say ""\n"" now"\r\né😀\r\n', ['T', '"say ""\n"" now"', 'é😀']],
])('splits %j into records, however it is chunked', async (text, records) => {
  for (const size of [1, 2, 3, 7, 1000]) expect(await all(csvRecords(inPieces(text, size)))).toEqual(records)
})

test('a record longer than the text limit ends the records, and reading stops', async () => {
  let read = 0
  async function* endless(): AsyncGenerator<Uint8Array> {
    for (;;) {
      read += 1000
      yield Buffer.from('x'.repeat(1000))
    }
  }
  expect(await firstLines(csvRecords(endless()), { rows: 5 })).toEqual({ lines: [], cutBy: 'bytes' })
  expect(read).toBeLessThan(textBytesMax + 2000)
})

const third = 'x'.repeat(textBytesMax / 3)

test.each<[name: string, lines: string[], headLines: number, taken: number, cutBy: 'rows' | 'bytes' | null]>([
  ['no lines', [], 0, 0, null],
  ['as many lines as requested', ['a', 'b'], 0, 2, null],
  ['more lines', ['a', 'b', 'c'], 0, 2, 'rows'],
  ['a header, which is not counted as a row', ['head', 'a', 'b'], 1, 3, null],
  ['a header and more rows', ['head', 'a', 'b', 'c'], 1, 3, 'rows'],
  ['long lines', [third, third, third], 1, 2, 'bytes'],
])('the first 2 of %s', async (_name, lines, headLines, taken, cutBy) => {
  expect(await firstLines(lines, { rows: 2, headLines })).toEqual({ lines: lines.slice(0, taken), cutBy })
})
