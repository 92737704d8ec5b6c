// Checks that a native query for the SQL engine needs no expired rows: the SQL engine does not read hours.
import { parseInterval } from '../../druid-time/iso.ts'
import type { Entity } from '../../model/entity.ts'
import { earliestMs } from '../../model/instant.ts'
import { requireUnexpiredRows } from '../../model/rows-expired.ts'

const aggregating = new Set(['timeseries', 'topN', 'groupBy'])

const why =
  'older rows are stored only as hours, which support counts, sums, least and greatest values of one entity by whole hours, with "filter" only on tags; a timeseries of many buckets needs "skipEmptyBuckets". Start "intervals" at this date'

/**
 * Throws Problem `rows_expired` if the query needs expired rows. A query that does not aggregate, and has no interval or one from the beginning of
 * time, starts at the oldest existing row. Invalid queries are reported by the engine that runs them.
 */
export function requireRowsOf(entities: readonly Entity[], body: Uint8Array): void {
  requireUnexpiredRows(entities, () => firstAsked(readJson(body)), why)
}

/** The date from which the query reads rows; Infinity means from the oldest row that still exists. */
function firstAsked(query: unknown): number {
  const starts = intervalsIn(query).map(startOf)
  if (starts.every((startMs) => startMs === null)) return mentions(query, aggregating) ? -Infinity : Infinity
  return Math.min(...starts.map((startMs) => startMs ?? -Infinity))
}

function readJson(body: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(body).toString())
  } catch {
    return null
  }
}

/** All members of a query and of the objects nested in it. */
function* members(value: unknown): Generator<readonly [name: string, value: unknown]> {
  if (typeof value !== 'object' || value === null) return
  for (const [name, one] of Object.entries(value)) {
    yield [name, one]
    yield* members(one)
  }
}

function intervalsIn(query: unknown): string[] {
  return [...members(query)].flatMap(([name, value]) => {
    if (name !== 'intervals') return []
    return (typeof value === 'string' ? value.split(',') : [value].flat()).filter((one) => typeof one === 'string')
  })
}

const mentions = (query: unknown, types: ReadonlySet<string>): boolean =>
  [...members(query)].some(([name, value]) => name === 'queryType' && types.has(String(value)))

/** Start of an interval; null if it starts at the beginning of time. */
function startOf(text: string): number | null {
  const startMs = parseInterval(text)?.startMs ?? Number.NEGATIVE_INFINITY
  return startMs < earliestMs ? null : startMs
}
