// How the query commands interpret their options, and the messages that they print next to a result.
import { afterEach, expect, test } from 'vitest'
import { closeServices, service, tidemark } from '../../test/support/cli.ts'

afterEach(closeServices)

const select = 'POST /consumer/data/select'

test.each([
  ['average', 'average?entity=plant&granularity=hour&start_date=2026-01-01&end_date=PT23H59M'],
  ['select', 'select?entity=plant&ids=01PHD.OSL101.PV&start_date=2026-01-01T08:00&end_date=PT15M'],
  ['average-dimensions', 'average-dimensions?entity=plant&fields=unit,area&granularity=day'],
])('%s --help shows the example as a URL', async (kind, address) => {
  const { out } = await tidemark('http://127.0.0.1:1', ['query', kind, '--help'])
  expect(out).toContain(`  http://127.0.0.1:8080/consumer/data/${address}\n`)
})

test('omitted options are not sent', async () => {
  const { url, seen } = await service({ [select]: () => [200, []] })
  await tidemark(url, ['query', 'select', '--entity', 'plant', '--start', 'PT15M'])
  expect(seen).toEqual([`${select} ${JSON.stringify({ entity: 'plant', start_date: 'PT15M' })}`])
})

test.each([
  [
    'start_date: it may be a duration only if end_date is a date-time.',
    '--start: it may be a duration only if --end is a date-time.',
  ],
  ['ids[0]: it is empty', '--ids[0]: it is empty'],
  ['There is no entity "date".', 'There is no entity "date".'],
])('the refusal %s is printed in terms of options', async (detail, said) => {
  const { url } = await service({ [select]: () => [400, { code: 'invalid_request', detail, retryable: false }] })
  const { err } = await tidemark(url, ['query', 'select', '--entity', 'plant'])
  expect(err).toBe(`tidemark: ${said} (400 invalid_request)\n`)
})

test.each<[string, readonly string[], string, string]>([
  ['GET /consumer/data/entities/plant/tags?limit=1000', ['tags', 'plant'], 'limit', '--limit'],
  [
    'GET /consumer/data/entities/plant/tags?id_name_field=x&limit=1000',
    ['tags', 'plant', '--id-name', 'x'],
    'id_name_field',
    '--id-name',
  ],
  ['GET /admin/ingests/plant/rejected?code=x&limit=21', ['rejected', 'list', 'plant', '--code', 'x'], 'code', '--code'],
  [
    'POST /admin/subscribers/s/keys',
    ['keys', 'create', 's', '--rights', 'ingest', '--expires', 'x'],
    'expires',
    '--expires',
  ],
  [
    'PUT /admin/subscribers/s/subscriptions',
    ['subscriptions', 'set', 's', '--ingest', 'p', '--until', 'x'],
    '[0].until',
    '--until',
  ],
  ['POST /admin/ingests', ['ingests', 'create', 'p', '--field', 'a:long:metric'], 'fields[0].name', '--field[0].name'],
])('%s: a refused parameter is named as its option', async (request, argv, path, option) => {
  const detail = `${path} must be another.`
  const errors = [{ path, message: 'must be another' }]
  const { url } = await service({
    [request]: () => [400, { code: 'invalid_request', detail, errors, retryable: false }],
  })
  const { err } = await tidemark(url, argv)
  expect(err).toBe(`tidemark: ${option} must be another. (400 invalid_request)\n`)
})

test('a refused SQL query is reported without the name of the request field', async () => {
  const detail = "sql_query: there is no table 'plnt' (line 1, column 15)"
  const { url } = await service({
    'POST /consumer/data/sql-query': () => [400, { code: 'invalid_request', detail, retryable: false }],
  })
  const { err } = await tidemark(url, ['sql', 'SELECT T FROM plnt'])
  expect(err).toContain("The query: there is no table 'plnt'")
})

test.each(['average', 'latest', 'snap'])('%s refuses --fields, and names the alternatives', async (kind) => {
  const { url, seen } = await service({})
  const { code, err } = await tidemark(url, ['query', kind, '--entity', 'plant', '--fields', 'V'])
  expect([code, seen]).toEqual([64, []])
  expect(err).toBe(
    `tidemark: "query ${kind}" has no --fields. --metrics selects its metrics; dimensions are shown by average-dimensions, average-granularity, select, last, next and aggregate.\n`,
  )
  expect((await tidemark(url, ['query', kind, '--help'])).out).not.toContain('--fields')
})

const fields = ['site', 'sensor'].map((name) => ({ name, type: 'string', role: 'tag' }))
const otherTag = 'looked up in the tag site. Choose another tag with --id-name sensor.\n'

/** The message for ids that match nothing, when these tags exist. */
async function saidOf(
  ids: readonly string[],
  tags: { readonly all: readonly string[]; readonly next?: string; readonly alike?: readonly string[] },
  entityFields: readonly object[] = fields,
): Promise<string> {
  const path = 'GET /consumer/data/entities'
  const { url } = await service({
    [select]: () => [200, []],
    [path]: () => [200, [{ entity: 'plant', fields: entityFields }]],
    [`${path}/plant/tags?limit=2000`]: () => [200, { Items: tags.all, NextToken: tags.next ?? null }],
    [`${path}/plant/tags?prefix=boil&limit=2000`]: () => [200, { Items: tags.alike, NextToken: null }],
    [`${path}/plant/tags?prefix=${encodeURIComponent('🔥')}&limit=2000`]: () => [
      200,
      { Items: tags.alike, NextToken: null },
    ],
    // The prefix as received if a surrogate pair is cut in half.
    [`${path}/plant/tags?prefix=%EF%BF%BD&limit=2000`]: () => [200, { Items: [], NextToken: null }],
    [`${path}/plant/tags?id_name_field=sensor&limit=2000`]: () => [200, { Items: ['flow'], NextToken: null }],
  })
  const { out, err } = await tidemark(url, ['query', 'select', '--entity', 'plant', '--ids', ...ids])
  expect(out).toBe('No rows.\n')
  return err
}

test('for ids without rows, says whether the entity has another tag to query by', async () => {
  expect(await saidOf(['s1'], { all: ['s1'] })).toBe(`The id was ${otherTag}`)
  expect(await saidOf(['s1,s2'], { all: ['s1', 's2'] })).toBe(`The ids were ${otherTag}`)
  expect(await saidOf(['s1'], { all: ['s1'] }, fields.slice(0, 1))).toBe('')
})

test('for ids without rows, names the unknown tags and suggests similar ones', async () => {
  const one = fields.slice(0, 1)
  const said = 'There is no tag "boiler.tmp" in plant. "boiler.temp" may be meant.\n'
  expect(await saidOf(['boiler.tmp,s1'], { all: ['boiler.temp', 's1'] }, one)).toBe(said)
  expect(await saidOf(['x'], { all: ['boiler.temp'] }, one)).toBe('There is no tag "x" in plant.\n')
  expect(await saidOf(['flw', '--id-name', 'sensor'], { all: [] })).toBe(
    'There is no tag "flw" in plant. "flow" may be meant.\n',
  )
  // When there are more tags than are read, tags with the same beginning are suggested; nothing if the service cannot return them.
  expect(await saidOf(['boilr.temp'], { all: ['a'], next: 't' }, one)).toBe('')
  // The prefix is half of the id's characters, and never half of one.
  expect(await saidOf(['🔥'], { all: ['a'], next: 't', alike: ['🔥'] }, one)).toBe('')
  expect(await saidOf(['boil.tmp'], { all: ['a'], next: 't', alike: ['boil.temp'] }, one)).toBe(
    'There is no tag "boil.tmp" in plant. "boil.temp" may be meant.\n',
  )
})
