import { expect, test } from 'vitest'
import { hashBody, hashBodyInSlices } from './push-key.ts'

test.each([0, 1, 1024 * 1024, 1024 * 1024 + 1, 3_500_000])(
  '%d bytes have the same hash in slices as in one piece',
  async (bytes) => {
    const body = Uint8Array.from({ length: bytes }, (_, index) => index * 7919)
    for (const format of ['json', 'ndjson'] as const)
      expect(await hashBodyInSlices(body, format)).toEqual(hashBody(body, format))
    expect(hashBody(body, 'json')).not.toEqual(hashBody(body, 'ndjson'))
  },
)
