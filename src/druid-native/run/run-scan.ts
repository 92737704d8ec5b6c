import { type Sql, sql } from '../../lib/sql-text.ts'
import { compileFilter } from '../compile/filter.ts'
import type { Column, Relation } from '../compile/relation.ts'
import { unsupported } from '../parse/json-reader.ts'
import type { ScanQuery } from '../parse/native-query-types.ts'
import { typedNull } from '../values/typed.ts'
import type { OutputColumn } from './json-text.ts'
import { scanText, segmentId } from './scan-text.ts'
import { answered, type Session, sourceOf } from './session.ts'

interface Compiled {
  /** Columns are named r0 (the time, 0 if there is none), r1, r2 and so on. */
  readonly statement: Sql
  readonly columns: readonly OutputColumn[]
}

function compile(query: ScanQuery, relation: Relation): Compiled {
  const source = sourceOf(relation, query.virtualColumns, query.intervals)
  const all = [...relation.columns.map(({ name }) => name), ...query.virtualColumns.map(({ name }) => name)]
  const names = query.columns.length === 0 ? [...new Set(all)] : query.columns
  const values = names.map((name) => source.column(name))
  const isDescending = query.order === 'descending'
  const hasTime = relation.columns.some(({ name }) => name === '__time')
  const time = hasTime ? source.time().sql : sql`CAST(0 AS BIGINT)`
  const ties =
    query.limit === null && query.offset === 0
      ? []
      : relation.columns
          .filter(({ name }) => name !== '__time')
          .map(({ name }) => sql`${source.column(name).sql} ASC NULLS FIRST`)
  const condition = query.filter === null ? null : compileFilter(query.filter, source, source.index)
  const list = [
    sql`${time} AS "r0"`,
    ...values.map(
      (value, index) => sql`${value.type === null ? typedNull(null) : answered(value)} AS ${sql.id(`r${index + 1}`)}`,
    ),
  ]
  // Rows of a segment are sorted by time and then by their columns, which determines the rows within a limit.
  const order = hasTime
    ? sql` ORDER BY ${sql.list([sql`${source.instant(isDescending)} ${isDescending ? sql`DESC` : sql`ASC`}`, ...ties])}`
    : sql.empty
  const cut = sql`${query.limit === null ? sql.empty : sql` LIMIT ${sql.long(query.limit)}`}${query.offset === 0 ? sql.empty : sql` OFFSET ${sql.long(query.offset)}`}`
  const untyped = new Set(relation.columns.filter((column) => column.untyped).map(({ name }) => name))
  return {
    statement: sql`SELECT ${sql.list(list)} FROM ${source.rows(condition)}${order}${cut}`,
    columns: names.map((name, index) => {
      const { type, isMulti = false } = values[index]!
      return { name, type: untyped.has(name) ? null : type, isMulti }
    }),
  }
}

/** A scan as the source of another query. */
export function scanRelation(query: ScanQuery, relation: Relation): { statement: Sql; columns: readonly Column[] } {
  const { statement, columns } = compile(query, relation)
  const multi = columns.find(({ isMulti }) => isMulti)
  if (multi !== undefined) throw unsupported('dataSource.query', `the multi-value column "${multi.name}"`)
  return {
    statement,
    columns: [
      { name: '', type: 'LONG' },
      ...columns.map(({ name, type }) => ({
        name,
        type: type ?? ('STRING' as const),
        isUndeclaredType: name !== '__time' && query.virtualColumns.every((column) => column.name !== name),
      })),
    ],
  }
}

/** The text of the result, streamed. One entry per day and batch if rows are returned by segment, one per batch if they are ordered by time. */
export function runScan(query: ScanQuery, relation: Relation, session: Session): AsyncGenerator<string> {
  const { statement, columns } = compile(query, relation)
  const segmentOf = (ms: number): string | null => (query.order === 'none' ? segmentOfTime(relation, ms) : null)
  return scanText({ ...query, columns, segmentOf }, session.stream(statement))
}

function segmentOfTime(relation: Relation, ms: number): string | null {
  const table = relation.segments?.[0]
  return table === undefined ? null : segmentId(table.name, ms)
}
