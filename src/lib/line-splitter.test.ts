import fc from 'fast-check'
import { expect, test } from 'vitest'
import { LineSplitter } from './line-splitter.ts'

function split(chunks: readonly string[], lineBytesMax = 100): string[] {
  const splitter = new LineSplitter({ lineBytesMax })
  const lines = [...chunks.flatMap((chunk) => splitter.push(Buffer.from(chunk))), ...splitter.end()]
  return lines.map((line) => Buffer.from(line).toString())
}

test.each([
  ['', []],
  ['a', ['a']],
  ['a\nb\n', ['a', 'b']],
  ['\n \r\na\n\n', ['a']],
  ['a\r\nb', ['a\r', 'b']],
])('%j', (text, lines) => {
  expect(split([text])).toEqual(lines)
  expect(split([...text])).toEqual(lines)
})

test('refuses a line that never ends', () => {
  expect(() => split(['x'.repeat(60), 'x'.repeat(60)])).toThrow('a line of more than 100 bytes')
})

test('lines do not depend on the chunks', () => {
  const chunk = fc.string({ unit: fc.constantFrom('a', 'b', '\n', ' '), maxLength: 10 })
  fc.assert(
    fc.property(fc.array(chunk, { maxLength: 9 }), (chunks) => {
      const lines = chunks
        .join('')
        .split('\n')
        .filter((line) => line.trim() !== '')
      expect(split(chunks)).toEqual(lines)
    }),
  )
})
