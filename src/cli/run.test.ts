import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import { closeServices, service, tidemark, unreachableUrl } from '../../test/support/cli.ts'
import { packageVersion } from '../lib/own-package.ts'

afterEach(closeServices)

const unreachable = await unreachableUrl()
const mqtt = ['mqtt', '--broker', 'mqtt://localhost', '--ingest', 'p']

describe('help and usage', () => {
  test.each([
    [['--help'], 'tidemark push plant readings.csv'],
    [['--help'], '64 a missing or unknown'],
    [['serve', '--help'], 'TIDEMARK_ADMIN_KEY'],
    [['serve', '--help'], '--limits-...'],
    [['serve', '--help-all'], '--limits-result-rows <value>'],
    [['push', '--help'], '--set T=@filename'],
    [['query', 'average', '--help'], 'tidemark query average --entity plant'],
    [['ingests', 'create', '--help'], 'name:type:role'],
    [['mqtt', '--help'], "--subscribe 'spBv1.0/#' --ingest plant --topic 'spBv1.0/{T...}'"],
    [['copy', '--help'], 'tidemark copy http://old:8080 --url http://cluster:8080'],
    [['--version'], packageVersion],
    [['--version', '--verbose'], 'time zones 20'],
  ])('%j', async (argv, part) => {
    const { code, out } = await tidemark(unreachable, argv)
    expect(code).toBe(0)
    expect(out).toContain(part)
  })

  test('the help of serve is short', async () => {
    const { out } = await tidemark(unreachable, ['serve', '--help'])
    expect(out.split('\n').length).toBeLessThan(66)
    expect(out).not.toContain('--limits-result-rows <value>')
  })

  test.each([
    [['ingest'], "unknown command 'ingest'"],
    [['ingests', 'create'], "missing required argument 'alias'"],
    [['query', 'latest'], "required option '--entity <name>' not specified"],
    [['query', 'latest', '--entity', 'e', '--granularity', 'hour'], "unknown option '--granularity'"],
    [['query', 'last', '--entity', 'e', '--offset', '-1'], 'must be a whole number from 0'],
    [['mqtt', '--broker', 'localhost', '--subscribe', '#', '--ingest', 'p'], 'is no address of a broker'],
    [[...mqtt, '--subscribe', '#', '--topic', '{a}/{T'], 'is not a level of a topic'],
    [[...mqtt, '--subscribe', 'plant/#/x'], '"plant/#/x" is no filter of topics: # is the rest of a topic'],
    [['push', 'p', 'f.csv', '--format', 'xml'], 'Allowed choices are csv, ndjson, json'],
  ])('%j is a wrong use', async (argv, part) => {
    const { code, err } = await tidemark(unreachable, argv)
    expect(code).toBe(64)
    expect(err).toContain(part)
  })
})

test.each([
  [['push', 'plant', 'f.csv', '--formt', 'csv'], '--format'],
  [['serve', '--limits-result-row', '5'], '--limits-result-rows'],
  [['querry', 'latest'], 'query'],
  [['ingests', 'creat', 'plant'], 'create'],
])('%j is answered with what was likely meant', async (argv, likely) => {
  const { code, err } = await tidemark(unreachable, argv)
  expect(code).toBe(64)
  expect(err).toContain(`\n(Did you mean ${likely}?)\n(--help shows what is possible)\n`)
})

describe('failures are one line that says what to do', () => {
  test.each([
    [['query', 'entities'], 'Start it with "tidemark serve"'],
    [['push', 'p', 'missing.csv'], 'There is no file "missing.csv"'],
  ])('%j could not be done', async (argv, part) => {
    const { code, out, err } = await tidemark(unreachable, argv)
    expect({ code, out }).toEqual({ code: 1, out: '' })
    expect(err).toMatch(/^tidemark: .*\n$/)
    expect(err).toContain(part)
  })

  test.each<[string, string | null, string[], string]>([
    ['no address', 'ftp://x', ['query', 'entities'], '"ftp://x" is not the address of a service'],
    ['no field', null, ['ingests', 'create', 'p', '--field', 'V'], '"V" is not a field. Write name:type:role'],
    [
      'no type',
      null,
      ['ingests', 'create', 'p', '--field', 'V:float:metric'],
      '"float" is no type. There are: timestamp,',
    ],
    ['no right', null, ['keys', 'create', 's', '--rights', 'read'], '"read" is no right'],
    ['no subscription', null, ['subscriptions', 'set', 's'], 'with --ingest and --entity, or give --none'],
    ['nothing to end', null, ['subscriptions', 'remove', 's'], 'Say which subscriptions are to end'],
    ['nothing to add', null, ['subscriptions', 'add', 's'], 'Say what to subscribe to'],
    ['no format', null, ['sql', 'SELECT 1', '--format', 'xml'], '"xml" is no format. There are: json'],
    ['two formats', null, ['sql', 'SELECT 1', '--format', 'csv', '--json'], 'do not go together'],
    ['no condition', null, ['metadata', 'items', 't', '--where', 'x'], '"x" is not a condition'],
    ['no pair', null, ['rejected', 'replay', 'p', '--all', '--rename', 'x'], '--rename takes name=value'],
    ['no rows chosen', null, ['rejected', 'replay', 'p'], 'Give the ids of the rows to replay'],
    ['no conversion', null, ['rejected', 'replay', 'p', '--all', '--convert', 'V=int'], '"int" is no conversion'],
    ['no duration', null, ['entities', 'retain', 'p', 'P90'], '"P90" is not a duration. Write P90D'],
    ['no date', null, ['copy', 'http://a', '--from', 'x'], '--from takes a date'],
    ['no kind of rows', null, ['push', 'p', 'rows.txt'], 'Give --format csv, ndjson, json or lp'],
    ['two ways', null, ['push', 'p', 'a.csv', '--dry-run', '--stop-after', '1'], 'Give one of the two'],
    ['no setting', null, ['serve', '--port', 'x'], 'port (from the flag --port) must be'],
    ['no file of settings', null, ['verify', '--config', 'missing.json'], 'The file of settings missing.json'],
  ])('%s is a wrong use', async (_, url, argv, part) => {
    const { code, out, err } = await tidemark(url ?? unreachable, argv)
    expect({ code, out }).toEqual({ code: 64, out: '' })
    expect(err).toMatch(/^tidemark: .*\n$/)
    expect(err).toContain(part)
  })

  test('what the service says, with a hint for a missing key', async () => {
    const { url } = await service({})
    const { code, err } = await tidemark(url, ['ingests', 'list'], '', '')
    expect(code).toBe(1)
    expect(err).toBe(
      'tidemark: Not without a key. (403 forbidden) Give a key with --key or TIDEMARK_KEY. "tidemark keys create --help" says how to create one.\n',
    )
    const refused = 'tidemark: Not without a key. (403 forbidden)\n'
    expect((await tidemark(url, ['ingests', 'list'])).err).toBe(refused)
    expect((await tidemark(url, ['ingests', 'list', '--key', 'k'], '', '')).err).toBe(refused)
  })

  test('who may not see all rows is told how to see his own', async () => {
    const { url } = await service({})
    const said = 'With --mine the command is about the rows that your own key pushed.'
    expect((await tidemark(url, ['rejected', 'list', 'plant'])).err).toContain(said)
    expect((await tidemark(url, ['rejected', 'list', 'plant', '--mine'])).err).not.toContain(said)
    expect((await tidemark(url, ['ingests', 'list'])).err).not.toContain(said)
  })

  test('what is not there is told in words of the commands', async () => {
    const missing: [number, unknown] = [404, { code: 'not_found', detail: 'GET /admin/subscribers', retryable: false }]
    const { url } = await service({ 'DELETE /admin/keys/k1': () => missing })
    expect(await tidemark(url, ['keys', 'revoke', 'k1', '--yes'])).toMatchObject({
      code: 1,
      err: 'tidemark: There is no key with the id "k1". "tidemark keys list" shows all.\n',
    })
    const native = await tidemark(url, ['native', 'missing.json'])
    expect(native.err).toBe('tidemark: missing.json cannot be read: there is no such file.\n')
  })

  test('an error that says what to do is told alone', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'tidemark-'))
    const { err } = await tidemark('', ['restore', folder, '--data', join(folder, 'new')])
    expect(err).toMatch(/^tidemark: .* is not a backup: .*\.\n$/)
    rmSync(folder, { recursive: true })
  })

  test('--debug shows the place', async () => {
    expect((await tidemark('x:', ['query', 'entities', '--debug'])).err).toContain('    at ')
  })
})
