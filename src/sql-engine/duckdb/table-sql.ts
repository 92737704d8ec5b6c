// The rows of an entity as a common table in front of a statement: the contents of its files, in numbered columns. Columns of files are read by
// place, never by name, since names are not case-sensitive in DuckDB.
import { addTo } from '../../lib/add-to.ts'
import { fieldOf } from '../../model/rows-file.ts'
import { type EngineField, type EngineTable, filesWithin, type TimeBounds } from '../sql-engine.ts'

type EngineFile = EngineTable['files'][number]
type ReadTable = EngineTable & { readonly within: TimeBounds | null }

const text = (value: string): string => `'${value.replaceAll("'", "''")}'`

/** Adds a common table for each entity to a statement, with the rows of its files. Only this query sees them. */
export function withTables(statement: string, tables: readonly EngineTable[]): string {
  if (tables.length === 0) return statement
  const definitions = tables.map((table) => `entity_${table.entityId} AS NOT MATERIALIZED (${tableRows(table)})`)
  return `WITH ${definitions.join(', ')} ${statement}`
}

/**
 * The rows of a table as a SELECT of c0, c1 and so on, p and t, without those outside `within`. Files are read in the order of time, so that a query
 * for the newest rows soon knows which files have none of them.
 */
export function tableRows(table: EngineTable, within: TimeBounds | null = null, newestFirst = false): string {
  const { fields, replacesBy } = table
  const files = [...filesWithin(table.files, within)]
  files.sort((left, right) => (newestFirst ? right.lastMs - left.lastMs : left.firstMs - right.firstMs))
  if (files.length === 0) {
    const nulls = fields.map((field, index) => `CAST(NULL AS ${engineTypes[field.type]}) AS c${index}`)
    return `SELECT ${nulls.join(', ')}, CAST(NULL AS BIGINT) AS p, CAST(NULL AS TIMESTAMPTZ) AS t WHERE FALSE`
  }
  // Rows that replace each other have the same time, so a range does not separate them.
  const whole = { ...table, within }
  if (replacesBy === null) return readAll(whole, files, false)
  const parts = overlapping(files)
  const apart = parts.filter((part) => isApart(part)).flat()
  const items = parts.filter((part) => !isApart(part)).map((part) => itemsOf(whole, replacesBy, part))
  return [...(apart.length === 0 ? [] : [readAll(whole, apart, false)]), ...items].join(' UNION ALL ')
}

const isApart = (part: readonly EngineFile[]): boolean => part.length === 1 && part[0]!.isDistinct

/** Groups files whose dates overlap. */
function overlapping(files: readonly EngineFile[]): readonly (readonly EngineFile[])[] {
  const parts: EngineFile[][] = []
  let lastMs = Number.NEGATIVE_INFINITY
  for (const file of [...files].sort((left, right) => left.firstMs - right.firstMs)) {
    if (file.firstMs > lastMs) parts.push([])
    parts.at(-1)!.push(file)
    lastMs = Math.max(lastMs, file.lastMs)
  }
  return parts
}

/** Combines rows of the same time and tags: each field has the value with the newest origin. An origin that is not written is the position. */
function itemsOf(table: ReadTable, tags: readonly string[], files: readonly EngineFile[]): string {
  const { fields } = table
  const isKey = (field: EngineField, index: number): boolean => index === 0 || tags.includes(field.name)
  const keys = fields.flatMap((field, index) => (isKey(field, index) ? [index === 0 ? 't' : `c${index}`] : []))
  const items = fields.map((field, index) =>
    isKey(field, index) ? `c${index}` : `arg_max_null(c${index}, o${index}) AS c${index}`,
  )
  items[0] = `${valueExpression(fields[0]!, 't')} AS c0`
  return `SELECT ${items.join(', ')}, max(p) AS p, t FROM (${readAll(table, files, true)}) AS f GROUP BY ${keys.join(', ')}`
}

function readAll(table: ReadTable, files: readonly EngineFile[], withOrigins: boolean): string {
  const groups = new Map<string, EngineFile[]>()
  for (const file of files) {
    // Row numbers count within one file, so a file with deleted rows is read separately.
    const key = JSON.stringify([file.fields, boundsOf(table, file), file.deleted && file.path])
    addTo(groups, key, file)
  }
  return [...groups.values()].map((group) => read(table, group, withOrigins)).join(' UNION ALL ')
}

/** The first time to read and the first one after it; null where the file is not cut. Times cost more to read than most columns. */
function boundsOf(
  { sinceMs, within }: ReadTable,
  { firstMs, lastMs }: EngineFile,
): readonly [number | null, number | null] {
  const fromMs = Math.max(sinceMs ?? Number.NEGATIVE_INFINITY, within?.fromMs ?? Number.NEGATIVE_INFINITY)
  const untilMs = within?.untilMs ?? null
  return [firstMs < fromMs ? fromMs : null, untilMs !== null && lastMs >= untilMs ? untilMs : null]
}

/** Reads files with the same columns and bounds. */
function read(table: ReadTable, files: readonly EngineFile[], withOrigins: boolean): string {
  const { fields } = table
  const held = new Map(files[0]!.fields.map((name, place) => [fieldOf(name), `f.a${place}`]))
  const position = held.get('@position') ?? 'CAST(NULL AS BIGINT)'
  const items = fields.map((field, index) => `${valueExpression(field, held.get(field.name))} AS c${index}`)
  const origins = fields.map(({ name }, index) => {
    const value = held.get(name)
    const evident = value === undefined ? 'NULL' : `CASE WHEN ${value} IS NOT NULL THEN ${position} END`
    return `CAST(coalesce(${held.get(`${name}@`) ?? 'NULL'}, ${evident}) AS BIGINT) AS o${index}`
  })
  const columns = [
    ...items,
    `${position} AS p`,
    `${held.get(fields[0]!.name)} AS t`,
    ...(withOrigins ? origins.slice(1) : []),
  ]
  const source = sourceOf(files)
  const time = held.get(fields[0]!.name)!
  const at = (ms: number): string => `make_timestamptz(${BigInt(ms) * 1000n}::BIGINT)`
  const [fromMs, untilMs] = boundsOf(table, files[0]!)
  const conditions = [
    ...(fromMs === null ? [] : [`${time} >= ${at(fromMs)}`]),
    ...(untilMs === null ? [] : [`${time} < ${at(untilMs)}`]),
  ]
  const kept = conditions.length === 0 ? '' : ` WHERE ${conditions.join(' AND ')}`
  return `SELECT ${columns.join(', ')} FROM ${source}${kept}`
}

/** The columns of files as a0, a1 and so on, without deleted rows and values. */
function sourceOf(files: readonly EngineFile[]): string {
  const [{ fields, deleted }] = files as [EngineFile]
  const names = fields.map((_name, place) => `a${place}`)
  const paths = `[${files.map(({ path }) => text(path)).join(', ')}]`
  if (deleted === undefined) return `read_parquet(${paths}) AS f(${names.join(', ')})`
  const ranges = new RowRanges()
  const isSeen = `NOT ${ranges.has(deleted.rows)}`
  const columns = fields.map((name, place) => {
    const metric = fieldOf(name)
    // A deleted value must not count as a pushed null.
    const borders = deleted.metrics.get(metric.endsWith('@') ? metric.slice(0, -1) : metric)
    return borders === undefined ? `a${place}` : `CASE WHEN NOT ${ranges.has(borders)} THEN a${place} END AS a${place}`
  })
  const numbered = `read_parquet(${paths}, file_row_number = true) AS n(${names.join(', ')}, r)${ranges.joins}`
  return `(SELECT ${columns.join(', ')} FROM ${numbered} WHERE ${isSeen}) AS f`
}

/** Up to this many ranges become conditions. More are joined, which takes the same time for any number of ranges. */
const conditionsMax = 16

/** Tests whether the row r of a file is in one of some ranges. */
class RowRanges {
  joins = ''
  #joined = 0

  /** `borders` are pairs of the number of a range's first row and of the one after its last. */
  has(borders: readonly number[]): string {
    const starts = borders.filter((_, place) => place % 2 === 0)
    const ends = borders.filter((_, place) => place % 2 === 1)
    if (starts.length === 0) return 'FALSE'
    if (starts.length <= conditionsMax) {
      return `(${starts.map((start, place) => `r BETWEEN ${start} AND ${ends[place]! - 1}`).join(' OR ')})`
    }
    const name = `d${this.#joined++}`
    const list = (rows: readonly number[]): string => `unnest([${rows.join(', ')}]::BIGINT[])`
    this.joins += ` ASOF LEFT JOIN (SELECT ${list(starts)} AS s, ${list(ends)} AS e) AS ${name} ON r >= ${name}.s`
    return `coalesce(r < ${name}.e, FALSE)`
  }
}

/** Times in files are TIMESTAMPTZ. Their cast consults a calendar for each value, which takes fifty times as long as a conversion by way of numbers. */
function valueExpression({ type }: EngineField, value: string | undefined): string {
  if (type === 'timestamp' && value !== undefined) return `make_timestamp_ms(epoch_ms(${value}))`
  return `CAST(${value ?? 'NULL'} AS ${engineTypes[type]})`
}

const engineTypes = { double: 'DOUBLE', long: 'BIGINT', boolean: 'BIGINT', timestamp: 'TIMESTAMP', string: 'VARCHAR' }
