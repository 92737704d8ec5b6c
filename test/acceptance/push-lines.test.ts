// `tidemark push` of files with line protocol, with the whole service.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterAll, expect, test } from 'vitest'
import { callOk, makeIngest } from '../support/api.ts'
import { tidemark } from '../support/cli.ts'
import { runService } from '../support/running-service.ts'
import { adminKey } from '../support/server-process.ts'

const service = await runService({ 'limits.pushRows': '40', 'limits.checkRows': '20' })
const folder = mkdtempSync(join(tmpdir(), 'tidemark-'))
afterAll(async () => {
  rmSync(folder, { recursive: true })
  await service.close()
})

const fields = [
  { name: 'time', type: 'timestamp', role: 'time' },
  { name: 'measurement', type: 'string', role: 'tag' },
  { name: 'load', type: 'double', role: 'metric' },
  { name: 'note', type: 'string', role: 'dimension' },
]
const wide = await makeIngest(service.url, adminKey, { alias: 'wide', fields })
const narrow = await makeIngest(service.url, adminKey, { alias: 'narrow', lines: { tag: '{measurement}.{field}' } })
const rowsOf = (entity: string) =>
  callOk<object[]>(service.url, 'POST', '/consumer/data/select', { key: adminKey, body: { entity } })

function fileOf(name: string, content: string | Uint8Array): string {
  const path = join(folder, name)
  writeFileSync(path, content)
  return path
}

const faulty =
  '# written by hand\ncpu load=0.5 1767225600\n\ncpu load=high 1\ncpu load=1,note="two\nlines" 2\nmem free=1 3\n'

test('push stores valid lines and reports rejected ones by line number, also in a dry run', async () => {
  const path = fileOf('faulty.lp.gz', gzipSync(faulty))
  const argv = ['push', 'wide', path, '--precision', 's', '--batch-rows', '2']
  const dry = await tidemark(service.url, [...argv, '--dry-run'], '', wide)
  expect(dry).toMatchObject({ code: 2, err: '' })
  const said = [
    'line 4: no line of line protocol: high is no value (invalid_line)',
    'line 7: free: the ingest has no such',
  ]
  for (const text of ['checked            4', 'would be rejected  2', ...said]) expect(dry.out).toContain(text)
  expect(await rowsOf('wide')).toEqual([])
  const pushed = await tidemark(service.url, argv, '', wide)
  expect(pushed).toMatchObject({ code: 2, err: '' })
  for (const text of ['received  4', 'stored    2', 'rejected  2', ...said]) expect(pushed.out).toContain(text)
  expect(await rowsOf('wide')).toHaveLength(2)
})

test('an invalid UTF-8 byte and an extra quote are reported by line number; other lines are stored', async () => {
  const alias = await makeIngest(service.url, adminKey, { alias: 'latin', fields })
  const text = 'cpu load=1,note="a" 1\ncpu load=2,note="b"" 2\ncpu load=3,note="\u00e9" 3\ncpu load=4,note="d" 4\n'
  const bytes = Buffer.concat([Buffer.from('\ufeff'), Buffer.from(text, 'latin1')])
  const argv = ['push', 'latin', fileOf('latin.lp', bytes), '--precision', 's']
  const pushed = await tidemark(service.url, argv, '', alias)
  expect(pushed).toMatchObject({ code: 2, err: '' })
  const said = [
    'line 2: no line of line protocol: there is text after the closing quote of a value',
    'line 3: no line of line protocol: byte 18 of it, 0xE9, is not UTF-8: send it in UTF-8',
  ]
  for (const line of ['received  4', 'stored    2', ...said]) expect(pushed.out).toContain(line)
  expect(await rowsOf('latin')).toMatchObject([{ measurement: 'cpu', load: 1 }, { load: 4 }])
})

test('with one row per field, no request has more rows than the limits of the service', async () => {
  const lines = Array.from({ length: 50 }, (_, index) => `m a=${index},b=${index},c="${index}" ${index}`)
  const path = fileOf('many.lp', `${lines.join('\n')}\n`)
  const argv = ['push', 'narrow', path, '--precision', 'ms', '--json']
  const dry = JSON.parse((await tidemark(service.url, [...argv, '--dry-run'], '', narrow)).out)
  expect(dry).toMatchObject({
    checked: 150,
    stored: 100,
    rejected: 50,
    errors: [{ row: 1 }, { row: 2 }, {}, {}, {}, {}, {}, {}, {}, { row: 10 }],
  })
  const pushed = JSON.parse((await tidemark(service.url, argv, '', narrow)).out)
  expect(pushed).toMatchObject({ received: 150, stored: 100, rejected: 50, pending: 0, errors: dry.errors })
  expect(await rowsOf('narrow')).toHaveLength(100)
})

test('--skip-rows and --stop-after count lines, and messages report line numbers', async () => {
  const lines = Array.from({ length: 6 }, (_, index) => `m load=${index === 1 ? 'x' : index} ${100 + index}`)
  const path = fileOf('stopped.lp', lines.join('\r\n'))
  const argv = ['push', 'wide', path, '--precision', 's', '--batch-rows', '1', '--concurrency', '1']
  const stopped = await tidemark(service.url, [...argv, '--stop-after', '1'], '', wide)
  expect(stopped.err).toContain(
    'Lines up to 2 were sent and are on disk, nothing after them. To continue: --skip-rows 2.',
  )
  const rest = await tidemark(service.url, [...argv, '--skip-rows', '2'], '', wide)
  expect(rest).toMatchObject({ code: 0, err: '' })
  expect(rest.out).toContain('received  4')
  await callOk(service.url, 'PATCH', '/admin/ingests/wide', { key: adminKey, body: { state: 'blocked' } })
  const blocked = await tidemark(service.url, argv, '', wide)
  expect(blocked.err).toMatch(/^tidemark: line 1 was not acknowledged: The ingest wide accepts no rows now/)
})

test.each([
  [['--format', 'lp', '--delimiter', ';'], '--delimiter is only for CSV'],
  [['--format', 'csv', '--precision', 's'], '--format lp'],
])('push rejects the options %j', async (options, said) => {
  const { code, err } = await tidemark(service.url, ['push', 'narrow', '-', ...options], 'm load=1', narrow)
  expect({ code, err }).toEqual({ code: 64, err: expect.stringContaining(said) })
})
