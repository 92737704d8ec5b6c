// Hides expired rows, which may still be stored in Druid.

import type { Interval } from '../../druid-time/iso.ts'
import { timeColumn } from '../../model/druid-row.ts'
import type { Entity } from '../../model/entity.ts'
import { formatInstant, latestMs, msPerDay } from '../../model/instant.ts'
import { isEmpty, Json, type Node, unsupported } from '../parse/json-reader.ts'
import { readIntervals } from '../parse/read-common.ts'
import type { DayBounds } from '../run/native-engine.ts'

/** Druid's end of time. */
const endOfTime = '146140482-04-24T15:36:27.903Z'
const weekMs = 7 * msPerDay

/** Whether queries of this type describe whole segments; those do not support filters. */
export function readsSegments(type: string): boolean {
  return type === 'segmentMetadata' || type === 'dataSourceMetadata'
}

/**
 * The filter of a query, extended to exclude expired rows and those excluded by `hidden` (deletions); `own` is the caller's filter.
 */
export function visibleRowsFilter(query: Node, entities: readonly Entity[], hidden: object | null, own: unknown): Node {
  const sinceMs = commonSince(query, entities)
  const since =
    sinceMs === null
      ? null
      : { type: 'interval', dimension: timeColumn, intervals: [`${formatInstant(sinceMs)}/${endOfTime}`] }
  const conditions = [since, hidden].filter((condition) => condition !== null)
  if (conditions.length === 0) return {}
  const fields = own === undefined || own === null ? conditions : [...conditions, own]
  return { filter: fields.length === 1 ? fields[0] : { type: 'and', fields } }
}

/** Limits the intervals of a segment query. Each segment is one day, and rows expire by whole days. */
export function sinceSegments(query: Node, entities: readonly Entity[]): Node {
  const sinceMs = commonSince(query, entities)
  // dataSourceMetadata returns a single date for all rows, which is removed from its response if it has expired.
  if (sinceMs === null || query['queryType'] === 'dataSourceMetadata') return {}
  const asked = isEmpty(query['intervals']) ? [{ startMs: sinceMs, endMs: latestMs }] : intervalsOf(query)
  return { intervals: texts(asked, sinceMs) }
}

/** The intervals of a segment query that specifies none: the week up to the end of the newest of these days. */
export function newestWeek(days: readonly DayBounds[], entities: readonly Entity[]): readonly string[] {
  if (days.length === 0) return []
  const newest = days.reduce((latest, { maxMs }) => Math.max(latest, maxMs), Number.NEGATIVE_INFINITY)
  const endMs = (Math.floor(newest / msPerDay) + 1) * msPerDay
  const sinceMs = Math.max(...entities.map((entity) => entity.sinceMs ?? Number.NEGATIVE_INFINITY))
  return texts([{ startMs: endMs - weekMs, endMs }], sinceMs)
}

function texts(intervals: readonly Interval[], sinceMs: number): readonly string[] {
  return intervals.flatMap(({ startMs, endMs }) => {
    if (endMs <= sinceMs) return []
    return [`${formatInstant(Math.max(startMs, sinceMs))}/${formatInstant(Math.min(endMs, latestMs))}`]
  })
}

/**
 * The date from which rows of all these entities are visible; null if all rows are. A union has a single filter, so Druid cannot execute a query for
 * dates that are visible in some of its entities but not in others: throws Problem `unsupported_native_query`.
 */
function commonSince(query: Node, entities: readonly Entity[]): number | null {
  const since = entities.map((entity) => entity.sinceMs ?? Number.NEGATIVE_INFINITY)
  const latest = Math.max(...since)
  if (!Number.isFinite(latest)) return null
  if (since.every((ms) => ms === latest)) return latest
  const isShownByAll = !isEmpty(query['intervals']) && intervalsOf(query).every(({ startMs }) => startMs >= latest)
  if (isShownByAll) return latest
  throw unsupported(
    'query_data.dataSource',
    `a union of entities that keep their rows for different times (use intervals from ${formatInstant(latest)} on, or query each entity separately)`,
  )
}

function intervalsOf(query: Node): readonly Interval[] {
  return readIntervals(new Json(query['intervals'], 'query_data.intervals'))
}
