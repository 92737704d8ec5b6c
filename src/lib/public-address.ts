// Which addresses are public on the internet: not of this machine, nor of a network that only its neighbours reach.
import { BlockList, isIP } from 'node:net'
import { networkInterfaces } from 'node:os'

/** https://www.iana.org/assignments/iana-ipv4-special-registry */
const special4 = new BlockList()
for (const [network, bits] of [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 3],
] as const)
  special4.addSubnet(network, bits, 'ipv4')

/** All allocated IPv6 space. Addresses outside it are this machine's, a neighbour's, multicast, or IPv4 addresses in another notation. */
const global6 = new BlockList()
global6.addSubnet('2000::', 3, 'ipv6')

/** https://www.iana.org/assignments/iana-ipv6-special-registry */
const special6 = new BlockList()
for (const [network, bits] of [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20],
] as const)
  special6.addSubnet(network, bits, 'ipv6')

/** Takes an address as a socket reports it: dotted IPv4, or IPv6. False if it is not an address. */
export function isPublicAddress(address: string): boolean {
  switch (isIP(address)) {
    case 4:
      return !special4.check(address, 'ipv4') && !isOwn(address)
    case 6:
      return global6.check(address, 'ipv6') && !special6.check(address, 'ipv6') && !isOwn(address)
    default:
      return false
  }
}

function isOwn(address: string): boolean {
  const own = new BlockList()
  for (const { address: one, family } of Object.values(networkInterfaces()).flatMap((all) => all ?? []))
    own.addAddress(one, family === 'IPv6' ? 'ipv6' : 'ipv4')
  return own.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4')
}

/** Why the host of a URL is not allowed, if it is a non-public address; null if it is public, or a name that must be resolved. */
export function addressFault({ hostname }: URL): string | null {
  const host = hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '')
  const isAddress = host.includes(':') || /^[\d.]+$/.test(host)
  const isOfMachine = host === 'localhost' || host.endsWith('.localhost')
  return isOfMachine || (isAddress && !isPublicAddress(host)) ? notPublic(host) : null
}

export function notPublic(address: string): string {
  return `${address} belongs to this machine, or to a network that is not public`
}
