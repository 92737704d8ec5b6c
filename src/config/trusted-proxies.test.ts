import { expect, test } from 'vitest'
import { trustedProxies } from './trusted-proxies.ts'

const { read } = trustedProxies({ description: '' })
const refused = { refused: true } as const

test.each<[unknown, ReturnType<typeof read>]>([
  ['false', { value: false }],
  ['true', { value: 1 }],
  ['1', { value: 1 }],
  ['32', { value: 32 }],
  ['33', refused],
  ['0', refused],
  ['-1', refused],
  ['loopback', { value: ['loopback'] }],
  ['10.0.0.0/8, 192.0.2.7,2001:db8::/32', { value: ['10.0.0.0/8', '192.0.2.7', '2001:db8::/32'] }],
  ['', refused],
  ['loopback,', refused],
  ['everybody', refused],
  ['0.0.0.0/0', refused],
  ['::/0', refused],
  ['10.0.0.0/33', refused],
  ['10.0.0.0/8/8', refused],
  ['10.0.0', refused],
  ['fe80::1%eth0', refused],
])('%j as text', (text, expected) => {
  expect(read(text, 'text')).toEqual(expected)
})

test.each<[unknown, ReturnType<typeof read>]>([
  [false, { value: false }],
  [true, { value: 1 }],
  [2, { value: 2 }],
  [2.5, refused],
  [['loopback', '::1'], { value: ['loopback', '::1'] }],
  [[], refused],
  [[1], refused],
  ['loopback', refused],
])('%j in the file', (value, expected) => {
  expect(read(value, 'json')).toEqual(expected)
})
