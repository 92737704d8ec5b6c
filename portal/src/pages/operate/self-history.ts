// The service's performance, from its own history.

import type { TidemarkClient } from '../../../../src/client/client.ts'
import { addTo } from '../../../../src/lib/add-to.ts'
import { addDuration, parseDuration } from '../../../../src/model/duration.ts'
import { selfEntity } from '../../../../src/model/self-history.ts'

/** With several processes, these values are added; of the others the worst is used. */
const added = [
  'rows_per_second',
  'rejected_per_second',
  'requests_per_second',
  'queries_per_second',
  'pending_rows',
  'journal_bytes',
  'stored_bytes',
  'memory_bytes',
  'processors',
  'live_readers',
] as const
const worst = ['query_p50_ms', 'query_p99_ms'] as const
export type SelfValue = (typeof added)[number] | (typeof worst)[number]

export const historyRanges = [
  { value: 'PT1H', text: '1 h', step: 'PT15S' },
  { value: 'P1D', text: '1 day', step: 'PT5M' },
  { value: 'P7D', text: '7 days', step: 'PT1H' },
] as const
export type HistoryRange = (typeof historyRanges)[number]['value']

export interface SelfHistory {
  readonly fromMs: number
  readonly toMs: number
  readonly stepMs: number
  readonly seconds: readonly number[]
  readonly values: Readonly<Record<SelfValue, readonly (number | null)[]>>
}

type Row = Readonly<Record<string, unknown>>

const backMs = (duration: string, ms: number): number => addDuration(ms, parseDuration(duration)!, -1)

/** Null if there is no history, or if this key may not read it. */
export async function selfHistory(
  client: TidemarkClient,
  range: HistoryRange,
  nowMs: number,
): Promise<SelfHistory | null> {
  if (!(await client.entities()).some(({ entity }) => entity === selfEntity)) return null
  const { step } = historyRanges.find(({ value }) => value === range)!
  const fromMs = backMs(range, nowMs)
  const columns = [
    ...added.map((name) => `AVG("${name}") AS "${name}"`),
    ...worst.map((name) => `MAX("${name}") AS "${name}"`),
  ]
  const rows = await client.sql(
    `SELECT TIME_FLOOR(__time, '${step}') AS t, process, ${columns.join(', ')} FROM ${selfEntity} ` +
      `WHERE __time > MILLIS_TO_TIMESTAMP(${fromMs}) GROUP BY 1, 2 ORDER BY 1`,
  )
  return { fromMs, toMs: nowMs, stepMs: nowMs - backMs(step, nowMs), ...together(rows) }
}

/** Combines all processes: one value of each kind per time. */
export function together(rows: readonly Row[]): Pick<SelfHistory, 'seconds' | 'values'> {
  const at = new Map<string, Row[]>()
  for (const row of rows) {
    const time = String(row['t'])
    addTo(at, time, row)
  }
  const times = [...at.keys()]
  const of = (name: SelfValue, join: (values: readonly number[]) => number): (number | null)[] =>
    times.map((time) => {
      const values = at.get(time)!.flatMap((row) => (typeof row[name] === 'number' ? [row[name]] : []))
      return values.length === 0 ? null : join(values)
    })
  const sum = (values: readonly number[]): number => values.reduce((all, value) => all + value, 0)
  const entries = [
    ...added.map((name) => [name, of(name, sum)] as const),
    ...worst.map((name) => [name, of(name, (values) => Math.max(...values))] as const),
  ]
  return {
    seconds: times.map((time) => Date.parse(time) / 1000),
    values: Object.fromEntries(entries) as unknown as SelfHistory['values'],
  }
}
