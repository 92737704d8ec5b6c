// Who may read without a key. By default only what can come from this machine alone is public: the server listens on
// a loopback address, the request names a loopback host (else a web page could reach it through a name of its own), nobody forwarded it, and
// no web page of another origin made a browser send it. SECURITY.md says so to operators.
import type { IncomingHttpHeaders } from 'node:http'

export type OpenTo = 'public' | 'key' | 'loopback'

export function openTo(configured: 'public' | 'key' | null, listeningHost: string): OpenTo {
  if (configured !== null) return configured
  return isLoopback(listeningHost) ? 'loopback' : 'key'
}

export interface AllowedPages {
  /** Those whose web pages may call the service (`cors.origins`). */
  readonly origins: readonly string[]
  /** Whether the service speaks HTTPS itself: a page that came without it is not its own. */
  readonly secure: boolean
}

export function isOpen(to: OpenTo, headers: IncomingHttpHeaders, pages: AllowedPages): boolean {
  if (to !== 'loopback') return to === 'public'
  const host = headers.host ?? ''
  return isLoopback(hostName(host)) && !wasForwarded(headers) && isOfAllowedPage(headers, host, pages)
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

/** What proxies and networks of servers in front of services add, in lower case; and every name that begins with `x-forwarded`. */
export const forwardingHeaders: ReadonlySet<string> = new Set([
  'ali-cdn-real-ip',
  'cdn-loop',
  'cf-connecting-ip',
  'cf-connecting-ipv6',
  'cf-pseudo-ipv4',
  'cf-ray',
  'client-ip',
  'cloudfront-viewer-address',
  'do-connecting-ip',
  'fastly-client-ip',
  'fly-client-ip',
  'forwarded',
  'forwarded-for',
  'incap-client-ip',
  'max-forwards',
  'proxy-client-ip',
  'proxy-connection',
  'true-client-ip',
  'via',
  'wl-proxy-client-ip',
  'x-amzn-trace-id',
  'x-appengine-user-ip',
  'x-arr-log-id',
  'x-azure-clientip',
  'x-azure-socketip',
  'x-client-ip',
  'x-cloud-trace-context',
  'x-cluster-client-ip',
  'x-envoy-external-address',
  'x-envoy-original-path',
  'x-forward-for',
  'x-nf-client-connection-ip',
  'x-original-forwarded-for',
  'x-original-host',
  'x-original-url',
  'x-originating-ip',
  'x-proxyuser-ip',
  'x-real-ip',
  'x-remote-addr',
  'x-remote-ip',
  'x-rewrite-url',
  'x-scheme',
  'x-sucuri-clientip',
  'x-true-client-ip',
  'x-vercel-forwarded-for',
])

function wasForwarded(headers: IncomingHttpHeaders): boolean {
  for (const name in headers) if (forwardingHeaders.has(name) || name.startsWith('x-forwarded')) return true
  return false
}

/** Of no web page at all, as far as a browser would tell; of one of the service itself; or of one that the operator lets in. */
function isOfAllowedPage(headers: IncomingHttpHeaders, host: string, { origins, secure }: AllowedPages): boolean {
  const { origin } = headers
  if (origins.includes('*')) return true
  if (origin !== undefined && origins.includes(origin)) return true
  if (origin !== undefined && !isOwn(origin, host, secure)) return false
  const site = headers['sec-fetch-site']
  // `none` is what the user asked for himself, in the bar of addresses, say.
  return site === undefined || site === 'same-origin' || site === 'none'
}

function isOwn(origin: string, host: string, secure: boolean): boolean {
  // What speaks plain HTTP may have a proxy with TLS in front of it.
  return (secure ? /^https:\/\/(.*)$/ : /^https?:\/\/(.*)$/).exec(origin.toLowerCase())?.[1] === host.toLowerCase()
}
