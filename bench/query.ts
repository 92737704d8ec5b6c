import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { answerFormats } from '../src/model/answer-format.ts'
import { ServerProcess } from '../test/support/server-process.ts'
import { measureAtRest } from './at-rest.ts'
import { median, printTable, quantile, spread } from './figures.ts'
import { type LoadResult, request, runLoad } from './load.ts'
import { drain, makePlant, plantBodies, tagName } from './plant.ts'
import { askFor, pointsOfTag, type Question, questions } from './questions.ts'

export interface QueryBenchOptions {
  readonly runs: number
  /** Sizes of the data sets, in rows. */
  readonly sizes: readonly number[]
  /** Whether all rows are brought to rest afterwards, for starts, cold reads and DuckDB over the same files. */
  readonly rest: boolean
}

/** The latency of each query over HTTP on one connection; then one-tag means on 16 connections. */
export async function benchQuery({ runs, sizes, rest }: QueryBenchOptions): Promise<void> {
  for (const size of sizes) await measureSize(size, runs, rest)
}

async function measureSize(rows: number, runs: number, rest: boolean): Promise<void> {
  const tags = Math.max(1, Math.round(rows / pointsOfTag))
  const dataDirectory = await mkdtemp(join(tmpdir(), 'tidemark-bench-'))
  const server = await ServerProcess.start({ dataDirectory, environment: { TIDEMARK_LIMITS_RESULT_ROWS: '2000000' } })
  try {
    await fill(server.url, tags)
    // Compiled code is measured; the first answers after a start are reported separately.
    for (const question of questions(tags)) await askFor(server.url, question, 1, 300)
    const lines: string[][] = []
    for (const question of questions(tags)) {
      const measured: LoadResult[] = []
      for (let run = 0; run < runs; run++) measured.push(await askFor(server.url, question, 1, 1500))
      lines.push([
        question.name,
        spread(
          measured.map((one) => quantile(one.latenciesMs, 0.5)),
          2,
        ),
        spread(
          measured.map((one) => quantile(one.latenciesMs, 0.99)),
          2,
        ),
        String(Math.round(median(measured.map((one) => one.bytes / one.answers)))),
      ])
    }
    const rate: number[] = []
    for (let run = 0; run < runs; run++) {
      const { answers, seconds } = await askFor(server.url, questions(tags)[0]!, 16, 2000)
      rate.push(answers / seconds)
    }
    printTable(`${rows / 1e6} million rows, ${tags} tags`, ['query', 'p50 ms', 'p99 ms', 'bytes'], lines)
    console.log(`\none tag, hourly mean, one day, 16 connections: ${spread(rate, 0)} a second`)
    await measureLarge(server.url, tags, runs)
    await server.stop()
    if (rest) await measureAtRest({ dataDirectory, rows, tags, runs })
  } finally {
    await server.stop()
    await rm(dataDirectory, { recursive: true, force: true })
  }
}

const largeTags = 18
const mediaTypes = answerFormats.map(({ mediaType }) => mediaType)

/** 360,000 rows in one response in each format, and the effect on short queries that run at the same time. */
async function measureLarge(url: string, tags: number, runs: number): Promise<void> {
  if (tags < largeTags) return
  const ids = Array.from({ length: largeTags }, (_, tag) => tagName(tag))
  const select: Question = { name: 'select', path: '/consumer/data/select', body: () => ({ entity: 'plant', ids }) }
  const lines: string[][] = []
  for (const accept of mediaTypes) {
    const measured: LoadResult[] = []
    for (let run = 0; run < runs; run++) measured.push(await askFor(url, select, 1, 1500, accept))
    const rates = measured.map((one) => one.bytes / 1e6 / one.seconds)
    const latencies = measured.map((one) => quantile(one.latenciesMs, 0.5))
    lines.push([
      accept,
      spread(latencies, 0),
      spread(rates, 0),
      String(Math.round((measured[0]?.bytes ?? 0) / (measured[0]?.answers ?? 1))),
    ])
  }
  printTable(`select of ${largeTags * pointsOfTag} rows, one connection`, ['format', 'p50 ms', 'MB/s', 'bytes'], lines)
  const latest: Question = {
    name: 'latest',
    path: '/consumer/data/latest',
    body: (random) => ({ entity: 'plant', ids: [tagName(Math.floor(random() * tags))] }),
  }
  const beside: LoadResult[] = []
  for (let run = 0; run < runs; run++) {
    const selects = askFor(url, select, 1, 3000)
    beside.push(await askFor(url, latest, 1, 2500))
    await selects
  }
  const at = (share: number): string =>
    spread(
      beside.map((one) => quantile(one.latenciesMs, share)),
      2,
    )
  console.log(`\nlatest of one tag while such selects run: p50 ${at(0.5)} ms, p99 ${at(0.99)} ms`)
}

export async function fill(url: string, tags: number): Promise<void> {
  const key = await makePlant(url, 'plant')
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
  const bodies = plantBodies(tags, pointsOfTag, 10_000)
  const next = (): Uint8Array | null => {
    const { value, done } = bodies.next()
    return done ? null : request(url, 'POST', '/ingests/plant/data', headers, value.body)
  }
  await runLoad({ url, connections: 4, next })
  await drain(url, 'plant')
}
