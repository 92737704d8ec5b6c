// All parts of the service use the same rules for days in a zone, also where the rules are newer than those of Node.js.
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { call, callOk, makeIngest } from '../support/api.ts'
import { onCluster } from '../support/cluster-under-test.ts'
import { type RunningService, runService } from '../support/running-service.ts'
import { adminKey } from '../support/server-process.ts'
import { tzif } from '../support/tzif.ts'

const hour = 3600
/** A Vancouver that stays on summer time, and a Madrid that returns to Greenwich time in 2026. */
const zones = {
  'America/Vancouver': tzif({
    offsets: [-8 * hour, -7 * hour],
    changes: [[Date.UTC(2026, 2, 8, 10) / 1000, -7 * hour]],
    rule: 'MST7',
  }),
  'Europe/Madrid': tzif({ offsets: [hour, 0], changes: [[Date.UTC(2026, 0, 1) / 1000, 0]], rule: 'GMT0' }),
}

// A cluster uses the rules of Druid's JVM.
describe.skipIf(onCluster)('rules of a zoneinfo folder', () => {
  let folder: string
  let service: RunningService
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'tidemark-zoneinfo-'))
    await writeFile(join(folder, 'tzdata.zi'), '# version 2099z\n')
    for (const [name, bytes] of Object.entries(zones)) {
      await mkdir(join(folder, name.split('/')[0]!), { recursive: true })
      await writeFile(join(folder, name), bytes)
    }
    service = await runService({ 'server.timeZones': folder })
    const key = await makeIngest(service.url, adminKey, { alias: 'plant' })
    // One row an hour over two days in December.
    const rows = Array.from({ length: 48 }, (_, index) => ({ D: Date.UTC(2026, 11, 1, index), T: 'a', V: index }))
    await callOk(service.url, 'POST', '/ingests/plant/data?wait=true', { key, text: JSON.stringify(rows) })
  })
  afterAll(async () => {
    await service?.close()
    await rm(folder, { recursive: true })
  })

  const ask = async (path: string, body: object): Promise<unknown> => {
    const answer = await call<unknown>(service.url, 'POST', path, { key: adminKey, body })
    expect(answer).toMatchObject({ status: 200 })
    return answer.body
  }

  test.each([
    [
      'America/Vancouver',
      ['2026-11-30T07:00:00.000Z', '2026-12-01T07:00:00.000Z', '2026-12-02T07:00:00.000Z'],
      [7, 24, 17],
    ],
    ['Europe/Madrid', ['2026-12-01T00:00:00.000Z', '2026-12-02T00:00:00.000Z'], [24, 24]],
  ])('apply to the days of %s', async (zone, starts, counts) => {
    const expected = starts.map((day, index) => ({ day, n: counts[index] }))
    // The store answers the first query, the SQL engine the second.
    for (const condition of ['1 = 1', 'LENGTH(T) = 1']) {
      const query = `SELECT TIME_FLOOR(__time, 'P1D', NULL, '${zone}') AS "day", COUNT(*) AS n FROM plant WHERE ${condition} GROUP BY 1 ORDER BY 1`
      expect([condition, await ask('/druid/v2/sql', { query })]).toEqual([condition, expected])
      const byContext = { query: query.replace(/, NULL, '.*?'/, ''), context: { sqlTimeZone: zone } }
      const days = (await ask('/druid/v2/sql', byContext)) as { day: string; n: number }[]
      const inUtc = days.map(({ day, n }) => ({ day: new Date(day).toISOString(), n }))
      expect([condition, inUtc]).toEqual([condition, expected])
    }
    const native = {
      dataSource: 'plant',
      intervals: ['2026-11-01/2027-01-01'],
      aggregations: [{ type: 'count', name: 'n' }],
    }
    const granularity = { type: 'period', period: 'P1D', timeZone: zone }
    const byDay = (await ask('/druid/v2', {
      ...native,
      queryType: 'timeseries',
      granularity,
      context: { skipEmptyBuckets: true },
    })) as {
      timestamp: string
      result: { n: number }
    }[]
    expect(byDay.map(({ timestamp, result }) => ({ day: new Date(timestamp).toISOString(), n: result.n }))).toEqual(
      expected,
    )
    const extractionFn = { type: 'timeFormat', format: 'yyyy-MM-dd', timeZone: zone }
    const dimension = { type: 'extraction', dimension: '__time', outputName: 'day', extractionFn }
    const metric = { type: 'dimension' }
    const [top] = (await ask('/druid/v2', {
      ...native,
      queryType: 'topN',
      granularity: 'all',
      dimension,
      metric,
      threshold: 9,
    })) as {
      result: { day: string; n: number }[]
    }[]
    expect(top!.result.map(({ n }) => n)).toEqual(counts)
  })

  test('/readyz reports their version and folder', async () => {
    const { body } = await call<unknown>(service.url, 'GET', '/readyz', { key: adminKey })
    expect(body).toMatchObject({ timeZones: { version: '2099z', source: folder } })
  })

  test('a folder without zones is an error at startup', async () => {
    await expect(runService({ 'server.timeZones': join(folder, 'none') })).rejects.toMatchObject({
      sentences: [
        expect.stringMatching(/^server.timeZones .* cannot be read as a zoneinfo folder: .* Use a folder such as /),
      ],
    })
  })
})

/** The day before a change of the clocks or a skipped day. */
const changes: readonly (readonly [zone: string, from: string])[] = [
  ['Europe/Madrid', '2026-03-28T00:00Z'],
  ['Europe/Madrid', '2026-10-24T00:00Z'],
  ['Australia/Lord_Howe', '2026-04-03T12:00Z'],
  ['Pacific/Apia', '2011-12-29T00:00Z'],
  ['America/Sao_Paulo', '2018-11-03T00:00Z'],
  ['Asia/Kathmandu', '2026-01-01T00:00Z'],
]

describe('buckets with a time_zone are the same as those of a native query with that timeZone', () => {
  let service: RunningService
  beforeAll(async () => {
    service = await runService({})
    const key = await makeIngest(service.url, adminKey, { alias: 'clocks' })
    // A row every quarter of an hour, for three days around each change.
    const rows = changes.flatMap(([zone, from]) =>
      Array.from({ length: 3 * 96 }, (_, quarter) => ({
        D: Date.parse(from) + quarter * 900_000,
        T: `${zone} ${from}`,
        V: quarter,
      })),
    )
    await callOk(service.url, 'POST', '/ingests/clocks/data?wait=true', { key, text: JSON.stringify(rows) })
  }, 300_000)
  afterAll(() => service?.close())

  test.each(changes)('%s from %s', async (zone, from) => {
    const ask = async <T>(path: string, body: object): Promise<T> => {
      const answer = await call<T>(service.url, 'POST', path, { key: adminKey, body })
      expect(answer).toMatchObject({ status: 200 })
      return answer.body
    }
    const until = new Date(Date.parse(from) + 3 * 86_400_000).toISOString()
    for (const period of ['PT30M', 'PT1H', 'P1D', 'P2D', 'P1W', 'P1M']) {
      const asked = { entity: 'clocks', ids: [`${zone} ${from}`], granularity: period, time_zone: zone }
      const means = await ask<{ D: string; V: number }[]>('/consumer/data/average', asked)
      const native = await ask<{ timestamp: string; result: { sum: number; count: number } }[]>('/druid/v2', {
        queryType: 'timeseries',
        dataSource: 'clocks',
        intervals: [`${from}/${until}`],
        filter: { type: 'selector', dimension: 'T', value: `${zone} ${from}` },
        granularity: { type: 'period', period, timeZone: zone },
        aggregations: [
          { type: 'doubleSum', name: 'sum', fieldName: 'V' },
          { type: 'count', name: 'count' },
        ],
        context: { skipEmptyBuckets: true },
      })
      const expected = native.map(({ timestamp, result: { sum, count } }) => ({
        D: new Date(timestamp).toISOString(),
        V: sum / count,
      }))
      expect({ period, means: means.map(({ D, V }) => ({ D, V })) }).toEqual({ period, means: expected })
    }
  })
})
