import { firstMs, stepMs, tagName } from './plant.ts'
import { dayEnd, dayStart, pointsOfTag } from './questions.ts'

export interface Panel {
  readonly name: string
  readonly path: string
  /** The request, with insignificant whitespace added. */
  readonly body: (space: string) => string
}

/** Without these, Druid caches results by segment; Tidemark ignores them. */
const uncached = { useCache: false, populateCache: false }

const sql = (name: string, text: string, context?: object): Panel => ({
  name: `SQL: ${name}`,
  path: '/druid/v2/sql',
  body: (space) => JSON.stringify({ query: `${text}${space}`, context: { ...uncached, ...context } }),
})

const native = (name: string, query: object): Panel => ({
  name: `native: ${name}`,
  path: '/druid/v2',
  body: (space) => `${space}${JSON.stringify({ dataSource: 'plant', context: uncached, ...query })}`,
})

const day = `${dayStart}/P1D`
const lastMs = firstMs + pointsOfTag * stepMs
const all = `${new Date(firstMs).toISOString()}/${new Date(lastMs).toISOString()}`
const within = `__time >= '${dayStart}' AND __time <= '${dayEnd}'`
const count = { type: 'count', name: 'n' }
const sum = { type: 'doubleSum', name: 'sum', fieldName: 'V' }
const mean = { type: 'doubleMean', name: 'mean', fieldName: 'V' }
const least = { type: 'doubleMin', name: 'min', fieldName: 'V' }
const peak = { type: 'doubleMax', name: 'max', fieldName: 'V' }
const ofTag = { type: 'selector', dimension: 'T', value: tagName(0) }
const fahrenheit = { type: 'expression', name: 'f', expression: 'V * 1.8 + 32', outputType: 'DOUBLE' }
const numeric = (metric: string): object => ({ type: 'numeric', metric })

const tenOf = (tags: number): readonly string[] => Array.from({ length: Math.min(10, tags) }, (_, tag) => tagName(tag))

export function nativePanels(tags: number): readonly Panel[] {
  const ofTen = { type: 'in', dimension: 'T', values: tenOf(tags) }
  const timeseries = { queryType: 'timeseries', granularity: 'hour', intervals: [day] }
  const topN = { queryType: 'topN', dimension: 'T', threshold: 10, granularity: 'all', intervals: [day] }
  const scan = { queryType: 'scan', resultFormat: 'compactedList', columns: ['__time', 'T', 'V'], order: 'descending' }
  const zoned = { type: 'period', period: 'P1D', timeZone: 'Europe/Madrid' }
  return [
    native('hourly mean of all, all time', { ...timeseries, intervals: [all], aggregations: [mean] }),
    native('rows and mean, all time', {
      ...timeseries,
      granularity: 'all',
      intervals: [all],
      aggregations: [count, mean],
    }),
    native('one tag by minute, one day', { ...timeseries, granularity: 'minute', filter: ofTag, aggregations: [mean] }),
    native('ten tags by five minutes, one day', {
      queryType: 'groupBy',
      dimensions: ['T'],
      granularity: 'five_minute',
      intervals: [day],
      filter: ofTen,
      aggregations: [mean],
    }),
    native('highest and lowest by hour, one day', { ...timeseries, aggregations: [least, peak] }),
    native('ten tags of the highest sum, all time', {
      ...topN,
      intervals: [all],
      aggregations: [sum],
      metric: numeric('sum'),
    }),
    native('ten tags of the highest mean by hour, one day', {
      ...topN,
      granularity: 'hour',
      aggregations: [mean],
      metric: numeric('mean'),
    }),
    native('plant and floor of the time, all time', {
      queryType: 'groupBy',
      dimensions: ['area', { type: 'default', dimension: 'v0', outputName: 'd0', outputType: 'LONG' }],
      virtualColumns: [
        { type: 'expression', name: 'v0', expression: "timestamp_floor(__time, 'P1D')", outputType: 'LONG' },
      ],
      granularity: 'all',
      intervals: [all],
      aggregations: [count, sum],
    }),
    native('plant and day, all time', {
      queryType: 'groupBy',
      dimensions: ['area'],
      granularity: 'day',
      intervals: [all],
      aggregations: [count, sum],
    }),
    native('number of tags by day, all time', {
      ...timeseries,
      granularity: 'day',
      intervals: [all],
      aggregations: [{ type: 'cardinality', name: 'tags', fields: ['T'], round: true }],
    }),
    native('tags over a bound, one day', {
      ...topN,
      filter: { type: 'bound', dimension: 'V', lower: '60', ordering: 'numeric' },
      aggregations: [count],
      metric: numeric('n'),
    }),
    native('newest thousand rows of ten tags', { ...scan, intervals: [day], filter: ofTen, limit: 1000 }),
    native('newest thousand rows of all tags', { ...scan, intervals: [all], limit: 1000 }),
    native('days of Madrid, one tag, all time', {
      ...timeseries,
      granularity: zoned,
      intervals: [all],
      filter: ofTag,
      aggregations: [mean, peak],
    }),
    native('rows over a bound beside all, by hour, one day, ten tags', {
      ...timeseries,
      filter: ofTen,
      aggregations: [
        count,
        {
          type: 'filtered',
          filter: { type: 'bound', dimension: 'V', lower: '60', ordering: 'numeric' },
          aggregator: { ...count, name: 'over' },
        },
      ],
    }),
    native('newest value of each tag', {
      ...topN,
      intervals: [all],
      threshold: 1000,
      aggregations: [{ type: 'doubleLast', name: 'v', fieldName: 'V' }],
      metric: { type: 'dimension' },
    }),
    native('mean of an expression by hour, one tag, one day', {
      ...timeseries,
      filter: ofTag,
      virtualColumns: [fahrenheit],
      aggregations: [{ ...mean, fieldName: 'f' }],
    }),
    native('sum of an expression by hour, one day', {
      ...timeseries,
      virtualColumns: [fahrenheit],
      aggregations: [{ ...sum, fieldName: 'f' }],
    }),
    native('mean by a post-aggregation, ten tags, one day', {
      queryType: 'groupBy',
      dimensions: ['T'],
      granularity: 'hour',
      intervals: [day],
      filter: ofTen,
      aggregations: [count, sum],
      postAggregations: [{ type: 'expression', name: 'm', expression: 'sum / n' }],
    }),
  ]
}

export function sqlPanels(tags: number): readonly Panel[] {
  const listed = `T IN (${tenOf(tags)
    .map((tag) => `'${tag}'`)
    .join(', ')})`
  const one = `T = '${tagName(0)}'`
  const hours = 'FLOOR(__time TO HOUR)'
  return [
    sql(
      'hourly mean, highest, lowest of one tag, one day',
      `SELECT ${hours} AS h, AVG(V) AS mean, MAX(V) AS high, MIN(V) AS low FROM plant WHERE ${one} AND ${within} GROUP BY 1 ORDER BY 1`,
    ),
    sql(
      'ten tags of the highest mean, one day',
      `SELECT T, AVG(V) AS mean FROM plant WHERE ${within} GROUP BY T ORDER BY mean DESC LIMIT 10`,
    ),
    sql(
      'plant and day, all time',
      "SELECT area, TIME_FLOOR(__time, 'P1D') AS d, COUNT(*) AS n, SUM(V) AS v FROM plant GROUP BY 1, 2",
    ),
    sql('number of tags, all time', 'SELECT COUNT(DISTINCT T) AS n FROM plant'),
    sql('all tags of one day', `SELECT DISTINCT T FROM plant WHERE ${within}`),
    sql('number of rows, all time', 'SELECT COUNT(*) AS n FROM plant'),
    sql(
      'hours over a bound, all time',
      `SELECT ${hours} AS h, AVG(V) AS mean FROM plant GROUP BY 1 HAVING AVG(V) > 50 ORDER BY 1`,
    ),
    sql('newest value of each tag', 'SELECT T, LATEST(V) AS v FROM plant GROUP BY T'),
    sql(
      'newest thousand rows of ten tags',
      `SELECT __time, T, V FROM plant WHERE ${listed} AND ${within} ORDER BY __time DESC LIMIT 1000`,
    ),
    sql('newest thousand rows of all tags', 'SELECT * FROM plant ORDER BY __time DESC LIMIT 1000'),
    sql(
      'all rows of one tag, one day',
      `SELECT __time AS "time", V FROM plant WHERE ${one} AND ${within} ORDER BY __time`,
    ),
    sql(
      'two states by FILTER, one day, ten tags',
      `SELECT T, COUNT(*) AS n, COUNT(*) FILTER (WHERE V > 60) AS above, ROUND(AVG(V), 2) AS mean FROM plant WHERE ${listed} AND ${within} GROUP BY T`,
    ),
    sql(
      'two tags side by side by CASE, hourly, one day',
      `SELECT ${hours} AS h, SUM(CASE WHEN ${one} THEN V ELSE 0 END) AS a, AVG(CASE WHEN T = '${tagName(1)}' THEN V END) AS b FROM plant WHERE ${listed} AND ${within} GROUP BY 1 ORDER BY 1`,
    ),
    sql(
      'two tags side by side, hourly, one day',
      `SELECT ${hours} AS h, AVG(V) FILTER (WHERE ${one}) AS a, AVG(V) FILTER (WHERE T = '${tagName(1)}') AS b FROM plant WHERE ${listed} AND ${within} GROUP BY 1 ORDER BY 1`,
    ),
    sql(
      'days of Madrid, one tag, all time',
      `SELECT TIME_FLOOR(__time, 'P1D', NULL, 'Europe/Madrid') AS d, ROUND(AVG(V), 2) AS mean FROM plant WHERE ${one} GROUP BY 1 ORDER BY 1`,
    ),
    sql(
      'days of the zone of the query, one tag, all time',
      `SELECT FLOOR(__time TO DAY) AS d, ROUND(AVG(V), 2) AS mean FROM plant WHERE ${one} GROUP BY 1 ORDER BY 1`,
      { sqlTimeZone: 'Europe/Madrid' },
    ),
    sql(
      'mean of an expression by hour, one tag, one day',
      `SELECT ${hours} AS h, AVG(V * 1.8 + 32) AS f FROM plant WHERE ${one} AND ${within} GROUP BY 1 ORDER BY 1`,
    ),
    sql(
      'mean of an expression by hour, all time',
      `SELECT ${hours} AS h, AVG(V * 1.8 + 32) AS f FROM plant GROUP BY 1 ORDER BY 1`,
    ),
    sql(
      'sum of squares of each tag, one day',
      `SELECT T, SUM(V * V) AS s FROM plant WHERE ${within} GROUP BY T ORDER BY 2 DESC LIMIT 10`,
    ),
    sql(
      'three states by CASE, one day, ten tags',
      `SELECT T, SUM(CASE WHEN V > 60 THEN 2 WHEN V > 40 THEN 1 ELSE 0 END) AS s FROM plant WHERE ${listed} AND ${within} GROUP BY T`,
    ),
    sql(
      'states as a group, one day',
      `SELECT CASE WHEN V > 60 THEN 'high' WHEN V > 40 THEN 'normal' ELSE 'low' END AS state, COUNT(*) AS n FROM plant WHERE ${within} GROUP BY 1`,
    ),
    sql(
      'different values of ten tags, one day',
      `SELECT T, COUNT(DISTINCT V) AS n FROM plant WHERE ${listed} AND ${within} GROUP BY T`,
    ),
    sql(
      'rows by value, ten tags, one day',
      `SELECT FLOOR(V / 10) * 10 AS v, COUNT(*) AS n FROM plant WHERE ${listed} AND ${within} GROUP BY 1 ORDER BY 1`,
    ),
    sql(
      'hours of the day, one tag, all time',
      `SELECT EXTRACT(HOUR FROM __time) AS h, AVG(V) AS v FROM plant WHERE ${one} GROUP BY 1 ORDER BY 1`,
    ),
    sql(
      'deviation by hour, one tag, one day',
      `SELECT ${hours} AS h, STDDEV(V) AS v FROM plant WHERE ${one} AND ${within} GROUP BY 1`,
    ),
    sql(
      'percentile by hour, one tag, one day',
      `SELECT ${hours} AS h, APPROX_QUANTILE_DS(V, 0.95) AS v FROM plant WHERE ${one} AND ${within} GROUP BY 1`,
    ),
    sql(
      'means with COALESCE, ten tags, one day',
      `SELECT T, COALESCE(AVG(V), 0) AS v FROM plant WHERE ${listed} AND ${within} GROUP BY 1`,
    ),
    sql(
      'state of a mean, ten tags, one day',
      `SELECT T, CASE WHEN AVG(V) > 50 THEN 'high' ELSE 'low' END AS v FROM plant WHERE ${listed} AND ${within} GROUP BY 1`,
    ),
    sql(
      'means as whole numbers, ten tags, one day',
      `SELECT T, CAST(AVG(V) AS BIGINT) AS v FROM plant WHERE ${listed} AND ${within} GROUP BY 1`,
    ),
    sql(
      'a virtual data set of Superset, one day',
      `SELECT T, AVG(V) AS v FROM (SELECT * FROM plant) AS virtual_table WHERE ${within} GROUP BY T ORDER BY v DESC LIMIT 10`,
    ),
    sql(
      'series of the highest means by a join',
      `SELECT ${hours} AS h, plant.T, AVG(V) AS v FROM plant JOIN (SELECT T AS T__, AVG(V) AS mme FROM plant WHERE ${within} GROUP BY T ORDER BY mme DESC LIMIT 10) AS anon_1 ON plant.T = T__ WHERE ${within} GROUP BY 1, 2`,
    ),
    sql(
      'mean of the daily maximum of each tag',
      `SELECT d, AVG(m) AS v FROM (SELECT FLOOR(__time TO DAY) AS d, T, MAX(V) AS m FROM plant GROUP BY 1, 2) GROUP BY d ORDER BY d`,
    ),
    sql(
      'rows as they are with an expression',
      `SELECT __time, T, ROUND(V * 1.8 + 32, 1) AS f FROM plant WHERE ${listed} AND ${within} ORDER BY __time DESC LIMIT 1000`,
    ),
    sql(
      'condition of an expression',
      `SELECT T, COUNT(*) AS n FROM plant WHERE ${within} AND V * 1.8 + 32 > 140 GROUP BY T`,
    ),
    sql('texts made equal', `SELECT UPPER(area) AS a, AVG(V) AS v FROM plant WHERE ${within} GROUP BY 1`),
  ]
}

/** Rows as they are: read from files anew with each tag, or again and again. */
export function rawRows(tags: number): readonly Panel[] {
  const select = (name: string, body: (turn: number) => object): Panel => {
    let turn = 0
    return {
      name: `rows: ${name}`,
      path: '/consumer/data/select',
      body: () => JSON.stringify({ entity: 'plant', metric_name_field: ['V'], ...body(turn++) }),
    }
  }
  return [
    // The sides take turns, so each reads a tag as often as the other one.
    select('another tag each time, all time', (turn) => ({ ids: [tagName(Math.floor(turn / 2) % tags)] })),
    select('one tag, all time', () => ({ ids: [tagName(0)] })),
    select('ten tags, one day', () => ({ ids: tenOf(tags), start_date: dayStart, end_date: dayEnd })),
  ]
}
