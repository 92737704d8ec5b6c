// Across the boundary between hours and rows, a cluster's results are the same as while all rows existed.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { DeletionSelection, HiddenByDeletion } from '../../src/model/deletion.ts'
import type { QueryKind } from '../../src/model/query-kind.ts'
import { planQuery } from '../../src/query/plan-query.ts'
import type { QueryRequest } from '../../src/query/requests.ts'
import { drawFrom, oneOf } from '../support/random-rows.ts'
import { dayMs, HoursWorld, hourMs, lateFrom, type PushedRow, sinceMs } from './hours-world.ts'

const nowMs = 5 * dayMs
const text = (ms: number): string => new Date(ms).toISOString()

/** Rows of four days; late rows fall into the first two. */
function madeRows(): PushedRow[] {
  const draw = drawFrom(7)
  const row = (at: number, ms: number, position: number): PushedRow => ({
    ...{ ms, position },
    tags: [oneOf(draw, ['a', 'b', 'é\u{1f600}']), oneOf(draw, ['x', null])],
    value: at % 7 === 0 ? null : draw(1000) / 8 - 20,
    long: at % 5 === 0 ? null : oneOf(draw, [3n, -7n, 2n ** 53n + 1n, 2n ** 61n]),
    quality: at % 11 === 0 ? 0 : at % 13 === 0 ? 64 : null,
  })
  return [
    ...Array.from({ length: 2000 }, (_, at) => row(at, Math.floor((at * 4 * dayMs) / 2000), at)),
    ...Array.from({ length: 40 }, (_, at) => row(at, at * 37 * 60_000 + 1, lateFrom + at)),
  ]
}

const world = new HoursWorld()
beforeAll(() => world.open(madeRows()), 150_000)
afterAll(() => world.close())

/** Queries as the service does. */
function ask(kind: QueryKind, request: object, seen = world.seen('after')): Promise<unknown[][]> {
  const asked = { entity: 'plant', ...request } as unknown as QueryRequest<QueryKind>
  return seen.answer(planQuery(kind, asked, { entity: seen.entity, nowMs, bucketsMax: 10_000 }))
}

async function expectSame(kind: QueryKind, request: object, hidden: readonly HiddenByDeletion[] = []): Promise<void> {
  const expected = near(await ask(kind, request, world.seen('before', hidden)))
  expect(expected.length).toBeGreaterThan(0)
  expect(near(await ask(kind, request, world.seen('after', hidden)))).toEqual(expected)
}

describe('averages across the boundary of hours and rows', () => {
  test.each([
    {},
    { granularity: 'hour' },
    { granularity: 'day', ids: ['a'] },
    { granularity: 'P1DT1H' },
    { granularity: 'day', time_zone: 'Europe/Madrid' },
    { granularity: 'month', prefixes: ['é'] },
    { granularity: 'day', quality: ['good', 'uncertain', 'bad'] },
    { granularity: 'hour', start_date: text(5 * hourMs), end_date: text(30 * hourMs - 1) },
    { start_date: text(40 * hourMs), end_date: text(sinceMs + 90_000) },
    { granularity: 'day', fill: 'null', start_date: text(0), end_date: text(nowMs) },
  ])('%j', (request) => expectSame('average', { ...request }))

  test('averages of all tags together', () =>
    expectSame('average-granularity', { granularity: 'six_hour', fields: ['L'] }))
})

const overTime = 'mean min max sum count first last time_mean covered total rise resets min_time max_time'.split(' ')

/** Late rows make the order-dependent values of an hour unknown, so these tests hide the late rows. */
describe('values over time across the boundary of hours and rows', () => {
  test.each([
    { granularity: 'hour' },
    { granularity: 'day', ids: ['a'], shape: 'step' },
    { granularity: 'all' },
    { granularity: 'day', start_date: text(5 * hourMs), end_date: text(30 * hourMs - 1) },
    { granularity: 'day', time_zone: 'Europe/Madrid', start_date: text(30 * hourMs), end_date: text(nowMs) },
    { granularity: 'hour', start_date: text(sinceMs + 90_000) },
  ])('aggregate %j', (request) =>
    expectSame('aggregate', { aggregates: overTime, metric_name_field: ['V'], ...request }, [late]),
  )

  test.each([
    { granularity: 'day', weight: 'time', metric_name_field: ['V'] },
    {
      granularity: 'hour',
      weight: 'time',
      metric_name_field: ['V'],
      quality: ['good'],
      start_date: text(0),
      end_date: text(2 * dayMs),
    },
  ])('average %j', (request) => expectSame('average', request, [late]))

  test.each([
    { points: 24, start_date: text(0), end_date: text(4 * dayMs), metric_name_field: ['V'] },
    { points: 10, start_date: text(0), end_date: text(20 * hourMs - 1), metric_name_field: ['N'] },
  ])('plot %j', (request) => expectSame('plot', request, [late]))

  test('counts, sums, bounds, first and last values are the same for hours with late rows', () =>
    expectSame('aggregate', { aggregates: ['count', 'sum', 'min', 'max', 'first', 'last'], granularity: 'day' }))
})

/** A deletion made after the hours. */
const deleting = (selection: Partial<DeletionSelection>): HiddenByDeletion => ({
  ...{ id: 5, pushed: [{ from: 0, before: 2 * lateFrom }], items: null },
  selection: {
    tag: 'T',
    ids: null,
    prefixes: null,
    fromMs: null,
    toMs: null,
    metrics: null,
    where: null,
    ...selection,
  },
})

describe('SQL across the boundary of hours and rows', () => {
  test.each([
    'SELECT COUNT(*) AS "n", COUNT(V) AS "c", SUM(V) AS "s", SUM(N) AS "l", MIN(N) AS "m", MAX(V) AS "g", AVG(N) AS "a" FROM plant',
    `SELECT TIME_FLOOR(__time, 'PT1H') AS "h", T, L, COUNT(*) AS "n", AVG(V) AS "m" FROM plant GROUP BY 1, 2, 3 ORDER BY 1, 2, 3`,
    `SELECT TIME_FLOOR(__time, 'P1D', NULL, 'Europe/Madrid') AS "d", SUM(V) AS "s" FROM plant WHERE T = 'a' OR L IS NULL GROUP BY 1 HAVING COUNT(*) > 1 ORDER BY 2 DESC LIMIT 3`,
    `SELECT T, MAX(N) AS "g", COUNT(*) FILTER (WHERE L = 'x') AS "x" FROM plant WHERE __time >= TIMESTAMP '1970-01-01 05:00:00' AND __time < TIMESTAMP '1970-01-03' GROUP BY T ORDER BY T`,
    `SELECT T, COUNT(*) + 1 AS "n" FROM plant WHERE T LIKE 'a%' GROUP BY T`,
  ])('%s', async (query) => {
    const expected = near(await world.seen('before').sql(query))
    expect(expected.length).toBeGreaterThan(0)
    expect(near(await world.seen('after').sql(query))).toEqual(expected)
  })

  test.each([
    `SELECT * FROM plant WHERE __time >= TIMESTAMP '1970-01-01'`,
    'SELECT STDDEV(V) AS "s" FROM plant',
    `SELECT COUNT(*) AS "n" FROM plant WHERE V > 3 AND __time >= TIMESTAMP '1970-01-01'`,
    'SELECT COUNT(*) AS "n" FROM plant WHERE __time = MILLIS_TO_TIMESTAMP(5)',
    'SELECT COUNT(*) AS "n" FROM (SELECT DISTINCT T, V FROM plant) AS x',
    'SELECT COUNT(DISTINCT V) AS "n" FROM plant WHERE __time >= MILLIS_TO_TIMESTAMP(0)',
  ])('is refused because it needs expired rows: %s', async (query) => {
    await expect(world.seen('after').sql(query)).rejects.toMatchObject({ code: 'rows_expired' })
  })

  test('a query without a start that needs rows covers only the rows that have not expired', async () => {
    const [[{ n }]] = [await world.seen('after').sql('SELECT COUNT(*) AS "n" FROM plant WHERE V > -100')] as [
      [{ n: number }],
    ]
    expect(n).toBeLessThan(500)
    expect(await world.seen('after').sql('SELECT T FROM plant')).toHaveLength(500)
  })
})

/** A deletion of the rows that were pushed late. */
const late = { ...deleting({}), id: 1, pushed: [{ from: lateFrom, before: 2 * lateFrom }] }

describe('deletions made after the hours', () => {
  test.each<[string, Partial<DeletionSelection>]>([
    ['a tag', { ids: ['a'] }],
    ['some hours of a prefix', { prefixes: ['b'], fromMs: 5 * hourMs, toMs: 9 * hourMs - 1 }],
    ['hours and the rows after them', { fromMs: 30 * hourMs, toMs: sinceMs + 90_000 }],
    ['a metric', { metrics: [{ name: 'N', type: 'long' }], toMs: 30 * hourMs - 1 }],
  ])('%s', (_, selection) => expectSame('average', { granularity: 'hour' }, [deleting(selection)]))

  test('do not change hours that were already made without the deleted rows', async () => {
    const earlier = { ...deleting({ ids: ['a'] }), id: 4, pushed: [] }
    expect(near(await ask('average', {}, world.seen('after', [earlier])))).toEqual(near(await ask('average', {})))
  })
})

describe('queries that need expired rows are refused', () => {
  test.each<[QueryKind, object]>([
    ['average', { granularity: 'minute', start_date: text(0) }],
    ['average', { start_date: text(1) }],
    ['average', { granularity: 'day', time_zone: 'Asia/Kolkata', start_date: text(0) }],
    ['average', { granularity: 'day', quality: ['good', 'bad'], start_date: text(0) }],
    ['select', { start_date: text(0) }],
    ['last', { date: text(dayMs) }],
    ['aggregate', { aggregates: ['stddev'], granularity: 'day', start_date: text(0) }],
    ['states', { granularity: 'day', start_date: text(0) }],
    ['plot', { points: 100, start_date: text(0), end_date: text(dayMs) }],
    ['snap', { granularity: 'day', start_date: text(0), end_date: text(dayMs) }],
  ])('%s %j', async (kind, request) => {
    await expect(ask(kind, request)).rejects.toMatchObject({ code: 'rows_expired' })
  })

  test('without a start a select begins with the first row that has not expired', async () => {
    const rows = await ask('select', {})
    expect(Math.min(...rows.map(([ms]) => Number(ms)))).toBe(sinceMs)
  })
})

/** Sums of doubles may differ in their last digits. */
function near(rows: unknown[]): unknown[] {
  const rounded = (one: unknown): unknown => (typeof one === 'number' ? Number(one.toPrecision(12)) : one)
  return rows.map((row) =>
    Array.isArray(row) ? row.map(rounded) : Object.entries(row as object).map(([, one]) => rounded(one)),
  )
}
