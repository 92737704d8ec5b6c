import { deflateSync, gzipSync } from 'node:zlib'
import { BinaryWriter, WireType } from '@bufbuild/protobuf/wire'
import { expect, test } from 'vitest'
import { sparkplugPayload } from '../../../test/support/sparkplug-payloads.ts'
import { decodePayload, rebirthRequest } from './sparkplug-payload.ts'

/** Written by `sparkplug-payload` 1.0.3 of Eclipse Tahu: metrics of six types, one null, with an alias and a time. */
const ofTahu =
  '0880d0eab6b73312140a016110031881d0eab6b733200150ffffffff0f120b0a0162200758ffffffff0f120a0a01632009650000c03f12090a0164200e7a026f6e12070a0165200b700112070a0166200438011807'

test('decodes a payload of another encoder', () => {
  const plain = { isTransient: false, isNull: false }
  expect(decodePayload(Buffer.from(ofTahu, 'hex'))).toEqual({
    timestamp: 1767225600000,
    seq: 7,
    metrics: [
      { ...plain, name: 'a', alias: 3n, timestamp: 1767225600001, datatype: 1, value: 0xffffffffn },
      { ...plain, name: 'b', datatype: 7, value: 0xffffffffn },
      { ...plain, name: 'c', datatype: 9, value: 1.5 },
      { ...plain, name: 'd', datatype: 14, value: 'on' },
      { ...plain, name: 'e', datatype: 11, value: true },
      { ...plain, name: 'f', datatype: 4, isNull: true },
    ],
  })
})

/** Wraps a body in the format of Tahu's `PayloadUtil` and `sparkplug-client`. */
function wrapped(body: Uint8Array): Uint8Array {
  const writer = new BinaryWriter().tag(4, WireType.LengthDelimited).string('SPBV1.0_COMPRESSED')
  const rest = writer.tag(5, WireType.LengthDelimited).bytes(body).finish()
  return Buffer.concat([sparkplugPayload({ metrics: [{ name: 'algorithm', string: 'GZIP' }] }), rest])
}

test('decodes the content of a compressed payload, up to a maximum size', () => {
  const meant = sparkplugPayload({ timestamp: 5, seq: 3, metrics: [{ name: 'a', datatype: 10, double: 1.5 }] })
  for (const compress of [gzipSync, deflateSync])
    expect(decodePayload(wrapped(compress(meant)))).toEqual(decodePayload(meant))
  expect(() => decodePayload(wrapped(Buffer.from('x')))).toThrow()
  expect(() => decodePayload(wrapped(gzipSync(Buffer.alloc(17 << 20))))).toThrow('larger than 16777216 bytes')
})

test('a rebirth request has the content that the specification requires', () => {
  const metric = { name: 'Node Control/Rebirth', timestamp: 5, datatype: 11, boolean: true }
  expect(Buffer.from(rebirthRequest(5))).toEqual(Buffer.from(sparkplugPayload({ timestamp: 5, metrics: [metric] })))
})

test.each([
  ['an endless number', 'ffffffffffffffffffffff'],
  ['a metric beyond the end', '12ff01'],
  ['a name that is not UTF-8', '12030a01ff'],
  ['a text', Buffer.from('{"online":true}').toString('hex')],
])('%s is not a payload', (_, hex) => {
  expect(() => decodePayload(Buffer.from(hex, 'hex'))).toThrow()
})
