import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { closeServices, tidemark } from '../../test/support/cli.ts'

let folder = ''
let url = ''
let breaks = false
const asked: string[] = []

/** Responds with rows in the accepted format; breaks off in the middle if `breaks` is set. */
const server = createServer((request, response) => {
  const accept = request.headers.accept ?? ''
  asked.push(`${request.url} ${accept}`)
  response.writeHead(200)
  response.write(accept === 'application/json' ? '[{"T":"a","V":1.50}]' : `as ${accept}\n`)
  if (breaks) setTimeout(() => response.destroy(), 20)
  else response.end()
})

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'tidemark-'))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterEach(() => {
  closeServices()
  breaks = false
})
afterAll(() => {
  server.close()
  rmSync(folder, { recursive: true })
})

const select = ['query', 'select', '--entity', 'plant']
const sql = ['sql', 'SELECT 1']

test.each<[options: readonly string[], out: string]>([
  [[], 'T     V\na  1.50\n'],
  [['--json'], '[{"T":"a","V":1.50}]\n'],
  [['--format', 'json'], '[{"T":"a","V":1.50}]\n'],
  [['--format', 'json', '--json'], '[{"T":"a","V":1.50}]\n'],
  [['--format', 'csv'], 'as text/csv\n'],
  [['--format', 'ndjson'], 'as application/x-ndjson\n'],
  [['--format', 'arrow'], 'as application/vnd.apache.arrow.stream\n'],
  [['--output', '-'], 'as text/csv\n'],
  [['--output', '-', '--format', 'ndjson'], 'as application/x-ndjson\n'],
  [['--output', '-', '--json'], '[{"T":"a","V":1.50}]\n'],
])('with %j the answer is written to standard output', async (options, out) => {
  for (const command of [select, sql]) {
    expect(await tidemark(url, [...command, ...options])).toEqual({ code: 0, out, err: '' })
    expect(existsSync('-')).toBe(false)
  }
})

test.each<[name: string, options: readonly string[], content: string]>([
  ['answer', [], 'as text/csv\n'],
  ['answer', ['--json'], '[{"T":"a","V":1.50}]'],
  ['answer', ['--format', 'arrow'], 'as application/vnd.apache.arrow.stream\n'],
  ['answer.json', [], '[{"T":"a","V":1.50}]'],
  ['answer.NDJSON', [], 'as application/x-ndjson\n'],
  ['answer.arrow', [], 'as application/vnd.apache.arrow.stream\n'],
  ['answer.txt', [], 'as text/csv\n'],
  ['answer.jsonl', [], 'as application/x-ndjson\n'],
  ['answer.json', ['--json'], '[{"T":"a","V":1.50}]'],
  ['answer.2026', ['--format', 'csv'], 'as text/csv\n'],
])('%s with %j is written to a file', async (name, options, content) => {
  const file = join(folder, name)
  const { code, out, err } = await tidemark(url, [...select, ...options, '--output', file])
  expect({ code, out, err }).toEqual({ code: 0, out: '', err: `${file}: ${content.length} bytes\n` })
  expect(readFileSync(file, 'utf8')).toBe(content)
})

test('an answer that breaks off keeps the existing file and leaves no temporary file', async () => {
  const file = join(folder, 'kept')
  writeFileSync(file, 'before')
  breaks = true
  const { code, err } = await tidemark(url, [...select, '--output', file])
  expect(code).toBe(1)
  expect(err).toContain(url)
  expect(readFileSync(file, 'utf8')).toBe('before')
  expect(readdirSync(folder).filter((name) => name.endsWith('.part'))).toEqual([])
})

test.each<[options: readonly string[], words: string]>([
  [['--format', 'xml'], '"xml" is not a known format. There are: json, csv, ndjson, arrow.'],
  [['--format', 'csv', '--json'], '--json and --format csv exclude each other'],
  [['--output', 'x.xlsx'], 'The ending .xlsx is not supported: spreadsheets open .csv.'],
  [['--output', 'x.PARQUET', '--format', 'arrow'], 'The ending .parquet is not supported: write .arrow or .csv'],
  [
    ['--output', 'x.csv.gz'],
    'The ending .gz is not supported: the file is not compressed. Write it without that ending, and compress it afterwards',
  ],
  [['--output', 'x.json', '--format', 'csv'], 'The name x.json means json, but --format is csv.'],
  [['--output', 'x.csv', '--json'], 'The name x.csv means csv, but --format is json.'],
  [['--output', '/nowhere/at/all'], '/nowhere/at/all cannot be written'],
])('%j is refused as an option', async (options, words) => {
  const { code, err } = await tidemark(url, [...select, ...options])
  expect(code).not.toBe(0)
  expect(err).toContain(words)
  expect(existsSync('x.csv')).toBe(false)
})
