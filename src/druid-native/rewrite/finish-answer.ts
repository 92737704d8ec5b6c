// Corrects Druid's responses where they differ for rows that are not published yet.

import { condense, formatTimestamp, type Interval, parseInterval } from '../../druid-time/iso.ts'
import { msPerDay } from '../../model/instant.ts'
import { Problem } from '../../model/problem.ts'
import type { NativeQuery } from '../parse/native-query-types.ts'

export interface Finish {
  readonly rowsMax: number
  /** Rows before this date have expired; null if none have. */
  readonly sinceMs: number | null
}

/**
 * The corrected pieces of a response, each a bracket or comma and whole elements. A search, which contains all hits so far, is cut to its limit;
 * intervals of segments become the segments' days; the newest date is omitted if its row has expired. Throws Problem
 * `result_too_large` for more than `rowsMax` hits.
 */
export function finished(
  pieces: AsyncIterable<string>,
  query: NativeQuery,
  { rowsMax, sinceMs }: Finish,
): AsyncIterable<string> {
  switch (query.kind) {
    case 'search':
      return mapped(pieces, (element: Hits) => cut(element, query.limit, rowsMax))
    case 'segmentMetadata':
      return mapped(pieces, ofWholeDays)
    case 'dataSourceMetadata':
      return sinceMs === null
        ? pieces
        : mapped(pieces, (element: Newest) => (isExpired(element, sinceMs) ? null : element))
    default:
      return pieces
  }
}

async function* mapped<Element>(
  pieces: AsyncIterable<string>,
  map: (element: Element) => object | null,
): AsyncGenerator<string> {
  for await (const piece of pieces) {
    const elements: readonly Element[] = JSON.parse(`[${piece.slice(1).replace(/^\]$/, '')}]`)
    const kept = elements.flatMap((one) => map(one) ?? [])
    yield elements.length === 0 ? piece : `${piece[0]}${kept.map((one) => JSON.stringify(one)).join(',')}`
  }
}

interface Hits {
  readonly result: readonly unknown[]
}

function cut(element: Hits, limit: number, rowsMax: number): Hits {
  if (element.result.length > rowsMax) {
    throw new Problem(
      'result_too_large',
      `More than ${rowsMax} values (limits.resultRows) are found. Search for a longer string, narrow the intervals, or filter.`,
    )
  }
  return { ...element, result: element.result.slice(0, limit) }
}

interface Segment {
  readonly intervals: readonly string[] | null
}

function ofWholeDays(segment: Segment): Segment {
  if (segment.intervals === null) return segment
  const days = segment.intervals.flatMap((text): Interval[] => {
    const interval = parseInterval(text)
    if (interval === null) return []
    const { startMs, endMs } = interval
    return [{ startMs: Math.floor(startMs / msPerDay) * msPerDay, endMs: Math.ceil(endMs / msPerDay) * msPerDay }]
  })
  const intervals = condense(days).map(({ startMs, endMs }) => `${formatTimestamp(startMs)}/${formatTimestamp(endMs)}`)
  return { ...segment, intervals }
}

interface Newest {
  readonly result: { readonly maxIngestedEventTime: string }
}

function isExpired({ result }: Newest, sinceMs: number): boolean {
  return Date.parse(result.maxIngestedEventTime) < sinceMs
}
