// `duplicates: "replace"` over HTTP: rows pushed repeatedly, partially, late or by a replay are one item, wherever they are stored.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { call, callOk, makeIngest } from '../support/api.ts'
import { tidemark } from '../support/cli.ts'
import { type RunningService, runService } from '../support/running-service.ts'
import { adminKey } from '../support/server-process.ts'

/** Tight limits, so that rows are sealed and files are merged all the time. */
const settings = { 'store.headRows': '60', 'store.headAgeMs': '50', 'store.dayRowsMin': '40', 'store.pageRows': '16' }

const fields = [
  { name: 'D', type: 'timestamp', role: 'time' },
  { name: 'T', type: 'string', role: 'tag' },
  { name: 'S', type: 'string', role: 'dimension' },
  { name: 'V', type: 'double', role: 'metric' },
  { name: 'N', type: 'long', role: 'metric' },
]

type Item = { readonly D: string; readonly T: string; S: unknown; V: unknown; N: unknown }
type Pushed = { readonly D: string; readonly T: string; S?: string | null; V?: number | null; N?: number | null }

let service: RunningService
let key: string
const items = new Map<string, Item>()
let stored = 0
beforeAll(async () => {
  service = await runService(settings)
  key = await makeIngest(service.url, adminKey, { alias: 'plant', duplicates: 'replace', fields })
})
afterAll(() => service?.close())

async function push(rows: readonly Pushed[]): Promise<void> {
  await callOk(service.url, 'POST', '/ingests/plant/data?wait=true', { key, body: rows })
  stored += rows.length
  for (const row of rows) {
    const item = `${row.D} ${row.T}`
    items.set(item, { S: null, V: null, N: null, ...items.get(item), ...row })
  }
}

/** A row with one of few dates and tags; some of its properties are null, others are missing. */
function rowOf(number: number): Pushed {
  const minute = (number * 37) % 400
  const D = new Date(Date.UTC(2026, 0, 1 + (minute % 3)) + minute * 60_000).toISOString()
  return {
    D,
    T: `tag-${number % 3}`,
    ...(number % 4 === 0 ? {} : { S: number % 11 === 0 ? null : `state ${number % 5}` }),
    ...(number % 3 === 0 ? {} : { V: number % 13 === 0 ? null : number / 4 }),
    ...(number % 5 === 0 ? { N: number } : {}),
  }
}

const ask = <T>(path: string, body: object): Promise<T> =>
  callOk<T>(service.url, 'POST', `/consumer/data/${path}`, { body: { entity: 'plant', ...body } })

function expectedItems(): Item[] {
  const inOrder = (left: Item, right: Item): number =>
    left.D === right.D ? Number(left.T > right.T) - Number(left.T < right.T) : left.D < right.D ? -1 : 1
  return [...items.values()].filter(({ V, N }) => V !== null || N !== null).sort(inOrder)
}

async function check(): Promise<void> {
  const expected = expectedItems()
  expect(await ask('select', { fields: ['S'] })).toEqual(expected)
  const [entity] = await callOk<{ rows: number }[]>(service.url, 'GET', '/consumer/data/entities')
  expect(entity?.rows).toBe(items.size)
  const values = expected.flatMap(({ V }) => (typeof V === 'number' ? [V] : []))
  const [mean] = await ask<{ V: number }[]>('average-granularity', { metric_name_field: ['V'] })
  expect(mean?.V).toBeCloseTo(values.reduce((sum, value) => sum + value, 0) / values.length, 9)
  const latest = ['tag-0', 'tag-1', 'tag-2'].map((tag) => expected.findLast(({ T }) => T === tag)?.N)
  const asked = await ask<Item[]>('latest', {})
  expect(asked.toSorted((left, right) => (left.T < right.T ? -1 : 1)).map(({ N }) => N)).toEqual(latest)
  const { counters } = await callOk<{ counters: object }>(service.url, 'GET', '/admin/ingests/plant', {
    key: adminKey,
  })
  expect(counters).toMatchObject({ stored, pending: 0 })
}

test('rows with the same time and tag are one item, in memory, in files, and after a restart', async () => {
  for (let first = 0; first < 1200; first += 40) {
    await push(Array.from({ length: 40 }, (_, index) => rowOf(first + index)))
    if (first % 200 === 0) await check()
  }
  await check()
  service = await service.restart()
  await check()
  await push(Array.from({ length: 40 }, (_, index) => rowOf(77 + 3 * index)))
  await check()
})

test('a replayed row never overrides later pushes, but fills in what they left out', async () => {
  const late = { D: '2026-01-05T00:00:00.000Z', T: 'tag-0' }
  await callOk(service.url, 'POST', '/ingests/plant/data?wait=true', { key, body: { ...late, V: 1, N: 1, W: 5 } })
  await push([{ ...late, V: 2 }])
  const change = { add_fields: [{ name: 'W', type: 'double', role: 'metric' }] }
  await callOk(service.url, 'PATCH', '/admin/ingests/plant', { key: adminKey, body: change })
  const replay = { key: adminKey, body: {} }
  expect(await callOk(service.url, 'POST', '/admin/ingests/plant/rejected/replay', replay)).toEqual({
    replayed: 1,
    stored: 1,
    rejected: 0,
  })
  const found = (): Promise<unknown> => ask('select', { start_date: late.D })
  expect(await found()).toEqual([{ ...late, V: 2, N: 1, W: 5 }])
  service = await service.restart()
  expect(await found()).toEqual([{ ...late, V: 2, N: 1, W: 5 }])
})

test('the receipt counts the stored rows that replaced an earlier one of the push, also after a restart', async () => {
  interface Receipt {
    readonly batch: string
    readonly pending: number
  }
  const receiptOf = async ({ batch }: Pick<Receipt, 'batch'>): Promise<Receipt> => {
    for (;;) {
      const receipt = await callOk<Receipt>(service.url, 'GET', `/ingests/plant/batches/${batch}`, { key })
      if (receipt.pending === 0) return receipt
    }
  }
  const pushed = async (body: unknown): Promise<Receipt> =>
    receiptOf(await callOk<Receipt>(service.url, 'POST', '/ingests/plant/data?wait=true', { key, body }))
  const at = (V: number | string | null, T = 'tag-9'): object => ({ D: '2026-02-01T00:00:00.001Z', T, V })
  const small = await pushed([at(1), at(2), at(3, 'tag-8'), at('bad'), at(null), at(4, 'tag-8')])
  expect(small).toMatchObject({ rows: 6, stored: 5, rejected: 1, pending: 0, replaced: 3 })
  // Items of another push that it replaces do not count.
  expect(await pushed([at(5)])).toMatchObject({ stored: 1, replaced: 0 })
  const many = Array.from({ length: 40_000 }, (_, row) => ({
    D: Date.UTC(2026, 2, 1) + (row % 30_000),
    T: 'tag-7',
    V: row,
  }))
  const large = await pushed(many)
  expect(large).toMatchObject({ stored: 40_000, replaced: 10_000 })
  service = await service.restart()
  for (const receipt of [small, large]) expect(await receiptOf(receipt)).toEqual(receipt)
})

test('a push of times finer than a millisecond reports how many rows were replaced', async () => {
  const own = await makeIngest(service.url, adminKey, {
    alias: 'fine',
    duplicates: 'replace',
    lines: { tag: '{field}' },
  })
  const text = ['00000100', '00000200', '00000300', '00099999', '00100000']
    .map((fraction, value) => `m a=${value},b=${value} 1770000000${fraction}0\n`)
    .join('')
  const argv = ['push', 'fine', '-', '--format', 'lp']
  const { code, out } = await tidemark(service.url, argv, text, own)
  expect([code, out]).toEqual([0, expect.stringContaining('stored    10\n')])
  expect(out).toContain('6 rows replaced an earlier one of the same push (same time and tags).\n')
  const json = await tidemark(service.url, [...argv, '--json'], text, own)
  expect(JSON.parse(json.out)).toMatchObject({ stored: 10, replaced: 6 })
})

test('an ingest with `duplicates: keep` cannot feed the entity', async () => {
  const body = { alias: 'other', kind: 'series', entity: 'plant', fields }
  const { status } = await call(service.url, 'POST', '/admin/ingests', { key: adminKey, body })
  expect(status).toBe(400)
})
