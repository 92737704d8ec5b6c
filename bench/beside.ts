// How long a small push takes while others do heavy work: ask, and push bodies of 16 MiB.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ServerProcess } from '../test/support/server-process.ts'
import { printTable, quantile, spread } from './figures.ts'
import { request, runLoad } from './load.ts'
import { drain, makePlant, plantBodies } from './plant.ts'

const smallRows = 10
const smallConnections = 8
/** So that the small pushes themselves are no heavy work: a few hundred a second. */
const pauseMs = 20
const largeBodyBytes = 16 * 1024 * 1024
/** Between two large bodies of one connection: they are about half of what the service takes. */
const largePauseMs = 500

interface Company {
  readonly name: string
  readonly queries: boolean
  readonly largeBodies: boolean
}

const companies: readonly Company[] = [
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

/** The latencies of pushes of ten rows, alone and beside heavier work. */
export async function benchBeside(options: { readonly runs: number; readonly seconds: number }): Promise<void> {
  const results = new Map<Company, Measured[]>(companies.map((company) => [company, []]))
  for (let run = 0; run < options.runs; run++)
    for (const company of companies) results.get(company)!.push(await measure(company, options.seconds))
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

async function measure({ queries, largeBodies }: Company, seconds: number): Promise<Measured> {
  const dataDirectory = await mkdtemp(join(tmpdir(), 'tidemark-bench-'))
  const server = await ServerProcess.start({ dataDirectory })
  try {
    const key = await makePlant(server.url, 'plant')
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
    const push = (body: string): Uint8Array => request(server.url, 'POST', '/ingests/plant/data', headers, body)
    const endMs = performance.now() + seconds * 1000
    const load = (payload: Uint8Array, connections: number, pause: number) => {
      const next = (): Uint8Array | null => (performance.now() < endMs ? payload : null)
      return runLoad({ url: server.url, connections, pauseMs: pause, next })
    }
    const others = [
      ...(largeBodies ? [load(push(largeBody()), 2, largePauseMs)] : []),
      ...(queries ? [load(query(server.url), 2, 0)] : []),
    ]
    const small = load(push(plantBodies(1000, 1, smallRows).next().value!.body), smallConnections, pauseMs)
    const { latenciesMs } = await small
    const [first] = await Promise.all(others)
    await drain(server.url, 'plant')
    return {
      p50: quantile(latenciesMs, 0.5),
      p99: quantile(latenciesMs, 0.99),
      max: latenciesMs.reduce((max, one) => Math.max(max, one), 0),
      pushes: latenciesMs.length,
      beside: (first?.answers ?? 0) * (largeBodies ? largeBodyBytes / 2 ** 20 : 1),
    }
  } finally {
    await server.stop()
    await rm(dataDirectory, { recursive: true, force: true })
  }
}

/** Whole points of a thousand tags, as many as fit. */
function largeBody(): string {
  const rows: string[] = []
  let bytes = 2
  for (const { body } of plantBodies(1000, 1000, 1000)) {
    bytes += body.length - 1
    if (bytes > largeBodyBytes) break
    rows.push(body.slice(1, -1))
  }
  return `[${rows.join()}]`
}

function query(url: string): Uint8Array {
  const body = { entity: 'plant', prefixes: ['01PHD.OSL00'] }
  return request(url, 'POST', '/consumer/data/latest', { 'content-type': 'application/json' }, JSON.stringify(body))
}
