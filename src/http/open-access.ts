// Decides which requests need no key where reading is public. Web pages of other origins are not public: they would read through the browser of a user who
// can reach the service, by its address or by a name of the page's own that resolves to it (DNS rebinding). SECURITY.md explains this to operators.
import type { IncomingHttpHeaders } from 'node:http'
import { isIP } from 'node:net'
import type { HttpSettings } from './http-settings.ts'

export interface Public {
  /** Origins of web pages that may call the service (`cors.origins`). */
  readonly origins: readonly string[]
  /** Host names of the service (`server.hosts`), in lower case. */
  readonly hosts: readonly string[]
  /** Whether the service itself serves HTTPS; a page loaded over plain HTTP is then not its own. */
  readonly secure: boolean
}

/** Why a request is not public and what to do, as a sentence; null if it is public. */
export function notPublicReason(headers: IncomingHttpHeaders, { origins, hosts, secure }: Public): string | null {
  const host = headers.host ?? ''
  const name = hostName(host)
  if (isIP(name) === 0 && name !== 'localhost' && !hosts.includes(name))
    return `Reading is public by an address, by localhost and by the names in server.hosts, but the Host is "${name.slice(0, 100)}".`
  if (isOfAllowedPage(headers, host, origins, secure)) return null
  return 'Reading is public, but not for web pages of other origins: cors.origins lists the allowed ones.'
}

/** The name in a Host header in lower case, without port and without the brackets of an IPv6 address. */
function hostName(host: string): string {
  const match = /^(?:\[([^\]]*)\]|([^:]*))(?::\d*)?$/.exec(host.toLowerCase())
  return match?.[1] ?? match?.[2] ?? ''
}

/** Whether, by its headers, a request is from no web page, from a page of the service, or from a page that the operator allows. */
function isOfAllowedPage(
  { origin, 'sec-fetch-site': site }: IncomingHttpHeaders,
  host: string,
  origins: readonly string[],
  secure: boolean,
): boolean {
  if (origins.includes('*')) return true
  if (origin !== undefined && origins.includes(origin)) return true
  if (origin !== undefined && !isOwn(origin, host, secure)) return false
  // `none` is a request by the user, for example from the address bar.
  return site === undefined || site === 'same-origin' || site === 'none'
}

function isOwn(origin: string, host: string, secure: boolean): boolean {
  // A service that serves plain HTTP may be behind a proxy with TLS.
  return (secure ? /^https:\/\/(.*)$/ : /^https?:\/\/(.*)$/).exec(origin.toLowerCase())?.[1] === host.toLowerCase()
}

type Opening = Pick<HttpSettings, 'access' | 'host'> & { readonly server: Pick<HttpSettings['server'], 'trustProxy'> }

/** The warning for the operator when other machines can read without a key; null otherwise. */
export function publicReading({ access, host, server: { trustProxy } }: Opening): string | null {
  const isLocal = host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'))
  if (access.consumption !== 'public' || (isLocal && !trustProxy)) return null
  const where = isLocal ? 'behind a proxy (server.trustProxy)' : `on ${host}`
  return `Reading is public ${where}: anyone who can reach the service can read all data without a key. Set access.consumption to key to prevent that.`
}
