import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { setImmediate } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openSource } from './source.ts'

let folder = ''
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'tidemark-'))
})
afterAll(() => rmSync(folder, { recursive: true }))

async function textOf(bytes: AsyncIterable<Uint8Array>): Promise<string> {
  const chunks: Uint8Array[] = []
  for await (const chunk of bytes) chunks.push(chunk)
  return Buffer.concat(chunks).toString('latin1')
}

const mark = Buffer.from([0xef, 0xbb, 0xbf])
const large = 'x'.repeat(1_000_000)

test.each<[string, Uint8Array, string]>([
  ['plain.csv', Buffer.from('a,b\n'), 'a,b\n'],
  ['empty.csv', Buffer.from(''), ''],
  ['one.csv', Buffer.from('a'), 'a'],
  ['mark.csv', Buffer.concat([mark, Buffer.from('a')]), 'a'],
  ['packed.csv.gz', gzipSync('a,b\n'), 'a,b\n'],
  ['packed-mark.csv.gz', gzipSync(Buffer.concat([mark, Buffer.from('a')])), 'a'],
  ['not-named-so.csv', gzipSync('a,b\n'), 'a,b\n'],
  ['large.csv.gz', gzipSync(large), large],
])('%s', async (name, content, text) => {
  const path = join(folder, name)
  writeFileSync(path, content)
  const source = await openSource(path, undefined, Readable.from([]))
  expect(source.totalBytes).toBe(content.length)
  expect(await textOf(source.bytes)).toBe(text)
  expect(source.readBytes()).toBe(content.length)
})

test('reads gzip from standard input a byte at a time', async () => {
  const content = gzipSync(Buffer.concat([mark, Buffer.from('[1]')]))
  const stdin = Readable.from([...content].map((byte) => Buffer.from([byte])))
  const source = await openSource('-', 'json', stdin)
  expect(source).toMatchObject({ name: null, totalBytes: null, format: 'json' })
  expect(await textOf(source.bytes)).toBe('[1]')
})

test.each([
  ['padding zeros', [Buffer.alloc(300_000)], 'a,b\n'],
  ['a second member', [gzipSync('c,d\n')], 'a,b\nc,d\n'],
  ['a second member and zeros', [gzipSync('c,d\n'), Buffer.alloc(9)], 'a,b\nc,d\n'],
  ['a second member after zeros', [Buffer.alloc(3), gzipSync('c,d\n')], null],
  ['large data after zeros', [Buffer.alloc(3), ...new Array<Buffer>(40).fill(Buffer.alloc(65_536, 1))], null],
])('gzip followed by %s', async (_name, behind, text) => {
  const source = await openSource('-', 'csv', Readable.from([gzipSync('a,b\n'), ...behind]))
  if (text === null) await expect(textOf(source.bytes)).rejects.toThrow('the file is damaged')
  else expect(await textOf(source.bytes)).toBe(text)
})

test('gzip that arrives faster than it is decompressed leaves no listeners behind', async () => {
  const warnings: string[] = []
  const listen = (warning: Error): unknown => warnings.push(warning.message)
  process.on('warning', listen)
  try {
    // Incompressible bytes: each chunk exceeds what the stream accepts at once.
    const noise = randomBytes(4_000_000)
    const packed = gzipSync(noise)
    const chunks = Array.from({ length: Math.ceil(packed.length / 65_536) }, (_, at) =>
      packed.subarray(at * 65_536, (at + 1) * 65_536),
    )
    const source = await openSource('-', 'csv', Readable.from(chunks))
    let bytes = 0
    for await (const chunk of source.bytes) bytes += chunk.length
    expect(bytes).toBe(noise.length)
    await setImmediate()
    expect(warnings).toEqual([])
  } finally {
    process.off('warning', listen)
  }
})

test('truncated gzip is an error', async () => {
  const source = await openSource('-', 'csv', Readable.from([gzipSync(large).subarray(0, 500)]))
  await expect(textOf(source.bytes)).rejects.toThrow('unexpected end of file')
})

test.each([
  ['-', 'Give --format csv, ndjson, json or lp (line protocol).'],
  ['missing.csv', 'The file "missing.csv" does not exist'],
  ['missing.txt', 'does not show the format'],
])('%s without a format is refused', async (path, message) => {
  await expect(openSource(path, undefined, Readable.from([]))).rejects.toThrow(message)
})

test.each([
  ['rows.txt', 'does not show the format'],
  ['rows.xlsx', 'is a spreadsheet. Save its sheet as CSV'],
  ['rows.ODS', 'is a spreadsheet.'],
])('%s is refused unless a format is given', async (name, message) => {
  const path = join(folder, name)
  writeFileSync(path, '{}')
  await expect(openSource(path, undefined, Readable.from([]))).rejects.toThrow(message)
  expect(await openSource(path, 'json', Readable.from([]))).toMatchObject({ format: 'json' })
})

test('a directory is refused', async () => {
  for (const format of ['csv', undefined] as const)
    await expect(openSource(folder, format, Readable.from([]))).rejects.toThrow('is a folder')
})
