import { expect, test } from 'vitest'
import { Pacer } from '../lib/pacer.ts'
import type { Row } from './answer-rows.ts'
import { parseInfluxql } from './parse.ts'
import { planSelect } from './plan-select.ts'
import { scopeOf } from './scope.ts'
import { seriesOf } from './series.ts'

const scope = scopeOf({
  id: 1,
  name: 'plant',
  fields: [
    { name: 'time', type: 'timestamp', role: 'time' },
    { name: 'T', type: 'string', role: 'tag' },
    { name: 'V', type: 'double', role: 'metric' },
  ],
  duplicates: 'keep',
  ingests: ['plant'],
  retention: null,
  sinceMs: null,
})
const fromMs = Date.UTC(2026, 0, 1)
const rowAt = (minute: number): Row => [`"${new Date(fromMs + 60_000 * minute).toISOString()}"`, String(minute % 7)]

async function* inChunks(rows: readonly Row[]): AsyncGenerator<readonly Row[]> {
  for (let begin = 0; begin < rows.length; begin += 1000) yield rows.slice(begin, begin + 1000)
}

const range = "time >= '2026-01-01' AND time < '2027-02-01'"
const minutes = Array.from({ length: 50_000 }, (_, minute) => rowAt(minute))

/** Waiting work runs before the series is complete: in this test, only the pauses of its computation yield to the event loop. */
test.each<[select: string, rows: readonly Row[], windows: number]>([
  [`mean(V) FROM plant WHERE ${range} GROUP BY time(1m)`, [rowAt(0)], 570_240],
  [`mean(V) FROM plant WHERE ${range} GROUP BY time(1m) fill(linear) ORDER BY time DESC`, [rowAt(0)], 570_240],
  [`integral(V) FROM plant WHERE ${range} GROUP BY time(1m) fill(none)`, minutes, 49_999],
  [`median(V) FROM plant WHERE ${range} GROUP BY time(1h) fill(none)`, minutes, 834],
  [`median(V) FROM plant WHERE ${range}`, minutes, 1],
  [`V FROM plant WHERE ${range}`, minutes, 50_000],
  // One chunk of many columns, and one of a deeply nested column.
  [
    `${Array.from({ length: 900 }, (_, at) => `V + ${at}`).join()} FROM plant WHERE ${range}`,
    minutes.slice(0, 1000),
    1000,
  ],
  [`${'difference('.repeat(90)}V${')'.repeat(90)} FROM plant WHERE ${range}`, minutes.slice(0, 1000), 910],
])('other requests run while SELECT %s is computed', async (select, rows, count) => {
  const [statement] = parseInfluxql(`SELECT ${select}`)
  if (statement?.kind !== 'select') throw new Error('it is a SELECT')
  const bucketsMax = 600_000
  const nowMs = fromMs
  const plan = planSelect(statement, scope, ['plant'], { nowMs, bucketsMax })!
  const pacer = new Pacer({ sliceMs: 0, signal: new AbortController().signal })
  const events: string[] = []
  setImmediate(() => events.push('another request'))
  let found = 0
  for await (const { rows: some } of seriesOf(plan, inChunks(rows), { bucketsMax, nowMs, pacer })) {
    found += some.length
    // The amount written at once is bounded too.
    expect(some.length * plan.columns.length).toBeLessThan(20_000)
  }
  events.push('the series')
  expect([events, found]).toEqual([['another request', 'the series'], count])
})
