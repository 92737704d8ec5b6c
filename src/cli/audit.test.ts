import { afterEach, expect, test } from 'vitest'
import { closeServices, service, tidemark } from '../../test/support/cli.ts'

afterEach(closeServices)

const line = (change: object) => ({
  ...{ time: '2026-01-01T12:00:00.000Z', key: 'k1', subscriber: 'ann', address: '10.0.0.1', request: 'r' },
  ...change,
})
const changed = line({
  what: 'changeIngest',
  name: 'plant',
  before: { state: 'active', kind: 'series' },
  after: { state: 'blocked', kind: 'series' },
})
const replayed = line({ what: 'replayRejected', name: 'plant', before: null, after: { replayed: 2 } })
const deleted = line({ subscriber: null, what: 'deleteKey', name: 'k2', before: { rights: [] }, after: null })

test('lists changes with their details, up to the limit', async () => {
  const { url, seen } = await service({
    'GET /admin/audit?who=ann&from=2026-01-01&limit=3': () => [200, { Items: [changed, replayed], NextToken: 'next' }],
    'GET /admin/audit?who=ann&from=2026-01-01&limit=1&NextToken=next': () => [
      200,
      { Items: [deleted], NextToken: 'more' },
    ],
  })
  const asked = ['audit', '--who', 'ann', '--from', '2026-01-01', '--limit', '3']
  const { code, out, err } = await tidemark(url, asked)
  expect([code, seen.length]).toEqual([0, 2])
  expect(out.split('\n').map((text) => text.trimEnd())).toEqual([
    'time                      subscriber  what            name   change',
    '2026-01-01T12:00:00.000Z  ann         changeIngest    plant  state: "active" -> "blocked"',
    '2026-01-01T12:00:00.000Z  ann         replayRejected  plant  {"replayed":2}',
    '2026-01-01T12:00:00.000Z              deleteKey       k2',
    '',
  ])
  expect(err).toContain('There are more')
  expect(JSON.parse((await tidemark(url, [...asked, '--json'])).out)).toEqual([changed, replayed, deleted])
})

test('reports that there are no changes', async () => {
  const { url } = await service({ 'GET /admin/audit?limit=100': () => [200, { Items: [], NextToken: null }] })
  expect((await tidemark(url, ['audit'])).out).toContain('There is no such change.')
})
