// Values over time compared with the plain hourly mean, and with VictoriaMetrics where it is installed: ten tags for a month, at rest.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { EntityField } from '../src/model/entity.ts'
import { makeIngest } from '../test/support/api.ts'
import { adminKey, ServerProcess } from '../test/support/server-process.ts'
import { bringToRest } from './at-rest.ts'
import { median, printTable, quantile, spread } from './figures.ts'
import { request, runLoad } from './load.ts'
import { drain, firstMs, plantValue, tagName } from './plant.ts'
import { askFor, type Question } from './questions.ts'
import type { System } from './versus/system.ts'
import { victoriaMetrics } from './versus/victoria-metrics.ts'

const tags = 10
const hourMs = 3_600_000
const dayMs = 86_400_000
const monthMs = 30 * dayMs
const rowsInBody = 10_000

/** A value with noise, and a counter that is reset from time to time. */
const fields: readonly EntityField[] = [
  { name: 'D', type: 'timestamp', role: 'time' },
  { name: 'T', type: 'string', role: 'tag' },
  { name: 'V', type: 'double', role: 'metric' },
  { name: 'C', type: 'double', role: 'metric' },
]

/** A query, and the VictoriaMetrics query that returns the same numbers from the same rows. */
interface Pair extends Question {
  readonly query: string
  readonly stepMs: number
}

/** `rows` is the total: 432,000 rows are one a minute per tag, 25,920,000 one a second. */
export async function benchOverTime({ rows, runs }: { readonly rows: number; readonly runs: number }): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'tidemark-bench-'))
  const ends: (() => Promise<unknown>)[] = [() => rm(folder, { recursive: true, force: true })]
  try {
    const dataDirectory = join(folder, 'tidemark')
    const points = Math.round(rows / tags)
    await fill(dataDirectory, points)
    const bytes = await bringToRest(dataDirectory, points * tags)
    const server = await ServerProcess.start({ dataDirectory })
    ends.push(() => server.stop())
    const missing = victoriaMetrics.missing()
    if (missing !== null) process.stdout.write(`Without VictoriaMetrics: ${missing}\n`)
    const victoria = missing === null ? await victoriaMetrics.start(join(folder, 'victoria'), ends) : null
    if (victoria !== null) await fillLines(victoria, points)
    const lines: string[][] = []
    for (const pair of pairs()) lines.push([pair.name, ...(await timePair(pair, { server, victoria, runs }))])
    const perRow = (bytes / points / tags).toFixed(2)
    const header = ['question', 'p50 ms', 'VictoriaMetrics', 'of its time']
    printTable(`${points * tags} rows, ten tags for a month, ${perRow} bytes a row`, header, lines)
  } finally {
    for (const end of ends.reverse()) await end()
  }
}

/** In turns, with warm queries. */
async function timePair(
  pair: Pair,
  {
    server,
    victoria,
    runs,
  }: { readonly server: ServerProcess; readonly victoria: System | null; readonly runs: number },
): Promise<string[]> {
  const own: number[] = []
  const others: number[] = []
  for (let run = -1; run < runs; run++) {
    const ownMs = quantile((await askFor(server.url, pair, 1, 1000)).latenciesMs, 0.5)
    const othersMs = victoria === null ? Number.NaN : await askVictoria(victoria.url, pair)
    if (run < 0) continue
    own.push(ownMs)
    others.push(othersMs)
  }
  if (victoria === null) return [spread(own, 1), '', '']
  return [spread(own, 1), spread(others, 1), (median(own) / median(others)).toFixed(2)]
}

async function askVictoria(url: string, { query, stepMs }: Pair): Promise<number> {
  const form = { 'content-type': 'application/x-www-form-urlencoded' }
  const startedMs = performance.now()
  let asked = 0
  const next = (): Uint8Array | null => {
    if (asked >= 5 && performance.now() - startedMs > 1000) return null
    asked++
    // A step ends with its last millisecond, because the rows of the next one start right after it.
    const range = { start: (firstMs + stepMs - 1) / 1000, end: (firstMs + monthMs - 1) / 1000, step: stepMs / 1000 }
    const parameters = new URLSearchParams({ query, nocache: '1' })
    for (const [name, value] of Object.entries(range)) parameters.set(name, String(value))
    return request(url, 'POST', '/api/v1/query_range', form, parameters.toString())
  }
  return quantile((await runLoad({ url, connections: 1, next })).latenciesMs, 0.5)
}

async function fillLines(victoria: System, points: number): Promise<void> {
  const waiting = bodies(points, (ms, tag, value, counter) => `t,T=${tagName(tag)} V=${value},C=${counter} ${ms}`)
  const next = (): Uint8Array | null => {
    const { value, done } = waiting.next()
    return done === true ? null : victoria.push(value)
  }
  await runLoad({ url: victoria.url, connections: 2, next })
  await victoria.countRows(firstMs + monthMs)
}

async function fill(dataDirectory: string, points: number): Promise<void> {
  const server = await ServerProcess.start({ dataDirectory })
  try {
    const key = await makeIngest(server.url, adminKey, { alias: 'plant', fields })
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/x-ndjson' }
    const waiting = bodies(points, jsonRow)
    const next = (): Uint8Array | null => {
      const { value, done } = waiting.next()
      return done === true ? null : request(server.url, 'POST', '/ingests/plant/data', headers, value)
    }
    await runLoad({ url: server.url, connections: 2, next })
    await drain(server.url, 'plant')
  } finally {
    await server.stop()
  }
}

type RowText = (ms: number, tag: number, value: number, counter: number) => string

function* bodies(points: number, rowText: RowText): Generator<string> {
  let body: string[] = []
  for (let point = 0; point < points; point++) {
    const ms = firstMs + Math.round((point * monthMs) / points)
    for (let tag = 0; tag < tags; tag++) {
      const counter = Math.round(100 * ((point % 100_000) / 7 + tag)) / 100
      body.push(rowText(ms, tag, plantValue(tag, point), counter))
    }
    if (body.length < rowsInBody && point + 1 < points) continue
    yield body.join('\n')
    body = []
  }
}

const jsonRow: RowText = (ms, tag, value, counter) =>
  `{"D":"${new Date(ms).toISOString()}","T":"${tagName(tag)}","V":${value},"C":${counter}}`

/** Each body is a different query: its range ends some milliseconds earlier. */
function pairs(): readonly Pair[] {
  const month = (random: () => number) => ({
    entity: 'plant',
    ids: Array.from({ length: tags }, (_, tag) => tagName(tag)),
    start_date: new Date(firstMs).toISOString(),
    end_date: new Date(firstMs + monthMs + hourMs + Math.floor(random() * dayMs)).toISOString(),
  })
  const daily = (metric: string, aggregates: readonly string[], query: string, extra: object = {}): Pair => ({
    name: `${aggregates.join(', ')} of each day${'time_zone' in extra ? ', in a zone' : ''}`,
    path: '/consumer/data/aggregate',
    body: (random) => ({ ...month(random), granularity: 'day', metric_name_field: [metric], aggregates, ...extra }),
    query,
    stepMs: dayMs,
  })
  const timeMean = 'avg_over_time(t_V[1d])'
  return [
    {
      name: 'mean of each hour',
      path: '/consumer/data/average',
      body: (random) => ({ ...month(random), granularity: 'hour', metric_name_field: ['V'] }),
      query: 'avg_over_time(t_V[1h])',
      stepMs: hourMs,
    },
    daily('V', ['time_mean'], timeMean),
    daily('V', ['time_mean'], timeMean, { time_zone: 'Asia/Kolkata' }),
    daily('C', ['rise', 'resets'], 'union(increase(t_C[1d]), resets(t_C[1d]))'),
    daily(
      'V',
      ['min', 'max', 'min_time', 'max_time'],
      'union(rollup(t_V[1d]), tmin_over_time(t_V[1d]), tmax_over_time(t_V[1d]))',
    ),
    daily(
      'V',
      ['mean', 'stddev', 'first', 'last'],
      'aggr_over_time(("avg_over_time","stddev_over_time","first_over_time","last_over_time"), t_V[1d])',
    ),
    {
      name: 'plot of 800 points',
      path: '/consumer/data/plot',
      body: (random) => ({ ...month(random), points: 800, metric_name_field: ['V'] }),
      query: 'rollup(t_V[54m])',
      stepMs: 54 * 60_000,
    },
  ]
}
