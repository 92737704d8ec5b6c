// Pushes next to readers of live rows: at a steady rate, and at the maximum rate.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ServerProcess } from '../test/support/server-process.ts'
import { push } from './background-load.ts'
import { printTable, quantile, spread } from './figures.ts'
import { openReaders } from './live-readers.ts'
import { runLoad } from './load.ts'
import { drain, makePlant, plantBodies, tagName } from './plant.ts'
import { usageOf } from './resident.ts'

interface Readers {
  readonly name: string
  readonly count: number
  /** The query of each reader, by its number. */
  readonly query: (reader: number) => string
}

const tags = 1000
const rowsInBody = 1000
const connections = 4
const steadyRowsPerSecond = 100_000
const readersOf: readonly Readers[] = [
  { name: 'none', count: 0, query: () => '' },
  { name: '1,000, a tag each', count: 1000, query: (reader) => `&ids=${tagName(reader % tags)}` },
  { name: '1,000, all the same tag', count: 1000, query: () => `&ids=${tagName(7)}` },
  { name: '10, all rows', count: 10, query: () => '' },
]

interface Measured {
  readonly rows: number
  readonly p50: number
  readonly p99: number
  readonly cpu: number
  readonly megabytes: number
  readonly toldMegabytes: number
}

export async function benchLive(options: { readonly runs: number; readonly seconds: number }): Promise<void> {
  for (const rate of [steadyRowsPerSecond, null]) {
    const results = new Map<Readers, Measured[]>(readersOf.map((readers) => [readers, []]))
    for (let run = 0; run < options.runs; run++)
      for (const readers of readersOf) results.get(readers)!.push(await measure(readers, rate, options.seconds))
    printTable(
      `Pushes of ${rowsInBody} rows beside live readers: ${rate === null ? 'as many as go' : `${rate} rows/s`}`,
      ['readers', 'rows/s', 'answer p50 ms', 'p99 ms', 'CPU s per million rows', 'resident MB', 'told MB/s'],
      [...results].map(([{ name }, all]) => [
        name,
        ...(['rows', 'p50', 'p99', 'cpu', 'megabytes', 'toldMegabytes'] as const).map((figure) =>
          spread(
            all.map((one) => one[figure]),
            figure === 'rows' || figure === 'megabytes' ? 0 : 2,
          ),
        ),
      ]),
    )
  }
}

async function measure({ count, query }: Readers, rate: number | null, seconds: number): Promise<Measured> {
  const dataDirectory = await mkdtemp(join(tmpdir(), 'tidemark-bench-'))
  const server = await ServerProcess.start({ dataDirectory })
  const paths = Array.from({ length: count }, (_, reader) => `/consumer/data/live?entity=plant${query(reader)}`)
  try {
    const key = await makePlant(server.url, 'plant')
    const readers = await openReaders(server.url, paths)
    const payloads = [...plantBodies(tags, 20, rowsInBody)].map(({ body }) => push(server.url, key, body))
    const before = await usageOf(server.url)
    const startedMs = performance.now()
    let sent = 0
    const next = (): Uint8Array | null =>
      performance.now() - startedMs < seconds * 1000 ? payloads[sent++ % payloads.length]! : null
    const pauseMs = rate === null ? 0 : (1000 * connections * rowsInBody) / rate
    const { answers, latenciesMs } = await runSteadily(server.url, next, pauseMs)
    const took = (performance.now() - startedMs) / 1000
    const after = await usageOf(server.url)
    await drain(server.url, 'plant')
    return {
      rows: (answers * rowsInBody) / took,
      p50: quantile(latenciesMs, 0.5),
      p99: quantile(latenciesMs, 0.99),
      cpu: ((after.cpuSeconds - before.cpuSeconds) * 1e6) / (answers * rowsInBody),
      megabytes: after.residentBytes / 2 ** 20,
      toldMegabytes: (await readers.close()) / 2 ** 20 / took,
    }
  } finally {
    await server.stop()
    await rm(dataDirectory, { recursive: true, force: true })
  }
}

/** Each connection starts a request every `pauseMs`, or as soon as it can. */
async function runSteadily(url: string, next: () => Uint8Array | null, pauseMs: number) {
  if (pauseMs === 0) return runLoad({ url, connections, next })
  const latenciesMs: number[] = []
  const endless = next
  const startedMs = performance.now()
  let due = 0
  const one = async (): Promise<void> => {
    for (;;) {
      const atMs = startedMs + (pauseMs / connections) * due++
      const waitMs = atMs - performance.now()
      if (waitMs > 0) await new Promise((resolve) => setTimeout(resolve, waitMs))
      let isFirst = true
      const only = (): Uint8Array | null => {
        if (!isFirst) return null
        isFirst = false
        return endless()
      }
      const { answers } = await runLoad({ url, connections: 1, next: only })
      if (answers === 0) return
      latenciesMs.push(performance.now() - Math.max(atMs, startedMs))
    }
  }
  await Promise.all(Array.from({ length: connections }, one))
  return { answers: latenciesMs.length, latenciesMs: Float64Array.from(latenciesMs) }
}
