// Native queries as dashboards ask them, beside the same questions as SQL, written by hand, through DuckDB over the same Parquet files.
import { setPriority } from 'node:os'
import { join } from 'node:path'
import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api'
import { call } from '../test/support/api.ts'
import { median, printTable, spread } from './figures.ts'
import { firstMs, stepMs, tagName } from './plant.ts'
import { measurePlantsAtRest, type PlantAtRest } from './plant-at-rest.ts'
import { dayEnd, dayStart, pointsOfTag } from './questions.ts'

export interface NativeBenchOptions {
  readonly runs: number
  /** Sizes of the data sets, in rows. */
  readonly sizes: readonly number[]
}

interface Panel {
  readonly name: string
  readonly query: object
  readonly sql: string
}

const day = `${dayStart}/P1D`
const lastMs = firstMs + pointsOfTag * stepMs
const all = `${new Date(firstMs).toISOString()}/${new Date(lastMs).toISOString()}`
const sqlDay = `__time BETWEEN '${dayStart}' AND '${dayEnd}'`
const count = { type: 'count', name: 'n' }
const sum = { type: 'doubleSum', name: 'sum', fieldName: 'V' }
const peak = { type: 'doubleMax', name: 'max', fieldName: 'V' }
const mean = { type: 'doubleMean', name: 'mean', fieldName: 'V' }
const ratio = {
  type: 'arithmetic',
  name: 'avg',
  fn: '/',
  fields: [
    { type: 'fieldAccess', fieldName: 'sum' },
    { type: 'fieldAccess', fieldName: 'n' },
  ],
}
const hour = "date_trunc('hour', moment)"

/** Ten panels of a dashboard. */
function panels(tags: number): readonly Panel[] {
  const ten = Array.from({ length: Math.min(10, tags) }, (_, tag) => tagName(tag))
  const listed = `T IN (${ten.map((tag) => `'${tag}'`).join()})`
  const base = { dataSource: 'plant', granularity: 'all' }
  return [
    {
      name: 'timeseries: rows and mean, all time',
      query: {
        ...base,
        queryType: 'timeseries',
        intervals: [all],
        aggregations: [count, sum],
        postAggregations: [ratio],
      },
      sql: 'SELECT count(*), sum(V), sum(V) / count(*) FROM plant',
    },
    {
      name: 'timeseries: hourly, all time',
      query: {
        ...base,
        queryType: 'timeseries',
        granularity: 'hour',
        intervals: [all],
        aggregations: [count, sum, peak],
      },
      sql: `SELECT ${hour} h, count(*), sum(V), max(V) FROM plant GROUP BY h ORDER BY h`,
    },
    {
      name: 'timeseries: five minutes, one day, ten tags',
      query: {
        ...base,
        queryType: 'timeseries',
        granularity: 'five_minute',
        intervals: [day],
        filter: { type: 'in', dimension: 'T', values: ten },
        aggregations: [count, mean],
      },
      sql: `SELECT time_bucket(INTERVAL '5 minutes', moment) b, count(*), avg(V) FROM plant WHERE ${sqlDay} AND ${listed} GROUP BY b ORDER BY b`,
    },
    {
      name: 'timeseries: hourly in Madrid, all time',
      query: {
        ...base,
        queryType: 'timeseries',
        granularity: { type: 'period', period: 'PT1H', timeZone: 'Europe/Madrid' },
        intervals: [all],
        aggregations: [mean],
      },
      sql: `SELECT ${hour} h, avg(V) FROM plant GROUP BY h ORDER BY h`,
    },
    {
      name: 'topN: ten tags of the highest sum, all time',
      query: {
        ...base,
        queryType: 'topN',
        dimension: 'T',
        metric: 'sum',
        threshold: 10,
        intervals: [all],
        aggregations: [sum],
      },
      sql: 'SELECT T, sum(V) s FROM plant GROUP BY T ORDER BY s DESC, T LIMIT 10',
    },
    {
      name: 'topN: tags by hour, one day',
      query: {
        ...base,
        queryType: 'topN',
        granularity: 'hour',
        dimension: 'T',
        metric: 'max',
        threshold: 5,
        intervals: [day],
        aggregations: [peak],
      },
      sql: `SELECT ${hour} h, T, max(V) m FROM plant WHERE ${sqlDay} GROUP BY h, T QUALIFY row_number() OVER (PARTITION BY h ORDER BY m DESC, T) <= 5 ORDER BY h, m DESC`,
    },
    {
      name: 'groupBy: area and day, all time',
      query: {
        ...base,
        queryType: 'groupBy',
        granularity: 'day',
        dimensions: ['area'],
        intervals: [all],
        aggregations: [count, sum],
      },
      sql: "SELECT date_trunc('day', moment) d, area, count(*), sum(V) FROM plant GROUP BY d, area ORDER BY d, area",
    },
    {
      name: 'groupBy: tags over a bound, ordered, having',
      query: {
        ...base,
        queryType: 'groupBy',
        dimensions: ['T', 'area'],
        intervals: [all],
        filter: { type: 'bound', dimension: 'V', lower: '60', ordering: 'numeric' },
        aggregations: [
          count,
          {
            type: 'filtered',
            filter: { type: 'selector', dimension: 'W', value: '5' },
            aggregator: { ...sum, name: 'w' },
          },
        ],
        having: { type: 'greaterThan', aggregation: 'n', value: 10 },
        limitSpec: {
          type: 'default',
          limit: 100,
          columns: [{ dimension: 'n', direction: 'descending', dimensionOrder: 'numeric' }],
        },
      },
      sql: 'SELECT T, area, count(*) n, sum(V) FILTER (W = 5) FROM plant WHERE V >= 60 GROUP BY T, area HAVING n > 10 ORDER BY n DESC, T, area LIMIT 100',
    },
    {
      name: 'groupBy: an expression, one day',
      query: {
        ...base,
        queryType: 'groupBy',
        dimensions: ['unit'],
        virtualColumns: [
          { type: 'expression', name: 'unit', expression: "concat('unit ', substring(T, 9, 1))", outputType: 'STRING' },
        ],
        intervals: [day],
        aggregations: [count, { type: 'doubleSum', name: 'both', expression: 'V + W' }],
      },
      sql: `SELECT 'unit ' || substr(T, 10, 1) u, count(*), sum(V + W) FROM plant WHERE ${sqlDay} GROUP BY u ORDER BY u`,
    },
    {
      name: 'scan: a thousand rows of ten tags, newest first',
      query: {
        queryType: 'scan',
        dataSource: 'plant',
        intervals: [day],
        filter: { type: 'in', dimension: 'T', values: ten },
        columns: ['__time', 'T', 'V'],
        order: 'descending',
        limit: 1000,
        resultFormat: 'compactedList',
      },
      sql: `SELECT epoch_ms(__time), T, V FROM plant WHERE ${sqlDay} AND ${listed} ORDER BY __time DESC, T, area, V, W LIMIT 1000`,
    },
  ]
}

/** How long each question is asked in a run, by turns. */
const forMs = 1500
const timesMin = 3

export async function benchNative({ runs, sizes }: NativeBenchOptions): Promise<void> {
  await measurePlantsAtRest(sizes, (plant) => measure(plant, runs))
}

/** That of the SQL engine's process, so that both sides stand back alike where the machine has other work. */
const niceness = 10

async function measure({ url, dataDirectory, tags }: PlantAtRest, runs: number): Promise<void> {
  setPriority(niceness)
  const connection = await (await DuckDBInstance.create(':memory:')).connect()
  await connection.run("SET TimeZone = 'UTC'")
  const files = join(dataDirectory, 'store', '**', '*.parquet').replaceAll("'", "''")
  // Buckets of instants without a zone: of those with one the engine asks a calendar, row by row.
  await connection.run(
    `CREATE VIEW plant AS SELECT *, CAST(__time AS TIMESTAMP) AS moment FROM read_parquet('${files}')`,
  )
  const lines: string[][] = []
  for (const panel of panels(tags)) {
    const found = { native: [] as number[], engine: [] as number[], sql: [] as number[], ratio: [] as number[] }
    for (let run = 0; run < runs; run++) {
      const [native, engine, sql] = await takeTurns([
        () => askNative(url, panel.query),
        () => askNative(url, throughEngine(panel.query)),
        () => askSql(connection, panel.sql),
      ])
      found.native.push(native!)
      found.engine.push(engine!)
      found.sql.push(sql!)
      found.ratio.push(native! / engine!)
    }
    const ms = [found.native, found.engine, found.sql].map((values) => spread(values, 1))
    const line = [panel.name, ...ms, spread(found.ratio, 2)]
    console.log(line.join('  '))
    lines.push(line)
  }
  printTable(
    `${(tags * pointsOfTag) / 1e6} million rows, native queries over HTTP beside SQL by hand`,
    ['panel', 'native p50 ms', 'through the engine', 'SQL by hand', 'native / engine'],
    lines,
  )
}

/** The same query with an expression that nothing reads: the store leaves those to the SQL engine. */
function throughEngine(query: object): object {
  const { virtualColumns = [] } = query as { readonly virtualColumns?: readonly object[] }
  const unread = { type: 'expression', name: 'unread', expression: '1', outputType: 'LONG' }
  return { ...query, virtualColumns: [...virtualColumns, unread] }
}

/** The median of each, in milliseconds. */
async function takeTurns(asks: readonly (() => Promise<void>)[]): Promise<readonly number[]> {
  const ms = asks.map((): number[] => [])
  const startedMs = performance.now()
  for (const ask of asks) await ask()
  while (ms[0]!.length < timesMin || performance.now() - startedMs < forMs) {
    for (const [index, ask] of asks.entries()) {
      const askedMs = performance.now()
      await ask()
      ms[index]!.push(performance.now() - askedMs)
    }
  }
  return ms.map(median)
}

async function askNative(url: string, query: object): Promise<void> {
  const { queryType } = query as { readonly queryType: string }
  const { status, body } = await call<unknown>(url, 'POST', '/consumer/data/druid-native-query', {
    body: { query_type: queryType, query_data: query },
  })
  if (status !== 200) throw new Error(`a native query was answered with ${status}: ${JSON.stringify(body)}`)
}

async function askSql(connection: DuckDBConnection, text: string): Promise<void> {
  await (await connection.run(text)).getRowsJson()
}
