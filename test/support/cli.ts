// The command line without a process: the requests that a command sends, its output and its exit code.
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Readable } from 'node:stream'
import { run } from '../../src/cli/run.ts'

/** A service's responses by request, for example `GET /admin/ingests`. */
export type Answers = Record<
  string,
  (body: string) => [status: number, body: unknown, headers?: Record<string, string>]
>

const servers: Server[] = []

/** Closes all services; for `afterEach`. */
export function closeServices(): void {
  for (const server of servers.splice(0)) {
    server.closeAllConnections()
    server.close()
  }
}

/** A service that knows these requests (`GET /admin/ingests`) and responds to any other with 403. */
export async function service(answers: Answers): Promise<{ url: string; seen: string[] }> {
  const seen: string[] = []
  const made = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const body = Buffer.concat(chunks).toString()
    const asked = `${request.method} ${request.url}`
    seen.push(body === '' ? asked : `${asked} ${body}`)
    const forbidden = { code: 'forbidden', detail: 'Not without a key.', retryable: false }
    const [status, answer, headers = {}] = answers[asked]?.(body) ?? [403, forbidden]
    response.writeHead(status, headers).end(typeof answer === 'string' ? answer : JSON.stringify(answer))
  })
  await new Promise<void>((resolve) => made.listen(0, '127.0.0.1', resolve))
  servers.push(made)
  return { url: `http://127.0.0.1:${(made.address() as AddressInfo).port}`, seen }
}

/** An address that was free a moment ago. */
export async function unreachableUrl(): Promise<string> {
  const { url } = await service({})
  closeServices()
  return url
}

/** An ingest as the service returns it. */
export const plantIngest = {
  alias: 'plant',
  kind: 'series',
  entity: 'plant',
  state: 'active',
  fields: [
    { name: 'date', source: 'D', type: 'timestamp', role: 'time' },
    { name: 'tag', source: 'T', type: 'string', role: 'tag' },
    { name: 'value', source: 'V', type: 'double', role: 'metric' },
  ],
  counters: { received: 12, stored: 10, rejected: 2, pending: 0 },
}

export interface Ran {
  readonly code: number
  readonly out: string
  readonly err: string
}

export async function tidemark(
  url: string,
  argv: readonly string[],
  stdin: string | Uint8Array = '',
  key = 'k',
  /** The width of the terminal that shows both outputs; null where there is no terminal. */
  columns: number | null = null,
): Promise<Ran> {
  const printed = { out: '', err: '' }
  let now = 0
  const output = (name: 'out' | 'err') => ({
    write: (text: string | Uint8Array) => {
      printed[name] += typeof text === 'string' ? text : Buffer.from(text).toString()
      return true
    },
    once: () => {},
    ...(columns === null ? {} : { isTTY: true, columns }),
  })
  const code = await run(argv, {
    environment: { TIDEMARK_URL: url, TIDEMARK_KEY: key },
    stdin: Readable.from([Buffer.from(stdin)]),
    stdout: output('out'),
    stderr: output('err'),
    mainPath: '',
    nowMs: () => now,
    // The clock advances only in sleep, and no faster than real time: otherwise turns of the event loop would count as seconds during a request.
    sleep: (ms) => {
      now += Math.min(ms, 1)
      return new Promise((resolve) => setTimeout(resolve, 1))
    },
  })
  return { code, ...printed }
}
