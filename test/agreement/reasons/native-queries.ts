// Results of native queries as a whole: groups, buckets, orders and types of columns.
import { instead } from '../changed-queries.ts'
import { differenceOf } from '../compare.ts'
import type { Asked, Query } from '../world.ts'
import { differing, type KnownDifference, otherwise } from './reason.ts'

/** Whether two answers list groups in the same order and differ only in groups that tie with the first or the last. */
function differInTies(ours: Asked, theirs: Asked, columns: string): boolean {
  const [orders, others] = [ours, theirs].map((answer) => ordersOf(answer, columns))
  if (JSON.stringify(orders) !== JSON.stringify(others)) return false
  const ends = [orders![0], orders!.at(-1)]
  const [inner, otherInner] = [ours, theirs].map(({ text }) =>
    (JSON.parse(text) as unknown[]).filter((_, place) => !ends.includes(orders![place])),
  )
  const query: Query = { kind: 'native', text: '' }
  return (
    differenceOf(
      query,
      { status: 200, text: JSON.stringify(inner) },
      { status: 200, text: JSON.stringify(otherInner) },
    ) === null
  )
}

/** The sort key of each group of an answer. */
function ordersOf({ text }: Asked, columns: string): readonly string[] {
  const names = (JSON.parse(columns) as (string | { readonly dimension: string })[]).map((column) =>
    typeof column === 'string' ? column : column.dimension,
  )
  const groups = JSON.parse(text) as { readonly timestamp: string; readonly event: Readonly<Record<string, unknown>> }[]
  return groups.map(({ timestamp, event }) => JSON.stringify([timestamp, ...names.map((name) => event[name])]))
}

/** The events of a scan, sorted by their text. */
function eventsOf({ text }: Asked): string {
  const entries = JSON.parse(text) as { readonly events: readonly unknown[] }[]
  return entries
    .flatMap(({ events }) => events.map((event) => JSON.stringify(event)))
    .toSorted()
    .join()
}

/** Whether a column of one entry of a scan has no value. */
function isNullColumn({ text }: Asked, entry: number, column: number): boolean {
  const entries = JSON.parse(text) as {
    readonly rowSignature: readonly { readonly name: string }[]
    readonly events: readonly (readonly unknown[] | Readonly<Record<string, unknown>>)[]
  }[]
  const { rowSignature, events } = entries[entry]!
  const { name } = rowSignature[column]!
  return events.every((event) => (Array.isArray(event) ? event[column] : Reflect.get(event, name)) === null)
}

export const nativeQueries: readonly KnownDifference[] = [
  {
    reason: 'Druid cuts any of the groups that tie at a limit',
    matches: ({ query, embedded, druid }) => {
      const columns = /"limitSpec":.*"columns":(\[.*?\])/.exec(query.text)?.[1]
      if (columns === undefined || embedded.status !== 200 || druid.status !== 200) return false
      return differInTies(embedded, druid, columns)
    },
  },
  otherwise(
    'a search in alphanumeric order counts values that differ by case as one in Druid, a segment at a time',
    /"queryType":"search".*"sort":\{"type":"alphanumeric"\}/,
    'native',
    { without: instead([/"type":"alphanumeric"/g, '"type":"lexicographic"']) },
  ),
  differing(
    'a scan of an inner query does not tell the types of all columns in Druid',
    /rowSignature\[\d+\]\.type: string and nothing$/,
    /"queryType":"scan","dataSource":\{/,
  ),
  differing(
    'a topN writes a bucket that lies in two segments in UTC in Druid, in whichever zone it is asked for',
    /^\[\d+\]\.timestamp: string and string$/,
    /"queryType":"topN".*"timeZone":/,
  ),
  {
    reason: 'an expression that is always null has the type of what it could be, and none or FLOAT in Druid',
    matches: ({ difference, embedded }) => {
      const places = /^\[(\d+)\]\.rowSignature\[(\d+)\]\.type: string and (?:string|nothing)$/.exec(difference)
      return places !== null && isNullColumn(embedded, Number(places[1]), Number(places[2]))
    },
  },
  differing(
    'with skipEmptyBuckets one bucket is at the time of the first segment of which a row passes in Druid',
    /^\[0\]\.timestamp: /,
    /"queryType":"timeseries".*"granularity":"all".*"skipEmptyBuckets":true/,
  ),
  differing(
    'no time here is before the year -271821, as the eternity of Druid is',
    /\.timestamp: string and string$/,
    /"intervals":\["-146136543-/,
  ),
  otherwise(
    'alphanumeric orders put values that differ by case alone in any order in Druid',
    /"queryType":"topN".*"metric":\{"type":"(?:alphaNumeric|dimension","ordering":"alphanumeric)"/,
    'native',
    {
      without: instead(
        [/"alphaNumeric"/g, '"lexicographic"'],
        [/"ordering":"alphanumeric"/g, '"ordering":"lexicographic"'],
      ),
    },
  ),
  otherwise(
    'a groupBy over a union that is ordered does not put the groups of its tables together in Druid',
    /"type":"union".*"limitSpec"/,
    'native',
    { without: instead([/\{"type":"union","dataSources":\["fuzz","fuzz"\]\}/g, '"fuzz"']) },
  ),
  {
    reason: 'rows of an inner groupBy are in no order',
    matches: ({ query, embedded, druid }) =>
      /"queryType":"scan","dataSource":\{"type":"query","query":\{"queryType":"groupBy"/.test(query.text) &&
      embedded.status === 200 &&
      druid.status === 200 &&
      eventsOf(embedded) === eventsOf(druid),
  },
  differing(
    'a virtual column of inline rows without an outputType may be a FLOAT in Druid',
    /rowSignature\[\d+\]\.type: string and string$/,
    /"queryType":"scan","dataSource":\{"type":"inline"/,
  ),
]
