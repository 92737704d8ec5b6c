// A compared system, and how one is started as a separate process.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, mkdirSync, openSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort } from '../../test/support/free-port.ts'
import { request } from '../load.ts'
import type { Ends } from '../small-questions.ts'

/** Times are in milliseconds; `toMs` is excluded. */
export type QuerySpec =
  | { readonly kind: 'means'; readonly tags: readonly string[]; readonly fromMs: number; readonly toMs: number }
  | { readonly kind: 'pooled'; readonly fromMs: number; readonly toMs: number }
  | { readonly kind: 'latest'; readonly tag: string; readonly newestMs: number }
  | { readonly kind: 'before'; readonly tag: string; readonly atMs: number }

/** Rows are sent as JSON or as lines of line protocol. */
export type RowFormat = 'json' | 'lines'

export interface System {
  readonly name: string
  readonly url: string
  readonly processId: number
  readonly format: RowFormat
  /** The bytes of a request that pushes these rows. */
  readonly push: (body: string) => Uint8Array
  readonly ask: (asked: QuerySpec) => Uint8Array
  /** The number of rows before `toMs` that can be queried. */
  readonly countRows: (toMs: number) => Promise<number>
  /** The first mean in a response for the means of one tag. */
  readonly firstMean: (answer: string) => number
}

export interface Candidate {
  readonly name: string
  /** When the system acknowledges a push, with its default settings. */
  readonly answersWhen: string
  /** The software to install for it; null if nothing is missing. */
  readonly missing: () => string | null
  /** Starts the system over an empty folder. */
  readonly start: (folder: string, ends: Ends) => Promise<System>
}

const startsWithinMs = 60_000
const stopsWithinMs = 20_000

export interface Launching {
  readonly command: string
  readonly arguments: readonly string[]
  readonly environment?: Readonly<Record<string, string>>
  readonly folder: string
  /** The system is ready when this URL returns a success. */
  readonly readyUrl: string
}

export async function freeAddress(): Promise<{ readonly address: string; readonly url: string }> {
  const address = `127.0.0.1:${await freePort()}`
  return { address, url: `http://${address}` }
}

type LineSystem = Pick<System, 'name' | 'url' | 'processId' | 'format' | 'push'>

/** Starts a system that accepts lines at a path. */
export async function launchForLines(
  {
    name,
    url,
    pushPath,
    ...launching
  }: Launching & { readonly name: string; readonly url: string; readonly pushPath: string },
  ends: Ends,
): Promise<LineSystem> {
  const processId = await launch(launching, ends)
  return { name, url, processId, format: 'lines', push: (body) => request(url, 'POST', pushPath, {}, body) }
}

async function launch(launching: Launching, ends: Ends): Promise<number> {
  mkdirSync(launching.folder, { recursive: true })
  const log = openSync(join(launching.folder, 'log.txt'), 'a')
  const env = { ...process.env, ...launching.environment }
  const child = spawn(launching.command, launching.arguments, { stdio: ['ignore', log, log], env })
  closeSync(log)
  const ended = once(child, 'exit')
  ends.push(async () => {
    if (child.exitCode !== null || child.signalCode !== null) return
    child.kill('SIGCONT')
    child.kill('SIGTERM')
    const late = setTimeout(() => child.kill('SIGKILL'), stopsWithinMs)
    await ended
    clearTimeout(late)
  })
  const giveUpMs = performance.now() + startsWithinMs
  for (;;) {
    const isReady = await fetch(launching.readyUrl).then(
      ({ ok }) => ok,
      () => false,
    )
    if (isReady) return child.pid!
    if (child.exitCode !== null || performance.now() > giveUpMs)
      throw new Error(`${launching.command} is not ready: see ${launching.folder}/log.txt`)
    await sleep(100)
  }
}

/** The response as text; throws an Error unless it is a success. */
export async function answerOf(url: string, init: RequestInit = {}): Promise<string> {
  const response = await fetch(url, init)
  const text = await response.text()
  if (!response.ok) throw new Error(`${url}: ${response.status} ${text.slice(0, 300)}`)
  return text
}

/** The response to one request, which is passed as its complete bytes. */
export function answerTo(url: string, request: Uint8Array): Promise<string> {
  const text = Buffer.from(request).toString()
  const end = text.indexOf('\r\n\r\n')
  const [first, ...lines] = text.slice(0, end).split('\r\n')
  const [method, path] = first!.split(' ') as [string, string]
  const headers = lines.map((line) => line.split(': ') as [string, string])
  const own = headers.filter(([name]) => name !== 'host' && name !== 'content-length')
  return answerOf(url + path, { method, headers: own, body: method === 'GET' ? null : text.slice(end + 4) })
}
