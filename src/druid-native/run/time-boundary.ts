import { sql } from '../../lib/sql-text.ts'
import { compileFilter } from '../compile/filter.ts'
import type { Relation } from '../compile/relation.ts'
import type { DataSourceMetadataQuery, TimeBoundaryQuery } from '../parse/native-query-types.ts'
import { type JsonValue, jsonText } from './json-text.ts'
import { msOf, type Session, sourceOf, timestampWriter } from './session.ts'

/** The times of the first and last row; null if there are no rows. */
async function boundary(
  query: TimeBoundaryQuery | DataSourceMetadataQuery,
  relation: Relation,
  session: Session,
): Promise<readonly [number, number] | null> {
  const source = sourceOf(relation, query.virtualColumns, query.intervals)
  const time = source.time().sql
  const condition =
    query.kind === 'dataSourceMetadata' || query.filter === null
      ? null
      : compileFilter(query.filter, source, source.index)
  const [row] = await session.rows(sql`SELECT min(${time}), max(${time}) FROM ${source.rows(condition)}`)
  return row === undefined || row[0] === null ? null : [msOf(row[0]), msOf(row[1])]
}

export async function* runTimeBoundary(
  query: TimeBoundaryQuery,
  relation: Relation,
  session: Session,
): AsyncGenerator<string> {
  const found = await boundary(query, relation, session)
  if (found === null) return
  const [minTime, maxTime] = found.map(timestampWriter(query)) as [JsonValue, JsonValue]
  const both = { minTime, maxTime }
  const { bound } = query
  yield jsonText({ timestamp: both[bound ?? 'minTime'], result: bound === null ? both : { [bound]: both[bound] } })
}

export async function* runDataSourceMetadata(
  query: DataSourceMetadataQuery,
  relation: Relation,
  session: Session,
): AsyncGenerator<string> {
  const found = await boundary(query, relation, session)
  if (found === null) return
  const maxIngestedEventTime = timestampWriter(query)(found[1])
  yield jsonText({ timestamp: maxIngestedEventTime, result: { maxIngestedEventTime } })
}
