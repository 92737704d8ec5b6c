// A service with entities for SQL: two that a caller may read, and one that it may not, whose name and rows no answer may contain.
import { callOk, makeIngest, makeReader } from './api.ts'
import { type RunningService, runService } from './running-service.ts'
import { adminKey } from './server-process.ts'

/** They appear in no query text, so an answer that contains one reveals a secret. */
export const hiddenEntity = 'hidden_q7x'
export const hiddenTag = 'concealed-k3v'

export interface SqlWorld {
  readonly service: RunningService
  /** Keys that push to each entity. */
  readonly keys: Readonly<Record<string, string>>
  /** May read `plant` and `edge`. */
  readonly readerKey: string
  /** May read only the hidden entity. */
  readonly hiddenKey: string
  /** Process ids of the started engines, newest last. */
  readonly engines: readonly number[]
}

const dimensions = ['area', 'unit', 'quality', 'code', 'version', 'user'].map((name) => ({
  name,
  type: 'string',
  role: 'dimension',
}))
const longs = ['status', 'alarm', 'seq'].map((name) => ({ name, type: 'long', role: 'dimension' }))
/** Names that differ only in case. */
const metrics = ['value', 'v', 'V'].map((name) => ({ name, type: 'double', role: 'metric' }))
const fields = [
  { name: 'time', type: 'timestamp', role: 'time' },
  { name: 'tag', type: 'string', role: 'tag' },
  ...dimensions,
  ...longs,
  ...metrics,
]

export function rowsOf(tag: string, rows: number, from = 0): object[] {
  return Array.from({ length: rows }, (_, row) => {
    const number = from + row
    const time = new Date(Date.UTC(2026, 0, 1) + number * 60_000).toISOString()
    return {
      time,
      tag: `${tag}${number % 4}`,
      area: 'north',
      status: number % 3,
      value: number,
      v: number / 2,
      V: -number,
    }
  })
}

/** Half of the rows are sealed, half are in memory. */
export async function sqlWorld(settings: Readonly<Record<string, string>> = {}): Promise<SqlWorld> {
  const engines: number[] = []
  const service = await runService(
    { 'access.consumption': 'key', 'store.headRows': '150', 'store.dayRowsMin': '50', ...settings },
    {
      observe: (event) => {
        if (event.kind === 'sqlEngineStarted') engines.push(event.processId)
      },
    },
  )
  const { url } = service
  const keys: Record<string, string> = {}
  for (const alias of ['plant', 'edge', hiddenEntity]) {
    keys[alias] = await makeIngest(url, adminKey, { alias, fields })
    const tag = alias === hiddenEntity ? hiddenTag : 'boiler'
    await callOk(url, 'POST', `/ingests/${alias}/data?wait=true`, { key: keys[alias]!, body: rowsOf(tag, 100) })
    await callOk(url, 'POST', `/ingests/${alias}/data?wait=true`, { key: keys[alias]!, body: rowsOf(tag, 20, 100) })
  }
  const readerKey = await makeReader(url, adminKey, ['plant', 'edge'])
  const hiddenKey = await makeReader(url, adminKey, [hiddenEntity], 'other')
  return { service, keys, readerKey, hiddenKey, engines }
}

export interface SqlReply {
  readonly status: number
  readonly text: string
}

export async function askSql(
  { service: { url } }: Pick<SqlWorld, 'service'>,
  key: string,
  text: string,
  headers: Readonly<Record<string, string>> = {},
  signal: AbortSignal | null = null,
): Promise<SqlReply> {
  const response = await fetch(`${url}/consumer/data/sql-query`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${key}`, ...headers },
    body: JSON.stringify({ sql_query: text }),
    signal,
  })
  return { status: response.status, text: await response.text() }
}

/** Throws when the reader must not get this answer: a failure of the service, or a secret. */
export function checkReply(text: string, { status, text: body }: SqlReply): void {
  const isEndedByLimit = status === 503 && /"code":"(?:query_timeout|overloaded)"/.test(body)
  const isFine = status === 200 || (status >= 400 && status < 500) || isEndedByLimit
  const tells = body.includes(hiddenEntity) || body.includes(hiddenTag)
  if (!isFine || tells) throw new Error(`${status} ${body.slice(0, 500)}\nfor ${text.slice(0, 2000)}`)
}
