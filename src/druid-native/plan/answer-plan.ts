// Finished groups as Druid's JSON. Which buckets there are is as in `run/timeseries.ts`, `run/top-n.ts` and `run/group-by.ts`.

import type { DayRows, Groups } from '../../algebra/aggregation.ts'
import { emptyValues, finishGroups, type GroupRow } from '../../algebra/finish-groups.ts'
import { formatTimestamp } from '../../druid-time/iso.ts'
import type { NativeBuckets } from '../../druid-time/native-granularity.ts'
import { zonedGranularity } from '../../druid-time/plain-granularity.ts'
import { Zone } from '../../druid-time/zone.ts'
import type { Pacer } from '../../lib/pacer.ts'
import type { Granularity, ZonedGranularity } from '../../model/granularity.ts'
import { filledBuckets, spans } from '../run/filled-buckets.ts'
import {
  groupByEvent,
  groupByList,
  type JsonItem,
  jsonList,
  jsonText,
  listEntry,
  mapped,
  RowWriter,
  timeseriesEntry,
} from '../run/json-text.ts'
import type { NativePlan } from './native-plan.ts'

export interface PlannedLimits {
  readonly resultRows: number
  readonly buckets: number
}

export interface PlannedAnswer {
  readonly rows: number
  readonly pieces: AsyncIterable<string>
}

/** The answer, in pieces; null where the SQL engine has to give it. Throws BeyondPlan and `too_many_buckets`. */
export async function answerPlan(
  plan: NativePlan,
  groups: Groups,
  limits: PlannedLimits,
  pacer: Pacer,
): Promise<PlannedAnswer | null> {
  const { aggregation, finish, steps } = plan
  const outputs = plan.outputs.map(({ value }) => value)
  const isOneGroup = aggregation.keys.length === 0 && aggregation.granularity.kind === 'all'
  const finished = await finishGroups({ ...finish, aggregation, outputs, steps, isOneGroup }, groups, pacer)
  // The SQL engine says why not.
  if (finished.length > limits.resultRows || isLongToFill(plan, groups.days)) return null
  const fills = plan.shape.kind === 'timeseries' && !plan.skipsEmptyBuckets
  const nothing = fills ? emptyValues({ aggregation, outputs }) : []
  const rows = finished.map(
    ({ row, values }): FinishedRow => ({ bucketMs: Number(row[0]), isEmpty: row.at(-1) === 0n, values }),
  )
  return {
    rows: finished.length,
    pieces: jsonList(itemsOf(plan, groups.days, { rows, nothing }, limits.buckets)),
  }
}

/** So many buckets are filled without a rest, in a few milliseconds. */
const filledMax = 20_000

/** Whether empty buckets are many, by arithmetic. */
function isLongToFill({ aggregation: { granularity } }: NativePlan, days: readonly DayRows[]): boolean {
  const made = granularity.kind === 'zoned' ? granularity.buckets : granularity
  if (!('widthMs' in made)) return false
  const { widthMs } = made
  const buckets = days.reduce((sum, { firstMs, lastMs }) => sum + (lastMs - firstMs) / widthMs + 1, 0)
  return buckets > filledMax
}

interface FinishedRow {
  readonly bucketMs: number
  /** Whether it is of no rows at all, as far as the query asks. */
  readonly isEmpty: boolean
  readonly values: GroupRow
}

interface Finished {
  readonly rows: readonly FinishedRow[]
  /** The values of an empty bucket. */
  readonly nothing: FinishedRow['values']
}

function itemsOf(
  plan: NativePlan,
  days: readonly DayRows[],
  finished: Finished,
  bucketsMax: number,
): Iterable<JsonItem> {
  const table: Table = { segments: [{ days: days.map(({ firstMs, lastMs }) => ({ minMs: firstMs, maxMs: lastMs })) }] }
  switch (plan.shape.kind) {
    case 'timeseries':
      return timeseries(plan, table, finished, bucketsMax)
    case 'topN':
      return topN(plan, table, finished.rows, bucketsMax)
    case 'groupBy':
      return groupBy(plan, finished.rows)
  }
}

type Table = Parameters<typeof spans>[0]

const timeOf = ({ timesAsLong, zone }: NativePlan, ms: number): string =>
  timesAsLong ? String(ms) : jsonText(formatTimestamp(ms, Zone.find(zone) ?? Zone.utc))

function* timeseries(plan: NativePlan, table: Table, finished: Finished, bucketsMax: number): Generator<JsonItem> {
  const { shape } = plan
  if (shape.kind !== 'timeseries') throw new Error('a timeseries is written as one')
  const writer = new RowWriter(plan.outputs, 0)
  const shown = bucketsOf(plan, table, finished, shape.isDescending, bucketsMax)
  if (shape.isDescending) shown.reverse()
  for (const { bucketMs, values } of shape.limit === 0 ? shown : shown.slice(0, shape.limit)) {
    yield timeseriesEntry(timeOf(plan, bucketMs), writer.object(values))
  }
}

/** The buckets in order, with the empty ones that Druid fills. */
function bucketsOf(
  plan: NativePlan,
  table: Table,
  { rows, nothing }: Finished,
  isDescending: boolean,
  bucketsMax: number,
): FinishedRow[] {
  const { intervals, skipsEmptyBuckets } = plan
  const buckets = bucketsIn(plan.aggregation.granularity)
  if (buckets === null) {
    // The segments are read in the order that is asked for, and the first of them says when.
    const start = spans(table, intervals).at(isDescending ? -1 : 0)?.minMs ?? intervals[0]?.startMs ?? 0
    const [only] = rows
    if (only === undefined || (skipsEmptyBuckets && only.isEmpty)) return []
    return [{ ...only, bucketMs: start }]
  }
  const byStart = new Map(rows.map((row) => [row.bucketMs, row]))
  if (skipsEmptyBuckets) return rows.toSorted((left, right) => left.bucketMs - right.bucketMs)
  return filledBuckets(table, intervals, buckets, bucketsMax).map(
    (bucketMs) => byStart.get(bucketMs) ?? { bucketMs, isEmpty: true, values: nothing },
  )
}

function bucketsIn(granularity: Granularity | ZonedGranularity): NativeBuckets | null {
  switch (granularity.kind) {
    case 'zoned':
      return zonedGranularity(granularity)
    case 'all':
      return null
    case 'uniform':
      return { ...granularity, zone: Zone.utc }
    case 'months':
      return { ...granularity, originLocalMs: 0, zone: Zone.utc }
    case 'compound':
      throw new Error('periods of several units are not planned')
  }
}

function* topN(plan: NativePlan, table: Table, rows: readonly FinishedRow[], bucketsMax: number): Generator<JsonItem> {
  const writer = new RowWriter(plan.outputs, 0)
  const entry = (ms: number, found: readonly FinishedRow[]): JsonItem =>
    listEntry(
      timeOf(plan, ms),
      mapped(found, ({ values }) => writer.object(values)),
    )
  const buckets = bucketsIn(plan.aggregation.granularity)
  if (buckets === null) {
    const start = spans(table, plan.intervals)[0]?.minMs
    if (start !== undefined) yield entry(start, rows)
    return
  }
  // Rows come by bucket, and each of them lies in one that is filled.
  let next = 0
  for (const start of filledBuckets(table, plan.intervals, buckets, bucketsMax)) {
    const from = next
    while (next < rows.length && rows[next]!.bucketMs <= start) next++
    yield entry(start, rows.slice(from, next))
  }
}

function* groupBy(plan: NativePlan, rows: readonly FinishedRow[]): Generator<JsonItem> {
  const { shape, intervals } = plan
  if (shape.kind !== 'groupBy') throw new Error('a groupBy is written as one')
  const writer = new RowWriter(plan.outputs, 0)
  const isTimed = shape.showsBucket
  const allMs = intervals[0]?.startMs ?? 0
  for (const { bucketMs, values } of rows) {
    const ms = isTimed ? bucketMs : allMs
    if (shape.asArray) yield groupByList(isTimed ? ms : null, writer.values(values))
    else yield groupByEvent(timeOf(plan, ms), writer.object(values))
  }
}
