// How long a small push takes while others do heavy work: ask, and push bodies of 16 MiB.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ServerProcess } from '../test/support/server-process.ts'
import { beginCompany, type Company, type CompanyWork, largeBodyBytes, push } from './company.ts'
import { printTable, quantile, spread } from './figures.ts'
import { type LoadResult, request, runLoad } from './load.ts'
import { drain, makePlant, plantBodies } from './plant.ts'
import { makeWorstData, worstDataQueries } from './worst-data.ts'

const smallRows = 10
const smallConnections = 8
/** So that the small pushes themselves are no heavy work: a few hundred a second. */
const pauseMs = 20
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

async function measure(company: Company, seconds: number): Promise<Measured> {
  const dataDirectory = await mkdtemp(join(tmpdir(), 'tidemark-bench-'))
  const server = await ServerProcess.start({ dataDirectory })
  try {
    const key = await makePlant(server.url, 'plant')
    const body = plantBodies(1000, 1, smallRows).next().value!.body
    const payload = push(server.url, key, body)
    const { ended } = await beginCompany({ company, url: server.url, key, seconds })
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
      beside: answers * (company.largeBodies ? largeBodyBytes / 2 ** 20 : 1),
    }
  } finally {
    await server.stop()
    await rm(dataDirectory, { recursive: true, force: true })
  }
}

/** The latencies of `latest` of one tag, and of pushes of ten rows, beside each of the worst data queries. */
export async function benchBesideWorst({ seconds }: { readonly seconds: number }): Promise<void> {
  const dataDirectory = await mkdtemp(join(tmpdir(), 'tidemark-bench-'))
  const server = await ServerProcess.start({ dataDirectory })
  try {
    const key = await makePlant(server.url, 'plant')
    await makeWorstData(server.url)
    const alone: Company = { name: 'nothing', queries: false, largeBodies: false }
    const companies = [alone, ...worstDataQueries.map((question) => ({ ...alone, name: question.name, question }))]
    const rows: string[][] = []
    for (const company of companies) rows.push(await besideWorst({ company, url: server.url, key, seconds }))
    printTable(
      `Beside two askers of each of the worst data queries, ${seconds} s each`,
      ['beside', 'latest p50 ms', 'p99', 'max', 'push p50 ms', 'p99', 'max', 'answers beside'],
      rows,
    )
  } finally {
    await server.stop()
    await rm(dataDirectory, { recursive: true, force: true })
  }
}

async function besideWorst(work: CompanyWork): Promise<string[]> {
  const { company, url, key, seconds } = work
  const headers = { 'content-type': 'application/json' }
  const body = JSON.stringify({ entity: 'many', ids: ['tag7'] })
  const latest = request(url, 'POST', '/consumer/data/latest', headers, body)
  const pushed = push(url, key, plantBodies(1000, 1, smallRows).next().value!.body)
  const { ended } = await beginCompany(work)
  const endMs = performance.now() + seconds * 1000
  const load = (payload: Uint8Array): Promise<LoadResult> =>
    runLoad({ url, connections: 1, pauseMs: 5, retryMs: 5, next: () => (performance.now() < endMs ? payload : null) })
  const measured = await Promise.all([load(latest), load(pushed)])
  const { answers } = await ended
  const figures = measured.flatMap(({ latenciesMs }) => [0.5, 0.99, 1].map((share) => quantile(latenciesMs, share)))
  return [company.name, ...figures.map((ms) => ms.toFixed(1)), company.question === undefined ? '' : String(answers)]
}
