// Who may read without a key (contract, section 6). By default only what can come from this machine alone is public: the server listens on
// a loopback address, the request names a loopback host (else a web page could reach it through a name of its own), and nobody forwarded it.
import type { IncomingHttpHeaders } from 'node:http'

export type OpenTo = 'public' | 'key' | 'loopback'

export function openTo(configured: 'public' | 'key' | null, listeningHost: string): OpenTo {
  if (configured !== null) return configured
  return isLoopback(listeningHost) ? 'loopback' : 'key'
}

export function isOpen(to: OpenTo, headers: IncomingHttpHeaders): boolean {
  if (to !== 'loopback') return to === 'public'
  return isLoopback(hostName(headers.host ?? '')) && !wasForwarded(headers)
}

function isLoopback(host: string): boolean {
  const name = host.toLowerCase()
  return name === 'localhost' || name === '::1' || /^127(\.\d{1,3}){3}$/.test(name)
}

/** The name in a Host header, without its port and the brackets of an IPv6 address. */
function hostName(host: string): string {
  const match = /^(?:\[([^\]]*)\]|([^:]*))(?::\d*)?$/.exec(host)
  return match?.[1] ?? match?.[2] ?? ''
}

const forwardingHeaders = new Set([
  'forwarded',
  'via',
  'x-real-ip',
  'x-client-ip',
  'true-client-ip',
  'cf-connecting-ip',
])

function wasForwarded(headers: IncomingHttpHeaders): boolean {
  for (const name in headers) if (forwardingHeaders.has(name) || name.startsWith('x-forwarded')) return true
  return false
}
