import { createHmac } from 'node:crypto'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { BatchIds } from './batch-id.ts'

const ids = new BatchIds(new Uint8Array(32).fill(7))
const uint32 = fc.integer({ min: 0, max: 2 ** 32 - 1 })
const key = fc.record({ position: fc.maxSafeNat(), rows: uint32, ingestId: uint32, subscriberId: uint32 })

test('an id of 43 URL-safe characters decodes to the batch it was made from', () => {
  fc.assert(
    fc.property(key, (batch) => {
      const id = ids.encode(batch)
      expect(id).toMatch(/^[A-Za-z0-9_-]{43}$/)
      expect(ids.decode(id)).toEqual(batch)
    }),
  )
})

test('an id with any one character changed is invalid', () => {
  const id = ids.encode({ position: 12, rows: 3, ingestId: 4, subscriberId: 5 })
  for (let place = 0; place < id.length; place++) {
    const other = id[place] === 'A' ? 'B' : 'A'
    expect(ids.decode(id.slice(0, place) + other + id.slice(place + 1))).toBeNull()
  }
})

test.each(['', 'x', '../../etc/passwd', 'A'.repeat(43), `${'A'.repeat(43)}=`, 'ä'.repeat(43)])(
  '%j is not a batch id',
  (text) => {
    expect(ids.decode(text)).toBeNull()
  },
)

test('an id signed by another service is invalid', () => {
  const other = new BatchIds(new Uint8Array(32).fill(8))
  expect(ids.decode(other.encode({ position: 1, rows: 1, ingestId: 1, subscriberId: 1 }))).toBeNull()
})

/** A secret longer than a block of the hash is hashed first (RFC 2104). */
test.each([1, 32, 64, 65, 200])('the signature is an HMAC with a secret of %i bytes', (length) => {
  const secret = Buffer.alloc(length, 'a secret')
  const bytes = Buffer.from(
    new BatchIds(secret).encode({ position: 12, rows: 3, ingestId: 4, subscriberId: 5 }),
    'base64url',
  )
  const signature = createHmac('sha256', secret).update(bytes.subarray(0, 20)).digest().subarray(0, 12)
  expect(bytes.subarray(20)).toEqual(signature)
})
