// Values over time beside the plain hourly mean: ten tags for a month, at rest.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { EntityField } from '../src/model/entity.ts'
import { makeIngest } from '../test/support/api.ts'
import { adminKey, ServerProcess } from '../test/support/server-process.ts'
import { bringToRest } from './at-rest.ts'
import { printTable, quantile, spread } from './figures.ts'
import { request, runLoad } from './load.ts'
import { drain, firstMs, plantValue, tagName } from './plant.ts'
import { askFor, type Question } from './questions.ts'

const tags = 10
const monthMs = 30 * 86_400_000
const rowsInBody = 10_000

/** A value with noise, and a counter that is set back at times. */
const fields: readonly EntityField[] = [
  { name: 'D', type: 'timestamp', role: 'time' },
  { name: 'T', type: 'string', role: 'tag' },
  { name: 'V', type: 'double', role: 'metric' },
  { name: 'C', type: 'double', role: 'metric' },
]

/** So many rows in all: 432,000 are one a minute of each tag, 25,920,000 one a second. */
export async function benchOverTime({ rows, runs }: { readonly rows: number; readonly runs: number }): Promise<void> {
  const dataDirectory = await mkdtemp(join(tmpdir(), 'tidemark-bench-'))
  try {
    const points = Math.round(rows / tags)
    await fill(dataDirectory, points)
    const bytes = await bringToRest(dataDirectory, points * tags)
    const server = await ServerProcess.start({ dataDirectory })
    try {
      const lines: string[][] = []
      for (const question of questions()) await askFor(server.url, question, 1, 1000)
      for (const question of questions()) {
        const medians: number[] = []
        for (let run = 0; run < runs; run++)
          medians.push(quantile((await askFor(server.url, question, 1, 1000)).latenciesMs, 0.5))
        lines.push([question.name, spread(medians, 1)])
      }
      const perRow = (bytes / points / tags).toFixed(2)
      printTable(`${points * tags} rows, ten tags for a month, ${perRow} bytes a row`, ['question', 'p50 ms'], lines)
    } finally {
      await server.stop()
    }
  } finally {
    await rm(dataDirectory, { recursive: true, force: true })
  }
}

async function fill(dataDirectory: string, points: number): Promise<void> {
  const server = await ServerProcess.start({ dataDirectory })
  try {
    const key = await makeIngest(server.url, adminKey, { alias: 'plant', fields })
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/x-ndjson' }
    const waiting = bodies(points)
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

function* bodies(points: number): Generator<string> {
  let body: string[] = []
  for (let point = 0; point < points; point++) {
    const date = new Date(firstMs + Math.round((point * monthMs) / points)).toISOString()
    for (let tag = 0; tag < tags; tag++) {
      const counter = Math.round(100 * ((point % 100_000) / 7 + tag)) / 100
      body.push(`{"D":"${date}","T":"${tagName(tag)}","V":${plantValue(tag, point)},"C":${counter}}`)
    }
    if (body.length < rowsInBody && point + 1 < points) continue
    yield body.join('\n')
    body = []
  }
}

/** Each is another question whenever its body is made: its range ends some milliseconds earlier. */
function questions(): readonly Question[] {
  const month = (random: () => number) => ({
    entity: 'plant',
    ids: Array.from({ length: tags }, (_, tag) => tagName(tag)),
    start_date: new Date(firstMs).toISOString(),
    end_date: new Date(firstMs + monthMs + 3_600_000 + Math.floor(random() * 86_400_000)).toISOString(),
  })
  const daily = (metric: string, aggregates: readonly string[], extra: object = {}): Question => ({
    name: `${aggregates.join(', ')} of each day${'time_zone' in extra ? ', in a zone' : ''}`,
    path: '/consumer/data/aggregate',
    body: (random) => ({ ...month(random), granularity: 'day', metric_name_field: [metric], aggregates, ...extra }),
  })
  return [
    {
      name: 'mean of each hour',
      path: '/consumer/data/average',
      body: (random) => ({ ...month(random), granularity: 'hour', metric_name_field: ['V'] }),
    },
    daily('V', ['time_mean']),
    daily('V', ['time_mean'], { time_zone: 'Asia/Kolkata' }),
    daily('C', ['rise', 'resets']),
    daily('V', ['min', 'max', 'min_time', 'max_time']),
    daily('V', ['mean', 'stddev', 'first', 'last']),
    {
      name: 'plot of 800 points',
      path: '/consumer/data/plot',
      body: (random) => ({ ...month(random), points: 800, metric_name_field: ['V'] }),
    },
  ]
}
