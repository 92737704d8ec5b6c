import { expect, test } from 'vitest'
import { FileLines, ndjsonRows } from './rows.ts'

test('blank lines are not rows, but count as lines', async () => {
  const lines = new FileLines()
  const chunks = ['\n1\n', '\n \n2\n3', '\n\n4\n\n'].map((text) => Buffer.from(text))
  const rows: Uint8Array[] = []
  for await (const group of ndjsonRows(arrives(chunks), lines)) rows.push(...group)
  expect(rows.map((row) => Buffer.from(row).toString())).toEqual(['1', '2', '3', '4'])
  expect([1, 2, 3, 4].map((row) => lines.lineOf(row))).toEqual([2, 5, 6, 8])
})

async function* arrives(chunks: readonly Uint8Array[]): AsyncGenerator<Uint8Array> {
  yield* chunks
}

test('returns no line number after too many blank lines', () => {
  const lines = new FileLines()
  for (let row = 1; row <= 200_000; row++) lines.blankAfter(row)
  expect(lines.lineOf(50_000)).toBe(99_999)
  expect(lines.lineOf(150_000)).toBeNull()
})
