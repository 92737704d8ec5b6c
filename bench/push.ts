// A hundred million rows in one run: does the service keep its rate and its memory while it seals and merges files and serves queries?
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { callOk } from '../test/support/api.ts'
import { ServerProcess } from '../test/support/server-process.ts'
import { quantile } from './figures.ts'
import { request, runLoad } from './load.ts'
import { drain, firstMs, makePlant, plantRow, stepMs, tagName } from './plant.ts'
import { usageOf } from './resident.ts'

const tags = 1000
const connections = 8
/** Prepared once; each is sent with a new date each time, so that the generator costs almost nothing. */
const preparedBodies = 512
const reports = 10
const residentBytesMax = 2 ** 30
const paceMin = 0.8
/** Each of the two queries runs about four times a second. */
const askPauseMs = 250
/** The delay before a push refused because of the backlog is repeated. */
const retryMs = 20

/** Sets exit code 1 when the service exceeds its memory limit, or the rate of the last fifth is below 0.8 of the first. */
export async function benchPush(rows: number): Promise<void> {
  const dataDirectory = await mkdtemp(join(tmpdir(), 'tidemark-bench-'))
  const server = await ServerProcess.start({ dataDirectory })
  try {
    const faults = await new PushRun(server.url, rows).run()
    for (const fault of faults) console.error(fault)
    if (faults.length > 0) process.exitCode = 1
  } finally {
    await server.stop()
    await rm(dataDirectory, { recursive: true, force: true })
  }
}

class PushRun {
  readonly #url: string
  readonly #points: number
  #point = 0
  #acknowledged = 0
  #refused = 0
  #isOver = false
  /** The start, then the time at which each tenth of the rows was acknowledged. */
  readonly #reachedMs: number[] = []
  #pushMs: number[] = []
  #askMs: number[] = []
  #residentMax = 0
  #residentOfReport = 0
  /** At the newest sample, and at the last one before the report. */
  #cpuSeconds = 0
  #cpuSecondsReported = 0

  constructor(url: string, rows: number) {
    this.#url = url
    this.#points = Math.ceil(rows / tags)
  }

  async run(): Promise<readonly string[]> {
    const key = await makePlant(this.#url, 'plant')
    const prepared = prepare(this.#url, key)
    console.log(`\n### ${(this.#points * tags) / 1e6} million rows, bodies of ${tags}, ${connections} connections\n`)
    console.log(
      '| million rows | k rows/s | push p99 ms | query p50 ms | p99 ms | CPU s a million rows | MiB resident | refused |',
    )
    console.log('|--:|--:|--:|--:|--:|--:|--:|--:|')
    this.#cpuSecondsReported = (await usageOf(this.#url)).cpuSeconds
    this.#reachedMs.push(performance.now())
    const beside = [this.#watchUsage(), this.#ask(), this.#askMeans()]
    const next = (): Uint8Array | null => {
      if (this.#point === this.#points) return null
      const body = prepared[this.#point % prepared.length]!
      return body.at(this.#point++)
    }
    const acknowledged = (ms: number): void => this.#took(ms)
    const refused = (): void => void this.#refused++
    await runLoad({ url: this.#url, connections, next, retryMs, acknowledged, refused })
    const drainedFromMs = performance.now()
    await drain(this.#url, 'plant')
    this.#isOver = true
    await Promise.all(beside)
    return this.#validate(performance.now() - drainedFromMs)
  }

  #took(ms: number): void {
    this.#pushMs.push(ms)
    this.#acknowledged += tags
    const part = this.#points * tags
    if (this.#acknowledged * reports < part * this.#reachedMs.length) return
    this.#reachedMs.push(performance.now())
    this.#report(part / reports)
  }

  #report(rows: number): void {
    const [before = 0, now = 0] = this.#reachedMs.slice(-2)
    const cells = [
      (this.#acknowledged / 1e6).toFixed(1),
      (rows / (now - before)).toFixed(1),
      quantile(this.#pushMs, 0.99).toFixed(1),
      quantile(this.#askMs, 0.5).toFixed(1),
      quantile(this.#askMs, 0.99).toFixed(1),
      (((this.#cpuSeconds - this.#cpuSecondsReported) / rows) * 1e6).toFixed(2),
      Math.round(this.#residentOfReport / 2 ** 20),
      this.#refused,
    ]
    console.log(`| ${cells.join(' | ')} |`)
    this.#pushMs = []
    this.#askMs = []
    this.#refused = 0
    this.#residentOfReport = 0
    this.#cpuSecondsReported = this.#cpuSeconds
  }

  #validate(drainMs: number): readonly string[] {
    const times = this.#reachedMs
    const fifth = reports / 5
    const firstMs = (times[fifth] ?? Number.NaN) - (times[0] ?? Number.NaN)
    const lastMs = (times[reports] ?? Number.NaN) - (times[reports - fifth] ?? Number.NaN)
    const pace = firstMs / lastMs
    const resident = Math.round(this.#residentMax / 2 ** 20)
    const rate = (this.#points * tags) / ((times[reports] ?? Number.NaN) - (times[0] ?? Number.NaN))
    console.log(
      `\n${rate.toFixed(0)} k rows/s in all; the last fifth at ${pace.toFixed(2)} of the pace of the first; ` +
        `all queryable ${(drainMs / 1000).toFixed(1)} s after the last answer; at most ${resident} MiB resident`,
    )
    const faults: string[] = []
    if (!(pace >= paceMin)) faults.push(`the last fifth was pushed at ${pace.toFixed(2)} of the pace of the first`)
    if (!(this.#residentMax <= residentBytesMax)) faults.push(`${resident} MiB were resident`)
    return faults
  }

  async #watchUsage(): Promise<void> {
    while (!this.#isOver) {
      const { residentBytes, cpuSeconds } = await usageOf(this.#url)
      this.#residentMax = Math.max(this.#residentMax, residentBytes)
      this.#residentOfReport = Math.max(this.#residentOfReport, residentBytes)
      this.#cpuSeconds = cpuSeconds
      await sleep(500)
    }
  }

  async #ask(): Promise<void> {
    while (!this.#isOver) {
      await this.#query('latest', { ids: [anyTag()] })
      await sleep(askPauseMs)
    }
  }

  /** Queries the newest day. */
  async #askMeans(): Promise<void> {
    while (!this.#isOver) {
      const nowMs = firstMs + this.#point * stepMs
      const start_date = new Date(nowMs - 86_400_000).toISOString()
      await this.#query('average', { ids: [anyTag()], granularity: 'hour', metric_name_field: ['V'], start_date })
      await sleep(askPauseMs)
    }
  }

  async #query(name: string, body: object): Promise<void> {
    const startedMs = performance.now()
    await callOk(this.#url, 'POST', `/consumer/data/${name}`, { body: { entity: 'plant', ...body } })
    this.#askMs.push(performance.now() - startedMs)
  }
}

function anyTag(): string {
  return tagName(Math.floor(Math.random() * tags))
}

interface PreparedBody {
  /** The request with the dates of a point, valid until the next call. */
  at(point: number): Uint8Array
}

function prepare(url: string, key: string): readonly PreparedBody[] {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
  return Array.from({ length: preparedBodies }, (_, point) => {
    const rows = Array.from({ length: tags }, (_, tag) => plantRow(tag, point))
    const bytes = Buffer.from(request(url, 'POST', '/ingests/plant/data', headers, `[${rows.join()}]`))
    const begin = '{"D":"'
    const places: number[] = []
    for (let at = bytes.indexOf(begin); at !== -1; at = bytes.indexOf(begin, at + 1)) places.push(at + begin.length)
    return {
      at: (later) => {
        const date = Buffer.from(new Date(firstMs + later * stepMs).toISOString())
        for (const place of places) bytes.set(date, place)
        return bytes
      },
    }
  })
}
