import { expect, test } from 'vitest'
import { nativeTable } from './native-table.ts'

const at = '2026-01-01T00:00:00.000Z'

test.each<[string, unknown, { columns: string[]; rows: unknown[][] } | null]>([
  ['timeseries', [{ timestamp: at, result: { n: 1 } }], { columns: ['timestamp', 'n'], rows: [[at, 1]] }],
  ['topN', [{ timestamp: at, result: [{ T: 'a', n: 1 }] }], { columns: ['timestamp', 'T', 'n'], rows: [[at, 'a', 1]] }],
  [
    'groupBy',
    [{ version: 'v1', timestamp: at, event: { T: 'a' } }],
    { columns: ['timestamp', 'T'], rows: [[at, 'a']] },
  ],
  ['scan', [{ columns: ['__time', 'V'], events: [{ __time: 1, V: 2 }] }], { columns: ['__time', 'V'], rows: [[1, 2]] }],
  ['a scan with lists as events', [{ columns: ['a'], events: [[1], [2]] }], { columns: ['a'], rows: [[1], [2]] }],
  ['no rows', [], { columns: [], rows: [] }],
  ['any other answer', { a: 1 }, null],
])('%s', (_, answer, table) => {
  expect(nativeTable(answer)).toEqual(table)
})
