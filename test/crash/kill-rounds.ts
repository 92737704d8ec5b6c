// Clients push while the server is killed and started again; afterwards everything that was acknowledged must be there, once. A part of the pushes is of
// lines: to an open ingest, where they bring fields, and to one where each field of a line is a row.
import { setTimeout as sleep } from 'node:timers/promises'
import { callWell, makeIngest } from '../support/api.ts'
import { type Random, seededRandom } from '../support/random.ts'
import { inScratchFolder } from '../support/scratch-folder.ts'
import { adminKey, ServerProcess } from '../support/server-process.ts'

/** One push: rows whose values nobody else pushes. Odd ones are of a wrong type, so they are rejected. */
interface Batch {
  readonly tag: string
  readonly first: number
  readonly rows: number
  readonly target: RowTarget
  acknowledged: boolean
}

/** How a push is written: JSON, lines of a row each, or lines of which each field is a row. */
export type RowTarget = 'rows' | 'lines' | 'fields'

/** Of all ingests that feed the entity, the second one takes lines whose fields are rows. */
const aliases = ['kill', 'kill-by-field'] as const

export interface Findings {
  readonly seed: number
  readonly batches: number
  readonly acknowledged: number
  /** How many of them were lines. */
  readonly lines: number
  readonly rows: number
  /** Rows of acknowledged batches that are not there. */
  readonly lost: number
  /** Rows that are there more than once. */
  readonly doubled: number
  /** Batches that were not acknowledged and are there in part. */
  readonly partial: number
  /** Rows that nobody pushed. */
  readonly foreign: number
  /** By how many rows the ingest's counters are wrong. */
  readonly miscounted: number
}

/** What there must be none of. */
export const clean = { lost: 0, doubled: 0, partial: 0, foreign: 0, miscounted: 0 }

export interface KillOptions {
  readonly rounds: number
  readonly clients: number
  readonly seed: number
  readonly program?: string
  /** Settings of the server. */
  readonly environment?: Readonly<Record<string, string>>
  /** Whether a kill waits until rows of its round were sealed. */
  readonly afterSeal?: boolean
  /** The most rows of a push. */
  readonly rowsMax?: number
  readonly company?: Company
}

/** What else goes on while the server is killed. */
export interface Company {
  begin(url: string): Promise<void>
  /** In each round; resolves when the server is gone. */
  beside(url: string): Promise<void>
  /** After the last round, with the server running. */
  end(url: string): Promise<void>
}

/** Every tenth row is pushed as text, and must be kept as rejected. */
const isBad = (value: number): boolean => value % 10 === 9

const firstMs = Date.UTC(2026, 0, 1)
const seconds = 5000
/** What is there is read in so many parts: all of it is more than one answer may have. */
const parts = 25
const instantOf = (second: number): string => new Date(firstMs + second * 1000).toISOString()

function lineOf(tag: string, value: number): string {
  const written = isBad(value) ? `"bad ${value}"` : value
  return `m,T=${tag} V=${written},f${value % 7}=${value}i ${firstMs + (value % seconds) * 1000}`
}

/** Up to four of its rows each. */
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
  // Blank lines do as the spaces of JSON.
  const blanks = '\n'.repeat(first % 4 === 0 ? 5000 : 0)
  if (target === 'fields') return splitLinesOf(batch) + blanks
  if (target === 'lines')
    return Array.from({ length: rows }, (_, index) => lineOf(tag, first + index)).join('\n') + blanks
  const one = (value: number): object => {
    return { D: instantOf(value % seconds), T: tag, V: isBad(value) ? `bad ${value}` : value }
  }
  // Spaces make a large body of few rows: one that is written apart.
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

  /** Each push goes by one of the doors. */
  constructor(random: Random, rowsMax = 30, targets: readonly RowTarget[] = ['rows']) {
    this.#targets = targets
    this.#random = random
    this.#rowsMax = rowsMax
  }

  /** Pushes until the server is gone. A push whose answer never came is not acknowledged. */
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
  /** How often each value is there: as an item, or as a rejected row. */
  readonly times: ReadonlyMap<number, number>
  readonly items: number
  readonly rejected: number
}

interface RejectedPage {
  readonly Items: readonly { readonly row: string }[]
  readonly NextToken: string | null
}

/** All dates, also those that nobody pushed. */
function ranges(): { readonly start_date?: string; readonly end_date?: string }[] {
  const step = seconds / parts
  return Array.from({ length: parts }, (_, part) => ({
    ...(part > 0 ? { start_date: instantOf(part * step) } : {}),
    ...(part < parts - 1 ? { end_date: instantOf((part + 1) * step - 0.001) } : {}),
  }))
}

/** Those that there are. */
async function feeding(url: string): Promise<readonly string[]> {
  const { Items } = await callWell<{ Items: { alias: string }[] }>(url, 'GET', '/admin/ingests', { key: adminKey })
  return aliases.filter((alias) => Items.some((one) => one.alias === alias))
}

async function valuesOf(url: string): Promise<Seen> {
  const seen = new Map<number, number>()
  const see = (value: number): void => void seen.set(value, (seen.get(value) ?? 0) + 1)
  let items = 0
  for (const range of ranges()) {
    const body = { entity: 'kill', ...range }
    const part = await callWell<{ V: number }[]>(url, 'POST', '/consumer/data/select', { body })
    for (const item of part) see(item.V)
    items += part.length
  }
  let rejected = 0
  for (const alias of await feeding(url)) {
    for (let token: string | null = ''; token !== null; ) {
      const query: string = token === '' ? '' : `&NextToken=${encodeURIComponent(token)}`
      const path = `/admin/ingests/${alias}/rejected?limit=10000${query}`
      const page: RejectedPage = await callWell(url, 'GET', path, { key: adminKey })
      for (const { row } of page.Items) see(Number(/bad (\d+)/.exec(row)?.[1]))
      rejected += page.Items.length
      token = page.NextToken
    }
  }
  return { times: seen, items, rejected }
}

/** Compares what is there with what was pushed. Nobody may be pushing. */
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
    const of = await callWell<{ counters: typeof counters }>(url, 'GET', `/admin/ingests/${alias}`, { key: adminKey })
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

/** Kills the server at random moments, `rounds` times, and says what is there at the end. */
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
  const { store } = await callWell<{ store: { sealedPosition: number } }>(url, 'GET', '/readyz', { key: adminKey })
  return store.sealedPosition
}

/** An open ingest, and beside it one of which each field of a line is a row, with one key for both. */
async function makeTargets(url: string): Promise<string> {
  const key = await makeIngest(url, adminKey, { alias: 'kill', unknown: 'add' })
  const split = { alias: 'kill-by-field', kind: 'series', entity: 'kill', lines: { tag: '{client}' } }
  await callWell(url, 'POST', '/admin/ingests', { key: adminKey, body: split })
  const subscriptions = aliases.map((ingest) => ({ ingest }))
  const path = '/admin/subscribers/pusher-of-kill/subscriptions'
  await callWell(url, 'PUT', path, { key: adminKey, body: subscriptions })
  return key
}
