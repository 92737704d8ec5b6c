// Sends fuzzed requests and checks the responses. Faults of the service are:
// - a 5xx, except a 503 for overload (`overloaded`, `query_timeout`) or for a second backup at the same time;
// - no response to a valid HTTP request, or none in time; a status that is not in the contract;
// - a refusal that is not a Problem, or whose body has another status than its head; a response without the headers that all have.
import { Agent, type IncomingHttpHeaders, request as send } from 'node:http'
import { connect } from 'node:net'
import { buffer, text } from 'node:stream/consumers'
import { gunzipSync } from 'node:zlib'
import { problems } from '../../src/model/problem.ts'
import { seededRandom } from '../support/random.ts'
import { brokenBytes } from './broken-http.ts'
import { chance, pick } from './edge-values.ts'
import { type FuzzedRequest, type RequestSource, randomRequest } from './random-requests.ts'
import { isOfDriver, refusalIn } from './refusals.ts'

export interface Finding {
  /** Together with the seed, reproduces the request. */
  readonly index: number
  readonly what: string
  readonly request: string
}

export interface FuzzOptions {
  readonly url: string
  readonly requests: number
  readonly seed: number
  /** The source of requests; called again every `renewEvery` requests. */
  readonly world: () => Promise<RequestSource>
  readonly renewEvery?: number
  readonly inParallel?: number
}

export interface FuzzOutcome {
  readonly findings: readonly Finding[]
  /** The number of responses by status; 0 is for broken bytes without a response. */
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
  const one = async (index: number, asked: RequestSource): Promise<void> => {
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
        // Any i3X response may be compressed, refusals included.
        const body = statusCode >= 400 && answered['content-encoding'] === 'gzip' ? gunzipSync(bytes) : bytes
        resolve({ status: statusCode, headers: answered, body: body.toString('latin1') })
      }, reject)
    })
    sent.on('error', reject)
    sent.end(body ?? undefined)
  })
}

/** The statuses of all responses on a connection to which these bytes were sent; 0 where there was none. */
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
  // For a path with an extra slash at its end, in the portal and MCP.
  308,
  // For i3X, where a key is missing.
  401,
  ...Object.values(problems).flatMap(({ status }) => (status < 500 ? [status] : [])),
  503,
])
const overload = new Set(['overloaded', 'query_timeout'])

/** The fault of a response; null where there is none. */
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
