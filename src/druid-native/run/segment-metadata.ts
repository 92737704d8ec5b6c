import { condense, formatTimestamp, type Interval } from '../../druid-time/iso.ts'
import { type Sql, sql } from '../../lib/sql-text.ts'
import { msPerDay } from '../../model/instant.ts'
import type { EngineValue } from '../../sql-engine/sql-engine.ts'
import type { Column, Relation } from '../compile/relation.ts'
import type { SegmentMetadataQuery } from '../parse/native-query-types.ts'
import { type JsonValue, jsonText, outputValue } from './json-text.ts'
import type { DayBounds } from './native-engine.ts'
import { segmentId } from './scan-text.ts'
import { type Session, sourceOf } from './session.ts'

const dayOf = (ms: number): Interval => {
  const startMs = Math.floor(ms / msPerDay) * msPerDay
  return { startMs, endMs: startMs + msPerDay }
}

/** The days that the query covers: all days that its intervals touch; without intervals, those of the week up to the end of the newest day. */
function daysOf(query: SegmentMetadataQuery, relation: Relation): readonly DayBounds[] {
  const days = relation.segments?.flatMap((segment) => segment.days) ?? []
  const newest = days.reduce((most, { maxMs }) => Math.max(most, dayOf(maxMs).endMs), Number.NEGATIVE_INFINITY)
  const wanted = query.newestWeek ? [{ startMs: newest - 7 * msPerDay, endMs: newest }] : query.intervals
  return days.filter(({ minMs }) =>
    wanted.some(({ startMs, endMs }) => dayOf(minMs).startMs < endMs && dayOf(minMs).endMs > startMs),
  )
}

/** Number of values for each column in the row of aggregates. */
const perColumn = 4

function analysed(column: Column, values: readonly EngineValue[], query: SegmentMetadataQuery): JsonValue {
  const [hasNulls, cardinality, min, max] = values
  const isText = column.type === 'STRING'
  return {
    typeSignature: column.type,
    type: column.type,
    hasMultipleValues: false,
    hasNulls: hasNulls === true,
    size: 0n,
    cardinality: isText ? (query.analyses.has('cardinality') ? outputValue(cardinality, 'LONG') : 0n) : null,
    minValue: isText && query.analyses.has('minmax') ? outputValue(min, 'STRING') : null,
    maxValue: isText && query.analyses.has('minmax') ? outputValue(max, 'STRING') : null,
    errorMessage: null,
  }
}

/** Number of distinct values of a column, including null. */
const valueCount = (value: Sql): Sql =>
  sql`count(DISTINCT ${value}) + max(CASE WHEN ${value} IS NULL THEN 1 ELSE 0 END)`

/** The largest daily number of values of each column: Druid takes the maximum over its segments. */
async function dayCounts(
  source: ReturnType<typeof sourceOf>,
  columns: readonly Column[],
  session: Session,
): Promise<readonly EngineValue[]> {
  const time = source.time().sql
  const day = sql.long(msPerDay)
  const names = columns.map((_, index) => sql.id(`o${index}`))
  const counts = columns.map(({ name, type }, index) => {
    const count = type === 'STRING' ? valueCount(source.column(name).sql) : sql`NULL`
    return sql`${count} AS ${names[index]!}`
  })
  const most = names.map((name) => sql`max(${name}) AS ${name}`)
  const byDay = sql`SELECT ${sql.list(counts)} FROM ${source.rows(null)} GROUP BY ${time} - ((${time} % ${day}) + ${day}) % ${day}`
  const [row] = await session.rows(sql`SELECT ${sql.list(most)} FROM (${byDay}) AS days`)
  return row ?? []
}

async function analyse(
  query: SegmentMetadataQuery,
  relation: Relation,
  session: Session,
  days: readonly Interval[],
  id: string,
): Promise<JsonValue> {
  const intervals = condense(days)
  const { toInclude } = query
  const columns =
    toInclude === 'none' ? [] : relation.columns.filter(({ name }) => toInclude === 'all' || toInclude.includes(name))
  const source = sourceOf(relation, [], intervals)
  const aggregates = columns.flatMap(({ name, type }) => {
    const value = source.column(name).sql
    const texts = type === 'STRING'
    const cardinality = texts && query.analyses.has('cardinality') ? valueCount(value) : sql`NULL`
    const ends =
      texts && query.analyses.has('minmax')
        ? [sql`CASE WHEN count(*) = count(${value}) THEN min(${value}) END`, sql`max(${value})`]
        : [sql`NULL`, sql`NULL`]
    return [sql`coalesce(bool_or(${value} IS NULL), FALSE)`, cardinality, ...ends]
  })
  const list = sql.list(
    [sql`count(*)`, ...aggregates].map((aggregate, index) => sql`${aggregate} AS ${sql.id(`o${index}`)}`),
  )
  const [row] = await session.rows(sql`SELECT ${list} FROM ${source.rows(null)}`)
  const isMerged = days.length > 1 && columns.length > 0 && query.analyses.has('cardinality')
  const counts = isMerged ? await dayCounts(source, columns, session) : null
  const described = columns.map((column, index) => {
    const values = row!.slice(1 + index * perColumn, 1 + (index + 1) * perColumn)
    return [column.name, analysed(column, counts === null ? values : values.with(1, counts[index]!), query)] as const
  })
  return {
    id,
    intervals: query.analyses.has('interval')
      ? intervals.map(({ startMs, endMs }) => `${formatTimestamp(startMs)}/${formatTimestamp(endMs)}`)
      : null,
    columns: Object.fromEntries(described),
    size: 0n,
    numRows: outputValue(row![0], 'LONG'),
    aggregators: null,
    timestampSpec: null,
    queryGranularity: null,
    rollup: null,
  }
}

export async function* runSegmentMetadata(
  query: SegmentMetadataQuery,
  relation: Relation,
  session: Session,
): AsyncGenerator<string> {
  const days = daysOf(query, relation).map(({ minMs }) => dayOf(minMs))
  const name = relation.segments?.[0]?.name ?? ''
  if (days.length === 0) return
  if (query.merge && days.length > 1) {
    const id = `${segmentId(name, days.at(-1)!.startMs)}_merged`
    yield jsonText(await analyse(query, relation, session, days, id))
    return
  }
  for (const day of days) yield jsonText(await analyse(query, relation, session, [day], segmentId(name, day.startMs)))
}
