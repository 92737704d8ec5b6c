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

/** Runs `ingests delete` on an ingest with these rows or items. */
async function deleted(options: readonly string[], kind: string, rows: number) {
  const counters = { ...ingest.counters, stored: kind === 'series' ? 0 : rows }
  const fields = [{ name: 'V', source: 'V', type: 'double', role: 'metric' }]
  const { url, seen } = await service({
    'GET /admin/ingests/plant': () => [200, { ...ingest, fields, kind, counters }],
    'GET /consumer/data/entities': () => [200, kind === 'series' ? [{ entity: 'plant', rows }] : []],
    'DELETE /admin/ingests/plant?data=keep': () => [204, ''],
    'DELETE /admin/ingests/plant?data=drop': () => [204, ''],
  })
  const { code, err } = await tidemark(url, ['ingests', 'delete', 'plant', ...options])
  return { code, err, requests: seen.filter((request) => request.startsWith('DELETE')) }
}

test('delete keeps the data without --drop-data, and prints how to delete it too', async () => {
  expect(await deleted([], 'series', 3)).toEqual({
    code: 0,
    err: 'It can still be queried as plant. To delete its data too: tidemark ingests create plant --field V:double:metric && tidemark ingests delete plant --drop-data\n',
    requests: ['DELETE /admin/ingests/plant?data=keep'],
  })
})

test.each([
  ['series', 3, 'plant has 3 rows. --drop-data would delete them now, for good'],
  ['series', 1, 'plant has 1 row. --drop-data would delete it now, for good'],
  ['metadata', 2, 'plant has 2 items. --drop-data would delete them now, for good'],
])('delete --drop-data is refused without --yes if a %s ingest has %i rows or items', async (kind, rows, message) => {
  const { code, err, requests } = await deleted(['--drop-data'], kind, rows)
  expect([code, requests]).toEqual([1, []])
  expect(err).toContain(message)
})

test.each<[options: readonly string[], rows: number]>([
  [['--drop-data'], 0],
  [['--drop-data', '--yes'], 3],
])('delete %j drops the data of an ingest with %i rows', async (options, rows) => {
  expect(await deleted(options, 'series', rows)).toEqual({
    code: 0,
    err: '',
    requests: ['DELETE /admin/ingests/plant?data=drop'],
  })
})

/** Runs `ingests delete` on an ingest with this number of rejected rows to repair. */
async function deletedWithRejected(toRepair: number, options: readonly string[]) {
  const { url, seen } = await service({
    'GET /admin/ingests/plant': () => [200, { ...ingest, counters: { ...ingest.counters, rejected: 9 } }],
    'GET /admin/ingests/plant/rejected/summary': () => [200, [{ count: toRepair - 1 }, { count: 1 }]],
    'GET /consumer/data/entities': () => [200, []],
    'DELETE /admin/ingests/plant?data=keep': () => [204, ''],
  })
  const { code, err } = await tidemark(url, ['ingests', 'delete', 'plant', ...options])
  return { code, err, isSent: seen.some((request) => request.startsWith('DELETE')) }
}

test.each<[toRepair: number, options: readonly string[], message: string]>([
  [4, [], 'plant has 4 rejected rows to repair. They are deleted with the ingest, for good.'],
  [1, ['--drop-data'], 'To save it: tidemark rejected export plant.'],
])(
  'delete is refused without --yes if rejected rows would be lost: %i rows, options %j',
  async (toRepair, options, message) => {
    const { code, err, isSent } = await deletedWithRejected(toRepair, options)
    expect([code, isSent]).toEqual([1, false])
    expect(err).toContain(message)
  },
)

test('delete --yes deletes an ingest with rejected rows', async () => {
  expect(await deletedWithRejected(4, ['--yes'])).toMatchObject({ code: 0, isSent: true })
})

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
