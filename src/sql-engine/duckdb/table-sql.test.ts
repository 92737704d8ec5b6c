// Which files a query reads, in which order, and where it compares times to skip rows.
import { describe, expect, test } from 'vitest'
import type { EngineTable, TimeBounds } from '../sql-engine.ts'
import { tableRows } from './table-sql.ts'

const dayMs = 86_400_000
const hourMs = 3_600_000

/** A file from one hour of a day to the last millisecond before another hour. */
function file(name: string, day: number, fromHour: number, untilHour: number): EngineTable['files'][number] {
  const startMs = day * dayMs
  const firstMs = startMs + fromHour * hourMs
  const lastMs = startMs + untilHour * hourMs - 1
  return { path: name, checkedBy: null, fields: ['__time', 'V'], firstMs, lastMs, isDistinct: true }
}

const table: EngineTable = {
  entityId: 1,
  fields: [
    { name: '__time', type: 'timestamp' },
    { name: 'V', type: 'double' },
  ],
  files: [file('1 late', 1, 20, 24), file('0', 0, 0, 24), file('2', 2, 0, 24), file('1 early', 1, 0, 20)],
  sinceMs: null,
  replacesBy: null,
}

interface Read {
  readonly paths: readonly string[]
  /** The comparisons of times, in microseconds. */
  readonly bounds: readonly string[]
}

function readsOf(text: string): readonly Read[] {
  return text.split(' UNION ALL ').map((part) => ({
    paths: [...(/read_parquet\(\[(.*?)\]\)/.exec(part)?.[1] ?? '').matchAll(/'(.*?)'/g)].map(([, path]) => path!),
    bounds: [...part.matchAll(/f\.a0 (>=|<) make_timestamptz\((\d+)::BIGINT\)/g)].map(([, is, at]) => `${is} ${at}`),
  }))
}

const range = (fromMs: number, untilMs: number): TimeBounds => ({ fromMs, untilMs })
const us = (ms: number): string => `${ms * 1000}`

describe('the files of a table', () => {
  test.each<[string, TimeBounds | null, boolean, readonly Read[]]>([
    ['all, oldest first', null, false, [{ paths: ['0', '1 early', '1 late', '2'], bounds: [] }]],
    ['all, newest first', null, true, [{ paths: ['2', '1 late', '1 early', '0'], bounds: [] }]],
    ['of one day', range(dayMs, 2 * dayMs), false, [{ paths: ['1 early', '1 late'], bounds: [] }]],
    ['of one day, newest first', range(dayMs, 2 * dayMs), true, [{ paths: ['1 late', '1 early'], bounds: [] }]],
    [
      'of a range that begins and ends within files',
      range(dayMs + hourMs, 2 * dayMs + hourMs),
      false,
      [
        { paths: ['1 early'], bounds: [`>= ${us(dayMs + hourMs)}`] },
        { paths: ['1 late'], bounds: [] },
        { paths: ['2'], bounds: [`< ${us(2 * dayMs + hourMs)}`] },
      ],
    ],
    ['of a range without rows', range(9 * dayMs, 10 * dayMs), false, [{ paths: [], bounds: [] }]],
  ])('%s', (_, within, newestFirst, reads) => {
    expect(readsOf(tableRows(table, within, newestFirst))).toEqual(reads)
  })

  test('with expired rows: times are compared only in the files that contain some of them', () => {
    const sinceMs = dayMs + hourMs
    expect(readsOf(tableRows({ ...table, sinceMs }))).toEqual([
      { paths: ['0', '1 early'], bounds: [`>= ${us(sinceMs)}`] },
      { paths: ['1 late', '2'], bounds: [] },
    ])
  })
})
