// SHOW: lists databases, measurements, tags and fields. Names in definitions are read from there; everything else is queried from the rows.
import { addTo } from '../lib/add-to.ts'
import { type Sql, sql } from '../lib/sql-text.ts'
import { fixedMs, parseDuration } from '../model/duration.ts'
import type { EntityField } from '../model/entity.ts'
import { type Row, textOf } from './answer-rows.ts'
import { matcher } from './patterns.ts'
import { namedColumns, type SourceRows, sourceOf, whereSql } from './plan-select.ts'
import { refused } from './refusals.ts'
import { type Scope, tagKey, tagSql } from './scope.ts'
import type { SeriesPart } from './series.ts'
import type { Show } from './syntax.ts'
import { type Clock, patternSql, rangeSql, whereOf } from './where.ts'

export interface ShownIn {
  readonly scope: Scope
  /** Names of the entity where it is the only measurement. */
  readonly names: readonly string[]
  readonly clock: Clock
  readonly ask: (query: Sql) => Promise<readonly Row[]>
}

/** Rows of one part, which are written together. */
const rowsAtOnce = 8192

function* listOf(
  name: string | null,
  columns: readonly string[],
  values: readonly (readonly string[])[],
): Generator<SeriesPart> {
  const head = { name, tags: [], columns }
  for (let begin = 0; begin < values.length; begin += rowsAtOnce) {
    const rows = values.slice(begin, begin + rowsAtOnce).map((row) => row.map((value) => JSON.stringify(value)))
    yield { head, times: null, rows }
  }
}

function* joined(lists: readonly Iterable<SeriesPart>[]): Generator<SeriesPart> {
  for (const list of lists) yield* list
}

export function showDatabases(names: readonly string[]): Iterable<SeriesPart> {
  return listOf(
    'databases',
    ['name'],
    names.map((name) => [name]),
  )
}

export async function show(statement: Show, shown: ShownIn): Promise<Iterable<SeriesPart>> {
  switch (statement.what) {
    case 'retention policies':
      return [retentionPolicy(shown.scope.entity.retention)]
    case 'measurements':
      return measurements(statement, shown)
    case 'tag keys':
      return present(statement, shown, shown.scope.tags, ['tagKey'], ({ name }) => [name])
    case 'field keys':
      return present(statement, shown, shown.scope.fields, ['fieldKey', 'fieldType'], ({ name, type }) => [
        name,
        fieldTypes[type] ?? 'string',
      ])
    case 'tag values':
      return tagValues(statement, shown)
    case 'series':
      return series(statement, shown)
    default:
      throw new Error(`SHOW ${statement.what} asks nothing of an entity`)
  }
}

const fieldTypes: Readonly<Partial<Record<EntityField['type'], string>>> = {
  double: 'float',
  long: 'integer',
  boolean: 'boolean',
}

/** Each entity has one retention policy, which keeps rows as long as the entity does. */
function retentionPolicy(retention: string | null): SeriesPart {
  const duration = retention === null ? null : parseDuration(retention)
  const hours = duration === null ? 0 : Math.round(fixedMs(duration) / 3_600_000)
  const kept = hours === 0 ? '0s' : `${hours}h0m0s`
  const columns = ['name', 'duration', 'shardGroupDuration', 'replicaN', 'default']
  return {
    head: { name: null, tags: [], columns },
    times: null,
    rows: [['"autogen"', `"${kept}"`, '"24h0m0s"', '1', 'true']],
  }
}

const paged = <Item>({ limit, offset }: Show, items: readonly Item[]): readonly Item[] =>
  items.slice(offset, limit === null ? undefined : offset + limit)

interface Asked extends Pick<SourceRows, 'name' | 'key'> {
  readonly from: Sql
}

/** Null where there is no such measurement. */
function selectedRows(
  { sources, where }: Show,
  { scope, names, clock }: ShownIn,
  others: readonly Sql[],
): Asked | null {
  const source = sourceOf(sources, scope, names)
  if (source === null) return null
  const { range, conditions } = whereOf(where, scope, clock)
  const all = [...rangeSql(range), ...source.conditions, ...conditions, ...others]
  const from = sql`FROM ${sql.id(scope.entity.name)}${whereSql(all)}`
  return { name: source.name, key: source.key, from }
}

async function measurements(statement: Show, shown: ShownIn): Promise<Iterable<SeriesPart>> {
  const { scope, names, ask } = shown
  const [operator, value] = [statement.with?.operator ?? '=', statement.with?.values[0]]
  const isNegative = operator.startsWith('!')
  const listed = (found: readonly string[]): Iterable<SeriesPart> =>
    listOf(
      'measurements',
      ['name'],
      paged(statement, found).map((name) => [name]),
    )
  if (scope.measurement === null) {
    const matches = value === undefined ? () => true : matcher(value)
    return listed([names[0]!].filter((name) => matches(name) !== isNegative))
  }
  const name = sql.id(scope.measurement.name)
  const text = typeof value === 'string' ? [isNegative ? sql`${name} <> ${value}` : sql`${name} = ${value}`] : []
  const condition = typeof value === 'object' ? [patternSql(scope.measurement, value, isNegative)] : text
  const asked = selectedRows(statement, shown, condition)!
  const rows = await ask(sql`SELECT DISTINCT ${name} AS c0 ${asked.from} ORDER BY c0`)
  return listed(rows.map(([cell]) => textOf(cell!)).filter((one) => one !== 'null'))
}

/** Lists the columns of each measurement: those in which at least one of its rows has a value. */
async function present(
  statement: Show,
  shown: ShownIn,
  columns: readonly EntityField[],
  head: readonly string[],
  cellsOf: (column: EntityField) => readonly string[],
): Promise<Iterable<SeriesPart>> {
  const asked = selectedRows(statement, shown, [])
  if (asked === null || columns.length === 0) return []
  const listed = (name: string, found: readonly EntityField[]): Iterable<SeriesPart> =>
    listOf(name, head, paged(statement, found.map(cellsOf)))
  if (shown.scope.measurement === null && statement.where === null) return listed(asked.name!, columns)
  const { key, from, name } = asked
  const counts = columns.map((column, at) => sql`COUNT(${sql.id(column.name)}) AS ${sql.id(`n${at}`)}`)
  const grouped = key.length === 0 ? sql.empty : sql` GROUP BY ${sql.positions(1)}`
  const rows = await shown.ask(
    sql`SELECT ${sql.list([...key.map((one) => sql`${one} AS c0`), ...counts])} ${from}${grouped}`,
  )
  const series = rows.map((row): [string, readonly EntityField[]] => [
    name ?? textOf(row[0]!),
    columns.filter((_, at) => row[at + key.length] !== '0'),
  ])
  return joined(series.sort(([one], [other]) => (one < other ? -1 : 1)).map(([one, found]) => listed(one, found)))
}

async function tagValues(statement: Show, shown: ShownIn): Promise<Iterable<SeriesPart>> {
  const { operator, values } = statement.with!
  const isNegative = operator.startsWith('!')
  const tests = values.map(matcher)
  const keys = shown.scope.tags.filter(({ name }) => tests.some((matches) => matches(name)) !== isNegative)
  if (keys.length > keysMax) throw refused(`SHOW TAG VALUES takes at most ${keysMax} keys: name fewer.`)
  const byMeasurement = new Map<string, (readonly string[])[]>()
  for (const tag of keys) {
    const asked = selectedRows(statement, shown, [sql`${tagSql(tag)} <> ''`])
    if (asked === null) return []
    const columns = [...asked.key, tagSql(tag)]
    const places = sql.positions(columns.length)
    for (const row of await shown.ask(sql`SELECT DISTINCT ${namedColumns(columns)} ${asked.from} ORDER BY ${places}`)) {
      const name = asked.name ?? textOf(row[0]!)
      addTo(byMeasurement, name, [tag.name, textOf(row.at(-1)!)])
    }
  }
  const sorted = [...byMeasurement].sort(([one], [other]) => (one < other ? -1 : 1))
  return joined(sorted.map(([name, rows]) => listOf(name, ['key', 'value'], paged(statement, rows))))
}

/** Each key takes a separate query. */
const keysMax = 100

async function series(statement: Show, shown: ShownIn): Promise<Iterable<SeriesPart>> {
  const asked = selectedRows(statement, shown, [])
  if (asked === null) return []
  const { tags } = shown.scope
  const columns = [...asked.key, ...tags.map(tagKey)]
  if (columns.length === 0) return []
  const rows = await shown.ask(
    sql`SELECT DISTINCT ${namedColumns(columns)} ${asked.from} ORDER BY ${sql.positions(columns.length)}`,
  )
  const keys = rows.map((row) => {
    const texts = row.map(textOf)
    const name = asked.name ?? texts[0]!
    const values = texts.slice(asked.key.length)
    const pairs = tags.flatMap((tag, at) => (values[at] === '' ? [] : [`${escaped(tag.name)}=${escaped(values[at]!)}`]))
    return [[name.replace(/[, ]/g, '\\$&'), ...pairs].join(',')]
  })
  return listOf(null, ['key'], paged(statement, keys))
}

const escaped = (text: string): string => text.replace(/[,= ]/g, '\\$&')
