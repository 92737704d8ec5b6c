// Plans a SELECT of InfluxQL: the SQL query that reads the rows, and how its rows are processed for the response.
import { Zone } from '../druid-time/zone.ts'
import { type Sql, sql } from '../lib/sql-text.ts'
import type { EntityField } from '../model/entity.ts'
import { latestMs } from '../model/instant.ts'
import { Problem } from '../model/problem.ts'
import { type Column, calledOf, columnsOf, isOfPoints, type Leaf, selectorOf } from './columns.ts'
import { matcher } from './patterns.ts'
import { refused } from './refusals.ts'
import { type Scope, tagKey, tagNamed, tagSql } from './scope.ts'
import type { Fill, Select } from './syntax.ts'
import { amongSql, type Clock, patternSql, rangeSql, type TimeRange, timeNs, whereOf } from './where.ts'
import { Windows } from './windows.ts'

/**
 * The columns of `query`: the measurement if `measurement` is null, a text for each tag of `keys` that is read, the time if `hasTime`, then
 * a value for each leaf.
 */
export interface SelectPlan {
  readonly query: Sql
  /** The measurement that is read; null where each row names its own. */
  readonly measurement: string | null
  readonly keys: readonly { readonly name: string; readonly isRead: boolean }[]
  readonly hasTime: boolean
  readonly columns: readonly Column[]
  readonly leaves: readonly Leaf[]
  /** The steps to compute all columns of one point. */
  readonly steps: number
  /** Whether the leaves are computed here from the points themselves (integrals and medians). */
  readonly ofPoints: boolean
  readonly windows: Windows | null
  readonly fill: Fill
  readonly range: TimeRange
  readonly isDescending: boolean
  readonly page: Pick<Select, 'limit' | 'offset' | 'seriesLimit' | 'seriesOffset'>
  readonly zone: Zone
}

/** Null where nothing can be found: the measurement or the fields do not exist, or the time range is empty. */
export function planSelect(
  select: Select,
  scope: Scope,
  names: readonly string[],
  { nowMs, bucketsMax }: { readonly nowMs: number; readonly bucketsMax: number },
): SelectPlan | null {
  const zone = zoneNamed(select.zone)
  const clock: Clock = { nowMs, zone }
  const { range: asked, conditions } = whereOf(select.where, scope, clock)
  const source = sourceOf(select.sources, scope, names)
  const windows = windowsOf(select, clock)
  const keys = keysOf(select, scope)
  const { columns, leaves, steps } = columnsOf(
    select,
    scope,
    keys.map(({ name }) => name),
  )
  if (windows !== null && calledOf(leaves).length === 0)
    throw refused('GROUP BY requires at least one aggregate function')
  // As in InfluxDB, windows end with the present.
  const range = windows !== null && !asked.hasEnd ? { ...asked, untilMs: Math.min(asked.untilMs, nowMs) } : asked
  if (source === null || range.fromMs > range.untilMs || !leaves.some(isField)) return null
  if (windows !== null && select.fill !== 'none' && range.startNs !== null)
    checkBuckets(range, windows, columns.length, bucketsMax)
  const read = {
    select,
    leaves,
    windows,
    range,
    keys: [...source.key, ...keys.flatMap(({ tag }) => (tag === null ? [] : [tagKey(tag)]))],
    conditions: [...rangeSql(range), ...source.conditions, ...conditions],
    from: sql.id(scope.entity.name),
  }
  return {
    ...queryOf(read),
    measurement: source.name,
    keys: keys.map(({ name, tag }) => ({ name, isRead: tag !== null })),
    columns,
    leaves,
    steps,
    ofPoints: leaves.some(isOfPoints),
    windows,
    fill: select.fill,
    range,
    isDescending: select.isDescending,
    page: select,
    zone,
  }
}

const isField = ({ field }: Leaf): boolean => field?.role === 'metric'

function zoneNamed(name: string | null): Zone {
  const zone = name === null ? Zone.utc : Zone.find(name)
  if (zone === null) throw refused(`unable to find time zone ${name}: write it as tz('Europe/Madrid')`)
  return zone
}

function windowsOf({ groupBy: { interval } }: Select, clock: Clock): Windows | null {
  if (interval === null) return null
  const offsetNs = interval.offset === null ? 0n : timeNs(interval.offset, clock)
  if (interval.ns % 1_000_000n !== 0n || offsetNs % 1_000_000n !== 0n)
    throw refused('GROUP BY time() accepts only whole milliseconds, the finest precision here.')
  const intervalMs = Number(interval.ns / 1_000_000n)
  if (intervalMs > latestMs) throw refused('The interval of GROUP BY time() is too long: write a shorter one.')
  return new Windows(intervalMs, Number(offsetNs / 1_000_000n) % intervalMs, clock.zone)
}

export function tooManyBuckets(bucketsMax: number): Problem {
  return new Problem(
    'too_many_buckets',
    `The answer would have more than ${bucketsMax} windows, counted for each column (limits.buckets). Use a shorter range, longer windows or fewer columns, or write fill(none).`,
  )
}

function checkBuckets(
  { fromMs, untilMs }: TimeRange,
  { intervalMs }: Windows,
  columns: number,
  bucketsMax: number,
): void {
  if (((untilMs - fromMs) / intervalMs) * columns > bucketsMax) throw tooManyBuckets(bucketsMax)
}

/** `tag` is null when the entity does not have the tag. All rows then have ''. */
interface Key {
  readonly name: string
  readonly tag: EntityField | null
}

function keysOf({ groupBy: { tags, allTags } }: Select, scope: Scope): readonly Key[] {
  const patterns = tags.flatMap((tag) => (typeof tag === 'string' ? [] : [matcher(tag)]))
  const named = tags.filter((tag) => typeof tag === 'string')
  const matched = scope.tags.filter(({ name }) => allTags || patterns.some((matches) => matches(name)))
  const names = [...new Set([...named, ...matched.map(({ name }) => name)])].sort()
  return names.map((name) => ({ name, tag: tagNamed(scope, name) }))
}

export interface SourceRows {
  /** The measurement; null where each row names its own. */
  readonly name: string | null
  /** The column with the measurement where rows name their own, else empty. */
  readonly key: readonly Sql[]
  readonly conditions: readonly Sql[]
}

/** `names` are those of the entity as the only measurement. Null when there is no such measurement. */
export function sourceOf(
  sources: Select['sources'],
  { measurement, entity }: Scope,
  names: readonly string[],
): SourceRows | null {
  if (measurement === null) {
    const found = sources.find(({ measurement: asked }) => names.some(matcher(asked)))
    if (found === undefined) return sources.length === 0 ? { name: entity.name, key: [], conditions: [] } : null
    return { name: typeof found.measurement === 'string' ? found.measurement : entity.name, key: [], conditions: [] }
  }
  const texts = sources.flatMap(({ measurement: asked }) => (typeof asked === 'string' ? [asked] : []))
  const patterns = sources.flatMap(({ measurement: asked }) =>
    typeof asked === 'string' ? [] : [patternSql(measurement, asked, false)],
  )
  const either = [...(texts.length === 0 ? [] : [amongSql(measurement, texts)]), ...patterns]
  const conditions = either.length === 0 ? [] : [sql`(${sql.join(either, ' OR ')})`]
  const [only] = texts
  if (only !== undefined && sources.length === 1) return { name: only, key: [], conditions }
  return { name: null, key: [sql.id(measurement.name)], conditions }
}

interface Reading {
  readonly select: Select
  readonly leaves: readonly Leaf[]
  readonly windows: Windows | null
  readonly range: TimeRange
  readonly keys: readonly Sql[]
  readonly conditions: readonly Sql[]
  readonly from: Sql
}

function queryOf(reading: Reading): Pick<SelectPlan, 'query' | 'hasTime'> {
  const { leaves, windows } = reading
  const called = calledOf(leaves)
  if (called.length === 0 || leaves.some(isOfPoints)) return { query: rowsQuery(reading), hasTime: true }
  const selected = selectorOf(called)
  if (selected === null || selected.field === null || (windows !== null && leaves.length === 1))
    return { query: groupsQuery(reading), hasTime: windows !== null }
  const isOfTime = selected.call === 'first' || selected.call === 'last'
  const query = isOfTime && windows === null ? endQuery(reading, selected) : pointQuery(reading, selected)
  return { query, hasTime: true }
}

export const whereSql = (conditions: readonly Sql[]): Sql =>
  conditions.length === 0 ? sql.empty : sql` WHERE ${sql.join(conditions, ' AND ')}`

const column = ({ field }: Leaf): Sql => {
  if (field === null) return sql`CAST(NULL AS DOUBLE)`
  return field.role === 'metric' ? sql.id(field.name) : tagSql(field)
}

/** The rows that have a value in at least one of the fields, unchanged. */
function rowsQuery(reading: Reading): Sql {
  const { select, leaves, range, keys, conditions, from } = reading
  const fields = leaves.filter(isField).map(column)
  const some = sql`(${sql.join(
    fields.map((field) => sql`${field} IS NOT NULL`),
    ' OR ',
  )})`
  const rows = sql`SELECT ${namedColumns([...keys, sql`__time`, ...leaves.map(column)])} FROM ${from}${whereSql([...conditions, some])}`
  // The store orders rows only by time.
  if (keys.length > 0) return sql`SELECT * FROM (${rows})${ordered(keys.length + 1, reading)}`
  const isCut =
    select.limit !== null && select.columns.every(({ value }) => value.kind === 'name' || value.kind === 'wildcard')
  const limit = isCut ? sql` LIMIT ${select.limit! + select.offset}` : sql.empty
  // Rows of a single time are in order already, and Druid refuses to sort by a constant.
  if (range.fromMs === range.untilMs) return sql`${rows}${limit}`
  return sql`${rows} ORDER BY __time${select.isDescending ? sql` DESC` : sql.empty}${limit}`
}

/** Gives each column its own name: SQL allows no duplicate names here. */
export const namedColumns = (columns: readonly Sql[]): Sql =>
  sql.list(columns.map((one, at) => sql`${one} AS ${sql.id(`c${at}`)}`))

function groupsQuery(reading: Reading): Sql {
  const { leaves, windows, range, keys, conditions, from } = reading
  const groups = [...keys, ...(windows === null ? [] : [windows.sql(range.fromMs, range.untilMs)])]
  const columns = namedColumns([...groups, ...leaves.map(aggregateSql)])
  const grouped = groups.length === 0 ? sql.empty : sql` GROUP BY ${sql.positions(groups.length)}`
  return sql`SELECT ${columns} FROM ${from}${whereSql(conditions)}${grouped}${ordered(groups.length, reading)}`
}

function ordered(count: number, { select }: Reading): Sql {
  if (count === 0) return sql.empty
  const way = select.isDescending ? sql` DESC` : sql.empty
  const places = Array.from({ length: count }, (_, at) => sql`${sql.id(`c${at}`)}${way}`)
  return sql` ORDER BY ${sql.list(places)}`
}

function aggregateSql(leaf: Leaf): Sql {
  const { call, field } = leaf
  const value = column(leaf)
  switch (call) {
    case 'mean':
      return field?.type === 'long' ? sql`AVG(CAST(${value} AS DOUBLE))` : sql`AVG(${value})`
    case 'count':
      return sql`COUNT(${value})`
    case 'count_distinct':
      return sql`COUNT(DISTINCT ${value})`
    case 'spread':
      return sql`MAX(${value}) - MIN(${value})`
    case 'stddev':
      return sql`CASE WHEN COUNT(${value}) > 1 THEN STDDEV(${value}) END`
    case 'first':
      return sql`EARLIEST(${value}) FILTER (WHERE ${value} IS NOT NULL)`
    case 'last':
      return sql`LATEST(${value}) FILTER (WHERE ${value} IS NOT NULL)`
    case 'sum':
      return sql`SUM(${value})`
    case 'min':
      return sql`MIN(${value})`
    case 'max':
      return sql`MAX(${value})`
    default:
      throw new Error(`${call} is no aggregate of SQL`)
  }
}

/** The first or last point at its own time, with the other values of its row. */
function endQuery(reading: Reading, selected: Leaf): Sql {
  const { leaves, keys, conditions, from } = reading
  const [time, value] =
    selected.call === 'last'
      ? [sql`MAX(__time)`, (one: Sql) => sql`LATEST(${one})`]
      : [sql`MIN(__time)`, (one: Sql) => sql`EARLIEST(${one})`]
  const columns = namedColumns([...keys, time, ...leaves.map((leaf) => value(column(leaf)))])
  const grouped = keys.length === 0 ? sql.empty : sql` GROUP BY ${sql.positions(keys.length)}`
  const some = sql`${column(selected)} IS NOT NULL`
  return sql`SELECT ${columns} FROM ${from}${whereSql([...conditions, some])}${grouped}${ordered(keys.length, reading)}`
}

/** The selected point of each series or window. */
function pointQuery(reading: Reading, selected: Leaf): Sql {
  const { leaves, windows, range, keys, conditions, from } = reading
  const value = column(selected)
  const order = {
    min: sql`${value}, __time`,
    max: sql`${value} DESC, __time`,
    first: sql`__time`,
    last: sql`__time DESC`,
  }[selected.call!]!
  const time = windows === null ? sql`__time` : windows.sql(range.fromMs, range.untilMs)
  const groups = windows === null ? keys : [...keys, time]
  const partition = groups.length === 0 ? sql.empty : sql`PARTITION BY ${sql.list(groups)} `
  const columns = [...keys, time, ...leaves.map(column)]
  const inner = sql`SELECT ${namedColumns(columns)}, ROW_NUMBER() OVER (${partition}ORDER BY ${order}) AS n FROM ${from}${whereSql([...conditions, sql`${value} IS NOT NULL`])}`
  const outer = sql.list(columns.map((_, at) => sql.id(`c${at}`)))
  return sql`SELECT ${outer} FROM (${inner}) WHERE n = 1${ordered(groups.length, reading)}`
}
