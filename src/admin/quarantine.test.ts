import { buffer } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import type { QuarantinedEntry } from '../catalog/quarantine.ts'
import { NextTokens } from '../model/next-token.ts'
import { QuarantineAdmin } from './quarantine.ts'

const entry: QuarantinedEntry = {
  position: 7,
  fromPosition: 7,
  level: 1,
  ingestId: 1,
  fieldsVersion: 1,
  subscriberId: 1,
  receivedMs: 0,
  format: 'json',
  rows: 1,
  bodyBytes: 6,
  quarantinedMs: 0,
  isReleased: false,
}

/** `parts` are the body parts of the one entry in quarantine. */
function adminOf(parts: (Uint8Array | null)[], entries: readonly QuarantinedEntry[] = [entry]): QuarantineAdmin {
  return new QuarantineAdmin({
    quarantine: {
      list: async () => entries,
      bodyPart: async (_, part) => parts[part] ?? null,
      release: async () => true,
    },
    ingests: { findVersion: async () => null },
    batchIds: { encode: () => '' },
    tokens: new NextTokens(Buffer.alloc(32, 1)),
    changed: async () => undefined,
  })
}

test('returns the complete body', async () => {
  const { chunks } = await adminOf([Buffer.from('[{}'), Buffer.from(',1]')]).body('7')
  expect((await buffer(chunks)).toString()).toBe('[{},1]')
})

test('a body released while it is sent ends with an error, not as if it were complete', async () => {
  const { chunks } = await adminOf([Buffer.from('[{}'), null]).body('7')
  await expect(buffer(chunks)).rejects.toThrow('was let go while it was sent')
})

test('lists entries page by page, without released ones', async () => {
  const entries = Array.from({ length: 12 }, (_, index) => ({ ...entry, position: index, isReleased: index === 3 }))
  const admin = adminOf([], entries)
  const ids: string[] = []
  let pages = 0
  for (let token: string | undefined; ; ) {
    const page = await admin.list({ limit: 4, token })
    ids.push(...page.Items.map(({ id }) => id))
    pages++
    if (page.NextToken === null) break
    token = page.NextToken
  }
  expect([pages, ids]).toEqual([3, ['0', '1', '2', '4', '5', '6', '7', '8', '9', '10', '11']])
  await expect(admin.list({ limit: 0 })).rejects.toMatchObject({ code: 'invalid_request' })
})
