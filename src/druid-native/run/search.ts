import { floorToBucket } from '../../druid-time/bucket-sql.ts'
import { nativeBucketStart } from '../../druid-time/native-granularity.ts'
import { Zone } from '../../druid-time/zone.ts'
import { type Sql, sql } from '../../lib/sql-text.ts'
import { msPerDay } from '../../model/instant.ts'
import type { EngineRow } from '../../sql-engine/sql-engine.ts'
import { dimensionValue, matchesSearch } from '../compile/extraction.ts'
import { compileFilter } from '../compile/filter.ts'
import type { Relation } from '../compile/relation.ts'
import { unsupported } from '../parse/json-reader.ts'
import type { SearchQuery } from '../parse/native-query-types.ts'
import type { DimensionSpec } from '../parse/query-nodes.ts'
import { plainDimension } from '../parse/read-dimension.ts'
import { orderBy, sortKeys } from '../values/ordering.ts'
import { textValue, toText } from '../values/typed.ts'
import { spans } from './filled-buckets.ts'
import { type JsonItem, jsonText, listEntry, mapped, type OutputColumn, RowWriter } from './json-text.ts'
import { msOf, type Session, sourceOf, timestampWriter } from './session.ts'

/** Hits in one dimension, counted per day. */
function hits(query: SearchQuery, relation: Relation, spec: DimensionSpec): Sql {
  const source = sourceOf(relation, query.virtualColumns, query.intervals)
  const text = toText(dimensionValue(spec, source))
  const filter = query.filter === null ? [] : [compileFilter(query.filter, source, source.index)]
  const time = relation.segments === null ? sql`CAST(0 AS BIGINT)` : source.time().sql
  const day = floorToBucket(time, { kind: 'uniform', widthMs: msPerDay, originMs: 0, zone: Zone.utc }, source.range)
  const from = source.rows(sql.join([...filter, matchesSearch(text, query.query)], ' AND '))
  return sql`SELECT ${day ?? time} AS "day", CAST(${spec.outputName} AS VARCHAR) AS "dimension", ${text} AS "value", count(*) AS "count" FROM ${from} GROUP BY ${sql.positions(3)}`
}

/** Hits are grouped by the start of their segment's day, not by their own time. */
export async function* runSearch(query: SearchQuery, relation: Relation, session: Session): AsyncGenerator<JsonItem> {
  const { granularity } = query
  const named =
    query.dimensions ??
    relation.columns.filter(({ type }) => type === 'STRING').map(({ name }) => plainDimension(name, 'searchDimensions'))
  const reached = spans(relation, query.intervals)
  const [first] = reached
  if (first === undefined || named.length === 0) return
  const segmentStart = (ms: number): number => (relation.segments === null ? ms : Math.floor(ms / msPerDay) * msPerDay)
  const start = segmentStart(first.minMs)
  const entry =
    granularity.kind === 'all'
      ? sql.long(start)
      : floorToBucket(sql`"day"`, granularity, { fromMs: start, untilMs: reached.at(-1)!.maxMs })
  if (entry === null) throw unsupported('granularity', 'a period of several units with this many buckets')
  const union = sql.join(
    named.map((spec) => hits(query, relation, spec)),
    ' UNION ALL ',
  )
  const summed = sql`SELECT ${entry} AS "t", "dimension", "value", CAST(sum("count") AS BIGINT) AS "count" FROM (${union}) AS h GROUP BY ${sql.positions(3)}`
  const order = [...orderBy(sortKeys(textValue(sql`"value"`), query.ordering), false), sql`"dimension"`]
  const ranked = sql`SELECT *, row_number() OVER (PARTITION BY "t" ORDER BY ${sql.list(order)}) AS "k" FROM (${summed}) AS g`
  const rows = await session.rows(
    sql`SELECT * FROM (${ranked}) AS k WHERE "k" <= ${sql.long(query.limit)} ORDER BY "t", "k"`,
  )
  const timestamp = timestampWriter(query)
  // Every searched day has an entry, with or without hits.
  const entries = new Map<number, EngineRow[]>()
  for (const { minMs } of reached)
    entries.set(granularity.kind === 'all' ? start : nativeBucketStart(granularity, segmentStart(minMs)), [])
  for (const row of rows) entries.get(msOf(row[0]))?.push(row)
  const writer = new RowWriter(hitColumns, 1)
  for (const [ms, found] of entries) {
    yield listEntry(
      jsonText(timestamp(ms)),
      mapped(found, (row) => writer.object(row)),
    )
  }
}

const hitColumns: readonly OutputColumn[] = [
  { name: 'dimension', type: 'STRING' },
  { name: 'value', type: 'STRING' },
  { name: 'count', type: 'LONG' },
]
