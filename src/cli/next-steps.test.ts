// The output after something was created: the next command, ready to paste.
import { afterEach, expect, test } from 'vitest'
import { closeServices, plantIngest, service, tidemark } from '../../test/support/cli.ts'

afterEach(closeServices)

test('quotes a subscriber name with a space in the next command', async () => {
  const { url } = await service({ 'POST /admin/subscribers': () => [201, { name: 'line 3' }] })
  const { out } = await tidemark(url, ['subscribers', 'create', 'line 3'])
  expect(out).toBe('line 3 is created. Next: tidemark keys create "line 3" --rights ingest,consume\n')
})

test('creating a key prints its expiry and which subscriptions it still needs', async () => {
  const has = async (...Items: readonly object[]): Promise<string> => {
    const { url } = await service({
      'POST /admin/subscribers/line%203/keys': () => [201, { id: 'k1', key: 'secret' }],
      'GET /admin/subscribers/line%203/subscriptions': () => [200, { Items, NextToken: null }],
    })
    return (await tidemark(url, argv)).err
  }
  const argv = ['keys', 'create', 'line 3', '--rights', 'ingest,consume', '--expires', '2027-01-01']
  const kept = 'Keep the key now: it is not shown again. It expires on 2027-01-01.'
  const needs = `${kept} The subscriber needs subscriptions too: tidemark subscriptions add "line 3"`
  expect(await has()).toBe(`${needs} --ingest INGEST --entity ENTITY\n`)
  expect(await has({ ingest: 'plant', entity: null })).toBe(`${needs} --entity ENTITY\n`)
  const { url } = await service({ 'POST /admin/subscribers/line%203/keys': () => [201, { id: 'k1', key: 'secret' }] })
  expect((await tidemark(url, argv)).err).toContain('needs subscriptions too, unless it has them: ')
  expect(await has({ ingest: '*', entity: null }, { ingest: null, entity: 'plant' })).toBe(`${kept}\n`)
})

test.each([
  [
    ['--ingest', 'boiler room', '--entity', '*'],
    'keys create "line 3" --rights ingest,consume" makes one): tidemark push "boiler room" FILE; tidemark query latest --entity ENTITY\n',
  ],
  [['--entity', 'plant'], 'keys create "line 3" --rights consume" makes one): tidemark query latest --entity plant\n'],
  [['--entity', 'tags'], 'keys create "line 3" --rights consume" makes one): tidemark metadata items tags\n'],
])('adding a subscription prints the next commands: %j', async (options, said) => {
  const { url } = await service({
    'GET /admin/subscribers/line%203/subscriptions': () => [200, { Items: [], NextToken: null }],
    'PUT /admin/subscribers/line%203/subscriptions': () => [200, { Items: [], NextToken: null }],
    'GET /admin/ingests/plant': () => [200, plantIngest],
    'GET /admin/ingests/tags': () => [200, { ...plantIngest, alias: 'tags', kind: 'metadata' }],
  })
  const { err } = await tidemark(url, ['subscriptions', 'add', 'line 3', ...options])
  expect(err).toBe(`Next, with a key of the subscriber ("tidemark ${said}`)
})

test.each([
  [[], 'FILE'],
  [['--lines', '{measurement}.{field}'], 'FILE.lp'],
])('creating an ingest prints the next commands: %j', async (options, file) => {
  const { url } = await service({ 'POST /admin/ingests': () => [201, plantIngest] })
  expect((await tidemark(url, ['ingests', 'create', 'plant', ...options])).err).toBe(
    `Next: tidemark subscriptions add SUBSCRIBER --ingest plant (for the sender); then tidemark push plant ${file}\n`,
  )
})

const everywhere =
  'Reading needs no key now: anyone can read everything. With access.consumption=key reading needs a key.\n'

test.each([
  ['public', everywhere],
  ['key', ''],
])(
  'creating keys and subscriptions for reading says whether they are needed: access.consumption is %s',
  async (value, said) => {
    const { url } = await service({
      'POST /admin/subscribers/s/keys': () => [201, { id: 'k1', key: 'secret' }],
      'GET /admin/subscribers/s/subscriptions': () => [200, { Items: [{ ingest: '*', entity: '*' }], NextToken: null }],
      'PUT /admin/subscribers/s/subscriptions': () => [200, { Items: [], NextToken: null }],
      'GET /admin/settings': () => [200, { Items: [{ setting: 'access.consumption', value }], NextToken: null }],
    })
    const kept = 'Keep the key now: it is not shown again.\n'
    const err = async (...argv: readonly string[]) => (await tidemark(url, argv)).err
    expect(await err('keys', 'create', 's', '--rights', 'ingest,consume')).toBe(kept + said)
    expect(await err('keys', 'create', 's', '--rights', 'ingest')).toBe(kept)
    expect(await err('subscriptions', 'set', 's', '--entity', '*')).toBe(said)
    expect(await err('subscriptions', 'set', 's', '--ingest', '*')).toBe('')
    expect((await err('subscriptions', 'add', 's', '--entity', '*')).startsWith(`${said}Next, `)).toBe(true)
  },
)
