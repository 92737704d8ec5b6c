// Clients push while the server is killed and restarted; afterwards every acknowledged push must be stored exactly once. Some pushes use line protocol: to
// an open ingest, where they add fields, and to one where each field of a line is a row.
import { setTimeout as sleep } from 'node:timers/promises'
import { callOk, makeIngest } from '../support/api.ts'
import { type Random, seededRandom } from '../support/random.ts'
import { inScratchFolder } from '../support/scratch-folder.ts'
import { adminKey, ServerProcess } from '../support/server-process.ts'

/** One push: rows whose values no other push has. Every tenth has a wrong type, so it is rejected. */
interface Batch {
  readonly tag: string
  readonly first: number
  readonly rows: number
  readonly target: RowTarget
  acknowledged: boolean
}

/** The format of a push: JSON, lines with a row each, or lines in which each field is a row. */
export type RowTarget = 'rows' | 'lines' | 'fields'

/** All ingests that feed the entity. In the second one each field of a line is a row. */
const aliases = ['kill', 'kill-by-field'] as const

export interface Findings {
  readonly seed: number
  readonly batches: number
  readonly acknowledged: number
  /** The number of acknowledged batches in line protocol. */
  readonly lines: number
  readonly rows: number
  /** Rows of acknowledged batches that are missing. */
  readonly lost: number
  /** Rows that exist more than once. */
  readonly doubled: number
  /** Batches that were not acknowledged but exist in part. */
  readonly partial: number
  /** Rows that no client pushed. */
  readonly foreign: number
  /** The number of rows by which the ingest's counters are wrong. */
  readonly miscounted: number
}

/** The findings of a run without faults. */
export const clean = { lost: 0, doubled: 0, partial: 0, foreign: 0, miscounted: 0 }

export interface KillOptions {
  readonly rounds: number
  readonly clients: number
  readonly seed: number
  readonly program?: string
  /** Settings of the server. */
  readonly environment?: Readonly<Record<string, string>>
  /** Whether a kill waits until rows of its round have been sealed. */
  readonly afterSeal?: boolean
  /** The maximum number of rows of a push. */
  readonly rowsMax?: number
  readonly company?: ParallelWork
}

/** Other work while the server is killed. */
export interface ParallelWork {
  begin(url: string): Promise<void>
  /** Runs in each round; resolves when the server is gone. */
  beside(url: string): Promise<void>
  /** Runs after the last round, with the server running. */
  end(url: string): Promise<void>
}

/** Every tenth row is pushed with a string and must be kept as rejected. */
const isBad = (value: number): boolean => value % 10 === 9

const firstMs = Date.UTC(2026, 0, 1)
const seconds = 5000
/** Stored rows are read in this many parts, because all of them exceed the limit of one answer. */
const parts = 25
const instantOf = (second: number): string => new Date(firstMs + second * 1000).toISOString()

function lineOf(tag: string, value: number): string {
  const written = isBad(value) ? `"bad ${value}"` : value
  return `m,T=${tag} V=${written},f${value % 7}=${value}i ${firstMs + (value % seconds) * 1000}`
}

/** Lines of up to four rows each. */
function splitLinesOf({ tag, first, rows }: Batch): string {
  const values = Array.from({ length: rows }, (_, index) => first + index)
  const lines: string[] = []
  while (values.length > 0) {
    const fields = values.splice(0, 1 + (values[0]! % 4)).map((value) => {
      return `f${value % 5}=${isBad(value) ? `"bad ${value}"` : value}`
    })
    lines.push(`m,client=${tag} ${fields.join()} ${firstMs}`)
  }
  return lines.join('\n')
}

function bodyOf(batch: Batch): string {
  const { tag, first, rows, target } = batch
  // Blank lines serve the purpose of the spaces in JSON.
  const blanks = '\n'.repeat(first % 4 === 0 ? 5000 : 0)
  if (target === 'fields') return splitLinesOf(batch) + blanks
  if (target === 'lines')
    return Array.from({ length: rows }, (_, index) => lineOf(tag, first + index)).join('\n') + blanks
  const one = (value: number): object => {
    return { D: instantOf(value % seconds), T: tag, V: isBad(value) ? `bad ${value}` : value }
  }
  // Spaces make a large body of few rows, which the journal writes to a separate file.
  const spaces = ' '.repeat(first % 4 === 0 ? 5000 : 0)
  return JSON.stringify(Array.from({ length: rows }, (_, index) => one(first + index))) + spaces
}

const pathOf: Readonly<Record<RowTarget, string>> = {
  rows: '/ingests/kill/data',
  lines: '/write?db=kill&precision=ms',
  fields: '/write?db=kill-by-field&precision=ms',
}

export class Pushers {
  readonly batches: Batch[] = []
  readonly #random: Random
  #nextValue = 0
  readonly #rowsMax: number
  readonly #targets: readonly RowTarget[]
  #stopped = false

  /** Each push uses one of the targets, chosen at random. */
  constructor(random: Random, rowsMax = 30, targets: readonly RowTarget[] = ['rows']) {
    this.#targets = targets
    this.#random = random
    this.#rowsMax = rowsMax
  }

  /** Pushes until the server is gone. A push without a response is not acknowledged. */
  async run(url: string, key: string, clients: number): Promise<void> {
    this.#stopped = false
    await Promise.all(Array.from({ length: clients }, (_, client) => this.#client(url, key, `client-${client}`)))
  }

  stop(): void {
    this.#stopped = true
  }

  async #client(url: string, key: string, tag: string): Promise<void> {
    while (!this.#stopped) {
      const rows = 1 + this.#random.below(this.#rowsMax)
      const target = this.#targets[this.#random.below(this.#targets.length)]!
      const batch: Batch = { tag, first: this.#nextValue, rows, target, acknowledged: false }
      this.#nextValue += batch.rows
      this.batches.push(batch)
      try {
        const response = await fetch(url + pathOf[target], {
          method: 'POST',
          headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
          body: bodyOf(batch),
        })
        await response.arrayBuffer()
        batch.acknowledged = response.ok
      } catch {
        return
      }
    }
  }
}

interface Seen {
  /** The number of occurrences of each value, as an item or as a rejected row. */
  readonly times: ReadonlyMap<number, number>
  readonly items: number
  readonly rejected: number
}

interface RejectedPage {
  readonly Items: readonly { readonly row: string }[]
  readonly NextToken: string | null
}

/** All dates, including those that no client pushed. */
function ranges(): { readonly start_date?: string; readonly end_date?: string }[] {
  const step = seconds / parts
  return Array.from({ length: parts }, (_, part) => ({
    ...(part > 0 ? { start_date: instantOf(part * step) } : {}),
    ...(part < parts - 1 ? { end_date: instantOf((part + 1) * step - 0.001) } : {}),
  }))
}

/** The aliases that exist. */
async function feeding(url: string): Promise<readonly string[]> {
  const { Items } = await callOk<{ Items: { alias: string }[] }>(url, 'GET', '/admin/ingests', { key: adminKey })
  return aliases.filter((alias) => Items.some((one) => one.alias === alias))
}

async function valuesOf(url: string): Promise<Seen> {
  const seen = new Map<number, number>()
  const see = (value: number): void => void seen.set(value, (seen.get(value) ?? 0) + 1)
  let items = 0
  for (const range of ranges()) {
    const body = { entity: 'kill', ...range }
    const part = await callOk<{ V: number }[]>(url, 'POST', '/consumer/data/select', { body })
    for (const item of part) see(item.V)
    items += part.length
  }
  let rejected = 0
  for (const alias of await feeding(url)) {
    for (let token: string | null = ''; token !== null; ) {
      const query: string = token === '' ? '' : `&NextToken=${encodeURIComponent(token)}`
      const path = `/admin/ingests/${alias}/rejected?limit=10000${query}`
      const page: RejectedPage = await callOk(url, 'GET', path, { key: adminKey })
      for (const { row } of page.Items) see(Number(/bad (\d+)/.exec(row)?.[1]))
      rejected += page.Items.length
      token = page.NextToken
    }
  }
  return { times: seen, items, rejected }
}

/** Compares stored rows with the pushed ones. No client may be pushing. */
export async function validate(seed: number, batches: readonly Batch[], url: string): Promise<Findings> {
  const { times: seen, items, rejected } = await valuesOf(url)
  let [lost, doubled, partial, foreign, rows] = [0, 0, 0, 0, 0]
  const pushed = new Set<number>()
  for (const batch of batches) {
    const values = Array.from({ length: batch.rows }, (_, index) => batch.first + index)
    const there = values.filter((value) => seen.has(value)).length
    for (const value of values) pushed.add(value)
    if (batch.acknowledged) lost += batch.rows - there
    else if (there !== 0 && there !== batch.rows) partial++
    rows += there
  }
  for (const [value, times] of seen) {
    if (times > 1) doubled += times - 1
    if (!pushed.has(value)) foreign++
  }
  const all = batches.filter((batch) => batch.acknowledged)
  const [acknowledged, lines] = [all.length, all.filter(({ target }) => target !== 'rows').length]
  const counters = { received: 0, stored: 0, rejected: 0 }
  for (const alias of await feeding(url)) {
    const of = await callOk<{ counters: typeof counters }>(url, 'GET', `/admin/ingests/${alias}`, { key: adminKey })
    counters.received += of.counters.received
    counters.stored += of.counters.stored
    counters.rejected += of.counters.rejected
  }
  const miscounted =
    Math.abs(counters.received - items - rejected) +
    Math.abs(counters.stored - items) +
    Math.abs(counters.rejected - rejected)
  return { seed, batches: batches.length, acknowledged, lines, rows, lost, doubled, partial, foreign, miscounted }
}

/** Kills the server at random moments, `rounds` times, and returns the findings at the end. */
export function killRounds(options: KillOptions): Promise<Findings> {
  return inScratchFolder('tidemark-kill-', (dataDirectory) => killIn(dataDirectory, options))
}

async function killIn(dataDirectory: string, options: KillOptions): Promise<Findings> {
  const { rounds, clients, seed, program, environment = {}, afterSeal = false, rowsMax, company } = options
  const random = seededRandom(seed)
  const start = (): Promise<ServerProcess> =>
    ServerProcess.start({ dataDirectory, environment, ...(program === undefined ? {} : { program }) })
  const pushers = new Pushers(random, rowsMax, ['rows', 'rows', 'lines', 'fields'])
  let server = await start()
  try {
    const key = await makeTargets(server.url)
    await company?.begin(server.url)
    for (let round = 0; round < rounds; round++) {
      const before = await sealedPosition(server.url)
      const running = Promise.all([pushers.run(server.url, key, clients), company?.beside(server.url)])
      await sleep(20 + random.below(300))
      while (afterSeal && (await sealedPosition(server.url)) === before) await sleep(10)
      await server.kill()
      pushers.stop()
      await running
      server = await start()
    }
    await company?.end(server.url)
    return await validate(seed, pushers.batches, server.url)
  } finally {
    await server.kill()
  }
}

async function sealedPosition(url: string): Promise<number> {
  const { store } = await callOk<{ store: { sealedPosition: number } }>(url, 'GET', '/readyz', { key: adminKey })
  return store.sealedPosition
}

/** An open ingest and one in which each field of a line is a row, with one key for both. */
async function makeTargets(url: string): Promise<string> {
  const key = await makeIngest(url, adminKey, { alias: 'kill', unknown: 'add' })
  const split = { alias: 'kill-by-field', kind: 'series', entity: 'kill', lines: { tag: '{client}' } }
  await callOk(url, 'POST', '/admin/ingests', { key: adminKey, body: split })
  const subscriptions = aliases.map((ingest) => ({ ingest }))
  const path = '/admin/subscribers/pusher-of-kill/subscriptions'
  await callOk(url, 'PUT', path, { key: adminKey, body: subscriptions })
  return key
}
