import { afterEach, expect, test } from 'vitest'
import { closeServices, service, tidemark } from '../../test/support/cli.ts'

afterEach(closeServices)

const open = { from: null, until: null, suspended: false }
const present = [
  { ingest: 'a', ...open },
  { ingest: 'b', entity: 'b', ...open, until: '2027-01-01T00:00:00.000Z' },
  { entity: 'a', ...open, suspended: true },
]
const [a, b, readsA] = present

test.each<[readonly string[], unknown]>([
  [
    ['add', '--ingest', 'c'],
    [a, b, readsA, { ingest: 'c' }],
  ],
  [
    ['add', '--entity', 'c,d', '--from', '2026-01-01'],
    [a, b, readsA, { entity: 'c', from: '2026-01-01' }, { entity: 'd', from: '2026-01-01' }],
  ],
  // A subscription to the same ingest replaces the earlier one.
  [
    ['add', '--ingest', 'a', '--until', '2028-01-01'],
    [b, readsA, { ingest: 'a', until: '2028-01-01' }],
  ],
  [
    ['add', '--ingest', 'b'],
    [a, { entity: 'b', ...open, until: '2027-01-01T00:00:00.000Z' }, readsA, { ingest: 'b' }],
  ],
  [
    ['remove', '--ingest', 'a'],
    [b, readsA],
  ],
  [
    ['remove', '--entity', 'a'],
    [a, b],
  ],
  [
    ['remove', '--ingest', 'b'],
    [a, { entity: 'b', ...open, until: '2027-01-01T00:00:00.000Z' }, readsA],
  ],
  [['remove', '--ingest', 'a,b', '--entity', 'a,b'], []],
  [
    ['set', '--ingest', 'a,b', '--entity', '*', '--until', '2027-01-01', '--suspended'],
    [{ ingest: 'a' }, { ingest: 'b' }, { entity: '*' }].map((one) => ({
      ...one,
      until: '2027-01-01',
      suspended: true,
    })),
  ],
])('%j', async ([command, ...options], put) => {
  const { url, seen } = await service({
    'GET /admin/subscribers/s/subscriptions': () => [200, { Items: present, NextToken: null }],
    'PUT /admin/subscribers/s/subscriptions': () => [200, { Items: [], NextToken: null }],
  })
  const { code } = await tidemark(url, ['subscriptions', command ?? '', 's', ...options])
  expect(code).toBe(0)
  const [asked = '', ...others] = seen.filter((request) =>
    request.startsWith('PUT /admin/subscribers/s/subscriptions '),
  )
  expect(others).toEqual([])
  expect(JSON.parse(asked.slice(asked.indexOf('[')))).toEqual(put)
})

test.each<[readonly string[], string]>([
  [
    ['remove', 's', '--ingest', 'a,x', '--entity', 'y'],
    's has no subscription to the ingest "x", the entity "y"; nothing was changed.',
  ],
])('%j is refused', async (argv, words) => {
  const { url, seen } = await service({
    'GET /admin/subscribers/s/subscriptions': () => [200, { Items: present, NextToken: null }],
  })
  const { code, err } = await tidemark(url, ['subscriptions', ...argv])
  expect(code).toBe(1)
  expect(err).toContain(words)
  expect(seen.filter((request) => request.startsWith('PUT'))).toEqual([])
})

// The clock of these tests begins in 1970.
test('list shows which subscriptions are valid now', async () => {
  const ended = { ...open, until: '1970-01-01T00:00:00.000Z' }
  const items = [
    { ingest: 'a', ...open },
    { ingest: 'b', ...ended },
    { ingest: 'c', ...open, from: '2026-01-01T00:00:00.000Z' },
    { entity: 'd', ...open, suspended: true },
    { entity: 'e', ...open, from: '1969-01-01T00:00:00.000Z', until: '2026-01-01T00:00:00.000Z' },
  ]
  const { url } = await service({ 'GET /admin/subscribers/s/subscriptions': () => [200, { Items: items }] })
  const { out } = await tidemark(url, ['subscriptions', 'list', 's'])
  const [titles, ...rows] = out.trimEnd().split('\n')
  expect(titles).toMatch(/ valid$/)
  expect(rows.map((row) => /(yes|no|no, ended)$/.exec(row)?.[0])).toEqual(['yes', 'no, ended', 'no', 'no', 'yes'])
})

test.each([
  [
    ['--ingest', 'a', '--until', '1969-12-31'],
    [/^It already ended at 1969-12-31, so it allows nothing\. Give a later --until\.\n$/],
  ],
  [
    ['--ingest', 'a,*,no such'],
    [/^There is no ingest "no such" yet: tidemark ingests create "no such" makes it\.\nNext, /],
  ],
])('add %j warns of an obstacle', async (options, [said]) => {
  const problem = { code: 'unknown_ingest', detail: 'There is none.', retryable: false }
  const { url } = await service({
    'GET /admin/subscribers/s/subscriptions': () => [200, { Items: [], NextToken: null }],
    'PUT /admin/subscribers/s/subscriptions': () => [200, { Items: [], NextToken: null }],
    'GET /admin/ingests/a': () => [200, { alias: 'a', kind: 'series' }],
    'GET /admin/ingests/no%20such': () => [404, problem],
  })
  expect((await tidemark(url, ['subscriptions', 'add', 's', ...options])).err).toMatch(said!)
})

test.each([
  ['add', 'There is no entity "plnt" yet. "plant" may be meant.\nThere is no entity "x" yet.\nNext, '],
  ['set', 'There is no entity "plnt" yet. "plant" may be meant.\nThere is no entity "x" yet.\n'],
])('%s for an unknown entity succeeds, and suggests a similar one', async (command, said) => {
  const { url, seen } = await service({
    'GET /admin/subscribers/s/subscriptions': () => [200, { Items: [], NextToken: null }],
    'PUT /admin/subscribers/s/subscriptions': () => [200, { Items: [], NextToken: null }],
    'GET /admin/entities': () => [200, { Items: [{ entity: 'plant' }], NextToken: null }],
    'POST /consumer/metadata': () => [200, [{ entity: 'tags' }]],
  })
  const { code, err } = await tidemark(url, ['subscriptions', command, 's', '--entity', 'plnt,plant,tags,*,x'])
  expect(code).toBe(0)
  expect(err.startsWith(said)).toBe(true)
  expect(seen.filter((request) => request.startsWith('PUT'))).toHaveLength(1)
})
