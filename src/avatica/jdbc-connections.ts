// The open connections of clients, each with its statements. A connection ends when it is closed, or when it has been idle too long.
import type { Reader } from '../admission/reader.ts'
import { readSqlZone, type SqlQuery } from '../druid-sql/sql-query.ts'
import { given } from '../lib/given.ts'
import { invalidRequest, Problem } from '../model/problem.ts'
import type { ConnectionProperties } from './avatica-protocol.ts'
import { type MemoryBudget, Statement } from './statement.ts'

export interface JdbcConnectionLimits {
  /** Maximum connections of all subscribers together. */
  readonly connections: number
  /** Maximum connections of one subscriber. */
  readonly ownConnections: number
  /** Maximum statements of one connection. */
  readonly statements: number
  readonly idleMs: number
}

export interface NewConnection {
  readonly id: string
  /** The `Reader.id` of the opener. */
  readonly ownerId: string
  /** The key presented when it was opened; used for clients that present it only then. */
  readonly key: string | null
  /** The network it was opened from, as in `ConnectionCaller.network`. */
  readonly network: string
  /** Query settings that apply to all queries of the connection. */
  readonly context: QuestionContext
}

const initialProperties: ConnectionProperties = {
  autoCommit: true,
  readOnly: true,
  transactionIsolation: 0,
  catalog: 'druid',
  schema: 'druid',
}

/** The sender of a request on a connection. */
export interface ConnectionCaller {
  /** Authenticates by the key in the request, or else by the key that opened the connection. Throws Problem `forbidden`. */
  readonly reader: (connectionKey: string | null) => Reader
  /** Whether the request itself contains a key. */
  readonly hasKey: boolean
  /** The client's address, or the network within which its holder can choose addresses. */
  readonly network: string
}

/** The connection was never opened, was closed, or belongs to another subscriber. Drivers respond by opening a new one. */
export class UnknownConnection extends Problem {
  constructor(id: string) {
    super(
      'not_found',
      `There is no connection ${JSON.stringify(id.slice(0, 100))}: it was closed, or idle for jdbc.idleMs. Open another.`,
    )
  }
}

export class Connection {
  readonly opened: NewConnection
  readonly #statements = new Map<number, Statement>()
  readonly #statementsMax: number
  readonly #held: MemoryBudget
  #lastStatementId = 0
  #requests = 0
  #usedMs: number
  #properties = initialProperties

  constructor(opened: NewConnection, { statements }: JdbcConnectionLimits, held: MemoryBudget, nowMs: number) {
    this.opened = opened
    this.#statementsMax = statements
    this.#held = held
    this.#usedMs = nowMs
  }

  /** Applies changes and returns the current settings. They have no effect on queries; clients only read them back. */
  sync(changed: ConnectionProperties): ConnectionProperties {
    this.#properties = { ...this.#properties, ...given(changed) }
    return this.#properties
  }

  /** Throws Problem `invalid_request` if there are too many. */
  newStatement(): Statement {
    if (this.#statements.size >= this.#statementsMax) {
      throw new Problem(
        'invalid_request',
        `The connection has ${this.#statementsMax} open statements, which is jdbc.statements. Close some of them.`,
      )
    }
    this.#lastStatementId += 1
    const statement = new Statement(this.#lastStatementId, this.opened.ownerId, this.#held)
    this.#statements.set(statement.id, statement)
    return statement
  }

  /** Throws Problem `not_found`. */
  statement(id: number): Statement {
    const statement = this.#statements.get(id)
    if (statement === undefined)
      throw new Problem('not_found', `The connection has no statement ${id}: it was closed. Make another.`)
    return statement
  }

  /** Cancels its query and frees its resources; an unknown statement counts as closed. */
  closeStatement(id: number): void {
    const statement = this.#statements.get(id)
    this.#statements.delete(id)
    statement?.close('The statement was closed while it ran.')
  }

  close(reason: string): void {
    for (const statement of this.#statements.values()) statement.close(reason)
    this.#statements.clear()
  }

  begin(): void {
    this.#requests += 1
  }

  end(nowMs: number): void {
    this.#requests -= 1
    this.#usedMs = nowMs
  }

  /** Time of the last request; null while a request is in progress. */
  get idleSinceMs(): number | null {
    return this.#requests > 0 ? null : this.#usedMs
  }
}

export class JdbcConnections {
  readonly #connections = new Set<Connection>()
  /** Ids are scoped to a subscriber: several connections may share an id. */
  readonly #byId = new Map<string, ReadonlySet<Connection>>()
  readonly #ownCounts = new Map<string, number>()
  readonly #limits: JdbcConnectionLimits
  readonly #held: MemoryBudget
  readonly #nowMs: () => number

  constructor(limits: JdbcConnectionLimits, held: MemoryBudget, nowMs: () => number) {
    this.#limits = limits
    this.#held = held
    this.#nowMs = nowMs
  }

  /** Throws Problem `invalid_request` if the caller has too many connections or the id is in use, and `overloaded` if the service has too many. */
  open(opened: NewConnection): void {
    this.closeIdle()
    const { connections, ownConnections } = this.#limits
    const sameId = [...(this.#byId.get(opened.id) ?? [])]
    if (sameId.some(({ opened: { ownerId } }) => ownerId === opened.ownerId))
      throw new Problem('invalid_request', 'A connection with this id is already open. Choose another id.')
    const own = this.#ownCounts.get(opened.ownerId) ?? 0
    if (own >= ownConnections) {
      throw new Problem(
        'invalid_request',
        `You have ${own} open connections, which is jdbc.ownConnections. Close some of them, or wait until they are closed for being idle (jdbc.idleMs).`,
      )
    }
    if (this.#connections.size >= connections) {
      throw new Problem(
        'overloaded',
        `The service has ${connections} open connections, which is jdbc.connections. Try again later.`,
      )
    }
    this.#ownCounts.set(opened.ownerId, own + 1)
    const connection = new Connection(opened, this.#limits, this.#held, this.#nowMs())
    this.#connections.add(connection)
    this.#byId.set(opened.id, new Set([...sameId, connection]))
  }

  /**
   * Runs work on one of the caller's connections. Throws Problem `forbidden` if the key that opened it is no longer valid, and
   * `UnknownConnection` if it does not exist or is not the caller's.
   */
  async use<Result>(
    id: string,
    caller: ConnectionCaller,
    work: (connection: Connection, reader: Reader) => Result | Promise<Result>,
  ): Promise<Result> {
    this.closeIdle()
    const { connection, reader } = this.own(id, caller)
    connection.begin()
    try {
      return await work(connection, reader)
    } finally {
      connection.end(this.#nowMs())
    }
  }

  /**
   * The first opened connection of this id that the caller owns. A request without a key is accepted only from the network that opened the
   * connection: drivers generate ids, which may be guessed and appear in logs. Throws as `use` does.
   */
  own(id: string, { reader: readerOf, hasKey, network }: ConnectionCaller): { connection: Connection; reader: Reader } {
    let refusal: unknown = new UnknownConnection(id)
    for (const connection of this.#byId.get(id) ?? []) {
      if (!hasKey && network !== connection.opened.network) continue
      try {
        const reader = readerOf(connection.opened.key)
        if (reader.id === connection.opened.ownerId) return { connection, reader }
      } catch (error) {
        refusal = error
      }
    }
    throw refusal
  }

  close(connection: Connection): void {
    this.#end(connection, 'The connection was closed while the query ran.')
  }

  /** Closes connections that were idle too long. */
  closeIdle(): void {
    const sinceMs = this.#nowMs() - this.#limits.idleMs
    for (const connection of this.#connections) {
      const { idleSinceMs } = connection
      if (idleSinceMs !== null && idleSinceMs <= sinceMs) this.#end(connection, 'The connection was idle.')
    }
  }

  closeAll(): void {
    for (const connection of this.#connections) this.#end(connection, 'The service is stopping.')
  }

  #end(connection: Connection, reason: string): void {
    if (!this.#connections.delete(connection)) return
    const { id, ownerId } = connection.opened
    const others = [...(this.#byId.get(id) ?? [])].filter((other) => other !== connection)
    if (others.length > 0) this.#byId.set(id, new Set(others))
    else this.#byId.delete(id)
    const left = (this.#ownCounts.get(ownerId) ?? 1) - 1
    if (left > 0) this.#ownCounts.set(ownerId, left)
    else this.#ownCounts.delete(ownerId)
    connection.close(reason)
  }
}

// Settings sent once, when a connection is opened: the key, and defaults for its queries.

/** The key is the password, for any user name; `avatica_password` is the driver's own name for it. */
export function keyInInfo(info: ReadonlyMap<string, string>): string | null {
  const key = info.get('password') ?? info.get('avatica_password') ?? ''
  return key === '' ? null : key
}

type QuestionContext = Pick<SqlQuery, 'zone' | 'timeoutMs'>

/** Reads `sqlTimeZone` and `timeout` of Druid's query context; other settings are ignored. Throws Problem `invalid_request`. */
export function questionContext(info: ReadonlyMap<string, string>): QuestionContext {
  const zone = info.get('sqlTimeZone')
  const timeout = info.get('timeout')
  return {
    ...(zone === undefined ? {} : { zone: readSqlZone(zone, 'sqlTimeZone') }),
    ...(timeout === undefined ? {} : { timeoutMs: milliseconds(timeout) }),
  }
}

function milliseconds(text: string): number {
  const ms = Number(text)
  if (text.trim() === '' || !Number.isSafeInteger(ms) || ms < 0)
    throw invalidRequest('timeout', 'must be a whole number of milliseconds, 0 for the limit of the service')
  return ms
}
