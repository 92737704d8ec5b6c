// Which proxies are trusted to report where a request comes from.
import { isIP } from 'node:net'
import type { Setting } from './setting.ts'

/** None, a number of proxies in a chain, or the proxies at these addresses. */
export type TrustedProxies = false | number | readonly string[]

const hopsMax = 32
/** Names of ranges of addresses that a machine or a network assigns itself. */
const namedRanges: readonly string[] = ['loopback', 'linklocal', 'uniquelocal']

export function trustedProxies(options: { readonly description: string }): Setting<TrustedProxies> {
  return {
    type: 'proxies',
    default: false,
    defaultText: 'false',
    unit: null,
    allowed: `false, a whole number of proxies from 1 to ${hopsMax}, or a list of addresses and subnets such as 10.0.0.0/8, ${namedRanges.join(', ')} among them`,
    description: options.description,
    secret: false,
    read: (given, source) => {
      const said = source === 'text' && typeof given === 'string' ? fromText(given) : given
      // `true` used to mean the first address in the header, which the caller chooses. Now it means one proxy.
      const value = said === true ? 1 : said
      return value === false || isHops(value) || areProxies(value) ? { value } : { refused: true }
    },
  }
}

function fromText(text: string): unknown {
  if (text === 'true' || text === 'false') return text === 'true'
  return /^\d{1,2}$/.test(text) ? Number(text) : text.split(',').map((part) => part.trim())
}

function isHops(value: unknown): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= 1 && value <= hopsMax
}

function areProxies(value: unknown): value is string[] {
  return Array.isArray(value) && value.length > 0 && value.every((item) => typeof item === 'string' && isProxy(item))
}

function isProxy(text: string): boolean {
  if (namedRanges.includes(text)) return true
  const [address = '', length, ...others] = text.split('/')
  const version = address.includes('%') ? 0 : isIP(address)
  if (version === 0 || others.length > 0) return false
  return length === undefined || (/^[1-9]\d{0,2}$/.test(length) && Number(length) <= (version === 4 ? 32 : 128))
}
