// Validates a query for Druid as if it ran here, so that a cluster rejects what one machine rejects, with the same messages, before Druid
// receives the query.

import type { Interval } from '../../druid-time/iso.ts'
import { sql } from '../../lib/sql-text.ts'
import type { Entity } from '../../model/entity.ts'
import { Problem } from '../../model/problem.ts'
import { engineTable } from '../../sql-engine/entity-table.ts'
import type { Column } from '../compile/relation.ts'
import type { DataSource, NativeQuery } from '../parse/native-query-types.ts'
import { relationOf } from '../run/data-source.ts'
import { tableColumns } from '../run/file-tables.ts'
import { filledBuckets } from '../run/filled-buckets.ts'
import type { DayBounds, NativeEngine, NativeLimits, NativeTable } from '../run/native-engine.ts'
import { runNative } from '../run/run-native.ts'
import { Session } from '../run/session.ts'
import { checkArraySizes } from './array-sizes.ts'
import { checkPlanning } from './planning-cost.ts'
import { queriesWithin, tablesOf } from './queries-within.ts'
import { checkWrittenSizes } from './written-sizes.ts'

/** Throws the Problems of `runNative` that can be detected without rows, and those for queries that only Druid could not handle. */
export async function checkQuery(query: NativeQuery, entities: readonly Entity[], limits: NativeLimits): Promise<void> {
  checkPlanning(query)
  checkWrittenSizes(query)
  checkArraySizes(query)
  const { startMs = 0 } = query.intervals[0] ?? {}
  // segmentMetadata returns something for every day, so its tables have none.
  const days = query.kind === 'segmentMetadata' ? [] : [{ minMs: startMs, maxMs: startMs }]
  for await (const _ of runNative(untimed(query), new EmptyTables(entities, days), limits)) {
    // The result over empty tables is discarded.
  }
}

/** The columns of a data source, in order. */
export async function columnsOf(source: DataSource, entities: readonly Entity[]): Promise<readonly Column[]> {
  // A session requests one row more than the limit.
  const most = Number.MAX_SAFE_INTEGER - 1
  const unlimited = { rowsMax: most, bucketsMax: most, bytesMax: most }
  const { columns } = await relationOf(untimedSource(source), new Session(new EmptyTables(entities, []), unlimited))
  return columns
}

/** Removes granularities: the number of buckets depends on the rows and is checked separately. */
function untimed(query: NativeQuery): NativeQuery {
  const context = { ...query.context, grandTotal: false }
  const whole = { ...query, context, dataSource: untimedSource(query.dataSource) }
  return 'granularity' in whole ? { ...whole, granularity: { kind: 'all' } } : whole
}

function untimedSource(source: DataSource): DataSource {
  if (source.kind === 'query') return { ...source, query: untimed(source.query) }
  if (source.kind !== 'join') return source
  return { ...source, left: untimedSource(source.left), right: untimedSource(source.right) }
}

/** Entities with at most one day, which has no rows. */
class EmptyTables implements NativeEngine {
  readonly #entities: readonly Entity[]
  readonly #days: readonly DayBounds[]

  constructor(entities: readonly Entity[], days: readonly DayBounds[]) {
    this.#entities = entities
    this.#days = days
  }

  async table(name: string): Promise<NativeTable | null> {
    const entity = this.#entities.find((one) => one.name === name)
    if (entity === undefined) return null
    return {
      name,
      columns: tableColumns(engineTable(entity, [])),
      time: sql`t."t"`,
      position: sql`t."p"`,
      from: () => sql`nothing`,
    }
  }

  async days(): Promise<readonly DayBounds[]> {
    return this.#days
  }

  async *run(): AsyncGenerator<never> {
    // No rows.
  }
}

/** Returns the days with rows in the named tables that the intervals touch. */
export type DaysOf = (names: readonly string[], intervals: readonly Interval[]) => Promise<readonly DayBounds[]>

/** Throws Problem `too_many_buckets`. `daysOf` is called only if the intervals alone have too many buckets. */
export async function checkBuckets(query: NativeQuery, daysOf: DaysOf, bucketsMax: number): Promise<void> {
  for (const one of queriesWithin(query)) {
    if (one.kind !== 'timeseries' && one.kind !== 'topN') continue
    const { granularity, intervals, context } = one
    if (granularity.kind === 'all' || (one.kind === 'timeseries' && context.skipEmptyBuckets)) continue
    try {
      filledBuckets({ segments: null }, intervals, granularity, bucketsMax)
    } catch (error) {
      const names = tablesOf(one.dataSource)
      if (names === null || !(error instanceof Problem)) throw error
      filledBuckets({ segments: [{ days: await daysOf(names, intervals) }] }, intervals, granularity, bucketsMax)
    }
  }
}
