// The cost of a replica: two services receive the same pushes in turn, one of them with a replica on the same disk. Then the replica is restored.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import { ServerProcess } from '../test/support/server-process.ts'
import { median, printTable, quantile, spread } from './figures.ts'
import { request, runLoad } from './load.ts'
import { drain, makePlant, plantRow } from './plant.ts'
import { isCopied, replicaLagMs } from './replica-lag.ts'
import { usageOf } from './resident.ts'
import { restoreByCommand } from './restore.ts'

const tags = 1000
const connections = 8
const retryMs = 20
const lagPauseMs = 50

export interface ReplicaBench {
  readonly turns: number
  readonly rowsInTurn: number
}

export async function benchReplica(bench: ReplicaBench): Promise<void> {
  const directory = await mkdtemp(join(tmpdir(), 'tidemark-bench-'))
  const url = pathToFileURL(join(directory, 'copy')).href
  try {
    await pushInTurn(bench, directory, url)
    const { bytes, seconds } = await restoreByCommand(url, join(directory, 'restored'))
    const [megabytes, rate] = [bytes / 1e6, bytes / 1e6 / seconds].map((one) => one.toFixed(0))
    console.log(`\nrestored: ${megabytes} MB in ${seconds.toFixed(1)} s, ${rate} MB/s, with the start of the command`)
  } finally {
    await rm(directory, { recursive: true, force: true })
  }
}

async function pushInTurn({ turns, rowsInTurn }: ReplicaBench, directory: string, url: string): Promise<void> {
  const off = await Service.start(join(directory, 'off'), {})
  const on = await Service.start(join(directory, 'on'), { TIDEMARK_REPLICA_URL: url })
  await isCopied(on.server.url)
  for (let turn = 0; turn < turns; turn++) {
    const order = turn % 2 === 0 ? [off, on] : [on, off]
    for (const service of order) await service.push(turn, rowsInTurn)
  }
  const caughtUpFromMs = performance.now()
  await isCopied(on.server.url)
  const caughtUpMs = performance.now() - caughtUpFromMs
  const title = `${turns} turns of ${rowsInTurn} rows each, bodies of ${tags}, ${connections} connections`
  const header = ['copy', 'k rows/s', 'push p99 ms', 'CPU s a million rows', 'MiB resident at most']
  printTable(title, header, [
    ['off', ...off.figures],
    ['on', ...on.figures],
  ])
  const ratios = on.cpu.map((cpu, turn) => cpu / off.cpu[turn]!)
  console.log(`\nCPU with the copy to without, turn by turn: ${spread(ratios, 2)}`)
  const lag = (share: number): string => Math.round(quantile(on.lagMs, share)).toString()
  console.log(`lag under load, ms: median ${lag(0.5)}, p99 ${lag(0.99)}, at most ${Math.round(Math.max(...on.lagMs))}`)
  console.log(`the copy had everything ${(caughtUpMs / 1000).toFixed(1)} s after the last answer was validated`)
  for (const { server } of [off, on]) await server.stop()
}

class Service {
  readonly server: ServerProcess
  readonly cpu: number[] = []
  readonly lagMs: number[] = []
  readonly #key: string
  readonly #rates: number[] = []
  readonly #p99s: number[] = []
  #residentMax = 0

  private constructor(server: ServerProcess, key: string) {
    this.server = server
    this.#key = key
  }

  static async start(dataDirectory: string, environment: Readonly<Record<string, string>>): Promise<Service> {
    const server = await ServerProcess.start({ dataDirectory, environment })
    return new Service(server, await makePlant(server.url, 'plant'))
  }

  get figures(): readonly string[] {
    const resident = (this.#residentMax / 2 ** 20).toFixed(0)
    return [spread(this.#rates, 0), median(this.#p99s).toFixed(1), spread(this.cpu, 2), resident]
  }

  /** CPU time is counted until all rows are validated and copied. */
  async push(turn: number, rows: number): Promise<void> {
    const { url } = this.server
    const bodies = requestsOf(url, this.#key, turn, rows)
    const before = await usageOf(url)
    const looking = new AbortController()
    const lag = this.#lookAtLag(looking.signal)
    const next = (): Uint8Array | null => bodies.pop() ?? null
    const { seconds, latenciesMs } = await runLoad({ url, connections, next, retryMs })
    looking.abort()
    await lag
    await drain(url, 'plant')
    if (this.lagMs.length > 0) await isCopied(url)
    const after = await usageOf(url)
    this.#residentMax = Math.max(this.#residentMax, after.residentBytes)
    this.#rates.push(rows / seconds / 1000)
    this.#p99s.push(quantile(latenciesMs, 0.99))
    this.cpu.push((after.cpuSeconds - before.cpuSeconds) / (rows / 1e6))
  }

  async #lookAtLag(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const lagMs = await replicaLagMs(this.server.url)
      if (lagMs !== null) this.lagMs.push(lagMs)
      const { residentBytes } = await usageOf(this.server.url)
      this.#residentMax = Math.max(this.#residentMax, residentBytes)
      await sleep(lagPauseMs)
    }
  }
}

function requestsOf(url: string, key: string, turn: number, rows: number): Uint8Array[] {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
  const points = rows / tags
  return Array.from({ length: points }, (_, index) => {
    // Bodies are consumed from the end.
    const point = turn * points + points - 1 - index
    const body = Array.from({ length: tags }, (_, tag) => plantRow(tag, point))
    return request(url, 'POST', '/ingests/plant/data', headers, `[${body.join()}]`)
  })
}
