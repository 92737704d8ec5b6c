import { closeSync, fdatasyncSync, openSync, writeSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ServerProcess } from '../test/support/server-process.ts'
import { printTable, quantile, spread } from './figures.ts'
import { request, runLoad } from './load.ts'
import { drain, makePlant, plantBodies } from './plant.ts'

export interface IngestBenchOptions {
  readonly runs: number
  /** The maximum number of rows that each measurement pushes. */
  readonly rowsMax: number
  /** The maximum number of requests: one at a time, they take a millisecond each. */
  readonly bodiesMax: number
}

interface Shape {
  readonly rowsInBody: number
  readonly connections: number
  /** Whether each push has an Idempotency-Key. */
  readonly keyed?: boolean
}

const shapes: readonly Shape[] = [
  { rowsInBody: 1, connections: 1 },
  { rowsInBody: 1, connections: 64 },
  { rowsInBody: 1, connections: 64, keyed: true },
  { rowsInBody: 100, connections: 8 },
  { rowsInBody: 1000, connections: 1 },
  { rowsInBody: 1000, connections: 8 },
  { rowsInBody: 1000, connections: 8, keyed: true },
  { rowsInBody: 10_000, connections: 8 },
]

interface Measured {
  readonly acknowledged: number
  readonly queryable: number
  readonly p50: number
  readonly p99: number
}

/** Rows per second over HTTP: until they are acknowledged (fsynced), and until they are queryable. */
export async function benchIngest({ runs, ...most }: IngestBenchOptions): Promise<void> {
  const results = new Map<Shape, Measured[]>(shapes.map((shape) => [shape, []]))
  for (let run = 0; run < runs; run++) {
    for (const shape of shapes) results.get(shape)!.push(await measure(shape, most))
  }
  printTable(
    'Rows pushed over HTTP, fsynced before the answer',
    [
      'rows a body',
      'connections',
      'with a key',
      'acknowledged k rows/s',
      'queryable k rows/s',
      'answer p50 ms',
      'p99 ms',
    ],
    [...results].map(([shape, measured]) => [
      String(shape.rowsInBody),
      String(shape.connections),
      shape.keyed === true ? 'yes' : 'no',
      spread(
        measured.map((one) => one.acknowledged / 1000),
        1,
      ),
      spread(
        measured.map((one) => one.queryable / 1000),
        1,
      ),
      spread(
        measured.map((one) => one.p50),
        2,
      ),
      spread(
        measured.map((one) => one.p99),
        2,
      ),
    ]),
  )
  await machineLimits(runs)
}

async function measure(
  { rowsInBody, connections, keyed = false }: Shape,
  { rowsMax, bodiesMax }: Omit<IngestBenchOptions, 'runs'>,
): Promise<Measured> {
  const dataDirectory = await mkdtemp(join(tmpdir(), 'tidemark-bench-'))
  const server = await ServerProcess.start({ dataDirectory })
  try {
    const key = await makePlant(server.url, 'plant')
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
    const rows = Math.min(rowsMax, rowsInBody * Math.min(bodiesMax, Math.max(30_000, connections * 2000)))
    const bodies = [...plantBodies(1000, Math.ceil(rows / 1000), rowsInBody)].slice(0, Math.ceil(rows / rowsInBody))
    const requests = bodies.map(({ body }, index) => {
      const own = keyed ? { ...headers, 'idempotency-key': `push number ${index} of this run` } : headers
      return request(server.url, 'POST', '/ingests/plant/data', own, body)
    })
    const total = bodies.reduce((sum, body) => sum + body.rows, 0)
    let next = 0
    const startedMs = performance.now()
    const load = await runLoad({ url: server.url, connections, next: () => requests[next++] ?? null })
    await drain(server.url, 'plant')
    const queryableSeconds = (performance.now() - startedMs) / 1000
    const { latenciesMs } = load
    return {
      acknowledged: total / load.seconds,
      queryable: total / queryableSeconds,
      p50: quantile(latenciesMs, 0.5),
      p99: quantile(latenciesMs, 0.99),
    }
  } finally {
    await server.stop()
    await rm(dataDirectory, { recursive: true, force: true })
  }
}

/** The maximum rates of this machine, in the same run: JSON parsing alone, and writes with fdatasync alone. */
async function machineLimits(runs: number): Promise<void> {
  const { body, rows } = plantBodies(1000, 1, 1000).next().value!
  const directory = await mkdtemp(join(tmpdir(), 'tidemark-bench-'))
  const file = openSync(join(directory, 'limit'), 'w')
  const parse: number[] = []
  const small: number[] = []
  const large: number[] = []
  for (let run = 0; run < runs; run++) {
    parse.push((rows * 300) / secondsOf(300, () => JSON.parse(body)) / 1000)
    small.push((secondsOf(200, () => writeSynced(file, Buffer.alloc(100))) / 200) * 1000)
    large.push((secondsOf(50, () => writeSynced(file, Buffer.alloc(1 << 20))) / 50) * 1000)
  }
  closeSync(file)
  await rm(directory, { recursive: true, force: true })
  printTable(
    'The limits of the machine, in the same run',
    ['what', 'median (spread)'],
    [
      ['JSON.parse alone, bodies of 1,000 rows, k rows/s', spread(parse, 0)],
      ['write + fdatasync of 100 bytes, ms', spread(small, 2)],
      ['write + fdatasync of 1 MiB, ms', spread(large, 2)],
    ],
  )
}

function secondsOf(times: number, work: () => void): number {
  const startedMs = performance.now()
  for (let time = 0; time < times; time++) work()
  return (performance.now() - startedMs) / 1000
}

function writeSynced(file: number, bytes: Uint8Array): void {
  writeSync(file, bytes)
  fdatasyncSync(file)
}
