// Writes finished groups and scanned rows as Druid's JSON. Buckets follow the rules of `run/timeseries.ts`, `run/top-n.ts` and `run/group-by.ts`.

import type { DayRows, Groups } from '../../algebra/aggregation.ts'
import { emptyValues, finishGroups, type GroupRow } from '../../algebra/finish-groups.ts'
import type { ScannedRow } from '../../algebra/scan-plan.ts'
import { formatTimestamp } from '../../druid-time/iso.ts'
import { nativeBuckets } from '../../druid-time/plain-granularity.ts'
import { Zone } from '../../druid-time/zone.ts'
import type { Pacer } from '../../lib/pacer.ts'
import type { EngineRow } from '../../sql-engine/sql-engine.ts'
import { filledBuckets, type SegmentedSource, stampOfAll, topNBuckets } from '../run/filled-buckets.ts'
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
import { scanText, segmentId } from '../run/scan-text.ts'
import type { NativePlan, NativeScanPlan } from './native-plan.ts'

export interface PlannedLimits {
  readonly resultRows: number
  readonly buckets: number
}

export interface PlannedAnswer {
  readonly rows: number
  readonly pieces: AsyncIterable<string>
}

/** The response in pieces; null if the SQL engine must execute the query. Throws BeyondPlan and Problem `too_many_buckets`. */
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
  // The SQL engine reports the reason.
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

/** Filling this number of buckets without a pause takes a few milliseconds. */
const filledMax = 20_000

/** Whether there are many buckets to fill, estimated by arithmetic. */
function isLongToFill({ aggregation: { granularity } }: NativePlan, days: readonly DayRows[]): boolean {
  const made = granularity.kind === 'zoned' ? granularity.buckets : granularity
  if (!('widthMs' in made)) return false
  const { widthMs } = made
  const buckets = days.reduce((sum, { firstMs, lastMs }) => sum + (lastMs - firstMs) / widthMs + 1, 0)
  return buckets > filledMax
}

interface FinishedRow {
  readonly bucketMs: number
  /** Whether no rows fall in its bucket; only valid for queries that count rows. */
  readonly isEmpty: boolean
  readonly values: GroupRow
}

interface Finished {
  readonly rows: readonly FinishedRow[]
  /** The values of empty buckets. */
  readonly nothing: FinishedRow['values']
}

function itemsOf(
  plan: NativePlan,
  days: readonly DayRows[],
  finished: Finished,
  bucketsMax: number,
): Iterable<JsonItem> {
  const table: SegmentedSource = {
    segments: [{ days: days.map(({ firstMs, lastMs }) => ({ minMs: firstMs, maxMs: lastMs })) }],
  }
  switch (plan.shape.kind) {
    case 'timeseries':
      return timeseries(plan, table, finished, bucketsMax)
    case 'topN':
      return topN(plan, table, finished.rows, bucketsMax)
    case 'groupBy':
      return groupBy(plan, finished.rows)
  }
}

const timeOf = ({ timesAsLong, zone }: NativePlan, ms: number): string =>
  timesAsLong ? String(ms) : jsonText(formatTimestamp(ms, Zone.find(zone) ?? Zone.utc))

function* timeseries(
  plan: NativePlan,
  table: SegmentedSource,
  finished: Finished,
  bucketsMax: number,
): Generator<JsonItem> {
  const { shape } = plan
  if (shape.kind !== 'timeseries') throw new Error('a timeseries is written as one')
  const writer = new RowWriter(plan.outputs, 0)
  const shown = bucketsOf(plan, table, finished, shape.isDescending, bucketsMax)
  if (shape.isDescending) shown.reverse()
  for (const { bucketMs, values } of shape.limit === 0 ? shown : shown.slice(0, shape.limit)) {
    yield timeseriesEntry(timeOf(plan, bucketMs), writer.object(values))
  }
}

/** The buckets in ascending order, including the empty ones that Druid fills. */
function bucketsOf(
  plan: NativePlan,
  table: SegmentedSource,
  { rows, nothing }: Finished,
  isDescending: boolean,
  bucketsMax: number,
): FinishedRow[] {
  const { intervals, skipsEmptyBuckets } = plan
  const buckets = nativeBuckets(plan.aggregation.granularity)
  if (buckets === null) {
    const [only] = rows
    if (only === undefined || (skipsEmptyBuckets && only.isEmpty)) return []
    return [{ ...only, bucketMs: stampOfAll(table, intervals, isDescending) }]
  }
  const byStart = new Map(rows.map((row) => [row.bucketMs, row]))
  if (skipsEmptyBuckets) return rows.toSorted((left, right) => left.bucketMs - right.bucketMs)
  return filledBuckets(table, intervals, buckets, bucketsMax).map(
    (bucketMs) => byStart.get(bucketMs) ?? { bucketMs, isEmpty: true, values: nothing },
  )
}

function* topN(
  plan: NativePlan,
  table: SegmentedSource,
  rows: readonly FinishedRow[],
  bucketsMax: number,
): Generator<JsonItem> {
  const writer = new RowWriter(plan.outputs, 0)
  const asked = { intervals: plan.intervals, buckets: nativeBuckets(plan.aggregation.granularity) }
  for (const { startMs, found } of topNBuckets(table, asked, rows, bucketsMax)) {
    yield listEntry(
      timeOf(plan, startMs),
      mapped(found, ({ values }) => writer.object(values)),
    )
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

/** Rows written at once. */
const rowsAtOnce = 512

/** The response in pieces; null if there are too many rows, which the SQL engine then reports. */
export function answerScan(
  plan: NativeScanPlan,
  scanned: readonly ScannedRow[],
  { resultRows }: Pick<PlannedLimits, 'resultRows'>,
): PlannedAnswer | null {
  const rows = Math.max(0, scanned.length - plan.offset)
  if (rows > resultRows) return null
  const { segmentsOf: name, outputs: columns } = plan
  const segmentOf = (ms: number): string | null => (name === null ? null : segmentId(name, ms))
  return { rows, pieces: scanText({ ...plan, columns, segmentOf }, shownRows(plan, scanned)) }
}

function* shownRows({ outputs, offset }: NativeScanPlan, rows: readonly ScannedRow[]): Generator<readonly EngineRow[]> {
  for (let from = offset; from < rows.length; from += rowsAtOnce) {
    yield rows
      .slice(from, from + rowsAtOnce)
      .map((row) => [BigInt(Number(row[0])), ...outputs.map(({ at }) => row[at]!)])
  }
}
