// Sends fuzzed requests and looks at what comes back. What counts as a fault of the service:
// - a 5xx, save a 503 that says overload (`overloaded`, `query_timeout`), and of two backups at once;
// - no answer to a request that is HTTP, or none in time; a status that the contract has not;
// - a refusal that is no problem, or whose body says another status than its head; an answer without the headers that all have.
import { Agent, type IncomingHttpHeaders, request as send } from 'node:http'
import { connect } from 'node:net'
import { buffer, text } from 'node:stream/consumers'
import { gunzipSync } from 'node:zlib'
import { problems } from '../../src/model/problem.ts'
import { seededRandom } from '../support/random.ts'
import { brokenBytes } from './broken-http.ts'
import { chance, pick } from './edge-values.ts'
import { type Asked, type FuzzedRequest, randomRequest } from './random-requests.ts'
import { isOfDriver, refusalIn } from './refusals.ts'

export interface Finding {
  /** With the seed, it makes the same request again. */
  readonly index: number
  readonly what: string
  readonly request: string
}

export interface FuzzOptions {
  readonly url: string
  readonly requests: number
  readonly seed: number
  /** What requests are made from; asked again each `renewEvery` requests. */
  readonly world: () => Promise<Asked>
  readonly renewEvery?: number
  readonly inParallel?: number
}

export interface FuzzOutcome {
  readonly findings: readonly Finding[]
  /** How often each status came; 0 is for broken bytes that were not answered. */
  readonly statuses: Readonly<Record<number, number>>
}

const answerMs = 60_000
const brokenAnswerMs = 2000

export async function fuzzHttp({
  url,
  requests,
  seed,
  world,
  renewEvery = 500,
  inParallel = 8,
}: FuzzOptions): Promise<FuzzOutcome> {
  const findings: Finding[] = []
  const statuses: Record<number, number> = {}
  const agent = new Agent({ keepAlive: true, maxSockets: inParallel })
  const port = Number(new URL(url).port)
  let next = 0
  const found = (index: number, what: string, request: string): void => {
    if (findings.length < 100) findings.push({ index, what, request })
  }
  const one = async (index: number, asked: Asked): Promise<void> => {
    const random = seededRandom(seed * 1_000_003 + index)
    const request = randomRequest(random, asked)
    const host = chance(random, 95)
      ? `127.0.0.1:${port}`
      : pick(random, ['localhost', 'evil.example', 'a b', '[::1', ''])
    if (chance(random, 12)) {
      const bytes = brokenBytes(random, request)
      const seen = await answersToBytes(port, bytes)
      for (const status of seen) statuses[status] = (statuses[status] ?? 0) + 1
      const bad = seen.filter((status) => status !== 0 && !known.has(status))
      if (bad.length > 0) found(index, `bytes answered with ${bad.join()}`, bytes.toString('latin1').slice(0, 1000))
      return
    }
    try {
      const answer = await ask(agent, port, host, request)
      statuses[answer.status] = (statuses[answer.status] ?? 0) + 1
      const fault = faultOf(request, answer)
      if (fault !== null) found(index, `${fault}: ${answer.body.slice(0, 500)}`, describe(request))
    } catch (error) {
      found(index, `no answer: ${String(error)}`, describe(request))
    }
  }
  while (next < requests) {
    const asked = await world()
    const end = Math.min(requests, next + renewEvery)
    const worker = async (): Promise<void> => {
      while (next < end) await one(next++, asked)
    }
    await Promise.all(Array.from({ length: inParallel }, worker))
  }
  agent.destroy()
  return { findings, statuses }
}

interface Answer {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

function ask(
  agent: Agent,
  port: number,
  host: string,
  { method, target, headers, body }: FuzzedRequest,
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const length = body === null ? [] : ['Content-Length', String(body.length)]
    const lines = ['Host', host, ...headers.flat(), ...length]
    const signal = AbortSignal.timeout(answerMs)
    const sent = send({ host: '127.0.0.1', port, agent, method, path: target, headers: lines, signal }, (response) => {
      buffer(response).then((bytes) => {
        const { statusCode = 0, headers: answered } = response
        // Of i3X each answer may be, a refusal too.
        const body = statusCode >= 400 && answered['content-encoding'] === 'gzip' ? gunzipSync(bytes) : bytes
        resolve({ status: statusCode, headers: answered, body: body.toString('latin1') })
      }, reject)
    })
    sent.on('error', reject)
    sent.end(body ?? undefined)
  })
}

/** The statuses of all answers on a connection that these bytes were sent on; 0 where there was none. */
async function answersToBytes(port: number, bytes: Buffer): Promise<readonly number[]> {
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true })
  const timer = setTimeout(() => socket.destroy(), brokenAnswerMs)
  socket.on('error', () => undefined)
  socket.end(bytes)
  const answer = await text(socket).catch(() => '')
  clearTimeout(timer)
  const seen = [...answer.matchAll(/^HTTP\/1\.1 (\d{3}) /gm)]
    .map((match) => Number(match[1]))
    .filter((status) => status !== 100)
  return seen.length === 0 ? [0] : seen
}

const known = new Set([
  200,
  201,
  202,
  204,
  // Of a path with a slash too many at its end, of the portal and of MCP.
  308,
  // Of i3X, where a key is missing.
  401,
  ...Object.values(problems).flatMap(({ status }) => (status < 500 ? [status] : [])),
  503,
])
const overload = new Set(['overloaded', 'query_timeout'])

/** What is wrong with an answer; null when nothing is. */
function faultOf({ method, target }: FuzzedRequest, { status, headers, body }: Answer): string | null {
  if (!known.has(status) && !(status === 500 && isOfDriver(target, body))) return `status ${status}`
  if (headers['tidemark-version'] === undefined || headers['x-content-type-options'] === undefined)
    return 'lacks headers'
  if (method === 'HEAD') return body === '' ? null : 'HEAD with a body'
  if (status < 400) return null
  const said = refusalIn(target, headers, body)
  if (said === null) return `${status} is no problem`
  if (said.status !== null && said.status !== status) return `${status} says something else`
  if (status !== 503 || overload.has(said.code)) return null
  return target.startsWith('/admin/backups') && said.detail.startsWith('Another backup') ? null : `503 ${said.code}`
}

function describe({ method, target, headers, body }: FuzzedRequest): string {
  return `${method} ${target.slice(0, 500)} ${JSON.stringify(headers).slice(0, 400)} ${body?.toString('latin1').slice(0, 1500) ?? ''}`
}
