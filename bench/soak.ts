// A long run of mixed load: late and bad rows, retried pushes, queries. Says each minute how it goes, and ends with an error when a counter
// or an answer is wrong, or memory keeps growing.

import { mkdtemp, rm } from 'node:fs/promises'
import { Agent, request as httpRequest } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { callWell } from '../test/support/api.ts'
import { type Random, seededRandom } from '../test/support/random.ts'
import { adminKey, ServerProcess } from '../test/support/server-process.ts'
import { median, quantile } from './figures.ts'
import { drain, firstMs, makePlant, plantRow, stepMs, tagName } from './plant.ts'

export interface SoakOptions {
  readonly minutes: number
  /** The load that is aimed at; less when the service takes no more. */
  readonly rowsPerSecond: number
}

const tags = 1000
const rowsInBody = 1000
const pushers = 4
const sampleMs = 1000
/** One in so many rows, or pushes. */
const lateRowIn = 20
const badRowIn = 1000
const repeatIn = 20
/** Memory may be so much larger at the end than in the middle of the run, for it goes up and down. */
const growthMax = 1.3
const growthBytesMin = 100 * 1024 * 1024

interface Answer {
  readonly status: number
  readonly text: string
}

interface Counters {
  readonly received: number
  readonly stored: number
  readonly rejected: number
  readonly pending: number
}

/** Throws an Error when something is wrong. */
export async function soak({ minutes, rowsPerSecond }: SoakOptions): Promise<void> {
  const dataDirectory = await mkdtemp(join(tmpdir(), 'tidemark-soak-'))
  const server = await ServerProcess.start({ dataDirectory })
  try {
    const run = new Soak(server.url, await makePlant(server.url, 'plant'), rowsPerSecond)
    await run.run(minutes)
    if ((await server.stop()) !== 0) throw new Error('the service did not end well')
    console.log(`\n${run.summary}`)
  } finally {
    await server.kill()
    await rm(dataDirectory, { recursive: true, force: true })
  }
}

class Soak {
  readonly #url: string
  readonly #key: string
  readonly #rowsPerSecond: number
  readonly #random: Random = seededRandom(1)
  readonly #agent = new Agent({ keepAlive: true })
  readonly #stopping = new AbortController()
  readonly #faults: string[] = []
  readonly #rss: number[] = []
  #pushMs: number[] = []
  #latestMs: number[] = []
  #sentRows = 0
  #acknowledgedRows = 0
  #badRows = 0
  #refused = 0
  #repeated = 0
  #queries = 0
  #point = 0
  #startedMs = 0

  constructor(url: string, key: string, rowsPerSecond: number) {
    this.#url = url
    this.#key = key
    this.#rowsPerSecond = rowsPerSecond
  }

  get summary(): string {
    return `${this.#acknowledgedRows} rows acknowledged, ${this.#badRows} of them bad; ${this.#repeated} pushes repeated, ${this.#refused} refused and retried; ${this.#queries} queries`
  }

  async run(minutes: number): Promise<void> {
    this.#startedMs = performance.now()
    const loads = [
      ...Array.from({ length: pushers }, (_, pusher) => this.#push(pusher)),
      this.#askLatest(),
      this.#askOthers(),
      this.#watchMemory(),
    ].map((load) => load.catch((error: unknown) => this.#wrong(String(error))))
    console.log('| minute | rows/s | RSS MiB | push p99 ms | latest p99 ms | pending | rejected | files | errors |')
    console.log('|---|--:|--:|--:|--:|--:|--:|--:|--:|')
    for (let minute = 1; minute <= minutes && this.#faults.length === 0; minute++) await this.#minute(minute)
    this.#stopping.abort()
    await Promise.all(loads)
    this.#agent.destroy()
    if (this.#faults.length === 0) await this.#checkEnd()
    this.#checkMemory()
    if (this.#faults.length > 0) throw new Error(this.#faults.slice(0, 10).join('\n'))
  }

  async #minute(minute: number): Promise<void> {
    const rowsBefore = this.#acknowledgedRows
    const startedMs = performance.now()
    this.#pushMs = []
    this.#latestMs = []
    for (let second = 0; second < 60 && this.#faults.length === 0; second++) await sleep(1000)
    const rate = (this.#acknowledgedRows - rowsBefore) / ((performance.now() - startedMs) / 1000)
    const counters = await this.#checkCounters()
    const { store } = await callWell<{ store: { files: number } }>(this.#url, 'GET', '/readyz', { key: adminKey })
    const cells = [
      minute,
      Math.round(rate),
      Math.round((this.#rss.at(-1) ?? Number.NaN) / 2 ** 20),
      quantile(this.#pushMs, 0.99).toFixed(1),
      quantile(this.#latestMs, 0.99).toFixed(1),
      counters.pending,
      counters.rejected,
      store.files,
      this.#faults.length,
    ]
    console.log(`| ${cells.join(' | ')} |`)
  }

  async #counters(): Promise<Counters> {
    const path = '/admin/ingests/plant'
    return (await callWell<{ counters: Counters }>(this.#url, 'GET', path, { key: adminKey })).counters
  }

  /** Counters add up at any time, and lie between what was acknowledged before and what was sent. */
  async #checkCounters(): Promise<Counters> {
    const acknowledged = this.#acknowledgedRows
    const counters = await this.#counters()
    const { received, stored, rejected, pending } = counters
    if (received !== stored + rejected + pending || received < acknowledged || received > this.#sentRows)
      this.#wrong(`${acknowledged} to ${this.#sentRows} rows were pushed: ${JSON.stringify(counters)}`)
    return counters
  }

  async #checkEnd(): Promise<void> {
    await drain(this.#url, 'plant')
    const counters = await this.#checkCounters()
    const expected = {
      received: this.#acknowledgedRows,
      stored: this.#acknowledgedRows - this.#badRows,
      rejected: this.#badRows,
      pending: 0,
    }
    if (JSON.stringify(counters) !== JSON.stringify(expected))
      this.#wrong(`the counters are ${JSON.stringify(counters)} in the end, not ${JSON.stringify(expected)}`)
    const path = '/consumer/data/entities'
    const [entity] = await callWell<{ rows: number }[]>(this.#url, 'GET', path)
    if (entity?.rows !== expected.stored) this.#wrong(`${entity?.rows} rows are there, not ${expected.stored}`)
  }

  #checkMemory(): void {
    const third = Math.floor(this.#rss.length / 3)
    const middle = median(this.#rss.slice(third, 2 * third))
    const last = median(this.#rss.slice(2 * third))
    if (last > middle * growthMax && last - middle > growthBytesMin)
      this.#wrong(`memory grew from ${middle} to ${last} bytes between the middle and the last third of the run`)
  }

  #wrong(what: string): void {
    this.#faults.push(what)
  }

  get #stopped(): boolean {
    return this.#stopping.signal.aborted || this.#faults.length > 0
  }

  async #push(pusher: number): Promise<void> {
    for (let number = 0; !this.#stopped; number++) {
      await this.#pace()
      const { body, bad } = this.#body()
      const idempotencyKey = `push ${number} of pusher ${pusher}`
      this.#sentRows += rowsInBody
      const answer = await this.#pushUntilTaken(body, idempotencyKey)
      if (answer === null) return
      this.#acknowledgedRows += rowsInBody
      this.#badRows += bad
      if (this.#random.below(repeatIn) > 0) continue
      this.#repeated++
      const again = await this.#pushUntilTaken(body, idempotencyKey)
      if (again !== null && again.text !== answer.text)
        this.#wrong(`a repeated push: ${again.text}, not ${answer.text}`)
    }
  }

  /** Sends no more rows than were asked for. */
  async #pace(): Promise<void> {
    const aheadMs = (this.#sentRows / this.#rowsPerSecond) * 1000 - (performance.now() - this.#startedMs)
    if (aheadMs > 0) await sleep(aheadMs)
  }

  /** As a careful client: what is refused for a moment is sent again with its key. Null when it is not taken in the end. */
  async #pushUntilTaken(body: string, idempotencyKey: string): Promise<Answer | null> {
    for (let attempt = 0; attempt < 100; attempt++) {
      const startedMs = performance.now()
      const answer = await this.#send('/ingests/plant/data', body, {
        authorization: `Bearer ${this.#key}`,
        'idempotency-key': idempotencyKey,
      })
      if (answer.status === 200) {
        this.#pushMs.push(performance.now() - startedMs)
        return answer
      }
      if (answer.status !== 503) {
        this.#wrong(`a push was answered with ${answer.status}: ${answer.text}`)
        return null
      }
      this.#refused++
      await sleep(100)
    }
    this.#wrong('a push was refused for ten seconds')
    return null
  }

  #body(): { readonly body: string; readonly bad: number } {
    const random = this.#random
    const point = this.#point++
    const rows: string[] = []
    let bad = 0
    for (let index = 0; index < rowsInBody; index++) {
      const tag = index % tags
      if (random.below(badRowIn) === 0) {
        bad++
        rows.push(`{"D":"2026-01-01","T":"${tagName(tag)}","V":"not a number"}`)
      } else {
        rows.push(plantRow(tag, random.below(lateRowIn) === 0 ? random.below(point + 1) : point))
      }
    }
    return { body: `[${rows.join()}]`, bad }
  }

  async #askLatest(): Promise<void> {
    while (!this.#stopped) {
      const startedMs = performance.now()
      await this.#ask('latest', { prefixes: ['01PHD.OSL00'] })
      this.#latestMs.push(performance.now() - startedMs)
      await sleep(50)
    }
  }

  async #askOthers(): Promise<void> {
    while (!this.#stopped) {
      const ids = [tagName(this.#random.below(tags))]
      const nowMs = firstMs + this.#point * stepMs
      const start_date = new Date(nowMs - 3_600_000).toISOString()
      const end_date = new Date(nowMs).toISOString()
      await this.#ask('select', { ids, start_date, end_date })
      await this.#ask('average', { ids, granularity: 'hour' })
      await this.#ask('last', { ids, date: start_date, offset: 3 })
      await this.#ask('snap', { ids, start_date, end_date, granularity: 'five_minute' })
      await sleep(200)
    }
  }

  async #ask(query: string, body: object): Promise<void> {
    const { status, text } = await this.#send(
      `/consumer/data/${query}`,
      JSON.stringify({ entity: 'plant', ...body }),
      {},
    )
    this.#queries++
    if (status !== 200) this.#wrong(`${query} was answered with ${status}: ${text}`)
  }

  async #watchMemory(): Promise<void> {
    while (!this.#stopped) {
      const text = await this.#metrics()
      const bytes = Number(/^process_resident_memory_bytes (\S+)$/m.exec(text)?.[1])
      if (!(bytes > 0)) return this.#wrong('the metrics do not tell how much memory is taken')
      this.#rss.push(bytes)
      await sleep(sampleMs)
    }
  }

  async #metrics(): Promise<string> {
    const response = await fetch(`${this.#url}/metrics`, { headers: { authorization: `Bearer ${adminKey}` } })
    return response.text()
  }

  #send(path: string, body: string, headers: Readonly<Record<string, string>>): Promise<Answer> {
    const bytes = Buffer.from(body)
    return new Promise((resolve, reject) => {
      const sent = httpRequest(
        this.#url + path,
        {
          method: 'POST',
          agent: this.#agent,
          headers: { 'content-type': 'application/json', 'content-length': bytes.length, ...headers },
        },
        (response) => {
          const chunks: Buffer[] = []
          response.on('data', (chunk: Buffer) => chunks.push(chunk))
          response.on('error', reject)
          response.on('end', () => {
            resolve({ status: response.statusCode ?? 0, text: Buffer.concat(chunks).toString('utf8') })
          })
        },
      )
      sent.on('error', reject)
      sent.end(bytes)
    })
  }
}
