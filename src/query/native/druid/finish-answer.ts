// What Druid answers otherwise of rows that are not published yet is made what it answers of those that are.
import { msPerDay } from '../../../model/instant.ts'
import { Problem } from '../../../model/problem.ts'
import { condense, formatTimestamp, type Interval, parseInterval } from '../time/iso.ts'
import type { NativeQuery } from '../tree/queries.ts'

/**
 * The pieces of an answer as it is to be: each a bracket or a comma, and whole elements. A search has all its hits yet, and is cut to its
 * limit; the intervals of segments become the days that segments are of. Throws Problem `result_too_large` for more hits than `rowsMax`.
 */
export function finished(pieces: AsyncIterable<string>, query: NativeQuery, rowsMax: number): AsyncIterable<string> {
  switch (query.kind) {
    case 'search':
      return mapped(pieces, (element: Hits) => cut(element, query.limit, rowsMax))
    case 'segmentMetadata':
      return mapped(pieces, ofWholeDays)
    default:
      return pieces
  }
}

async function* mapped<Element>(
  pieces: AsyncIterable<string>,
  map: (element: Element) => object,
): AsyncGenerator<string> {
  for await (const piece of pieces) {
    const elements: readonly Element[] = JSON.parse(`[${piece.slice(1).replace(/^\]$/, '')}]`)
    yield elements.length === 0 ? piece : `${piece[0]}${elements.map((one) => JSON.stringify(map(one))).join(',')}`
  }
}

interface Hits {
  readonly result: readonly unknown[]
}

function cut(element: Hits, limit: number, rowsMax: number): Hits {
  if (element.result.length > rowsMax) {
    throw new Problem(
      'result_too_large',
      `More than ${rowsMax} values (limits.resultRows) are found. Search for a longer text, narrow the intervals, or filter.`,
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
