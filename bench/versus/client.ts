// One client for all systems: wrk, which uses little of the machine, or the project's own if wrk is not installed.
import { execFile } from 'node:child_process'
import { closeSync, openSync, rmSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { quantile } from '../figures.ts'
import { runLoad } from '../load.ts'
import { isInstalled } from './installed.ts'

export interface Sending {
  readonly url: string
  readonly connections: number
  readonly seconds: number
  /** Complete requests, sent in turn; after the last one, they start over. */
  readonly requests: readonly Uint8Array[]
}

export interface Sent {
  readonly answers: number
  readonly perSecond: number
  readonly p50: number
  readonly p99: number
}

export interface Client {
  readonly name: string
  readonly send: (sending: Sending) => Promise<Sent>
}

export function findClient(): Client {
  if (isInstalled('wrk')) return { name: 'wrk, one thread', send: sendByWrk }
  console.log('\nwrk is missing (apt-get install wrk): the own client asks, which takes more of the machine')
  return { name: 'the own client', send: sendByOwn }
}

/** npm runs its commands in the root of the project. */
const script = resolve('bench/versus/requests.lua')
const run = promisify(execFile)
const secondsMax = 256

async function sendByWrk({ url, connections, seconds, requests }: Sending): Promise<Sent> {
  const file = join(tmpdir(), `tidemark-requests-${process.pid}`)
  const written = openSync(file, 'w')
  try {
    for (const request of requests) {
      writeSync(written, `${request.length}\n`)
      writeSync(written, request)
    }
    // If there is no response in time, the duration is extended.
    for (let longer = seconds; longer <= secondsMax; longer *= 4) {
      const load = ['-t1', `-c${connections}`, `-d${longer}s`, '--timeout', `${secondsMax}s`, '-s', script, url]
      const { stdout } = await run('wrk', load, { env: { ...process.env, REQUESTS: file } })
      const { answers, failed, p50, p99, ...found } = JSON.parse(stdout.trim().split('\n').at(-1)!) as WrkSummary
      if (failed > 0) throw new Error(`${url}: ${failed} requests failed\n${stdout}`)
      if (answers > 0) return { answers, perSecond: answers / found.seconds, p50, p99 }
    }
    throw new Error(`${url}: no answer in ${secondsMax} s`)
  } finally {
    closeSync(written)
    rmSync(file)
  }
}

interface WrkSummary {
  readonly answers: number
  readonly seconds: number
  readonly p50: number
  readonly p99: number
  readonly failed: number
}

async function sendByOwn({ url, connections, seconds, requests }: Sending): Promise<Sent> {
  const endMs = performance.now() + seconds * 1000
  let sent = 0
  const next = (): Uint8Array | null => (performance.now() < endMs ? requests[sent++ % requests.length]! : null)
  const { answers, seconds: taken, latenciesMs } = await runLoad({ url, connections, next })
  return { answers, perSecond: answers / taken, p50: quantile(latenciesMs, 0.5), p99: quantile(latenciesMs, 0.99) }
}
