// Handles the requests of Avatica clients in either wire format: connections, statements, and the queries on them.
import type { Reader } from '../admission/reader.ts'
import type { Answer } from '../answer/whole-answer.ts'
import { numbers } from '../druid-sql/functions/numbers.ts'
import { texts } from '../druid-sql/functions/texts.ts'
import { times } from '../druid-sql/functions/times.ts'
import { values } from '../druid-sql/functions/values.ts'
import type { SqlQuery } from '../druid-sql/sql-query.ts'
import { Problem } from '../model/problem.ts'
import type { Observe } from '../observe/event.ts'
import { AnswerCursor, type BatchLimits } from './answer-cursor.ts'
import type { AvaticaRequest, AvaticaResponse, ResultSet, Signature } from './avatica-protocol.ts'
import { sqlValues } from './bound-values.ts'
import { type AnswerColumn, avaticaColumns, typeInfoColumns, typeInfoRows } from './column-types.ts'
import {
  type Connection,
  type ConnectionCaller,
  type JdbcConnectionLimits,
  JdbcConnections,
  keyInInfo,
  questionContext,
} from './jdbc-connections.ts'
import { metadataSql } from './metadata-sql.ts'
import { MemoryBudget, type Statement } from './statement.ts'

/** The Avatica release whose protocol is implemented. */
const avaticaVersion = '1.26.0'

/** Properties of the service for `DatabaseMetaData`, by Avatica's names. */
const databaseProperties: ReadonlyMap<string, string | number> = new Map<string, string | number>([
  ['GET_STRING_FUNCTIONS', Object.keys(texts).join(',')],
  ['GET_NUMERIC_FUNCTIONS', Object.keys(numbers).join(',')],
  ['GET_TIME_DATE_FUNCTIONS', Object.keys(times).join(',')],
  ['GET_SYSTEM_FUNCTIONS', Object.keys(values).join(',')],
  // Keywords that are not in SQL:2003.
  ['GET_S_Q_L_KEYWORDS', 'EXPLAIN,LIMIT,OFFSET'],
  // `TRANSACTION_NONE`: queries change nothing.
  ['GET_DEFAULT_TRANSACTION_ISOLATION', 0],
  ['AVATICA_VERSION', avaticaVersion],
])

/** Drivers request 100 rows a frame by default; a million rows would take ten thousand requests. */
const frameRowsMin = 5000

export interface AvaticaLimits extends JdbcConnectionLimits {
  readonly frameRows: number
  readonly frameBytes: number
  readonly heldBytes: number
}

/** The service's SQL queries. */
export interface SqlOfAvatica {
  /** The result columns of a query, and its number of `?`. Throws Problem `invalid_request`. */
  describe(
    question: SqlQuery,
    reader: Reader,
  ): { readonly columns: readonly AnswerColumn[]; readonly parameters: number }
  /** As `Queries.run`, in NDJSON. */
  run(
    question: SqlQuery,
    signal: AbortSignal,
    reader: Reader,
  ): Promise<{ readonly columns: readonly AnswerColumn[]; readonly answer: Answer }>
}

/** The client that sends a request. */
export interface AvaticaCaller extends ConnectionCaller {
  /** Aborted when the client disconnects. */
  readonly signal: AbortSignal
}

export interface AvaticaParts {
  readonly sql: SqlOfAvatica
  readonly limits: AvaticaLimits
  readonly nowMs: () => number
  readonly observe: Observe
}

type Of<Name extends AvaticaRequest['request']> = Extract<AvaticaRequest, { readonly request: Name }>

export class Avatica {
  readonly #parts: AvaticaParts
  readonly #connections: JdbcConnections

  constructor(parts: AvaticaParts) {
    const { limits, nowMs } = parts
    this.#parts = parts
    this.#connections = new JdbcConnections(limits, new MemoryBudget(limits.heldBytes), nowMs)
  }

  /** Executes a request. Throws a Problem if the request is invalid, the caller has no access, or a limit is reached. */
  async answer(request: AvaticaRequest, caller: AvaticaCaller): Promise<AvaticaResponse> {
    const { connectionId } = request
    if (request.request === 'openConnection') return this.#open(request, caller)
    return this.#connections.use(connectionId, caller, (connection, reader) =>
      this.#on(connection, request, reader, caller.signal),
    )
  }

  /** Throws if a request of this caller on the connection would be refused: `UnknownConnection`, or Problem `forbidden`. */
  requireOwn(connectionId: string, caller: ConnectionCaller): void {
    this.#connections.own(connectionId, caller)
  }

  /** Closes connections that were idle too long. */
  closeIdle(): void {
    this.#connections.closeIdle()
  }

  /** Closes all connections and cancels their queries. */
  close(): void {
    this.#connections.closeAll()
  }

  #open({ connectionId: id, info }: Of<'openConnection'>, caller: AvaticaCaller): AvaticaResponse {
    const key = keyInInfo(info)
    const reader = caller.reader(key)
    const { network } = caller
    this.#connections.open({ id, ownerId: reader.id, key, network, context: questionContext(info) })
    return { response: 'openConnection' }
  }

  async #on(
    connection: Connection,
    request: Exclude<AvaticaRequest, Of<'openConnection'>>,
    reader: Reader,
    signal: AbortSignal,
  ): Promise<AvaticaResponse> {
    const { connectionId } = request
    switch (request.request) {
      case 'closeConnection':
        this.#connections.close(connection)
        return { response: 'closeConnection' }
      case 'connectionSync':
        return { response: 'connectionSync', connProps: connection.sync(request.connProps) }
      case 'databaseProperties':
        return { response: 'databaseProperties', properties: databaseProperties }
      case 'createStatement':
        return { response: 'createStatement', connectionId, statementId: connection.newStatement().id }
      case 'closeStatement':
        connection.closeStatement(request.statementId)
        return { response: 'closeStatement' }
      // Queries change nothing, so commit and rollback have no effect.
      case 'commit':
      case 'rollback':
        return { response: request.request }
      case 'prepare':
        return this.#prepare(connection, request, reader)
      case 'prepareAndExecute':
      case 'execute':
        return this.#execute(connection, request, reader, signal)
      case 'fetch': {
        const { statementId, offset, frameRows } = request
        const frame = await connection.statement(statementId).fetch(signal, offset, this.#frameLimits(frameRows))
        return { response: 'fetch', frame }
      }
      case 'getTypeInfo':
        return this.#typeInfo(connection, connectionId)
      case 'getCatalogs':
      case 'getSchemas':
      case 'getTables':
      case 'getTableTypes':
      case 'getColumns':
        return this.#metadata(connection, request, reader, signal)
      case 'syncResults':
        throw new Problem('invalid_request', 'The rest of the answer was discarded. Execute the statement again.')
      case 'prepareAndExecuteBatch':
      case 'executeBatch':
        throw new Problem(
          'invalid_request',
          'Batches of changes are not supported: push rows to an ingest, or execute a query.',
        )
    }
  }

  #prepare(connection: Connection, { connectionId, sql, rowsMax }: Of<'prepare'>, reader: Reader): AvaticaResponse {
    const signature = this.#describe(connection, sql, reader)
    const statement = connection.newStatement()
    try {
      statement.prepare({ sql, rowsMax })
    } catch (error) {
      connection.closeStatement(statement.id)
      throw error
    }
    return { response: 'prepare', connectionId, statementId: statement.id, signature }
  }

  #describe({ opened }: Connection, sql: string, reader: Reader): Signature {
    const { columns, parameters } = this.#parts.sql.describe({ ...opened.context, text: sql }, reader)
    return { columns: avaticaColumns(columns), sql, parameters }
  }

  async #execute(
    connection: Connection,
    request: Of<'prepareAndExecute' | 'execute'>,
    reader: Reader,
    signal: AbortSignal,
  ): Promise<AvaticaResponse> {
    const { connectionId, statementId, frameRows } = request
    const statement = connection.statement(statementId)
    const isText = request.request === 'prepareAndExecute'
    const { sql: text, rowsMax } = isText ? request : statement.prepared
    const query = { text, rowsMax, frameRows, parameters: isText ? [] : request.parameterValues, ownStatement: false }
    const resultSet = await this.#run({ connection, connectionId, statement, reader, signal }, query)
    return { response: 'executeResults', resultSet }
  }

  async #metadata(
    connection: Connection,
    { connectionId, request, patterns }: Extract<AvaticaRequest, { readonly patterns: unknown }>,
    reader: Reader,
    signal: AbortSignal,
  ): Promise<AvaticaResponse> {
    const statement = connection.newStatement()
    const text = metadataSql(request, patterns)
    const query: Query = { text, parameters: [], rowsMax: null, frameRows: null, ownStatement: true }
    try {
      const resultSet = await this.#run({ connection, connectionId, statement, reader, signal }, query)
      if (resultSet.firstFrame.done) connection.closeStatement(statement.id)
      return { response: 'resultSet', resultSet }
    } catch (error) {
      connection.closeStatement(statement.id)
      throw error
    }
  }

  #typeInfo(connection: Connection, connectionId: string): AvaticaResponse {
    const statement = connection.newStatement()
    connection.closeStatement(statement.id)
    const signature = { columns: typeInfoColumns, sql: '', parameters: 0 }
    const reps = typeInfoColumns.map(({ rep }) => rep)
    const firstFrame = { offset: 0, done: true, rows: typeInfoRows, reps }
    const resultSet = { connectionId, statementId: statement.id, ownStatement: true, signature, firstFrame }
    return { response: 'resultSet', resultSet }
  }

  async #run({ connection, connectionId, statement, reader, signal }: Run, query: Query): Promise<ResultSet> {
    const { sql, observe } = this.#parts
    const { text, rowsMax, frameRows, ownStatement } = query
    const parameters = sqlValues(query.parameters)
    const result = await statement.execute(
      signal,
      async (running) => {
        const startedMs = performance.now()
        const { answer, columns: named } = await sql.run(
          { ...connection.opened.context, text, parameters },
          running,
          reader,
        )
        const { rows, bytes } = answer
        observe({ kind: 'queryAnswered', query: 'avatica', rows, bytes, ms: performance.now() - startedMs })
        const columns = avaticaColumns(named)
        const signature = { columns, sql: text, parameters: parameters.length }
        return { rows: new AnswerCursor(answer, columns, { rowsMax, zone: connection.opened.context.zone }), signature }
      },
      this.#frameLimits(frameRows),
    )
    return { connectionId, statementId: statement.id, ownStatement, ...result }
  }

  #frameLimits(asked: number | null): BatchLimits {
    const { frameRows, frameBytes } = this.#parts.limits
    return { rowsMax: Math.min(frameRows, Math.max(frameRowsMin, asked ?? frameRows)), bytesMax: frameBytes }
  }
}

interface Run {
  readonly connection: Connection
  readonly connectionId: string
  readonly statement: Statement
  readonly reader: Reader
  readonly signal: AbortSignal
}

interface Query {
  readonly text: string
  readonly parameters: Of<'execute'>['parameterValues']
  readonly rowsMax: number | null
  readonly frameRows: number | null
  readonly ownStatement: boolean
}
