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
  'decodes UTF-8 in chunks of %i bytes, and names the first invalid byte with its line and offset',
  (size) => {
    const text = 'a,é\n€,🌊\nç,ok\n'
    expect(readIn(size, Buffer.from(text))).toBe(text)
    const offset = Buffer.byteLength(text)
    const latin = Buffer.concat([Buffer.from(text), Buffer.from('x,caf\xe9\n', 'latin1')])
    expect(() => readIn(size, latin)).toThrow(
      `line 4: the file is not UTF-8: the byte 0xE9 at offset ${offset + 5} is invalid. It is probably Windows-1252 or Latin-1, where that is "é".`,
    )
  },
)

test('a character truncated at the end is an error', () => {
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
  ['UTF-16LE with a byte order mark', Buffer.from('\ufeffD,T\n', 'utf16le'), 'The file is UTF-16LE'],
  ['UTF-16BE with a byte order mark', big('\ufeffD,T\n'), 'The file is UTF-16BE'],
  ['UTF-16LE without a byte order mark', Buffer.from('D,T\n', 'utf16le'), 'The file is UTF-16LE'],
  ['UTF-16BE without a byte order mark', big('D,T\n'), 'The file is UTF-16BE'],
])('refuses %s, and names the encoding', async (_, bytes, message) => {
  await expect(read(bytes)).rejects.toThrow(message)
})

test.each(['', 'a', 'ab', 'abc\n', '\ufeffabc'])('%j is read without its byte order mark', async (text) => {
  expect(await read(Buffer.from(text))).toBe(text.replace('\ufeff', ''))
})
