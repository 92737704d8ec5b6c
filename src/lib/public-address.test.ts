import { networkInterfaces } from 'node:os'
import { expect, test } from 'vitest'
import { isPublicAddress } from './public-address.ts'

test.each([
  ...['8.8.8.8', '1.1.1.1', '172.15.0.1', '172.32.0.1', '100.128.0.1', '223.255.255.255'].map((one) => [one, true]),
  ...['2606:4700:4700::1111', '2a00:1450::1', '2400::1'].map((one) => [one, true]),
  ...['0.0.0.0', '10.1.2.3', '100.64.0.1', '127.0.0.1', '127.255.0.9', '169.254.169.254', '172.16.0.1'].map((one) => [
    one,
    false,
  ]),
  ...['172.31.255.255', '192.0.0.1', '192.0.2.1', '192.88.99.1', '192.168.0.1', '198.18.0.1', '198.19.0.1'].map(
    (one) => [one, false],
  ),
  ...['198.51.100.1', '203.0.113.1', '224.0.0.1', '239.1.1.1', '240.0.0.1', '255.255.255.255'].map((one) => [
    one,
    false,
  ]),
  ...['::', '::1', '::ffff:8.8.8.8', '::ffff:127.0.0.1', '::7f00:1', '64:ff9b::808:808', '64:ff9b:1::1'].map((one) => [
    one,
    false,
  ]),
  ...['fe80::1', 'fe80::1%lo', 'fc00::1', 'fd12::1', 'fec0::1', 'ff02::1', '2001::1', '2001:db8::1'].map((one) => [
    one,
    false,
  ]),
  ...['2002:7f00:1::', '3fff::1', '100::1', '5f00::1', '', 'localhost', '1.2.3', '0x8.8.8.8'].map((one) => [
    one,
    false,
  ]),
] as [string, boolean][])('%s is public: %s', (address, isPublic) => {
  expect(isPublicAddress(address)).toBe(isPublic)
})

test("the machine's own addresses are not public", () => {
  const own = Object.values(networkInterfaces()).flatMap((all) => all ?? [])
  for (const { address } of own) expect(isPublicAddress(address)).toBe(false)
})
