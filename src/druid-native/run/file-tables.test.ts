// The requests of native queries to the engine: the range of their rows, and statements that spare it reading all columns of all rows.
import { describe, expect, test } from 'vitest'
import { type Sql, sql } from '../../lib/sql-text.ts'
import type { EngineTable, SqlEngine, TimeBounds } from '../../sql-engine/sql-engine.ts'
import { readNativeQuery } from '../parse/read-query.ts'
import { FileDays } from './file-days.ts'
import { FileTables } from './file-tables.ts'
import { runNative } from './run-native.ts'

const dayMs = 86_400_000
const startMs = Date.UTC(2026, 0, 1)

const table: EngineTable = {
  entityId: 1,
  fields: [
    { name: '__time', type: 'timestamp' },
    { name: 'T', type: 'string' },
    { name: 'V', type: 'double' },
  ],
  files: [0, 1, 2].map((day) => {
    const firstMs = startMs + day * dayMs
    const lastMs = firstMs + dayMs - 1
    return { path: `${day}`, checkedBy: null, fields: ['__time', 'T', 'V'], firstMs, lastMs, isDistinct: true }
  }),
  sinceMs: null,
  replacesBy: null,
}

interface Asked {
  readonly sources: readonly { readonly within: TimeBounds | null; readonly newestFirst: boolean }[]
  readonly statements: readonly Sql[]
}

async function askedBy(query: object): Promise<Asked> {
  const sources: Asked['sources'][number][] = []
  const statements: Sql[] = []
  const engine: SqlEngine = {
    source: (_table, within, newestFirst = false) => {
      sources.push({ within, newestFirst })
      return sql`files`
    },
    rows: async function* (statement) {
      statements.push(statement)
      yield []
    },
    timesOf: async () => null,
    run: () => {
      throw new Error('a native query is run as rows')
    },
    close: () => {},
  }
  const tables = new FileTables({
    engine,
    tables: [{ name: 'plant', table }],
    days: new FileDays(),
    signal: new AbortController().signal,
  })
  const limits = { rowsMax: 10, bucketsMax: 10, bytesMax: 1000 }
  for await (const _ of runNative(readNativeQuery({ dataSource: 'plant', ...query }), tables, limits)) {
    // The result has no rows.
  }
  return { sources, statements }
}

const scan = { queryType: 'scan', columns: ['__time', 'V'], limit: 3 }
const secondDay = { fromMs: startMs + dayMs, untilMs: startMs + 2 * dayMs }
const threeDays = { fromMs: startMs, untilMs: startMs + 3 * dayMs }

describe('time bounds and order of the rows read', () => {
  test.each<[string, object, Asked['sources'][number]]>([
    [
      'of one day',
      { ...scan, intervals: ['2026-01-02/P1D'], order: 'ascending' },
      { within: secondDay, newestFirst: false },
    ],
    [
      'of one day, newest first',
      { ...scan, intervals: ['2026-01-02/P1D'], order: 'descending' },
      { within: secondDay, newestFirst: true },
    ],
    [
      'of two separate days',
      { ...scan, intervals: ['2026-01-01/P1D', '2026-01-03/P1D'] },
      { within: threeDays, newestFirst: false },
    ],
    [
      'of a union, newest first',
      {
        ...scan,
        dataSource: { type: 'union', dataSources: ['plant'] },
        intervals: ['2026-01-02/P1D'],
        order: 'descending',
      },
      { within: secondDay, newestFirst: true },
    ],
  ])('%s', async (_, query, source) => {
    expect((await askedBy(query)).sources).toEqual([source])
  })

  test('one interval is not checked again row by row; several are, by the times as stored in files', async () => {
    const one = await askedBy({ ...scan, intervals: ['2026-01-02/P1D'] })
    expect(one.statements[0]!.text).not.toContain('make_timestamp')
    const several = await askedBy({ ...scan, intervals: ['2026-01-01/P1D', '2026-01-03/P1D'] })
    expect(several.statements[0]!.text.match(/t\."t" (>=|<) make_timestamptz/g)).toHaveLength(4)
  })
})

describe('statements', () => {
  const intervals = ['2026-01-02/P1D']

  test('a scan is ordered by the times as stored in files', async () => {
    const { statements } = await askedBy({ ...scan, intervals, order: 'descending' })
    expect(statements[0]!.text).toContain('ORDER BY "instant" DESC')
  })

  test.each<[number, string]>([
    [1, 'IN (CAST(? AS VARCHAR))'],
    [2, 'list_contains(['],
    [16, 'list_contains(['],
    [17, 'IN (CAST(? AS VARCHAR), '],
    [101, 'IN (SELECT '],
  ])('a filter on %i strings uses %s', async (count, form) => {
    const values = Array.from({ length: count }, (_, index) => `tag ${index}`)
    const { statements } = await askedBy({ ...scan, intervals, filter: { type: 'in', dimension: 'T', values } })
    expect(statements[0]!.text).toContain(form)
  })
})
