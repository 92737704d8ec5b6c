// A service whose rows hold values at every edge, and random queries to it. No query may cause a failure of the service, and no response may reveal
// its internals.

import type { ServiceOverrides } from '../../src/service/start-service.ts'
import { fuzzedEntity, fuzzedFields, fuzzedRows } from '../druid-sql/fuzzed-values.ts'
import { makeIngest } from './api.ts'
import { type RunningService, runService } from './running-service.ts'
import { adminKey } from './server-process.ts'

export interface FuzzedWorld {
  readonly service: RunningService
  /** Failures, and engine messages that the service does not know, as reported to its log. */
  readonly reported: string[]
  /** Queries that were refused with a general message. */
  readonly unexplained: string[]
  /** The number of responses by status. */
  readonly statuses: Map<number, number>
}

export async function fuzzedWorld(
  settings: Readonly<Record<string, string>> = {},
  overrides: ServiceOverrides = {},
): Promise<FuzzedWorld> {
  const reported: string[] = []
  const service = await runService(
    { 'store.headRows': '50', 'store.dayRowsMin': '10', ...settings },
    {
      ...overrides,
      observe: (event) => {
        if (event.kind === 'sqlEngineRefused') reported.push(`refused: ${event.message}`)
        if (event.kind === 'sqlEngineDied') reported.push(`died: ${event.message}`)
        if (event.kind === 'requestFailed') reported.push(`failed: ${String(event.error)}`)
      },
    },
  )
  const key = await makeIngest(service.url, adminKey, { alias: fuzzedEntity, fields: fuzzedFields })
  for (const body of fuzzedRows()) {
    const response = await fetch(`${service.url}/ingests/${fuzzedEntity}/data?wait=true`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${key}` },
      body,
    })
    const receipt = (await response.json()) as { rows: number; stored: number }
    if (receipt.stored !== receipt.rows) throw new Error(`not all rows are stored: ${JSON.stringify(receipt)}`)
  }
  return { service, reported, unexplained: [], statuses: new Map() }
}

/** Text that no response may contain: internal names in the engine's SQL, and the engine's own wording. */
const inner =
  /\b(?:Binder|Catalog|Parser|Conversion|Invalid Input|Out of Range|INTERNAL|Not implemented|Syntax|Invalid Type|Mismatch Type|Constraint) Error|DuckDB|duckdb|\bINT(?:8|16|32|64|128)\b|HUGEINT|list_transform|TRY_CAST|entity_\d|\br\d+\.c\d+|read_parquet|\.parquet|Tidemark says/

export interface Fuzzed {
  readonly path: string
  readonly body: string
}

/** The fault in the response to a query; null where there is none. */
export async function faultOf(
  { service, statuses, unexplained }: FuzzedWorld,
  { path, body }: Fuzzed,
): Promise<string | null> {
  const response = await fetch(service.url + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${adminKey}` },
    body,
  })
  const text = await response.text()
  statuses.set(response.status, (statuses.get(response.status) ?? 0) + 1)
  if (response.status >= 500) return `${response.status} ${text}`
  if (response.status >= 400 && inner.test(text)) return `words of the engine: ${text}`
  if (/form of query is not supported here|too complex to run/.test(text)) unexplained.push(body)
  if (/crashes the SQL engine/.test(text)) return `ends the engine: ${text}`
  if (response.status === 200) JSON.parse(text)
  return null
}

const counted = {
  path: '/consumer/data/sql-query',
  body: `{"sql_query":"SELECT COUNT(*) AS n, SUM(1 + EXTRACT(YEAR FROM __time)) AS years FROM ${fuzzedEntity}"}`,
}

/** The fault in the response to another caller's valid query; null where it succeeds. */
async function neighbourFault({ service }: FuzzedWorld): Promise<string | null> {
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${adminKey}` }
  const response = await fetch(service.url + counted.path, { method: 'POST', headers, body: counted.body })
  const text = await response.text()
  if (response.status !== 200) return `a neighbour was told ${response.status} ${text}`
  // Only a query that runs in the engine would be affected.
  const by = response.headers.get('tidemark-answered-by')
  return by === 'sql-engine' ? null : `a neighbour was answered by ${by}: ask for something else`
}

/** The number of queries between two of the other caller. */
const neighbourEvery = 20

export interface FuzzedRun {
  readonly first: number
  readonly count: number
  /** Concurrent queries. */
  readonly atOnce: number
  /** Stops after this number of faults. */
  readonly faultsMax?: number
}

/** Sends `count` queries, with the other caller's between them; resolves with the faults. */
export async function runFuzzed(
  world: FuzzedWorld,
  queryOf: (number: number) => Fuzzed,
  { first, count, atOnce, faultsMax = 20 }: FuzzedRun,
): Promise<readonly string[]> {
  const faults: string[] = []
  let next = first
  const worker = async (): Promise<void> => {
    while (next < first + count && faults.length < faultsMax) {
      const number = next++
      const query = queryOf(number)
      const fault = await faultOf(world, query).catch((error: unknown) => String(error))
      if (fault !== null) faults.push(`number ${number}: ${fault}\n${query.body}`)
      const other = number % neighbourEvery === 0 ? await neighbourFault(world) : null
      if (other !== null) faults.push(`number ${number}: ${other}\n${query.body}`)
    }
  }
  await Promise.all(Array.from({ length: atOnce }, worker))
  return faults
}
