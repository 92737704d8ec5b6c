import { expect, test } from 'vitest'
import { readRows } from './rows-stream.ts'

async function* pieces(text: string, size: number): AsyncGenerator<Uint8Array> {
  const bytes = new TextEncoder().encode(text)
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
}

test.each([1, 2, 7, 1000])(
  'rows come in pieces of %i bytes, columns in the order in which they are met',
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

test.each([3, 1000])('whole numbers that a double would cut stay whole, in pieces of %i bytes', async (size) => {
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
