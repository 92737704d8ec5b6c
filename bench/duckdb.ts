// The same queries as SQL over the same Parquet files, which are sorted by tag and time, through DuckDB on all cores.
import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api'
import { median } from './figures.ts'
import { firstMs, stepMs, tagName } from './plant.ts'
import { dayEnd, dayStart, pointsOfTag } from './questions.ts'

/** The minimum number of runs of each query, and the minimum duration. */
const timesMin = 3
const forMs = 1000

/** Runs a query several times and returns the p50 in ms. */
type Measure = () => Promise<number>

/** By the names of `questions`, without those that have no short form in SQL. */
export async function benchDuckDB(files: string, tags: number): Promise<ReadonlyMap<string, Measure>> {
  const connection = await (await DuckDBInstance.create(':memory:')).connect()
  await connection.run("SET TimeZone = 'UTC'")
  await connection.run(`CREATE VIEW plant AS SELECT * FROM read_parquet('${files.replaceAll("'", "''")}')`)
  const one = (): string => `T = '${tagName(Math.floor(Math.random() * tags))}'`
  const ten = (): string => {
    const start = Math.floor(Math.random() * Math.max(1, tags - 10))
    return `T IN (${Array.from({ length: Math.min(10, tags) }, (_, index) => `'${tagName(start + index)}'`).join()})`
  }
  const date = (): string => new Date(firstMs + Math.floor(Math.random() * pointsOfTag * stepMs)).toISOString()
  const day = `__time BETWEEN '${dayStart}' AND '${dayEnd}'`
  const hour = "date_trunc('hour', __time)"
  const newest = 'max(__time), arg_max(V, __time), arg_max(W, __time), arg_max(area, __time)'
  const asked: readonly (readonly [name: string, sql: () => string])[] = [
    [
      'one tag, hourly mean, one day',
      () => `SELECT ${hour} h, avg(V) FROM plant WHERE ${one()} AND ${day} GROUP BY h ORDER BY h`,
    ],
    ['one tag, hourly mean, all', () => `SELECT ${hour} h, avg(V) FROM plant WHERE ${one()} GROUP BY h ORDER BY h`],
    [
      'ten tags, hourly mean, one day',
      () => `SELECT T, ${hour} h, avg(V) FROM plant WHERE ${ten()} AND ${day} GROUP BY T, h ORDER BY h, T`,
    ],
    [
      'all tags, hourly mean by tag, one day',
      () => `SELECT T, ${hour} h, avg(V) FROM plant WHERE ${day} GROUP BY T, h ORDER BY h, T`,
    ],
    ['all rows pooled, hourly mean', () => `SELECT ${hour} h, avg(V) FROM plant GROUP BY h ORDER BY h`],
    ['latest of one tag', () => `SELECT ${newest} FROM plant WHERE ${one()}`],
    ['latest of all tags', () => `SELECT T, ${newest} FROM plant GROUP BY T ORDER BY T`],
    ['newest before a date, one tag', () => `SELECT ${newest} FROM plant WHERE ${one()} AND __time <= '${date()}'`],
    [
      'hourly mean by area, one day, all tags pooled',
      () => `SELECT area, ${hour} h, avg(V) FROM plant WHERE ${day} GROUP BY area, h ORDER BY h, area`,
    ],
    [
      'raw rows, ten tags, one day (86,400)',
      () => `SELECT __time, T, area, V, W FROM plant WHERE ${ten()} AND ${day} ORDER BY __time, T`,
    ],
  ]
  return new Map(asked.map(([name, sql]) => [name, () => measure(connection, sql)]))
}

async function measure(connection: DuckDBConnection, sql: () => string): Promise<number> {
  const ms: number[] = []
  const startedMs = performance.now()
  while (ms.length < timesMin || performance.now() - startedMs < forMs) {
    const text = sql()
    const askedMs = performance.now()
    await (await connection.run(text)).fetchAllChunks()
    ms.push(performance.now() - askedMs)
  }
  return median(ms)
}
