import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { seededRandom } from '../../../test/support/random.ts'
import { SimulatedDisk } from '../../../test/support/simulated-disk.ts'
import { openFileJournal } from './file-journal.ts'

const documentPath = new URL('../../../docs/formats/journal.md', import.meta.url)
const settings = { segmentBytes: 10_000, batchBytesMax: 10_000, pendingBytesMax: 10_000, apartBytesMin: 2 ** 30 }

test('the example in docs/formats/journal.md matches the bytes that the code writes', async () => {
  const simulated = new SimulatedDisk(seededRandom(1))
  const options = { disk: simulated.mount(), directory: '/journal', settings, observe: () => {}, nowMs: () => 0 }
  const journal = await openFileJournal({ ...options, reachedPosition: 7, newSalt: () => 0x5eed1234 })
  await journal.append({
    ingestId: 2,
    fieldsVersion: 1,
    subscriberId: 3,
    receivedMs: Date.UTC(2026, 0, 1),
    format: 'json',
    idempotencyKey: 'k1',
    rows: 1,
    body: Buffer.from('{"D":"2026-01-01T00:00Z","T":"a","V":1}'),
  })
  await journal.close()
  const written = simulated.contents('/journal/00000000000000000007.journal')
  const document = readFileSync(documentPath, 'utf8')
  const dump = /```hex\n([^`]*)```/.exec(document)?.[1] ?? ''
  expect(dump).toBe(hexDump(written))
})

/** Lines of an offset and 16 bytes, in hexadecimal. */
function hexDump(bytes: Buffer): string {
  const lines: string[] = []
  for (let offset = 0; offset < bytes.length; offset += 16) {
    const hex = [...bytes.subarray(offset, offset + 16)].map((byte) => byte.toString(16).padStart(2, '0'))
    lines.push(`${offset.toString(16).padStart(4, '0')}  ${hex.join(' ')}\n`)
  }
  return lines.join('')
}
