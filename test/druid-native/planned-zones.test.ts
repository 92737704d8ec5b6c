// Compares buckets in local time, around changes of the clock, with the SQL engine's.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { drawFrom, oneOf } from '../support/random-rows.ts'
import { answerOf } from './duckdb-engine.ts'
import { byStore, PlannedWorlds, read } from './planned-worlds.ts'

let worlds: PlannedWorlds
beforeAll(async () => {
  worlds = await PlannedWorlds.open()
})
afterAll(() => worlds.close())

/** Two days before each change of the clock. */
const changes: readonly (readonly [zone: string, fromMs: number])[] = [
  ['Europe/Madrid', Date.UTC(2026, 2, 27)],
  ['Europe/Madrid', Date.UTC(2026, 9, 23)],
  ['America/New_York', Date.UTC(2026, 9, 30)],
  ['America/Sao_Paulo', Date.UTC(2018, 10, 2)],
  ['America/Sao_Paulo', Date.UTC(2018, 1, 16)],
  ['America/Havana', Date.UTC(2025, 9, 31)],
  ['Australia/Lord_Howe', Date.UTC(2026, 3, 3)],
  ['Australia/Lord_Howe', Date.UTC(2026, 9, 2)],
  ['Pacific/Apia', Date.UTC(2011, 11, 28)],
  ['America/Santiago', Date.UTC(2025, 8, 5)],
  ['Africa/Cairo', Date.UTC(2025, 3, 23)],
  ['America/St_Johns', Date.UTC(2007, 10, 2)],
  ['Asia/Kolkata', Date.UTC(2026, 0, 1)],
  ['+05:45', Date.UTC(2026, 0, 1)],
]

describe.each(changes)('%s from %i', (timeZone, fromMs) => {
  const draw = drawFrom(fromMs % 1000)
  const name = `zoned${timeZone.replaceAll(/\W/g, '_')}${fromMs}`
  let store: Awaited<ReturnType<PlannedWorlds['make']>>
  beforeAll(async () => {
    store = await worlds.make(draw, name, fromMs)
  })

  test('buckets are the same as in the SQL engine', async () => {
    for (const period of ['PT1M', 'PT1H', 'PT6H', 'P1D', 'P2D', 'P1W', 'P1M', 'P1Y']) {
      // With minutes, there would be thousands of empty buckets.
      for (const queryType of period === 'PT1M' ? ['groupBy'] : ['timeseries', 'groupBy', 'topN']) {
        const one = {
          queryType,
          dataSource: name,
          intervals: [`${new Date(fromMs - 10 ** 8).toISOString()}/P10D`],
          granularity: { type: 'period', period, timeZone },
          dimensions: ['tag'],
          dimension: 'tag',
          metric: 'n',
          threshold: 3,
          aggregations: [
            { type: 'count', name: 'n' },
            { type: 'doubleMax', name: 'most', fieldName: 'V' },
          ],
          context: { skipEmptyBuckets: draw(2) === 0 },
          ...(draw(3) === 0 ? { filter: { type: 'selector', dimension: 'site', value: oneOf(draw, ['x', 'y']) } } : {}),
        }
        const text = await byStore(one, store)
        expect(text).not.toBeNull()
        expect({ one, answer: read(text!) }).toEqual({ one, answer: read(await answerOf(one, worlds.engine)) })
      }
    }
  })

  test('a grand total with a limit is the sum of the returned buckets', async () => {
    for (const period of ['PT1H', 'PT6H', 'P1D', 'P2D']) {
      for (const limit of [1, 2, 3, 20]) {
        for (const descending of limit === 2 ? [false, true] : [false]) {
          const asked = {
            queryType: 'timeseries',
            dataSource: name,
            intervals: [`${new Date(fromMs - 10 ** 8).toISOString()}/P10D`],
            granularity: { type: 'period', period, timeZone },
            aggregations: [{ type: 'count', name: 'n' }],
            context: { grandTotal: true },
            limit,
            descending,
          }
          const entries: { result: { n: number } }[] = JSON.parse(await answerOf(asked, worlds.engine))
          const total = entries.pop()!.result.n
          expect({ asked, total }).toEqual({ asked, total: entries.reduce((sum, { result }) => sum + result.n, 0) })
        }
      }
    }
  })
})
