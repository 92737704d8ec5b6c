import { expect, test } from 'vitest'
import { readRows } from './rows-stream.ts'

async function* pieces(text: string, size: number): AsyncGenerator<Uint8Array> {
  const bytes = new TextEncoder().encode(text)
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
}

test.each([1, 2, 7, 1000])(
  'reads rows from chunks of %i bytes, with columns in order of first appearance',
  async (size) => {
    const seen: number[] = []
    const table = await readRows(pieces('{"a":1,"é":"x"}\n{"a":2,"b":null}\n', size), (rows) => seen.push(rows))
    expect(table).toEqual({
      columns: ['a', 'é', 'b'],
      rows: [
        [1, 'x'],
        [2, undefined, null],
      ],
    })
    expect(seen.at(-1)).toBe(2)
  },
)

test.each([3, 1000])('integers that do not fit a double keep every digit, in chunks of %i bytes', async (size) => {
  const text = '{"T":"a","V":1.2345678901234567}\n\n{"T":"9007199254740993","V":9007199254740993}\n{"V":3}'
  expect(await readRows(pieces(text, size), () => undefined)).toEqual({
    columns: ['T', 'V'],
    rows: [
      ['a', 1.2345678901234567],
      ['9007199254740993', 9007199254740993n],
      [undefined, 3],
    ],
  })
})
