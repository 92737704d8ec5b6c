// The latency of a small push while other clients do heavy work: run queries, and push bodies of 16 MiB.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ServerProcess } from '../test/support/server-process.ts'
import { type BackgroundLoad, beginBackgroundLoad, largeBodyBytes, push } from './background-load.ts'
import { printTable, quantile, spread } from './figures.ts'
import { runLoad } from './load.ts'
import { drain, makePlant, plantBodies } from './plant.ts'

const smallRows = 10
const smallConnections = 8
/** Keeps the small pushes at a few hundred a second, so that they are not heavy work themselves. */
const pauseMs = 20
const loads: readonly BackgroundLoad[] = [
  { name: 'nothing', queries: false, largeBodies: false },
  { name: 'queries', queries: true, largeBodies: false },
  { name: 'bodies of 16 MiB', queries: false, largeBodies: true },
  { name: 'both', queries: true, largeBodies: true },
]

interface Measured {
  readonly p50: number
  readonly p99: number
  readonly max: number
  readonly pushes: number
  readonly beside: number
}

/** The latencies of pushes of ten rows, alone and next to heavier work. */
export async function benchPushesUnderLoad(options: {
  readonly runs: number
  readonly seconds: number
}): Promise<void> {
  const results = new Map<BackgroundLoad, Measured[]>(loads.map((background) => [background, []]))
  for (let run = 0; run < options.runs; run++)
    for (const background of loads) results.get(background)!.push(await measure(background, options.seconds))
  printTable(
    `Pushes of ${smallRows} rows beside other work`,
    ['beside', 'pushes/s', 'MiB/s or queries/s beside', 'answer p50 ms', 'p99 ms', 'max ms'],
    [...results].map(([{ name }, measured]) => [
      name,
      ...(['pushes', 'beside'] as const).map((figure) =>
        spread(
          measured.map((one) => one[figure] / options.seconds),
          0,
        ),
      ),
      ...(['p50', 'p99', 'max'] as const).map((figure) =>
        spread(
          measured.map((one) => one[figure]),
          1,
        ),
      ),
    ]),
  )
}

async function measure(background: BackgroundLoad, seconds: number): Promise<Measured> {
  const dataDirectory = await mkdtemp(join(tmpdir(), 'tidemark-bench-'))
  const server = await ServerProcess.start({ dataDirectory })
  try {
    const key = await makePlant(server.url, 'plant')
    const body = plantBodies(1000, 1, smallRows).next().value!.body
    const payload = push(server.url, key, body)
    const { ended } = await beginBackgroundLoad({ background, url: server.url, key, seconds })
    const endMs = performance.now() + seconds * 1000
    const { latenciesMs } = await runLoad({
      url: server.url,
      connections: smallConnections,
      pauseMs,
      next: () => (performance.now() < endMs ? payload : null),
    })
    const { answers } = await ended
    await drain(server.url, 'plant')
    return {
      p50: quantile(latenciesMs, 0.5),
      p99: quantile(latenciesMs, 0.99),
      max: latenciesMs.reduce((max, one) => Math.max(max, one), 0),
      pushes: latenciesMs.length,
      beside: answers * (background.largeBodies ? largeBodyBytes / 2 ** 20 : 1),
    }
  } finally {
    await server.stop()
    await rm(dataDirectory, { recursive: true, force: true })
  }
}
