import { buffer } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import type { AsideEntry } from '../catalog/set-aside.ts'
import { SetAsideAdmin } from './set-aside.ts'

const entry: AsideEntry = {
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
  setAsideMs: 0,
  isLetGo: false,
}

/** The parts of the body of the one entry that is set aside. */
function adminOf(parts: (Uint8Array | null)[]): SetAsideAdmin {
  return new SetAsideAdmin({
    setAside: { list: async () => [entry], bodyPart: async (_, part) => parts[part] ?? null, letGo: async () => true },
    ingests: { findVersion: async () => null },
    batchIds: { encode: () => '' },
    changed: async () => undefined,
  })
}

test('a body comes whole', async () => {
  const { chunks } = await adminOf([Buffer.from('[{}'), Buffer.from(',1]')]).body('7')
  expect((await buffer(chunks)).toString()).toBe('[{},1]')
})

test('a body that is let go while it is sent does not end as if it were whole', async () => {
  const { chunks } = await adminOf([Buffer.from('[{}'), null]).body('7')
  await expect(buffer(chunks)).rejects.toThrow('was let go while it was sent')
})
