// Clients push with idempotency keys while the server is killed and restarted, and retry pushes without a response until they get one. Then every push
// must be stored once, and a retry must get the same response.
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { callOk, makeIngest } from '../support/api.ts'
import { testProgram } from '../support/compiled.ts'
import { type Random, seededRandom } from '../support/random.ts'
import { inScratchFolder } from '../support/scratch-folder.ts'
import { adminKey, ServerProcess } from '../support/server-process.ts'

export interface RetryOptions {
  readonly rounds: number
  readonly clients: number
  readonly seed: number
  /** Omits the keys: then retries must be found to double rows. */
  readonly withoutKeys?: boolean
  readonly environment?: Readonly<Record<string, string>>
}

export interface RetryFindings {
  readonly seed: number
  readonly pushes: number
  /** Pushes that were sent again because the response was lost. */
  readonly retried: number
  /** The number of retried pushes that were already on disk. */
  readonly stored: number
  readonly lost: number
  readonly doubled: number
  /** Pushes that got different responses at different times. */
  readonly contradicted: number
}

/** One row whose value no other push has. */
interface Push {
  readonly value: number
  readonly key: string
  batch: string | null
  attempts: number
}

class Clients {
  readonly pushes: Push[] = []
  readonly #withKeys: boolean
  contradicted = 0
  #stopped = false

  constructor(withKeys: boolean) {
    this.#withKeys = withKeys
  }

  stop(): void {
    this.#stopped = true
  }

  /** Retries pushes without a response, then sends new ones, until the server is gone or `stop` is called. */
  async run(url: string, ingestKey: string, clients: number): Promise<void> {
    this.#stopped = false
    const open = this.pushes.filter(({ batch }) => batch === null)
    const one = async (): Promise<void> => {
      while (!this.#stopped) {
        const push = open.pop() ?? this.#newPush()
        if (!(await this.#send(url, ingestKey, push))) return
      }
    }
    await Promise.all(Array.from({ length: clients }, one))
  }

  /** Sends all pushes once more: those without a response get one, the others must get the same one. */
  async settle(url: string, ingestKey: string): Promise<void> {
    for (const push of this.pushes) {
      if (this.#withKeys || push.batch === null) await this.#send(url, ingestKey, push)
    }
  }

  #newPush(): Push {
    const value = this.pushes.length
    const push: Push = { value, key: `key of ${value}`, batch: null, attempts: 0 }
    this.pushes.push(push)
    return push
  }

  /** Resolves with false when no response came. */
  async #send(url: string, ingestKey: string, push: Push): Promise<boolean> {
    push.attempts++
    try {
      const response = await fetch(`${url}/ingests/retry/data`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${ingestKey}`,
          'content-type': 'application/json',
          ...(this.#withKeys ? { 'idempotency-key': push.key } : {}),
        },
        body: JSON.stringify({ D: '2026-01-01', T: 'a', V: push.value }),
      })
      const { batch } = (await response.json()) as { readonly batch: string }
      if (response.status !== 200) throw new Error(`a push was answered with ${response.status}`)
      if (push.batch !== null && push.batch !== batch) this.contradicted++
      push.batch = batch
      return true
    } catch {
      return false
    }
  }
}

/** The number of occurrences of each value. */
async function timesOf(url: string): Promise<Map<number, number>> {
  const times = new Map<number, number>()
  const items = await callOk<{ V: number }[]>(url, 'POST', '/consumer/data/select', { body: { entity: 'retry' } })
  for (const { V } of items) times.set(V, (times.get(V) ?? 0) + 1)
  return times
}

/** Kills the server `rounds` times, alternately at a random moment and between an fsync and the responses. */
export function retryRounds(options: RetryOptions): Promise<RetryFindings> {
  return inScratchFolder('tidemark-retry-', (dataDirectory) => retryIn(dataDirectory, options))
}

async function retryIn(dataDirectory: string, options: RetryOptions): Promise<RetryFindings> {
  const { rounds, clients: clientCount, seed, withoutKeys = false, environment = {} } = options
  const random = seededRandom(seed)
  const program = testProgram('crash/dies-before-answer')
  const start = (): Promise<ServerProcess> => ServerProcess.start({ dataDirectory, program, environment })
  const clients = new Clients(!withoutKeys)
  let [retried, stored] = [0, 0]
  let server = await start()
  try {
    const key = await makeIngest(server.url, adminKey, { alias: 'retry' })
    for (let round = 0; round < rounds; round++) {
      server = await oneRound(server, { random, round, dataDirectory, start }, () =>
        clients.run(server.url, key, clientCount),
      )
      clients.stop()
      const there = await timesOf(server.url)
      const open = clients.pushes.filter(({ batch }) => batch === null)
      retried += open.length
      stored += open.filter(({ value }) => there.has(value)).length
    }
    await clients.settle(server.url, key)
    const last = clients.pushes.at(-1)!
    await untilQueryable(server.url, last.value)
    return { ...validate(clients, await timesOf(server.url)), seed, retried, stored }
  } finally {
    await server.kill()
  }
}

interface Round {
  readonly random: Random
  readonly round: number
  readonly dataDirectory: string
  readonly start: () => Promise<ServerProcess>
}

/** Resolves with the server that was started after the kill. */
async function oneRound(server: ServerProcess, round: Round, run: () => Promise<void>): Promise<ServerProcess> {
  const { random, dataDirectory, start } = round
  const running = run()
  if (round.round % 2 === 0) {
    await new Promise((resolve) => setTimeout(resolve, 10 + random.below(100)))
    await server.kill()
  }
  await running
  await server.kill()
  if (round.round % 2 === 0) await writeFile(join(dataDirectory, 'dies-after'), String(random.below(40)))
  return start()
}

async function untilQueryable(url: string, value: number): Promise<void> {
  while (!(await timesOf(url)).has(value)) await new Promise((resolve) => setTimeout(resolve, 20))
}

function validate({ pushes, contradicted }: Clients, times: ReadonlyMap<number, number>) {
  const lost = pushes.filter(({ value }) => !times.has(value)).length
  let doubled = 0
  for (const count of times.values()) doubled += count - 1
  return { pushes: pushes.length, lost, doubled, contradicted }
}
