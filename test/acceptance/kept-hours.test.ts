// Rows expire and their hours stay, over HTTP: answers before and after are the same.
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { restoreBackup } from '../../src/admin/restore.ts'
import { nodeDisk } from '../../src/lib/node-disk.ts'
import { call, callOk, makeIngest } from '../support/api.ts'
import { onCluster } from '../support/cluster-under-test.ts'
import {
  embedded,
  isCopied,
  replicaUrl,
  restoreChecked,
  serveReplicated,
  withRestored,
} from '../support/replica-world.ts'
import { type RunningService, runService } from '../support/running-service.ts'
import { inScratchFolder } from '../support/scratch-folder.ts'
import { adminKey } from '../support/server-process.ts'

type Row = Readonly<Record<string, unknown>>
const admin = { key: adminKey }
const hourMs = 3_600_000
const dayMs = 24 * hourMs
const midnightMs = Math.floor(Date.now() / dayMs) * dayMs
const startMs = midnightMs - 10 * dayMs
const text = (ms: number): string => new Date(ms).toISOString()

let service: RunningService
beforeAll(async () => {
  service = await runService({ 'store.headRows': '400', 'store.headAgeMs': '30', 'store.dayRowsMin': '50' })
})
afterAll(() => service?.close())

const ask = (kind: string, body: Row) => call<Row[]>(service.url, 'POST', `/consumer/data/${kind}`, { body })
const sql = (query: string) =>
  call<Row[]>(service.url, 'POST', '/consumer/data/sql-query', { body: { sql_query: query } })
const retain = (entity: string, body: Row) =>
  call<Row & { detail: string }>(service.url, 'PATCH', `/admin/entities/${entity}`, { ...admin, body })

async function push(alias: string, key: string, rows: readonly Row[]): Promise<void> {
  await callOk(service.url, 'POST', `/ingests/${alias}/data?wait=true`, { key, body: rows })
}

const onlyA = { type: 'selector', dimension: 'T', value: 'a' }
const native = (entity: string, queryType: string, more: object) =>
  ask('druid-native-query', {
    query_type: queryType,
    query_data: {
      ...{ queryType, dataSource: entity, intervals: [`${text(startMs)}/${text(midnightMs)}`] },
      aggregations: [
        { type: 'doubleSum', name: 's', fieldName: 'V' },
        { type: 'doubleMin', name: 'l', fieldName: 'V' },
        { type: 'count', name: 'n' },
      ],
      ...more,
    },
  })

/** A row every ten minutes, starting ten days ago, for each of two tags. */
const rowsOf = (days: number): Row[] =>
  Array.from({ length: days * 144 * 2 }, (_, row) => ({
    D: text(startMs + Math.floor(row / 2) * 600_000),
    T: row % 2 === 0 ? 'a' : 'b',
    V: ((row * 7919) % 1000) / 8,
  }))

async function described(entity: string): Promise<Row> {
  const all = await callOk<Row[]>(service.url, 'GET', '/consumer/data/entities')
  return all.find((one) => one['entity'] === entity) ?? {}
}

/** Queries that hours answer: over everything, over a range that crosses the seam, in zones with offsets of whole hours, and in each language. */
const answered = (entity: string): readonly (readonly [string, () => Promise<{ status: number; body: unknown }>])[] => [
  ['average', () => ask('average', { entity, granularity: 'hour' })],
  ['average of all', () => ask('average', { entity })],
  [
    'average by days',
    () => ask('average', { entity, granularity: 'day', start_date: text(startMs), end_date: text(midnightMs - 1) }),
  ],
  ['in a zone', () => ask('average', { entity, granularity: 'day', time_zone: 'Europe/Madrid' })],
  ['pooled', () => ask('average-granularity', { entity, granularity: 'month' })],
  [
    'by time',
    () =>
      ask('average', {
        entity,
        granularity: 'day',
        weight: 'time',
        start_date: text(startMs + hourMs),
        end_date: text(midnightMs - 1),
      }),
  ],
  [
    'aggregate',
    () =>
      ask('aggregate', {
        entity,
        granularity: 'day',
        aggregates: [
          'count',
          'sum',
          'min',
          'max',
          'first',
          'last',
          'time_mean',
          'covered',
          'total',
          'rise',
          'resets',
          'min_time',
        ],
        end_date: text(midnightMs - 1),
      }),
  ],
  ['plot by days', () => ask('plot', { entity, start_date: text(startMs), end_date: text(midnightMs), points: 10 })],
  [
    'SQL',
    () => sql(`SELECT COUNT(*) AS "n", SUM(V) AS "s", MIN(V) AS "l", MAX(V) AS "g", AVG(V) AS "m" FROM ${entity}`),
  ],
  [
    'SQL by hours',
    () =>
      sql(
        `SELECT TIME_FLOOR(__time, 'PT1H') AS "h", T, COUNT(*) AS "n", AVG(V) AS "m" FROM ${entity} GROUP BY 1, 2 ORDER BY 1, 2`,
      ),
  ],
  [
    'SQL by days',
    () =>
      sql(
        `SELECT TIME_FLOOR(__time, 'P1D', NULL, 'Europe/Madrid') AS "d", SUM(V) AS "s" FROM ${entity} WHERE T = 'a' GROUP BY 1 ORDER BY 1`,
      ),
  ],
  ...(onCluster ? [] : nativeHours(entity)),
]

const nativeHours = (
  entity: string,
): readonly (readonly [string, () => Promise<{ status: number; body: unknown }>])[] =>
  (
    [
      ['groupBy', { granularity: 'day', dimensions: ['T'] }],
      ['timeseries', { granularity: 'day' }],
      ['timeseries', { granularity: 'hour', descending: true, limit: 30, filter: onlyA }],
      ['timeseries', { granularity: 'all' }],
      ['timeseries', { granularity: 'all', descending: true, context: { skipEmptyBuckets: true } }],
      ['timeseries', { granularity: { type: 'period', period: 'P1D', timeZone: 'Europe/Madrid' } }],
      ['topN', { granularity: 'all', dimension: 'T', metric: 's', threshold: 2 }],
      ['topN', { granularity: 'day', dimension: 'T', metric: 'n', threshold: 1 }],
    ] as const
  ).map(
    ([queryType, more]) =>
      [`native ${queryType} ${JSON.stringify(more)}`, () => native(entity, queryType, more)] as const,
  )

const expired = (entity: string): readonly (readonly [string, () => Promise<{ status: number; body: unknown }>])[] => [
  ...(onCluster ? nativeHours(entity) : []),
  ['select', () => ask('select', { entity, start_date: text(startMs) })],
  ['last', () => ask('last', { entity, date: text(startMs + dayMs) })],
  ['snap', () => ask('snap', { entity, granularity: 'day', start_date: text(startMs) })],
  ['plot by less than hours', () => ask('plot', { entity, start_date: text(startMs) })],
  ['minutes', () => ask('average', { entity, granularity: 'minute', start_date: text(startMs) })],
  ['a start within an hour', () => ask('average', { entity, start_date: text(startMs + 1) })],
  ['an instant', () => ask('average', { entity, start_date: text(startMs), end_date: text(startMs) })],
  [
    'SQL of an instant',
    () => sql(`SELECT COUNT(*) AS "n" FROM ${entity} WHERE __time = MILLIS_TO_TIMESTAMP(${startMs})`),
  ],
  [
    'a deletion of an instant',
    () =>
      call(service.url, 'POST', `/admin/entities/${entity}/deletions`, {
        ...admin,
        body: { start_date: text(startMs), end_date: text(startMs), reason: 'wrong' },
      }),
  ],
  ['SQL of rows', () => sql(`SELECT * FROM ${entity} WHERE __time >= TIMESTAMP '${text(startMs).slice(0, 10)}'`)],
  ['SQL of other aggregates', () => sql(`SELECT STDDEV(V) AS "s" FROM ${entity}`)],
  [
    'SQL of numbers',
    () =>
      sql(`SELECT COUNT(*) AS "n" FROM ${entity} WHERE V > 3 AND __time >= TIMESTAMP '${text(startMs).slice(0, 10)}'`),
  ],
  ['SQL of parts of the time', () => sql(`SELECT T FROM ${entity} WHERE EXTRACT(DAY FROM __time) = 3`)],
  ['SQL over itself', () => sql(`SELECT COUNT(*) AS "n" FROM (SELECT DISTINCT T, V FROM ${entity}) AS x`)],
  ['native scan', () => native(entity, 'scan', { aggregations: undefined })],
  ['native timeseries by minutes', () => native(entity, 'timeseries', { granularity: 'minute' })],
  [
    'native topN of a condition of values',
    () =>
      native(entity, 'topN', {
        ...{ granularity: 'all', dimension: 'T', metric: 'n', threshold: 1 },
        filter: { type: 'bound', dimension: 'V', lower: '3', ordering: 'numeric' },
      }),
  ],
]

describe('hours of rows that expired', () => {
  test('return the same results as the rows did, also after a restart', async () => {
    const key = await makeIngest(service.url, adminKey, { alias: 'plant' })
    await push('plant', key, rowsOf(9))
    const before: unknown[] = []
    for (const [, asked] of answered('plant')) before.push((await asked()).body)
    const kept = await retain('plant', { retention: 'P3D', hours_retention: null })
    expect([kept.status, kept.body['hours_retention']]).toEqual([200, null])
    const rowsFrom = text(midnightMs - 3 * dayMs)
    const check = async (): Promise<void> => {
      for (const [place, [name, asked]] of answered('plant').entries()) {
        const { status, body } = await asked()
        expect([name, status, (body as Row)['detail']]).toEqual([name, 200, undefined])
        expect([name, near(body)]).toEqual([name, near(before[place])])
      }
      for (const [name, asked] of expired('plant')) {
        const { status, body } = await asked()
        expect([name, status, (body as Row)['code']]).toEqual([name, 400, 'rows_expired'])
        expect((body as Row)['detail']).toContain(rowsFrom)
      }
      const { rows_from, hours_from, rows } = await described('plant')
      expect([rows_from, hours_from, rows]).toEqual([rowsFrom, text(startMs), 2 * 144 * 2])
    }
    await check()
    service = await service.restart()
    await check()
    expect((await ask('select', { entity: 'plant' })).body).toHaveLength(2 * 144 * 2)
    expect((await sql('SELECT T FROM plant')).body).toHaveLength(2 * 144 * 2)
  })

  test.skipIf(onCluster)('are stored for fields that were added after hours were switched on', async () => {
    const key = await makeIngest(service.url, adminKey, { alias: 'grown' })
    await push('grown', key, rowsOf(9))
    await retain('grown', { retention: 'P3D', hours_retention: null })
    const fields = [
      { name: 'W', type: 'double', role: 'metric' },
      { name: 'Q', type: 'long', role: 'quality' },
    ]
    await callOk(service.url, 'PATCH', '/admin/ingests/grown', { ...admin, body: { add_fields: fields } })
    const stored = async (): Promise<Row> => {
      const { Items } = await callOk<{ Items: Row[] }>(service.url, 'GET', '/admin/storage', admin)
      return Items.find(({ entity }) => entity === 'grown') ?? {}
    }
    const quiet = async (): Promise<Row> => {
      const before = await stored()
      await sleep(300)
      return JSON.stringify(await stored()) === JSON.stringify(before) ? before : quiet()
    }
    const { rows, files } = await quiet()
    const late = { D: text(startMs + 1), T: 'c' }
    await push('grown', key, [
      { ...late, V: 1, W: 5, Q: 192 },
      { ...late, V: 999, W: 999, Q: 0 },
    ])
    const mean = async (): Promise<unknown> =>
      (await ask('average', { entity: 'grown', ids: ['c'], granularity: 'hour' })).body
    const good = [{ D: text(startMs), T: 'c', V: 1, W: 5 }]
    expect(await mean()).toEqual(good)
    // The rows were sealed and have expired: their hours are in a file.
    await expect
      .poll(async () => (await stored())['rows'] === rows && (await quiet())['files'] !== files, { timeout: 30_000 })
      .toBe(true)
    expect(await mean()).toEqual(good)
  })

  test('are hidden by a deletion of complete hours, and restored when it is undone', async () => {
    const key = await makeIngest(service.url, adminKey, { alias: 'wrong' })
    await push('wrong', key, rowsOf(9))
    await retain('wrong', { retention: 'P3D', hours_retention: 'P10Y' })
    const count = async (): Promise<unknown> => (await sql('SELECT COUNT(*) AS "n" FROM wrong')).body
    const deletion = {
      ids: ['a'],
      start_date: text(startMs),
      end_date: text(startMs + 5 * hourMs - 1),
      reason: 'wrong',
    }
    const path = '/admin/entities/wrong/deletions'
    const part = await call<Row>(service.url, 'POST', path, {
      ...admin,
      body: { ...deletion, end_date: text(startMs + 90_000) },
    })
    expect([part.status, part.body['code']]).toEqual([400, 'rows_expired'])
    const where = { ...deletion, where: { metric: 'V', op: '>', value: 1 } }
    expect((await call<Row>(service.url, 'POST', path, { ...admin, body: where })).body['code']).toBe('rows_expired')
    const taken = async (more: object): Promise<unknown> =>
      (await callOk<Row>(service.url, 'POST', path, { ...admin, body: { ...deletion, dry_run: true, ...more } }))[
        'rows'
      ]
    expect(await taken({})).toBe(5)
    const { id } = await callOk<{ id: unknown }>(service.url, 'POST', path, { ...admin, body: deletion })
    expect(await count()).toEqual([{ n: 9 * 288 - 5 * 6 }])
    // Rows that are hidden already are not counted again.
    expect(await taken({})).toBe(0)
    expect(await taken({ metrics: ['V'] })).toBe(0)
    expect(await taken({ end_date: text(startMs + 7 * hourMs - 1) })).toBe(2)
    service = await service.restart()
    expect(await count()).toEqual([{ n: 9 * 288 - 5 * 6 }])
    const { status } = await call(service.url, 'DELETE', `${path}/${String(id)}`, admin)
    // Hours that a cluster has made, or is making, without these rows are not restored.
    expect(onCluster ? [204, 409, 503] : [204]).toContain(status)
    expect(await count()).toEqual([{ n: 9 * 288 - (status === 204 ? 0 : 5 * 6) }])
  })

  test('are counted once by a deletion, and not if another deletion already hides them', async () => {
    const key = await makeIngest(service.url, adminKey, {
      alias: 'counted',
      fields: [
        { name: 'D', type: 'timestamp', role: 'time' },
        { name: 'T', type: 'string', role: 'tag' },
        { name: 'V', type: 'double', role: 'metric' },
        { name: 'W', type: 'double', role: 'metric' },
      ],
    })
    const rows = rowsOf(9).map((row) => (row['T'] === 'a' ? { ...row, W: 1 } : row))
    await push('counted', key, rows)
    await retain('counted', { retention: 'P3D', hours_retention: null })
    const days = (from: number, to: number): Row => ({
      start_date: text(startMs + from * dayMs),
      end_date: text(startMs + to * dayMs - 1),
      reason: 'wrong',
    })
    const counted = async (body: Row): Promise<unknown> =>
      (await callOk<Row>(service.url, 'POST', '/admin/entities/counted/deletions', { ...admin, body }))['rows']
    expect(await counted(days(0, 1))).toBe(48)
    expect(await counted(days(0, 1))).toBe(0)
    expect(await counted(days(0, 2))).toBe(48)
    expect(await counted({ ...days(2, 3), metrics: ['W'] })).toBe(24)
    expect(await counted({ ...days(2, 3), metrics: ['W'] })).toBe(0)
    expect(await counted({ ...days(2, 3), metrics: ['V', 'W'] })).toBe(48)
    await push('counted', key, rows.slice(3 * 288, 4 * 288))
    expect(await counted(days(3, 4))).toBe(48)
  })

  test('are deleted when they are switched off; an invalid hours_retention is rejected', async () => {
    const key = await makeIngest(service.url, adminKey, { alias: 'off' })
    await push('off', key, rowsOf(9))
    expect((await retain('off', { hours_retention: null })).status).toBe(400)
    expect((await retain('off', { retention: 'P3D', hours_retention: 'P2D' })).status).toBe(400)
    expect((await retain('off', { retention: 'P3D', hours_retention: 'ever' })).status).toBe(400)
    await retain('off', { retention: 'P3D', hours_retention: 'P1Y' })
    expect((await retain('off', { retention: null })).status).toBe(400)
    const count = async (): Promise<unknown> => (await sql('SELECT COUNT(*) AS "n" FROM off')).body
    expect(await count()).toEqual([{ n: 9 * 288 }])
    expect((await retain('off', { hours_retention: 'none' })).body).not.toHaveProperty('hours_retention')
    expect(await count()).toEqual([{ n: 2 * 288 }])
    await retain('off', { hours_retention: null })
    expect(await count()).toEqual([{ n: 2 * 288 }])
  })
})

test.skipIf(onCluster)('a backup and a replica contain hours', { timeout: 60_000 }, () =>
  inScratchFolder('tidemark-hours-', async (directory) => {
    const own = await serveReplicated(directory, 'data')
    const summed = (url: string) =>
      callOk<Row[]>(url, 'POST', '/consumer/data/sql-query', {
        body: { sql_query: 'SELECT T, COUNT(*) AS "n", SUM(V) AS "s" FROM plant GROUP BY T ORDER BY T' },
      })
    const summedIn = async (dataDirectory: string): Promise<unknown> => {
      const restored = await runService({}, { ...embedded, dataDirectory })
      try {
        return near(await summed(restored.url))
      } finally {
        await restored.close()
      }
    }
    try {
      const key = await makeIngest(own.url, adminKey, { alias: 'plant' })
      await callOk(own.url, 'POST', '/ingests/plant/data?wait=true', { key, body: rowsOf(9) })
      const before = near(await summed(own.url))
      const body = { retention: 'P3D', hours_retention: null }
      await callOk(own.url, 'PATCH', '/admin/entities/plant', { ...admin, body })
      const backup = await callOk<{ path: string }>(own.url, 'POST', '/admin/backups', admin)
      await isCopied(own.url)
      const fromBackup = join(directory, 'from-backup')
      await restoreBackup({ backup: backup.path, data: fromBackup }, { disk: nodeDisk, reach: () => undefined })
      expect(await summedIn(fromBackup)).toEqual(before)
      const fromCopy = join(directory, 'from-copy')
      await restoreChecked(replicaUrl(directory), fromCopy)
      expect(await summedIn(fromCopy)).toEqual(before)
    } finally {
      await own.close()
    }
  }),
)

test.skipIf(onCluster)('a restore to a point in time has the rows or the hours of that time', { timeout: 60_000 }, () =>
  inScratchFolder('tidemark-hours-', async (directory) => {
    const own = await serveReplicated(directory, 'data')
    const counted = async (url: string): Promise<readonly unknown[]> => {
      const { body } = await call<Row[]>(url, 'POST', '/consumer/data/sql-query', {
        body: { sql_query: 'SELECT COUNT(*) AS "n", MAX(V) AS "g" FROM plant' },
      })
      const single = await call<Row>(url, 'GET', `/consumer/data/last?entity=plant&ids=a&date=${text(startMs)}`)
      return [body[0]?.['n'], body[0]?.['g'], single.body['code'] ?? 'rows']
    }
    const moments: { readonly at: string; readonly answer: readonly unknown[] }[] = []
    const note = async (): Promise<void> => {
      await isCopied(own.url)
      moments.push({ at: new Date().toISOString(), answer: await counted(own.url) })
      // So that the next change has a later millisecond.
      await sleep(2)
    }
    try {
      const key = await makeIngest(own.url, adminKey, { alias: 'plant' })
      await callOk(own.url, 'POST', '/ingests/plant/data?wait=true', { key, body: rowsOf(9) })
      await note()
      const body = { retention: 'P3D', hours_retention: null }
      await callOk(own.url, 'PATCH', '/admin/entities/plant', { ...admin, body })
      await note()
      const late = [{ D: text(startMs + 1), T: 'a', V: 1000 }]
      await callOk(own.url, 'POST', '/ingests/plant/data?wait=true', { key, body: late })
      await note()
      const deletion = { ids: ['a'], end_date: text(startMs + hourMs - 1), reason: 'wrong' }
      await callOk(own.url, 'POST', '/admin/entities/plant/deletions', { ...admin, body: deletion })
      await note()
    } finally {
      await own.close()
    }
    expect(moments.map(({ answer }) => answer)).toEqual([
      [9 * 288, 124.875, 'rows'],
      [9 * 288, 124.875, 'rows_expired'],
      [9 * 288 + 1, 1000, 'rows_expired'],
      [9 * 288 - 6, 124.875, 'rows_expired'],
    ])
    for (const { at, answer } of moments)
      expect([at, await withRestored(directory, at, ({ url }) => counted(url))]).toEqual([at, answer])
  }),
)

/** Sums of doubles may differ in their last digits. */
function near(value: unknown): unknown {
  return JSON.parse(
    JSON.stringify(value, (_, one: unknown) => (typeof one === 'number' ? Number(one.toPrecision(12)) : one)),
  )
}
