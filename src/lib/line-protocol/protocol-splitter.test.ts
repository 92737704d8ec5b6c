import { expect, test } from 'vitest'
import { LineProtocolSplitter } from './protocol-splitter.ts'

const cut = (text: string, chunkBytes: number): string[] => {
  const splitter = new LineProtocolSplitter({ lineBytesMax: 1000 })
  const bytes = Buffer.from(text)
  const pieces: Uint8Array[] = []
  for (let at = 0; at < bytes.length; at += chunkBytes)
    pieces.push(...splitter.push(bytes.subarray(at, at + chunkBytes)))
  return [...pieces, ...splitter.end()].map((piece) => Buffer.from(piece).toString())
}

test.each<[string, string[]]>([
  ['a v=1\nb v=2', ['a v=1', 'b v=2']],
  ['a v=1\r\n\r\n \t\n# "x\nb v=2\r\n', ['a v=1\r', '\r', ' \t', '# "x', 'b v=2\r']],
  ['a v="1\n2\n3" 5\nb v=2\n', ['a v="1\n2\n3" 5', '', '', 'b v=2']],
  ['a v="1\\"\n2",w="x" 5\nb v=2\n', ['a v="1\\"\n2",w="x" 5', '', 'b v=2']],
  ['a\\\nb v=2\nc', ['a\\', 'b v=2', 'c']],
  ['a v=1\\\n', ['a v=1\\']],
  ['a v="open\nb v=2\n', ['a v="open', 'b v=2']],
  ['a v="open\nb v="2"\nc v="3\n4",w=1\nd', ['a v="open', 'b v="2"', 'c v="3\n4",w=1', '', 'd']],
  ['# c\rb v="2\n3"\nc', ['# c\rb v="2\n3"', '', 'c']],
  ['é v=1\n', ['é v=1']],
  ['\n', ['']],
  ['', []],
])('%j', (text, pieces) => {
  for (let chunkBytes = 1; chunkBytes <= text.length + 1; chunkBytes++) expect(cut(text, chunkBytes)).toEqual(pieces)
})

test('refuses a line that is too long', () => {
  const splitter = new LineProtocolSplitter({ lineBytesMax: 10 })
  expect(() => splitter.push(Buffer.from('a v=12345678901'))).toThrow('more than 10 bytes')
})

test('splits an unclosed quoted value into its lines when it exceeds the line limit', () => {
  const splitter = new LineProtocolSplitter({ lineBytesMax: 20 })
  const text = 'a v="open\nb v=2\nc v=3\nd v=4\ne v="5'
  const pieces = [...splitter.push(Buffer.from(text)), ...splitter.push(Buffer.from('"\nf')), ...splitter.end()]
  expect(pieces.map((piece) => Buffer.from(piece).toString())).toEqual([
    'a v="open',
    'b v=2',
    'c v=3',
    'd v=4',
    'e v="5"',
    'f',
  ])
})
