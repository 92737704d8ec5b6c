import { afterEach, expect, test } from 'vitest'
import { closeServices, service, tidemark } from '../../test/support/cli.ts'

afterEach(closeServices)

const ingest = {
  alias: 'plant',
  kind: 'series',
  entity: 'plant',
  fields: [],
  counters: { received: 0, stored: 0, rejected: 0, pending: 0 },
}

test.each([
  ['active', null, null],
  ['blocked', 'audit', 'It is blocked. Reason: audit\n'],
  ['blocked', null, 'It is blocked. Reason: none was given\n'],
])('show prints the reason of a blocked ingest: state %s, reason %s', async (state, reason, line) => {
  const { url } = await service({ 'GET /admin/ingests/plant': () => [200, { ...ingest, state, reason }] })
  const { out } = await tidemark(url, ['ingests', 'show', 'plant'])
  expect(out.includes('It is blocked')).toBe(line !== null)
  if (line !== null) expect(out.endsWith(line)).toBe(true)
})

test.each<[argv: readonly string[], kind: string, rows: number, said: string | null]>([
  [[], 'series', 3, null],
  [['--drop-data'], 'series', 0, null],
  [['--drop-data'], 'series', 3, 'plant has 3 rows. --drop-data would delete them now, for good'],
  [['--drop-data'], 'series', 1, 'plant has 1 row. --drop-data would delete it now, for good'],
  [['--drop-data'], 'metadata', 2, 'plant has 2 items. --drop-data would delete them now, for good'],
  [['--drop-data', '--yes'], 'series', 3, null],
])('delete %j of an ingest of kind %s with %i items', async (options, kind, rows, said) => {
  const counters = { ...ingest.counters, stored: kind === 'series' ? 0 : rows }
  const { url, seen } = await service({
    'GET /admin/ingests/plant': () => [
      200,
      { ...ingest, fields: [{ name: 'V', source: 'V', type: 'double', role: 'metric' }], kind, counters },
    ],
    'GET /consumer/data/entities': () => [200, kind === 'series' ? [{ entity: 'plant', rows }] : []],
    'DELETE /admin/ingests/plant?data=keep': () => [204, ''],
    'DELETE /admin/ingests/plant?data=drop': () => [204, ''],
  })
  const { code, err } = await tidemark(url, ['ingests', 'delete', 'plant', ...options])
  expect(seen.some((request) => request.startsWith('DELETE'))).toBe(said === null)
  const kept =
    'It can still be queried as plant. To delete its data too: tidemark ingests create plant --field V:double:metric && tidemark ingests delete plant --drop-data\n'
  const well = options.includes('--drop-data') ? '' : kept
  expect([code, err]).toEqual(said === null ? [0, well] : [1, expect.stringContaining(said)])
})

test.each<[toRepair: number, options: readonly string[], said: string | null]>([
  [4, [], 'plant has 4 rejected rows to repair. They are deleted with the ingest, for good.'],
  [1, ['--drop-data'], 'To save it: tidemark rejected export plant.'],
  [4, ['--yes'], null],
])(
  'delete warns of rejected rows that would be lost, unless --yes is given: %i rows, options %j',
  async (toRepair, options, said) => {
    const { url, seen } = await service({
      'GET /admin/ingests/plant': () => [200, { ...ingest, counters: { ...ingest.counters, rejected: 9 } }],
      'GET /admin/ingests/plant/rejected/summary': () => [200, [{ count: toRepair - 1 }, { count: 1 }]],
      'GET /consumer/data/entities': () => [200, []],
      'DELETE /admin/ingests/plant?data=keep': () => [204, ''],
    })
    const { code, err } = await tidemark(url, ['ingests', 'delete', 'plant', ...options])
    expect(seen.some((request) => request.startsWith('DELETE'))).toBe(said === null)
    expect(code).toBe(said === null ? 0 : 1)
    if (said !== null) expect(err).toContain(said)
  },
)

test.each([
  [{ kind: 'metadata' }, 'kind: metadata\n'],
  [{ duplicates: 'keep', unknown: 'reject', lines: null }, 'kind: series, duplicates: keep, unknown: reject\n'],
  [
    { duplicates: 'replace', unknown: 'add', lines: { tag: '{measurement}.{host}' } },
    'kind: series, duplicates: replace, unknown: add, lines: {measurement}.{host}\n',
  ],
])('show prints the rules of an ingest: %j', async (rules, line) => {
  const { url } = await service({ 'GET /admin/ingests/plant': () => [200, { ...ingest, state: 'active', ...rules }] })
  const { out } = await tidemark(url, ['ingests', 'show', 'plant'])
  expect(out.endsWith(`\n${line}`)).toBe(true)
})

test.each([
  ['x:string:dimension,y:double:metric', ''],
  [
    'x:string:tag',
    'From now on plant rejects rows without "x": a row must have all tags. Every sender must push it.\n',
  ],
  [
    'x:string:tag:X,y:string:tag',
    'From now on plant rejects rows without "X" and "y": a row must have all tags. Every sender must push them.\n',
  ],
])('adding the fields %s reports which tags rows must have from now on', async (fields, said) => {
  const { url } = await service({ 'PATCH /admin/ingests/plant': () => [200, { ...ingest, state: 'active' }] })
  expect((await tidemark(url, ['ingests', 'add-fields', 'plant', '--field', fields])).err).toBe(said)
})
