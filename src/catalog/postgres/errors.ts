import pg from 'pg'
import { Problem } from '../../model/problem.ts'
import { TransactionConflict } from '../repositories/transactions.ts'

/** SQLSTATE codes (https://www.postgresql.org/docs/current/errcodes-appendix.html); a two-character entry matches a class. */
const conflicts = ['40001', '40P01']
const uniqueViolation = '23505'
/** The connection or the server is shutting down or gone, or currently refuses connections. */
const gone = ['08', '57P', '28', '3D', '53']
/** A timeout expired, or the server is currently read-only. */
const passing = ['57014', '55P03', '25P03', '25006']

/** Messages of driver errors that have no code, thrown when a connection is lost or cannot be made. */
const lostConnection =
  /^(Connection terminated|timeout exceeded when trying|timeout expired|Query read timeout|Client (has encountered|was closed)|Cannot use a pool after|The server does not support SSL|Connection ended)/

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : ''
}

/** Whether the connection is no longer usable. */
export function isLost(error: unknown): boolean {
  if (error instanceof pg.DatabaseError) return gone.some((code) => codeOf(error).startsWith(code))
  // Socket and TLS errors have codes too, but no SQLSTATE.
  return error instanceof Error && (/^E[A-Z_]+$|CERT|SSL|TLS/.test(codeOf(error)) || lostConnection.test(error.message))
}

/** Maps an error of the driver to the one that the catalog throws. */
export function translated(error: unknown): unknown {
  const code = error instanceof pg.DatabaseError ? codeOf(error) : ''
  if (conflicts.includes(code)) return new TransactionConflict(error)
  if (code === uniqueViolation) {
    const detail = 'Another process made a conflicting change at the same moment. Check the current state, then retry.'
    return new Problem('conflict', detail, { cause: error })
  }
  if (passing.includes(code)) {
    return new Problem('unavailable', "The catalog's database is too busy. Try again.", { cause: error })
  }
  if (!isLost(error)) return error
  return new Problem('unavailable', "The catalog's database does not answer. Try again.", { cause: error })
}

/** The reason why the service cannot start, for its operator; an error that already explains itself is returned unchanged. */
export function startError(error: unknown, where: { host: string; port: number; user: string; database: string }) {
  const cause = error instanceof Problem ? error.cause : error
  const place = `PostgreSQL at ${where.host}:${where.port}`
  const code = codeOf(cause)
  if (code.startsWith('28')) {
    return new Error(`${place} rejects the user "${where.user}". Correct postgres.url, or the server's pg_hba.conf.`, {
      cause,
    })
  }
  if (code === '3D000') {
    const advice = `CREATE DATABASE "${where.database}" OWNER "${where.user}"`
    return new Error(`${place} has no database "${where.database}". Create it (${advice}), or correct postgres.url.`, {
      cause,
    })
  }
  if (code === '42501') {
    const advice = `GRANT CREATE ON DATABASE "${where.database}" TO "${where.user}"`
    return new Error(
      `${place} does not allow the user "${where.user}" to create Tidemark's schema. Allow it: ${advice}.`,
      {
        cause,
      },
    )
  }
  if (!(error instanceof Problem)) return error
  const reason = cause instanceof Error ? `: ${cause.message || code}` : ''
  return new Problem('unavailable', `${place} cannot be reached${reason}. Start it, or correct postgres.url.`, {
    cause,
  })
}
