// How long `latest` and a small SQL query of others take beside each of the worst queries, and what the SQL engine's process holds meanwhile.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { callWell } from '../test/support/api.ts'
import { EngineMemory } from '../test/support/engine-memory.ts'
import { adminKey, ServerProcess } from '../test/support/server-process.ts'
import { makeWorst, type WorstQuery, worstQueries } from '../test/support/worst-queries.ts'
import { printTable, quantile } from './figures.ts'

/** As many at once as one reader may have, and some that wait. */
const askers = 4
const pauseMs = 10
/** Who asks for much leaves then, and asks again. */
const patienceMs = 5000

interface Neighbour {
  readonly latest: number[]
  readonly sql: number[]
  refused: number
}

export async function benchWorstQueries({ seconds }: { readonly seconds: number }): Promise<void> {
  const dataDirectory = await mkdtemp(join(tmpdir(), 'tidemark-bench-'))
  const server = await ServerProcess.start({ dataDirectory, environment: { TIDEMARK_ACCESS_CONSUMPTION: 'key' } })
  const memory = new EngineMemory()
  try {
    await makeWorst(server.url)
    const bad = await readerKey(server.url, 'bad')
    const good = await readerKey(server.url, 'good')
    const rows: string[][] = []
    for (const query of [null, ...worstQueries]) {
      memory.takePeakBytes()
      const { latest, sql, refused } = await beside(server.url, { bad, good }, query, seconds)
      const figures = [quantile(latest, 0.5), quantile(latest, 0.99), quantile(sql, 0.5), quantile(sql, 0.99)]
      const mebibytes = memory.takePeakBytes() / 2 ** 20
      rows.push([
        query?.name ?? 'nothing',
        ...figures.map((ms) => ms.toFixed(1)),
        String(refused),
        mebibytes.toFixed(0),
      ])
    }
    printTable(
      `Beside ${askers} of each of the worst queries`,
      ['beside', 'latest p50 ms', 'p99', 'SQL p50 ms', 'p99', 'refused', 'engine MiB'],
      rows,
    )
  } finally {
    memory.stop()
    await server.stop()
    await rm(dataDirectory, { recursive: true, force: true })
  }
}

async function beside(
  url: string,
  { bad, good }: { readonly bad: string; readonly good: string },
  query: WorstQuery | null,
  seconds: number,
): Promise<Neighbour> {
  const endMs = performance.now() + seconds * 1000
  const isOver = (): boolean => performance.now() >= endMs
  const seen: Neighbour = { latest: [], sql: [], refused: 0 }
  const ask = async (path: string, body: object, into: number[]): Promise<void> => {
    while (!isOver()) {
      const startedMs = performance.now()
      const response = await post(url + path, good, body)
      into.push(performance.now() - startedMs)
      if (response.status !== 200) seen.refused += 1
      await response.arrayBuffer()
      await sleep(pauseMs)
    }
  }
  const worst = async (): Promise<void> => {
    while (query !== null && !isOver()) {
      const leaving = AbortSignal.timeout(Math.ceil(Math.min(patienceMs, Math.max(1, endMs - performance.now()))))
      await post(url + query.path, bad, query.body, leaving)
        .then((response) => response.arrayBuffer())
        .catch(() => undefined)
    }
  }
  await Promise.all([
    ask('/consumer/data/latest', { entity: 'worst' }, seen.latest),
    ask('/consumer/data/sql-query', { sql_query: 'SELECT MAX(V) AS v FROM worst' }, seen.sql),
    ...Array.from({ length: askers }, worst),
  ])
  return seen
}

function post(url: string, key: string, body: object, signal: AbortSignal | null = null): Promise<Response> {
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${key}` }
  return fetch(url, { method: 'POST', headers, body: JSON.stringify(body), signal })
}

async function readerKey(url: string, name: string): Promise<string> {
  const admin = { key: adminKey }
  await callWell(url, 'POST', '/admin/subscribers', { ...admin, body: { name } })
  const path = `/admin/subscribers/${name}`
  await callWell(url, 'PUT', `${path}/subscriptions`, { ...admin, body: [{ entity: '*' }] })
  return (await callWell<{ key: string }>(url, 'POST', `${path}/keys`, { ...admin, body: { rights: ['consume'] } })).key
}
