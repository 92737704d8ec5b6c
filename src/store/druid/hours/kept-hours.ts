// The data that a cluster keeps of expired rows: hours, in a data source of their own, and expired rows without hours so far, which are hidden.
import type { TimeBuckets } from '../../../algebra/aggregation.ts'
import type { DeletionMetric, HiddenByDeletion } from '../../../model/deletion.ts'
import { timeColumn } from '../../../model/druid-row.ts'
import { type Entity, fieldsOfRole } from '../../../model/entity.ts'
import type { Granularity, ZonedGranularity } from '../../../model/granularity.ts'
import type { Range } from '../../../model/plan.ts'
import { rowsExpired } from '../../../model/rows-expired.ts'
import { hourParts, partColumn } from '../../hours/hour-row.ts'
import { type Kept, keptRange } from '../../hours/needed-rows.ts'
import { hourMs } from '../../hours/whole-hours.ts'
import { tooManyBuckets } from '../../limits.ts'
import { oneRow, type QueryTarget } from '../druid-query.ts'
import { intervalsOf } from '../native-query.ts'
import { replacedRows } from './replaced-rows.ts'

/** The data kept of an entity's expired rows, as a query sees it. */
export interface KeptHours extends Kept {
  /** Hours before this date have expired too. */
  readonly sinceMs: number
  /** Rows before this date have hours, except for late rows. */
  readonly madeMs: number
  /** The names of the tags. Each combination of their values has its own hours. */
  readonly tags: readonly string[]
  readonly hours: QueryTarget
  /** Rows, except those that hours have replaced. */
  readonly rows: QueryTarget
}

/** Null where no rows have expired or no hours are kept. `rows` already excludes deleted rows. */
export function keptHours(
  entity: Pick<Entity, 'fields' | 'sinceMs' | 'hours' | 'hidden'>,
  rows: QueryTarget,
  hoursSource: string,
): KeptHours | null {
  const { hours, sinceMs: untilMs, hidden = [] } = entity
  if (hours === undefined || untilMs === null) return null
  const { sinceMs, made } = hours
  const left = made === undefined ? null : replacedRows(entity, made)
  return {
    untilMs,
    sinceMs: sinceMs ?? Number.NEGATIVE_INFINITY,
    madeMs: made?.madeMs ?? Number.NEGATIVE_INFINITY,
    tags: fieldsOfRole(entity, 'tag').map(({ name }) => name),
    hours: { ...rows, dataSource: hoursSource, hidden: hidden.flatMap(hidingHours) },
    rows: left === null ? rows : { ...rows, hidden: [...rows.hidden, left] },
  }
}

/**
 * A deletion as it applies to hours: it hides hours made before it, because later ones were made without its rows. A deletion with a condition hides no
 * hours: it has hidden all that it hides among rows.
 */
export function hidingHours({ id, selection }: HiddenByDeletion): HiddenByDeletion[] {
  const { metrics, toMs, where } = selection
  if (where !== null) return []
  const ofHours = {
    ...selection,
    metrics: metrics?.flatMap(partsOf) ?? null,
    // The date of an hour is its start.
    toMs: toMs === null ? null : toMs + 1 - hourMs,
  }
  return [{ id, selection: ofHours, pushed: [{ from: 0, before: id }], items: null }]
}

function partsOf({ name, type }: DeletionMetric): DeletionMetric[] {
  return type === 'double' || type === 'long' ? hourParts.map((part) => partColumn({ name, type }, part)) : []
}

/** The ranges of hours and of rows that a query by whole hours reads. */
export interface KeptRanges {
  readonly hours: Range
  readonly rows: Range
}

/** Null where rows cover the whole range. Throws Problem `rows_expired` where the range includes only a part of an expired hour. */
export function rangesOf(kept: KeptHours, range: Range): KeptRanges | null {
  const whole = keptRange(kept, range)
  if (whole === null) return null
  const fromMs = Math.max(whole.fromMs, kept.sinceMs)
  return {
    hours: { fromMs, toMs: Math.min(whole.toMs, kept.madeMs - 1) },
    rows: { fromMs, toMs: range.toMs >= kept.untilMs ? range.toMs : whole.toMs },
  }
}

/** Null where nothing is kept of expired rows. */
export async function firstHour({ hours, rows, sinceMs, madeMs, untilMs }: KeptHours): Promise<number | null> {
  const of = async (target: QueryTarget, toMs: number): Promise<number> => {
    const aggregations = [
      { type: 'longMin', name: ':first', fieldName: timeColumn },
      { type: 'count', name: ':rows' },
    ]
    const [first, rows] = await oneRow(target, intervalsOf(sinceMs, toMs), null, aggregations)
    return Number(rows ?? 0) > 0 ? Number(first) : Number.POSITIVE_INFINITY
  }
  const firstMs = Math.min(await of(hours, madeMs - 1), await of(rows, untilMs - 1))
  return firstMs === Number.POSITIVE_INFINITY ? null : Math.floor(firstMs / hourMs) * hourMs
}

/** Throws Problem `rows_expired` where a bucket in the local time of a zone starts within an expired hour. */
export function requireWholeHours(
  kept: KeptHours,
  granularity: Granularity | ZonedGranularity,
  buckets: TimeBuckets | null,
  { fromMs, toMs }: Range,
  bucketsMax: number,
): void {
  if (granularity.kind !== 'zoned' || buckets === null || fromMs > toMs) return
  let count = 0
  for (let at = buckets.endOf(fromMs); at <= toMs; ) {
    if (++count > bucketsMax) throw tooManyBuckets(bucketsMax)
    const endMs = buckets.endOf(at)
    const alike = buckets.startOf(at) === at ? buckets.equalBuckets(at, toMs) : 1
    if (at % hourMs !== 0 || (alike > 1 && (endMs - at) % hourMs !== 0))
      throw rowsExpired(kept, 'only the hours of earlier rows are kept, and a bucket cuts one of them')
    at += alike * (endMs - at)
  }
}
