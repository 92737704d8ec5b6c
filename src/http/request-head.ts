// Faults in the head of a request that Node's parser accepts: where its parts disagree, a proxy and the service may interpret it differently.
import type { IncomingMessage } from 'node:http'
import { Problem } from '../model/problem.ts'

/** Headers that may occur once, each with its own bit. If repeated, Node.js keeps the first of some of them and joins others. */
const singleHeaders: ReadonlyMap<string, number> = new Map(
  ['authorization', 'content-length', 'content-type', 'expect', 'host', 'idempotency-key', 'origin', 'x-api-key'].map(
    (name, place) => [name, 1 << place],
  ),
)

const hostForm = /^[\w.~!$&'()*+,;=%:[\]-]*$/

/** Returns the first fault found; null when there is none. */
export function headProblem(request: IncomingMessage): Problem | null {
  const fault = repeatedHeader(request) ?? hostFault(request) ?? targetFault(request) ?? codingFault(request)
  return fault === null ? null : new Problem('malformed_http', fault)
}

function repeatedHeader({ rawHeaders }: IncomingMessage): string | null {
  let seen = 0
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at]!.toLowerCase()
    const bit = singleHeaders.get(name)
    if (bit === undefined) continue
    if ((seen & bit) !== 0) return `The header ${name} is repeated. Send it once.`
    seen |= bit
  }
  return null
}

function hostFault({ headers, httpVersion }: IncomingMessage): string | null {
  if (headers.host === undefined) return httpVersion === '1.1' ? 'The request has no Host header.' : null
  return hostForm.test(headers.host) ? null : 'The Host header is not valid.'
}

/** A request may contain an absolute URL, as sent to a proxy (RFC 9112, section 3.2.2). */
function targetFault({ url = '', headers }: IncomingMessage): string | null {
  if (url.includes('#'))
    return 'The address contains a #: the service never receives what follows it. Write %23 for the character.'
  if (url.startsWith('/') || url === '*') return null
  const named = /^https?:\/\/([^/?#]*)/i.exec(url)?.[1]?.toLowerCase()
  if (named === undefined) return 'The request names neither a path nor an address of http.'
  if (headers.host !== undefined && named === headers.host.toLowerCase()) return null
  return 'The address in the request line and the Host header disagree.'
}

function codingFault({ headers }: IncomingMessage): string | null {
  const coding = headers['transfer-encoding']
  if (coding === undefined || /^\s*chunked\s*$/i.test(coding)) return null
  return 'The Transfer-Encoding may only be chunked. Declare a compressed body with Content-Encoding: gzip.'
}

/** The path of a request target, without scheme and host and without the query. */
export function pathOf(target: string): string {
  return target.replace(/^https?:\/\/[^/?]*/i, '').split('?', 1)[0]!
}
