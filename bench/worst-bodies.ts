// How long `latest` and small pushes of others take while each of the worst bodies is validated, and what the service holds meanwhile.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { call, callWell, makeIngest } from '../test/support/api.ts'
import { PeakMemory } from '../test/support/peak-memory.ts'
import { adminKey, ServerProcess } from '../test/support/server-process.ts'
import { makeNarrowAndWide, packed, pushWorst, type WorstBody, worstBodies } from '../test/support/worst-bodies.ts'
import { printTable, quantile } from './figures.ts'
import { drain } from './plant.ts'

const bodyBytes = 16_000_000
const pauseMs = 10

interface Beside {
  readonly latestMs: number[]
  readonly pushMs: number[]
  refused: number
  readonly rows: number
  readonly seconds: number
}

/** Each body again and again for some seconds, and until it is validated. */
export async function benchWorstBodies({
  seconds,
  rowsMax,
}: {
  readonly seconds: number
  readonly rowsMax: number
}): Promise<void> {
  const table: string[][] = []
  for (const body of [null, ...worstBodies]) {
    const dataDirectory = await mkdtemp(join(tmpdir(), 'tidemark-bench-'))
    const environment = { TIDEMARK_LIMITS_REJECTED_BYTES: String(64 * 2 ** 30) }
    const server = await ServerProcess.start({ dataDirectory, environment })
    const memory = new PeakMemory(server.id)
    try {
      const { latestMs, pushMs, refused, rows, seconds: took } = await beside(server.url, body, seconds, rowsMax)
      const figures = [latestMs, pushMs].flatMap((ms) => [quantile(ms, 0.5), quantile(ms, 0.99)])
      const mebibytes = memory.takePeakBytes() / 2 ** 20
      const name = body?.name ?? 'nothing'
      const [perSecond, ms] = [Math.round(rows / took).toLocaleString('en'), figures.map((one) => one.toFixed(1))]
      table.push([name, perSecond, ...ms, String(refused), mebibytes.toFixed(0)])
    } finally {
      memory.stop()
      await server.stop()
      await rm(dataDirectory, { recursive: true, force: true })
    }
  }
  const columns = ['beside', 'rows/s judged', 'latest p50 ms', 'p99', 'push p50 ms', 'p99', 'refused', 'service MiB']
  printTable(`Beside bodies of ${bodyBytes / 1e6} MB`, columns, table)
}

async function beside(url: string, body: WorstBody | null, seconds: number, rowsMax: number): Promise<Beside> {
  const keys = await makeNarrowAndWide(url)
  const small = await makeIngest(url, adminKey, { alias: 'small' })
  const row = { D: '2026-01-01T00:00:00Z', T: 'a', V: 1 }
  await callWell(url, 'POST', '/ingests/small/data?wait=true', { key: small, body: row })
  const startedMs = performance.now()
  const seen = { latestMs: [] as number[], pushMs: [] as number[], refused: 0 }
  let isOver = false
  const ask = async (into: number[], request: () => Promise<{ readonly status: number }>): Promise<void> => {
    while (!isOver) {
      const askedMs = performance.now()
      const { status } = await request()
      into.push(performance.now() - askedMs)
      if (status !== 200) seen.refused += 1
      await sleep(pauseMs)
    }
  }
  const neighbours = [
    ask(seen.latestMs, () => call(url, 'POST', '/consumer/data/latest', { body: { entity: 'small' } })),
    ask(seen.pushMs, () => call(url, 'POST', '/ingests/small/data', { key: small, body: row })),
  ]
  let rows = 0
  const bytes = body === null ? null : packed(body, bodyBytes, rowsMax)
  do {
    if (body === null || bytes === null) await sleep(seconds * 1000)
    else rows += await pushWorst(url, keys[body.alias], body, bytes)
  } while (performance.now() - startedMs < seconds * 1000)
  if (body !== null) await drain(url, body.alias)
  isOver = true
  await Promise.all(neighbours)
  return { ...seen, rows, seconds: (performance.now() - startedMs) / 1000 }
}
