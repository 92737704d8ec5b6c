// Which days of an entity have rows, asked of Druid.

import type { Interval } from '../../druid-time/iso.ts'
import { dataSourceName, timeColumn } from '../../model/druid-row.ts'
import type { Entity } from '../../model/entity.ts'
import { earliestMs, formatInstant, latestMs, msPerDay } from '../../model/instant.ts'
import type { DayBounds } from '../run/native-engine.ts'

/** The query that tells the first and the last time of each day that the intervals touch. */
export function daysQuery(entity: Entity, clusterName: string, intervals: readonly Interval[]): object {
  const first = Math.min(...intervals.map(({ startMs }) => startMs))
  const last = Math.max(...intervals.map(({ endMs }) => endMs))
  const fromMs = Math.max(earliestMs, entity.sinceMs ?? earliestMs, Math.floor(first / msPerDay) * msPerDay)
  const untilMs = Math.min(latestMs, Math.ceil(last / msPerDay) * msPerDay)
  return {
    queryType: 'timeseries',
    dataSource: { type: 'table', name: dataSourceName(clusterName, entity.id) },
    intervals: fromMs < untilMs ? [`${formatInstant(fromMs)}/${formatInstant(untilMs)}`] : [],
    granularity: 'day',
    aggregations: [
      { type: 'longMin', name: 'first', fieldName: timeColumn },
      { type: 'longMax', name: 'last', fieldName: timeColumn },
    ],
    context: { skipEmptyBuckets: true },
  }
}

/** The days of its answer. */
export function daysIn(answer: string): readonly DayBounds[] {
  const buckets: readonly { readonly result: { readonly first: number; readonly last: number } }[] = JSON.parse(answer)
  return buckets.map(({ result: { first, last } }) => ({ minMs: first, maxMs: last }))
}
