import { readFileSync } from 'node:fs'
import type { ConnectionOptions } from 'node:tls'

/** The parts of a PostgreSQL address. */
export interface ConnectionSettings {
  readonly host: string
  readonly port: number
  readonly user: string
  readonly password: string
  readonly database: string
  readonly ssl: false | ConnectionOptions
}

const sslModes = ['disable', 'require', 'verify-ca', 'verify-full']

/**
 * Parses an address such as postgres://user:password@host:5432/database?sslmode=verify-full. If a CA file is set, sslmode defaults to verify-full. Throws
 * an Error that states what to correct, without the password.
 */
export function connectionSettings(url: string, caFile: string): ConnectionSettings {
  const parsed = URL.canParse(url) ? new URL(url) : null
  if (parsed === null || !/^postgres(ql)?:$/.test(parsed.protocol) || parsed.hostname === '') {
    throw new Error('postgres.url is not an address. Give one such as postgres://user:password@host:5432/database.')
  }
  const unknown = [...parsed.searchParams.keys()].find((name) => name !== 'sslmode')
  if (unknown !== undefined) {
    throw new Error(`postgres.url has the parameter "${unknown}", which is not supported. Leave it out.`)
  }
  const mode = parsed.searchParams.get('sslmode') ?? (caFile === '' ? 'disable' : 'verify-full')
  if (!sslModes.includes(mode)) {
    throw new Error(`The sslmode of postgres.url is "${mode}". Give one of ${sslModes.join(', ')}.`)
  }
  const user = decodeURIComponent(parsed.username)
  const database = decodeURIComponent(parsed.pathname.slice(1))
  if (user === '' || database === '') {
    throw new Error('postgres.url names no user or no database. Give postgres://user:password@host:5432/database.')
  }
  return {
    // The hostname of an IPv6 address is in brackets.
    host: parsed.hostname.replace(/^\[|\]$/g, ''),
    port: parsed.port === '' ? 5432 : Number(parsed.port),
    user,
    password: decodeURIComponent(parsed.password),
    database,
    ssl: mode === 'disable' ? false : tlsOptions(mode, caFile),
  }
}

function tlsOptions(mode: string, caFile: string): ConnectionOptions {
  if (mode === 'require') return { rejectUnauthorized: false }
  const ca = caFile === '' ? {} : { ca: readFileSync(caFile) }
  // verify-ca checks who signed the certificate, but not its host name.
  return mode === 'verify-ca' ? { ...ca, checkServerIdentity: () => undefined } : ca
}
