// Responds to requests that Fastify never gets: refused by Node's HTTP parser, or with an unsupported method or expectation.
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import { STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { Problem } from '../model/problem.ts'
import { commonHeaders } from './common-headers.ts'
import type { InFlight } from './in-flight.ts'
import { problemType } from './problems.ts'

/** How long a client has to read the response to an invalid request. */
const lingerMs = 1000

/** Connections whose next response is the last one. The parser fails again on every chunk that still arrives. */
const refused = new WeakSet<Socket>()

export function answerParserError(
  error: { readonly code?: string; readonly rawPacket?: unknown },
  socket: Socket,
  inFlight: InFlight,
  requestId: () => string,
): void {
  if (refused.has(socket) && !socket.destroyed && error.code !== 'ECONNRESET') return
  const flights = inFlight.on(socket)
  const last = flights.at(-1)
  const isAnsweredEarly = last !== undefined && !last.hasArrived && last.response.headersSent
  if (error.code === 'ECONNRESET' || !socket.writable || isAnsweredEarly) {
    socket.destroy()
    return
  }
  refused.add(socket)
  // The parser does not report the method; a response to HEAD has no body.
  const { rawPacket } = error
  const isHead = Buffer.isBuffer(rawPacket) && rawPacket.subarray(0, 5).toString('latin1') === 'HEAD '
  const refuse = (): void => writeProblem(socket, parserProblem(error.code), requestId(), isHead)
  // Requests that arrived complete before are answered first: their client would mistake this response for its own.
  const before = flights.findLast(({ hasArrived }) => hasArrived)
  if (before === undefined) refuse()
  else before.response.once('close', refuse)
}

/** Handles requests to which Node.js would respond without a body or with a different status. */
export function answerOddRequests(server: Server, requestId: () => string): void {
  server.on('connect', (_request: IncomingMessage, socket: Duplex) => {
    const detail = 'The service is not a proxy: CONNECT is not supported.'
    writeProblem(socket, new Problem('method_not_allowed', detail, { headers: { Allow: 'GET, POST' } }), requestId())
  })
  // The 100 response is sent when the body is read, so that a client need not send a push that is refused.
  server.on('checkContinue', (request: IncomingMessage, response: ServerResponse) => {
    server.emit('request', request, response)
  })
  server.on('checkExpectation', (_request: IncomingMessage, response: ServerResponse) => {
    const problem = new Problem('malformed_http', 'The Expect header may only be 100-continue.')
    const body = JSON.stringify(problem.body())
    response.writeHead(problem.status, { ...problemHeaders(problem, body, requestId()), Connection: 'close' }).end(body)
  })
}

function parserProblem(code: string | undefined): Problem {
  switch (code) {
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return new Problem('request_timeout', 'The request took too long to arrive. Send it again, whole.')
    case 'HPE_HEADER_OVERFLOW':
      return new Problem(
        'headers_too_large',
        'The headers are larger than server.headerBytes. Send fewer or shorter ones.',
      )
    case 'HPE_INVALID_METHOD':
      return new Problem('malformed_http', 'The request does not begin with a method of HTTP.')
    default:
      return new Problem('malformed_http', `The request is not valid HTTP/1.1 (${code ?? 'unreadable'}).`)
  }
}

function problemHeaders(problem: Problem, body: string, requestId: string): Record<string, string> {
  return {
    'Content-Type': problemType,
    'Content-Length': String(Buffer.byteLength(body)),
    ...commonHeaders(requestId),
    ...problem.headers,
  }
}

function writeProblem(socket: Duplex, problem: Problem, requestId: string, isHead = false): void {
  if (socket.writableEnded || socket.destroyed) return
  const body = JSON.stringify(problem.body())
  const headers = Object.entries({ ...problemHeaders(problem, body, requestId), Connection: 'close' })
  const head = [
    `HTTP/1.1 ${problem.status} ${STATUS_CODES[problem.status]}`,
    ...headers.map(([name, value]) => `${name}: ${value}`),
  ]
  socket.end(`${head.join('\r\n')}\r\n\r\n${isHead ? '' : body}`)
  // Closing immediately would reset the connection while the client is still sending, and it would not see the response.
  socket.resume()
  setTimeout(() => socket.destroy(), lingerMs).unref()
}
