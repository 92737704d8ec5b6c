// Who is let in without a key where reading is public. A web page elsewhere is not the public: it would read by the browser of somebody who
// reaches the service, in a request to its address, or to a name of the page's own that leads there. SECURITY.md says so to operators.
import type { IncomingHttpHeaders } from 'node:http'
import { isIP } from 'node:net'
import type { HttpSettings } from './http-settings.ts'

export interface Public {
  /** Of web pages that may call the service (`cors.origins`). */
  readonly origins: readonly string[]
  /** Names that the service goes by (`server.hosts`), in lower case. */
  readonly hosts: readonly string[]
  /** Whether the service speaks HTTPS itself: a page that came without it is not its own. */
  readonly secure: boolean
}

/** Why a request is none of the public's, and what to do, as a sentence; null where it is one. */
export function publicBar(headers: IncomingHttpHeaders, { origins, hosts, secure }: Public): string | null {
  const host = headers.host ?? ''
  const name = hostName(host)
  if (isIP(name) === 0 && name !== 'localhost' && !hosts.includes(name))
    return `Reading is public by an address, by localhost and by the names in server.hosts, and the Host is "${name.slice(0, 100)}".`
  if (isOfAllowedPage(headers, host, origins, secure)) return null
  return "Reading is public, and not for other origins' web pages: cors.origins names those that are let in."
}

/** The name in a Host header in lower case, without its port and the brackets of an IPv6 address. */
function hostName(host: string): string {
  const match = /^(?:\[([^\]]*)\]|([^:]*))(?::\d*)?$/.exec(host.toLowerCase())
  return match?.[1] ?? match?.[2] ?? ''
}

/** Of no web page at all, as far as a browser would tell; of one of the service itself; or of one that the operator lets in. */
function isOfAllowedPage(
  { origin, 'sec-fetch-site': site }: IncomingHttpHeaders,
  host: string,
  origins: readonly string[],
  secure: boolean,
): boolean {
  if (origins.includes('*')) return true
  if (origin !== undefined && origins.includes(origin)) return true
  if (origin !== undefined && !isOwn(origin, host, secure)) return false
  // `none` is what the user asked for himself, in the bar of addresses, say.
  return site === undefined || site === 'same-origin' || site === 'none'
}

function isOwn(origin: string, host: string, secure: boolean): boolean {
  // What speaks plain HTTP may have a proxy with TLS in front of it.
  return (secure ? /^https:\/\/(.*)$/ : /^https?:\/\/(.*)$/).exec(origin.toLowerCase())?.[1] === host.toLowerCase()
}

type Opening = Pick<HttpSettings, 'access' | 'host'> & { readonly server: Pick<HttpSettings['server'], 'trustProxy'> }

/** What the operator is told where others than this machine read without a key; null where none do. */
export function publicReading({ access, host, server: { trustProxy } }: Opening): string | null {
  const isLocal = host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'))
  if (access.consumption !== 'public' || (isLocal && !trustProxy)) return null
  const where = isLocal ? 'behind a proxy (server.trustProxy)' : `on ${host}`
  return `Reading is public ${where}: whoever reaches the service reads all data without a key. Set access.consumption to key where that is not meant.`
}
