// The sources of a query (tables, unions, inner queries, inline rows, joins) as relations whose columns have Druid types.

import { eternity, type Interval } from '../../druid-time/iso.ts'
import { type Sql, sql } from '../../lib/sql-text.ts'
import type { Scalar } from '../parse/json-reader.ts'
import type { InlineColumn } from '../parse/native-query-types.ts'
import type { DayBounds, NativeTable } from '../run/native-engine.ts'
import { convert, type NativeType, sqlType, typedNull, type ValueType } from '../values/typed.ts'

export interface Column {
  readonly name: string
  readonly type: ValueType
  /** Has no declared type; possible for columns of inline rows. */
  readonly untyped?: boolean
  /** A column of an inner scan, whose type is not declared: bounds treat its null as a missing text. */
  readonly isUndeclaredType?: boolean
}

export interface Relation {
  /** Begins with `__time` if there is one. */
  readonly columns: readonly Column[]
  /** The tables in it, each with its days; null if rows are not stored by day. */
  readonly segments: readonly { readonly name: string; readonly days: readonly DayBounds[] }[] | null
  /**
   * A column of `select` with the time as stored in files, so that an ORDER BY with a limit lets the engine skip data that it does not need. Null
   * if there is none.
   */
  readonly instant: Sql | null
  /** A column of `select` with the rows' positions: of two rows at one time, the higher was pushed later. Null if there is none. */
  readonly position: Sql | null
  /** The named columns as c0, c1 and so on, for the rows within the intervals, in parentheses. `newestFirst` is a hint for the reading order. */
  select(names: readonly string[], intervals: readonly Interval[], newestFirst?: boolean): Sql
}

/** Whether a time lies in one of the intervals. Bounds at the end of all time are omitted, because no row lies beyond them. */
export function within(time: Sql, intervals: readonly Interval[], literal: (ms: number) => Sql = sql.long): Sql {
  const one = ({ startMs, endMs }: Interval): Sql => {
    const parts = [
      ...(startMs <= eternity.startMs ? [] : [sql`${time} >= ${literal(startMs)}`]),
      ...(endMs >= eternity.endMs ? [] : [sql`${time} < ${literal(endMs)}`]),
    ]
    return parts.length === 0 ? sql`TRUE` : sql`(${sql.join(parts, ' AND ')})`
  }
  return intervals.length === 0 ? sql`FALSE` : sql`(${sql.join(intervals.map(one), ' OR ')})`
}

/** The columns named c0, c1 and so on. */
export const selected = (columns: readonly Sql[]): Sql =>
  columns.length === 0
    ? sql`1 AS c0`
    : sql.list(columns.map((column, index) => sql`${column} AS ${sql.id(`c${index}`)}`))

const instant = sql.id('instant')
const position = sql.id('position')

type Reading = readonly [intervals: readonly Interval[], newestFirst?: boolean]

export function tableRelation(table: NativeTable, days: readonly DayBounds[]): Relation {
  const columns: Column[] = [
    { name: '__time', type: 'LONG' },
    ...table.columns.map(({ name, type }) => ({ name, type })),
  ]
  const values = new Map([
    ['__time', sql`epoch_ms(${table.time})`],
    ...table.columns.map(({ name, value }) => [name, value] as const),
  ])
  const literal = (ms: number): Sql => sql`make_timestamptz(${sql.long(BigInt(ms) * 1000n)})`
  const conditionOf = (intervals: readonly Interval[]): Sql =>
    intervals.length === 1 || holdAll(intervals, days)
      ? sql.empty
      : sql` WHERE ${within(table.time, intervals, literal)}`
  return {
    columns,
    segments: [{ name: table.name, days }],
    instant,
    position,
    select: (names, intervals, newestFirst = false) =>
      sql`(SELECT ${selected(names.map((name) => values.get(name)!))}, ${table.time} AS ${instant}, ${table.position} AS ${position} FROM ${table.from(intervals, newestFirst)} AS t${conditionOf(intervals)})`,
  }
}

/** Whether all rows lie in the intervals, so that their times need not be checked. */
function holdAll(intervals: readonly Interval[], days: readonly DayBounds[]): boolean {
  return days.every(({ minMs, maxMs }) => intervals.some(({ startMs, endMs }) => startMs <= minMs && maxMs < endMs))
}

/** The rows of all members. A column has the type of the first member that has it. */
export function unionRelation(members: readonly Relation[]): Relation {
  const columns = new Map<string, Column>()
  for (const member of members)
    for (const column of member.columns) if (!columns.has(column.name)) columns.set(column.name, column)
  const isTimed = members.every((member) => member.instant !== null && member.position !== null)
  const memberSelect = (member: Relation, names: readonly string[], ...[intervals, newestFirst]: Reading): Sql => {
    const there = names.filter((name) => member.columns.some((column) => column.name === name))
    const value = (name: string): Sql => {
      const { type } = columns.get(name)!
      const own = member.columns.find((column) => column.name === name)
      return own === undefined
        ? typedNull(type)
        : convert({ type: own.type, sql: sql.id(`c${there.indexOf(name)}`) }, type).sql
    }
    const time = isTimed ? sql`, ${instant}, ${position}` : sql.empty
    return sql`SELECT ${selected(names.map(value))}${time} FROM ${member.select(there, intervals, newestFirst)} AS m`
  }
  return {
    columns: [...columns.values()],
    segments: members.flatMap((member) => member.segments ?? []),
    instant: isTimed ? instant : null,
    position: isTimed ? position : null,
    select: (names, ...reading) =>
      sql`(${sql.join(
        members.map((member) => memberSelect(member, names, ...reading)),
        ' UNION ALL ',
      )})`,
  }
}

/** The rows of a statement with columns r0, r1 and so on. */
export function statementRelation(statement: Sql, columns: readonly Column[]): Relation {
  const at = new Map(columns.map((column, index) => [column.name, sql.id(`r${index}`)]))
  return {
    columns,
    segments: null,
    instant: null,
    position: null,
    select: (names, intervals) => {
      const time = at.get('__time')
      // Rows without a time match any interval, but nothing if all intervals are empty.
      const isNone = intervals.every(({ startMs, endMs }) => startMs >= endMs)
      const condition = time !== undefined ? within(time, intervals) : isNone ? sql`FALSE` : sql`TRUE`
      return sql`(SELECT ${selected(names.map((name) => at.get(name)!))} FROM (${statement}) AS q WHERE ${condition})`
    },
  }
}

function typeOf(values: readonly (Scalar | null)[]): NativeType {
  const there = values.filter((value) => value !== null)
  if (there.length === 0 || there.some((value) => typeof value === 'string')) return 'STRING'
  return there.every((value) => typeof value !== 'number' || Number.isSafeInteger(value)) ? 'LONG' : 'DOUBLE'
}

function inlineValue(value: Scalar | null, type: ValueType): Sql {
  if (value === null) return typedNull(type)
  const plain = typeof value === 'boolean' ? (type === 'STRING' ? String(value) : Number(value)) : value
  if (type === 'STRING') return sql`CAST(${String(plain)} AS VARCHAR)`
  const number = Number(plain)
  if (plain === '' || Number.isNaN(number)) return typedNull(type)
  if (type !== 'LONG') return sql`CAST(${sql.double(number)} AS ${sqlType(type)})`
  if (typeof plain === 'bigint') return sql.long(plain)
  return sql.long(/^-?\d+$/.test(String(plain)) ? BigInt(String(plain)) : longOf(number))
}

/** Converts as a Java cast does: values out of range become the nearest long. */
function longOf(number: number): bigint {
  const [least, most] = [-(2n ** 63n), 2n ** 63n - 1n]
  if (Math.abs(number) >= 2 ** 63) return number < 0 ? least : most
  return BigInt(Math.trunc(number))
}

export function inlineRelation(
  wanted: readonly InlineColumn[],
  rows: readonly (readonly (Scalar | null)[])[],
): Relation {
  const columns = wanted.map(
    ({ name, type }, index): Column => ({
      name,
      type: type ?? typeOf(rows.map((row) => row[index] ?? null)),
      untyped: type === null,
    }),
  )
  const names = sql.list(columns.map((_, index) => sql.id(`r${index}`)))
  const list =
    rows.length === 0
      ? [columns.map(({ type }) => typedNull(type))]
      : rows.map((row) => columns.map(({ type }, index) => inlineValue(row[index] ?? null, type)))
  const values = sql.list(list.map((row) => sql`(${sql.list(row)})`))
  const none = rows.length === 0 ? sql` WHERE FALSE` : sql.empty
  return statementRelation(sql`SELECT * FROM (VALUES ${values}) AS i(${names})${none}`, columns)
}
