// A load generator over bare sockets: on a small machine, a heavier one would measure itself.
import { connect, type Socket } from 'node:net'

export interface Load {
  readonly url: string
  readonly connections: number
  /** The pause of each connection between a response and its next request; none if absent. */
  readonly pauseMs?: number
  /** The bytes of the next request, or null when there is no more. */
  readonly next: () => Uint8Array | null
  /** The delay before a request that got a 503 is repeated; if absent, a 503 is an error. */
  readonly retryMs?: number
  /** Called for each response with its latency, including earlier refusals. */
  readonly acknowledged?: (ms: number) => void
  readonly refused?: () => void
}

export interface LoadResult {
  readonly answers: number
  readonly seconds: number
  /** The latency of each response, in the order of arrival. */
  readonly latenciesMs: Float64Array
  readonly bytes: number
}

/** The bytes of a complete request: headers and body. */
export function request(
  url: string,
  method: string,
  path: string,
  headers: Record<string, string>,
  body: string,
): Uint8Array {
  const bytes = Buffer.from(body)
  const lines = Object.entries({ host: new URL(url).host, 'content-length': String(bytes.length), ...headers })
  const head = `${method} ${path} HTTP/1.1\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n`
  return Buffer.concat([Buffer.from(head), bytes])
}

/** Sends requests, one at a time on each connection, until there are no more. Any response other than a success is an error. */
export async function runLoad(load: Load): Promise<LoadResult> {
  const { url, connections, next, pauseMs = 0, retryMs, acknowledged, refused } = load
  const latencies: number[] = []
  let bytes = 0
  const startedMs = performance.now()
  const one = (socket: Socket): Promise<void> =>
    new Promise((resolve, reject) => {
      let sentMs = 0
      let sent: Uint8Array = new Uint8Array(0)
      const answer = new AnswerReader()
      const send = (): void => {
        const payload = next()
        if (payload === null) {
          socket.destroy()
          resolve()
          return
        }
        sent = payload
        sentMs = performance.now()
        socket.write(payload)
      }
      socket.on('data', (chunk) => {
        bytes += chunk.length
        const status = answer.take(chunk)
        if (status === null) return
        if (status === 503 && retryMs !== undefined) {
          refused?.()
          setTimeout(() => socket.write(sent), retryMs)
          return
        }
        if (status < 200 || status > 299) return reject(new Error(`answered with ${status}: ${answer.text}`))
        const ms = performance.now() - sentMs
        if (acknowledged === undefined) latencies.push(ms)
        else acknowledged(ms)
        if (pauseMs > 0) setTimeout(send, pauseMs)
        else send()
      })
      socket.on('error', reject)
      socket.on('connect', send)
    })
  const { hostname, port } = new URL(url)
  await Promise.all(
    Array.from({ length: connections }, () => {
      const socket = connect({ host: hostname, port: Number(port) })
      return one(socket.setNoDelay(true))
    }),
  )
  const seconds = (performance.now() - startedMs) / 1000
  return { answers: latencies.length, seconds, latenciesMs: Float64Array.from(latencies), bytes }
}

/** Druid sends trailer fields after the last chunk. */
const lastChunk = /0\r\n([\w-]+:[^\r\n]*\r\n)*\r\n$/
const tailBytes = 100

/** Detects the end of a response, by its Content-Length or its last chunk. */
class AnswerReader {
  #head: string | null = null
  #received: Buffer = Buffer.alloc(0)
  #remaining = 0
  #chunked = false
  #tail = ''
  text = ''

  /** Returns the status when the response is complete, null before. */
  take(chunk: Buffer): number | null {
    if (this.#head === null) {
      this.#received = this.#received.length === 0 ? chunk : Buffer.concat([this.#received, chunk])
      const end = this.#received.indexOf('\r\n\r\n')
      if (end < 0) return null
      this.#head = this.#received.toString('latin1', 0, end).toLowerCase()
      chunk = this.#received.subarray(end + 4)
      this.#received = Buffer.alloc(0)
      this.#chunked = this.#head.includes('transfer-encoding: chunked')
      this.#remaining = Number(/content-length: (\d+)/.exec(this.#head)?.[1] ?? 0)
      this.text = chunk.toString('latin1', 0, 500)
      this.#tail = ''
    }
    this.#remaining -= chunk.length
    if (this.#chunked)
      this.#tail = (this.#tail + chunk.toString('latin1', Math.max(0, chunk.length - tailBytes))).slice(-tailBytes)
    const whole = this.#chunked ? lastChunk.test(this.#tail) : this.#remaining <= 0
    if (!whole) return null
    const status = Number(this.#head.slice(9, 12))
    this.#head = null
    return status
  }
}
