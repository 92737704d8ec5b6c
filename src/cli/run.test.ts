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

  test('the help of serve omits the individual limits', async () => {
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
    [['mqtt', '--broker', 'localhost', '--subscribe', '#', '--ingest', 'p'], 'is not the address of a broker'],
    [[...mqtt, '--subscribe', '#', '--topic', '{a}/{T'], 'is not a level of a topic'],
    [[...mqtt, '--subscribe', 'plant/#/x'], '"plant/#/x" is not a topic filter: # is the rest of a topic'],
    [['push', 'p', 'f.csv', '--format', 'xml'], 'Allowed choices are csv, ndjson, json'],
  ])('%j is a usage error', async (argv, part) => {
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
])('%j is refused with a suggestion', async (argv, likely) => {
  const { code, err } = await tidemark(unreachable, argv)
  expect(code).toBe(64)
  expect(err).toContain(`\n(Did you mean ${likely}?)\n(--help shows what is possible)\n`)
})

describe('failures are one line that says what to do', () => {
  test.each([
    [['query', 'entities'], 'Start it with "tidemark serve"'],
    [['push', 'p', 'missing.csv'], 'The file "missing.csv" does not exist'],
  ])('%j fails', async (argv, part) => {
    const { code, out, err } = await tidemark(unreachable, argv)
    expect({ code, out }).toEqual({ code: 1, out: '' })
    expect(err).toMatch(/^tidemark: .*\n$/)
    expect(err).toContain(part)
  })

  test.each<[string, string | null, string[], string]>([
    ['an invalid address', 'ftp://x', ['query', 'entities'], '"ftp://x" is not the address of a service'],
    ['an invalid field', null, ['ingests', 'create', 'p', '--field', 'V'], '"V" is not a field. Write name:type:role'],
    [
      'an unknown type',
      null,
      ['ingests', 'create', 'p', '--field', 'V:float:metric'],
      '"float" is not a known type. There are: timestamp,',
    ],
    ['an unknown right', null, ['keys', 'create', 's', '--rights', 'read'], '"read" is not a known right'],
    ['no subscription', null, ['subscriptions', 'set', 's'], 'with --ingest and --entity, or give only --none'],
    ['no subscription to remove', null, ['subscriptions', 'remove', 's'], 'Name the subscriptions to end'],
    ['no subscription to add', null, ['subscriptions', 'add', 's'], 'Name what to subscribe to'],
    ['an unknown format', null, ['sql', 'SELECT 1', '--format', 'xml'], '"xml" is not a known format. There are: json'],
    ['two formats', null, ['sql', 'SELECT 1', '--format', 'csv', '--json'], 'exclude each other'],
    ['an invalid condition', null, ['metadata', 'items', 't', '--where', 'x'], '"x" is not a condition'],
    ['an invalid rename', null, ['rejected', 'replay', 'p', '--all', '--rename', 'x'], '--rename must be name=value'],
    ['no rows chosen', null, ['rejected', 'replay', 'p'], 'Give the ids of the rows to replay'],
    [
      'an unknown conversion',
      null,
      ['rejected', 'replay', 'p', '--all', '--convert', 'V=int'],
      '"int" is not a known conversion',
    ],
    ['an invalid duration', null, ['entities', 'retain', 'p', 'P90'], '"P90" is not a duration. Write P90D'],
    ['an invalid date', null, ['copy', 'http://a', '--from', 'x'], '--from must be a date'],
    ['a file without a known format', null, ['push', 'p', 'rows.txt'], 'Give --format csv, ndjson, json or lp'],
    ['two exclusive options', null, ['push', 'p', 'a.csv', '--dry-run', '--stop-after', '1'], 'Give one of them'],
    ['an invalid setting', null, ['serve', '--port', 'x'], 'port (from the flag --port) must be'],
    ['a missing settings file', null, ['verify', '--config', 'missing.json'], 'The file of settings missing.json'],
  ])('%s is a usage error', async (_, url, argv, part) => {
    const { code, out, err } = await tidemark(url ?? unreachable, argv)
    expect({ code, out }).toEqual({ code: 64, out: '' })
    expect(err).toMatch(/^tidemark: .*\n$/)
    expect(err).toContain(part)
  })

  test('prints the refusal of the service, with a hint if no key was given', async () => {
    const { url } = await service({})
    const { code, err } = await tidemark(url, ['ingests', 'list'], '', '')
    expect(code).toBe(1)
    expect(err).toBe(
      'tidemark: Not without a key. (403 forbidden) Give a key with --key or TIDEMARK_KEY. "tidemark keys create --help" shows how to create one.\n',
    )
    const refused = 'tidemark: Not without a key. (403 forbidden)\n'
    expect((await tidemark(url, ['ingests', 'list'])).err).toBe(refused)
    expect((await tidemark(url, ['ingests', 'list', '--key', 'k'], '', '')).err).toBe(refused)
  })

  test('a key without access to all rows gets a hint at --mine', async () => {
    const { url } = await service({})
    const said = 'With --mine the command uses only rows that your own key pushed.'
    expect((await tidemark(url, ['rejected', 'list', 'plant'])).err).toContain(said)
    expect((await tidemark(url, ['rejected', 'list', 'plant', '--mine'])).err).not.toContain(said)
    expect((await tidemark(url, ['ingests', 'list'])).err).not.toContain(said)
  })

  test('a missing resource is reported in terms of commands', async () => {
    const missing: [number, unknown] = [404, { code: 'not_found', detail: 'GET /admin/subscribers', retryable: false }]
    const { url } = await service({ 'DELETE /admin/keys/k1': () => missing })
    expect(await tidemark(url, ['keys', 'revoke', 'k1', '--yes'])).toMatchObject({
      code: 1,
      err: 'tidemark: There is no key with the id "k1". "tidemark keys list" shows all.\n',
    })
    const native = await tidemark(url, ['native', 'missing.json'])
    expect(native.err).toBe('tidemark: missing.json cannot be read: there is no such file.\n')
  })

  test('an error that says what to do is printed without a further hint', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'tidemark-'))
    const { err } = await tidemark('', ['restore', folder, '--data', join(folder, 'new')])
    expect(err).toMatch(/^tidemark: .* is not a backup: .*\.\n$/)
    rmSync(folder, { recursive: true })
  })

  test('--debug prints the stack', async () => {
    expect((await tidemark('x:', ['query', 'entities', '--debug'])).err).toContain('    at ')
  })
})
