import { expect, test } from 'vitest'
import { Utf8Decoder, withoutMark } from './encoding.ts'

/** Reads `size` bytes at a time, as `csvToNdjson` does. */
function readIn(size: number, bytes: Uint8Array): string {
  const reader = new Utf8Decoder()
  let text = ''
  const line = () => text.split('\n').length
  for (let at = 0; at < bytes.length; at += size) text += reader.read(bytes.subarray(at, at + size), line)
  return text + reader.read(null, line)
}

test.each([1, 2, 3, 4, 5, 1000])(
  'UTF-8 in pieces of %i bytes; the first byte that is none is named with its place',
  (size) => {
    const text = 'a,é\n€,🌊\nç,ok\n'
    expect(readIn(size, Buffer.from(text))).toBe(text)
    const offset = Buffer.byteLength(text)
    const latin = Buffer.concat([Buffer.from(text), Buffer.from('x,caf\xe9\n', 'latin1')])
    expect(() => readIn(size, latin)).toThrow(
      `line 4: the file is not UTF-8: the byte 0xE9 at offset ${offset + 5} is none. It is probably Windows-1252 or Latin-1, where that is "é".`,
    )
  },
)

test('a character that is cut off at the end', () => {
  expect(() => readIn(2, Buffer.from('ab€').subarray(0, 4))).toThrow(
    'line 1: the file is not UTF-8: the byte 0xE2 at offset 2',
  )
})

async function read(bytes: Uint8Array): Promise<string> {
  const parts: Uint8Array[] = []
  const input = (async function* () {
    for (const byte of bytes) yield Uint8Array.of(byte)
  })()
  for await (const part of withoutMark(input)) parts.push(part)
  return Buffer.concat(parts).toString()
}

const big = (text: string): Uint8Array => Buffer.from(text, 'utf16le').swap16()

test.each<[string, Uint8Array, string]>([
  ['UTF-16 with a mark', Buffer.from('\ufeffD,T\n', 'utf16le'), 'The file is UTF-16LE'],
  ['UTF-16 with a mark, the other way round', big('\ufeffD,T\n'), 'The file is UTF-16BE'],
  ['UTF-16 without a mark', Buffer.from('D,T\n', 'utf16le'), 'The file is UTF-16LE'],
  ['UTF-16 without a mark, the other way round', big('D,T\n'), 'The file is UTF-16BE'],
])('%s is refused by name', async (_, bytes, message) => {
  await expect(read(bytes)).rejects.toThrow(message)
})

test.each(['', 'a', 'ab', 'abc\n', '\ufeffabc'])('%j is read without its mark', async (text) => {
  expect(await read(Buffer.from(text))).toBe(text.replace('\ufeff', ''))
})
