// How processes ask each other to cancel a query. The process that runs a query is not recorded, so queries cost the database nothing. Instead, all
// processes are asked, and each responds. Their listening connections identify them.
import { randomUUID } from 'node:crypto'
import pg from 'pg'
import { Problem } from '../../model/problem.ts'
import type { CancelsElsewhere, NamedQuery } from '../cluster-catalog.ts'

/** A message on the channel. A process also receives its own messages. */
type Message =
  | { readonly kind: 'ask'; readonly ask: string; readonly id: string; readonly readerId: string }
  | { readonly kind: 'answer'; readonly ask: string; readonly wasRunning: boolean }

/** The part of a database connection that is used here. */
export interface Database {
  query(text: string, values?: unknown[]): Promise<{ readonly rows: readonly { readonly pid: number }[] }>
}

interface CancelRequest {
  readonly resolve: (wasRunning: boolean) => void
  readonly reject: (error: Problem) => void
  /** Connections of processes that have not responded yet; null until the request is sent. */
  silent: ReadonlySet<number> | null
}

/** The most requests that may wait for responses. */
const requestsMax = 64
/** Each process queries the database every second. One that has not done so for this long, dead or frozen, is not waited for. */
const silenceMsMax = 10_000

export class CancelRequests implements CancelsElsewhere {
  readonly #channel: string
  /** Called when a message is waiting to be sent. */
  readonly #wake: () => void
  readonly #requests = new Map<string, CancelRequest>()
  #outgoing: Message[] = []
  #ownConnection: number | null = null
  #cancelHere: (query: NamedQuery) => boolean = () => false

  /** `wake` must cause a call of `speak`, which must also be called every second. */
  constructor(channel: string, wake: () => void) {
    this.#channel = channel
    this.#wake = wake
  }

  async cancel(query: NamedQuery): Promise<boolean> {
    if (this.#ownConnection === null) throw databaseUnavailable()
    if (this.#requests.size >= requestsMax) {
      throw new Problem('overloaded', `More than ${requestsMax} cancellations are waiting. Try again in a moment.`)
    }
    const ask = randomUUID()
    try {
      return await new Promise<boolean>((resolve, reject) => {
        this.#requests.set(ask, { resolve, reject, silent: null })
        this.#send({ kind: 'ask', ask, ...query })
      })
    } finally {
      this.#requests.delete(ask)
    }
  }

  listen(cancel: (query: NamedQuery) => boolean): void {
    this.#cancelHere = cancel
  }

  /** Called when the connection is open. Other processes know it by its application name from the moment it receives their messages. */
  async begin(database: Database): Promise<void> {
    const { rows } = await database.query('select pg_backend_pid() as pid')
    const name = pg.escapeIdentifier(this.#channel)
    await database.query(`listen ${name}; set application_name to ${name}`)
    this.#ownConnection = rows[0]!.pid
  }

  /** Called when the connection is closed. Pending requests are rejected. */
  end(): void {
    this.#ownConnection = null
    this.#outgoing = []
    for (const { reject } of this.#requests.values()) reject(databaseUnavailable())
  }

  onNotification({ channel, processId, payload }: pg.Notification): void {
    if (channel !== this.#channel || processId === this.#ownConnection) return
    const message = readMessage(payload ?? '')
    if (message?.kind === 'ask') {
      const wasRunning = this.#cancelHere({ id: message.id, readerId: message.readerId })
      this.#send({ kind: 'answer', ask: message.ask, wasRunning })
    }
    if (message?.kind === 'answer') this.#noteAnswer(message, processId)
  }

  /** Sends the waiting messages, and stops waiting for responses of processes that are gone. */
  async flush(database: Database): Promise<void> {
    const said = this.#outgoing
    this.#outgoing = []
    if (this.#requests.size > 0) {
      const others = await this.#others(database)
      for (const message of said) {
        const ask = message.kind === 'ask' ? this.#requests.get(message.ask) : undefined
        if (ask !== undefined) ask.silent = others
      }
      for (const ask of this.#requests.values()) waitFor(ask, (pid) => others.has(pid))
    }
    if (said.length === 0) return
    const texts = said.map((message) => JSON.stringify(message))
    await database.query('select pg_notify($1, said) from unnest($2::text[]) as said', [this.#channel, texts])
  }

  async #others(database: Database): Promise<ReadonlySet<number>> {
    const { rows } = await database.query(
      `select pid from pg_stat_activity where application_name = $1 and datname = current_database() and pid <> pg_backend_pid()
        and query_start > now() - make_interval(secs => $2)`,
      [this.#channel, silenceMsMax / 1000],
    )
    return new Set(rows.map(({ pid }) => pid))
  }

  #noteAnswer({ ask: name, wasRunning }: Message & { kind: 'answer' }, from: number): void {
    const ask = this.#requests.get(name)
    if (ask === undefined) return
    if (wasRunning) ask.resolve(true)
    else waitFor(ask, (pid) => pid !== from)
  }

  #send(message: Message): void {
    this.#outgoing.push(message)
    this.#wake()
  }
}

/** Waits only for those silent processes for which `isStillTo` returns true; when none remain, the result is false. */
function waitFor(ask: CancelRequest, isStillTo: (pid: number) => boolean): void {
  if (ask.silent === null) return
  ask.silent = new Set([...ask.silent].filter(isStillTo))
  if (ask.silent.size === 0) ask.resolve(false)
}

/** Null for an unknown message: another version, or another program, may use the channel. */
function readMessage(text: string): Message | null {
  try {
    const value: unknown = JSON.parse(text)
    return isMessage(value) ? value : null
  } catch {
    return null
  }
}

function isMessage(value: unknown): value is Message {
  if (typeof value !== 'object' || value === null) return false
  const of = (name: string): string => typeof Reflect.get(value, name)
  if (of('ask') !== 'string') return false
  const kind: unknown = Reflect.get(value, 'kind')
  return kind === 'ask'
    ? of('id') === 'string' && of('readerId') === 'string'
    : kind === 'answer' && of('wasRunning') === 'boolean'
}

function databaseUnavailable(): Problem {
  const detail =
    "Whether another process runs the query cannot be determined while the catalog's database is unreachable. Try again."
  return new Problem('unavailable', detail)
}
