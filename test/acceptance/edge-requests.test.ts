// Requests at the edges of their schemas are answered, or refused with a client error; the service never fails.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { call, callOk, makeIngest } from '../support/api.ts'
import { type RunningService, runService } from '../support/running-service.ts'
import { adminKey } from '../support/server-process.ts'

let service: RunningService
const tags = ['plain', 'a\u0000b', 'emoji \u{1F600}', 'quote\'"\\', '\u2028', '']

beforeAll(async () => {
  service = await runService()
  const key = await makeIngest(service.url, adminKey, { alias: 'plant' })
  const body = tags.map((T, number) => ({ D: `2026-01-0${number + 1}T00:00:00Z`, T, V: number }))
  await callOk(service.url, 'POST', '/ingests/plant/data?wait=true', { key, body })
})
afterAll(() => service?.close())

/** Half of a surrogate pair is not valid text, but JSON can express it. */
const halves = ['\ud800', 'x\udc00', '\udc00\ud800']
const texts = [...tags, ...halves, 'x'.repeat(5000), '%', '_', '\ufeff', '\uffff', '\u0001\u001f\u007f']
const edges: readonly (readonly [what: string, change: object])[] = [
  ...texts.flatMap((text) => [
    [`ids ${JSON.stringify(text.slice(0, 20))}`, { ids: [text, 'plain'] }] as const,
    [`prefixes ${JSON.stringify(text.slice(0, 20))}`, { prefixes: [text] }] as const,
  ]),
  ...[
    'P999999999Y',
    'P9999Y',
    'P999999999999D',
    'PT0.001S',
    'PT9007199254740991S',
    'P1Y2M3W4DT5H6M7S',
    'P0D',
    'P99999M',
  ].map((granularity) => [`granularity ${granularity}`, { granularity }] as const),
  ['a range of all time', { start_date: '0001-01-01T00:00:00Z', end_date: '9999-12-31T23:59:59.999Z' }],
  ['a range of the first millisecond', { start_date: '0001-01-01', end_date: '0001-01-01' }],
  ['a range that ends after time', { start_date: '9999-12-31T23:59:59.999Z', end_date: 'P9999Y' }],
  ['a range that begins before time', { start_date: 'P9999Y', end_date: '0001-01-01' }],
  ['an offset beyond any row', { offset: 9007199254740991 }],
  ['a date before all', { date: '0001-01-01' }],
  ['a date after all', { date: '9999-12-31T23:59:59.999Z' }],
  ['a date long ago', { date: 'P9999Y' }],
]

const kinds: Readonly<Record<string, object>> = {
  average: {},
  'average-dimensions': { fields: ['T'] },
  'average-granularity': { fields: ['T'], granularity: 'month' },
  select: {},
  latest: {},
  last: { date: '2027-01-01' },
  next: { date: '2020-01-01' },
  snap: { start_date: '2026-01-01', end_date: '2026-01-10', granularity: 'day' },
}

test.each(Object.entries(kinds))(
  '%s with extreme values is a 200, 400 or 413',
  { timeout: 120_000 },
  async (kind, base) => {
    for (const [what, change] of edges) {
      const body = { entity: 'plant', ...base, ...change }
      const { status, body: answer } = await call(service.url, 'POST', `/consumer/data/${kind}`, { body })
      expect.soft([200, 400, 413], `${kind} with ${what}: ${JSON.stringify(answer).slice(0, 300)}`).toContain(status)
    }
  },
)

test('a tag is found by its exact text, including special characters', async () => {
  for (const tag of tags) {
    const body = { entity: 'plant', ids: [tag] }
    const found = await callOk<{ T: string }[]>(service.url, 'POST', '/consumer/data/select', { body })
    expect(found.map(({ T }) => T)).toEqual([tag])
  }
})

test('half a surrogate pair finds nothing, not even as a prefix', async () => {
  for (const filter of [{ ids: ['\ud83d'] }, { prefixes: ['emoji \ud83d'] }]) {
    const answer = await callOk(service.url, 'POST', '/consumer/data/select', {
      body: { entity: 'plant', ...filter },
    })
    expect(answer).toEqual([])
  }
})
