// The cost of starts, memory and first answers when all rows are in files; and the same queries as SQL through DuckDB over the same files.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { callOk } from '../test/support/api.ts'
import { adminKey, ServerProcess } from '../test/support/server-process.ts'
import { benchDuckDB } from './duckdb.ts'
import { median, printTable, quantile, spread } from './figures.ts'
import { type LoadResult, runLoad } from './load.ts'
import { askFor, type Question, questionRequest, questions } from './questions.ts'
import { residentBytes } from './resident.ts'

export interface AtRestOptions {
  /** The data directory of a stopped service. */
  readonly dataDirectory: string
  readonly rows: number
  readonly tags: number
  readonly runs: number
}

/** A compiled `main.js`, and the Node.js that runs it. */
export interface OtherBuild {
  readonly program: string
  readonly node: string
}

const limits = { TIDEMARK_LIMITS_RESULT_ROWS: '2000000' }

export async function measureAtRest({ dataDirectory, rows, tags, runs }: AtRestOptions): Promise<void> {
  const bytes = await bringToRest(dataDirectory, rows)
  const canDrop = await dropPageCache()
  console.log(
    `\n${rows / 1e6} million rows at rest: ${(bytes / rows).toFixed(2)} bytes a row; ` +
      (canDrop
        ? 'files are dropped from the page cache before each cold start'
        : 'the page cache may not be dropped: cold is a fresh process alone'),
  )
  await measureStarts(dataDirectory, runs)
  const lines: string[][] = []
  for (const question of questions(tags)) lines.push(await measureCold(dataDirectory, question, runs))
  printTable(`${rows / 1e6} million rows, first answer after a start`, ['query', 'first ms', 'second ms'], lines)
  await measureBeside(dataDirectory, tags, runs)
}

/** Runs the service until every row is in a file and no file is being merged; returns the bytes of the files. */
export async function bringToRest(dataDirectory: string, rows: number, build?: OtherBuild): Promise<number> {
  const environment = { ...limits, TIDEMARK_STORE_HEAD_AGE_MS: '500' }
  const server = await ServerProcess.start({ dataDirectory, environment, ...build })
  let before = ''
  for (let same = 0; same < 10; ) {
    await sleep(500)
    const { store } = await callOk<{ store: { rows: number; bytes: number } }>(server.url, 'GET', '/readyz', {
      key: adminKey,
    })
    const state = JSON.stringify(store)
    same = store.rows === rows && state === before ? same + 1 : 0
    before = state
  }
  await server.stop()
  return (JSON.parse(before) as { bytes: number }).bytes
}

function start(dataDirectory: string): Promise<ServerProcess> {
  return ServerProcess.start({ dataDirectory, environment: limits })
}

/** False if it is not permitted. */
async function dropPageCache(): Promise<boolean> {
  const sync: ChildProcess = spawn('sync')
  await once(sync, 'close')
  try {
    writeFileSync('/proc/sys/vm/drop_caches', '1')
    return true
  } catch {
    return false
  }
}

async function measureStarts(dataDirectory: string, runs: number): Promise<void> {
  const ready: number[] = []
  const resident: number[] = []
  for (let run = 0; run < runs; run++) {
    await dropPageCache()
    const startedMs = performance.now()
    const server = await start(dataDirectory)
    ready.push(performance.now() - startedMs)
    resident.push((await residentBytes(server.url)) / 2 ** 20)
    await server.stop()
  }
  console.log(`ready ${spread(ready, 0)} ms after the start, with ${spread(resident, 0)} MiB resident`)
}

async function measureCold(dataDirectory: string, question: Question, runs: number): Promise<string[]> {
  const first: number[] = []
  const second: number[] = []
  for (let run = 0; run < runs; run++) {
    await dropPageCache()
    const server = await start(dataDirectory)
    const { latenciesMs } = await askTimes(server.url, question, 2)
    first.push(latenciesMs[0] ?? Number.NaN)
    second.push(latenciesMs[1] ?? Number.NaN)
    await server.stop()
  }
  return [question.name, spread(first, 2), spread(second, 2)]
}

/** Repeats one query, so that the second latency is that of a warm query. */
function askTimes(url: string, question: Question, times: number): Promise<LoadResult> {
  const bytes = questionRequest(url, question, () => 0.5)
  let asked = 0
  return runLoad({ url, connections: 1, next: () => (asked++ < times ? bytes : null) })
}

/** Tidemark over HTTP and DuckDB in this process, one after the other, both warm. */
async function measureBeside(dataDirectory: string, tags: number, runs: number): Promise<void> {
  const server = await start(dataDirectory)
  const others = await benchDuckDB(`${dataDirectory}/store/*/*.parquet`, tags)
  try {
    const lines: string[][] = []
    for (const question of questions(tags)) {
      const other = others.get(question.name)
      if (other === undefined) continue
      const ours: number[] = []
      const theirs: number[] = []
      for (let run = 0; run < runs; run++) {
        ours.push(quantile((await askFor(server.url, question, 1, 1000)).latenciesMs, 0.5))
        theirs.push(await other())
      }
      lines.push([
        question.name,
        spread(ours, 2),
        spread(theirs, 1),
        `${(median(theirs) / median(ours)).toFixed(0)} times`,
      ])
    }
    const resident = Math.round((await residentBytes(server.url)) / 2 ** 20)
    const header = ['query', 'Tidemark p50 ms', 'DuckDB p50 ms', '']
    printTable('over HTTP, and as SQL on the same files through DuckDB in the process that asks', header, lines)
    console.log(`\n${resident} MiB resident after these`)
  } finally {
    await server.stop()
  }
}
