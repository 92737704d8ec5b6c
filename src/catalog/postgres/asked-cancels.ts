// How processes ask each other to cancel a query. Which of them runs it is written nowhere: a query costs the database nothing. So all are asked, and
// each answers; who they are is known from their connections that listen.
import { randomUUID } from 'node:crypto'
import pg from 'pg'
import { Problem } from '../../model/problem.ts'
import type { CancelsElsewhere, NamedQuery } from '../cluster-catalog.ts'

/** What is said on the channel. A process also hears what it says itself. */
type Message =
  | { readonly kind: 'ask'; readonly ask: string; readonly id: string; readonly readerId: string }
  | { readonly kind: 'answer'; readonly ask: string; readonly wasRunning: boolean }

/** What is asked of a connection to the database. */
export interface Database {
  query(text: string, values?: unknown[]): Promise<{ readonly rows: readonly { readonly pid: number }[] }>
}

interface Ask {
  readonly resolve: (wasRunning: boolean) => void
  readonly reject: (error: Problem) => void
  /** The connections of processes that have not answered; null while it is not sent. */
  silent: ReadonlySet<number> | null
}

/** So many may wait for the others' answers. */
const asksMax = 64
/** A process asks the database something every second. One that is gone without a word, or stands still, is not waited for. */
const silenceMsMax = 10_000

export class AskedCancels implements CancelsElsewhere {
  readonly #channel: string
  /** There is something to say. */
  readonly #wake: () => void
  readonly #asks = new Map<string, Ask>()
  #toSay: Message[] = []
  #ownConnection: number | null = null
  #cancelHere: (query: NamedQuery) => boolean = () => false

  /** `wake` is to bring about a call of `speak`, which is to come every second beside. */
  constructor(channel: string, wake: () => void) {
    this.#channel = channel
    this.#wake = wake
  }

  async cancel(query: NamedQuery): Promise<boolean> {
    if (this.#ownConnection === null) throw databaseAway()
    if (this.#asks.size >= asksMax) {
      throw new Problem('overloaded', `More than ${asksMax} cancellations are waiting. Try again in a moment.`)
    }
    const ask = randomUUID()
    try {
      return await new Promise<boolean>((resolve, reject) => {
        this.#asks.set(ask, { resolve, reject, silent: null })
        this.#say({ kind: 'ask', ask, ...query })
      })
    } finally {
      this.#asks.delete(ask)
    }
  }

  listen(cancel: (query: NamedQuery) => boolean): void {
    this.#cancelHere = cancel
  }

  /** The connection is there. It is known to the others by its name from the moment it hears them. */
  async begin(database: Database): Promise<void> {
    const { rows } = await database.query('select pg_backend_pid() as pid')
    const name = pg.escapeIdentifier(this.#channel)
    await database.query(`listen ${name}; set application_name to ${name}`)
    this.#ownConnection = rows[0]!.pid
  }

  /** The connection is gone, and with it what was asked. */
  end(): void {
    this.#ownConnection = null
    this.#toSay = []
    for (const { reject } of this.#asks.values()) reject(databaseAway())
  }

  hear({ channel, processId, payload }: pg.Notification): void {
    if (channel !== this.#channel || processId === this.#ownConnection) return
    const message = readMessage(payload ?? '')
    if (message?.kind === 'ask') {
      const wasRunning = this.#cancelHere({ id: message.id, readerId: message.readerId })
      this.#say({ kind: 'answer', ask: message.ask, wasRunning })
    }
    if (message?.kind === 'answer') this.#noteAnswer(message, processId)
  }

  /** Says what there is to say, and looks whose answers are still to come. */
  async speak(database: Database): Promise<void> {
    const said = this.#toSay
    this.#toSay = []
    if (this.#asks.size > 0) {
      const others = await this.#others(database)
      for (const message of said) {
        const ask = message.kind === 'ask' ? this.#asks.get(message.ask) : undefined
        if (ask !== undefined) ask.silent = others
      }
      for (const ask of this.#asks.values()) waitFor(ask, (pid) => others.has(pid))
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
    const ask = this.#asks.get(name)
    if (ask === undefined) return
    if (wasRunning) ask.resolve(true)
    else waitFor(ask, (pid) => pid !== from)
  }

  #say(message: Message): void {
    this.#toSay.push(message)
    this.#wake()
  }
}

/** Goes on waiting for those of the silent for whom `isStillTo` holds; with none of them the answer is no. */
function waitFor(ask: Ask, isStillTo: (pid: number) => boolean): void {
  if (ask.silent === null) return
  ask.silent = new Set([...ask.silent].filter(isStillTo))
  if (ask.silent.size === 0) ask.resolve(false)
}

/** Null for what is none: another version of the program, or another program, may say more. */
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

function databaseAway(): Problem {
  const detail =
    "Whether another process runs the query cannot be asked while the catalog's database is away. Try again."
  return new Problem('unavailable', detail)
}
