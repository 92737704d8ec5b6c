import { expect, test } from 'vitest'
import { seededRandom } from '../../../test/support/random.ts'
import { SimulatedDisk } from '../../../test/support/simulated-disk.ts'
import type { JournalEntry, LocalJournalWriter } from '../journal.ts'
import { openFileJournal } from './file-journal.ts'
import { openFileJournalCursor } from './file-journal-cursor.ts'

const directory = '/journal'
const settings = { segmentBytes: 10_000, batchBytesMax: 10_000, pendingBytesMax: 100_000, apartBytesMin: 1000 }

function open(disk: SimulatedDisk): Promise<LocalJournalWriter> {
  return openFileJournal({ disk: disk.mount(), directory, settings, observe: () => {} })
}

function entry(bytes: number): JournalEntry {
  const rest = { ingestId: 1, fieldsVersion: 1, subscriberId: 1, receivedMs: 1, idempotencyKey: null, rows: 1 }
  return { ...rest, format: 'json', body: Buffer.from(`"${'x'.repeat(bytes - 2)}"`) }
}

const small = entry(10)
const large = entry(3000)

test('small entries are placed before a large one that was appended with them', async () => {
  const journal = await open(new SimulatedDisk(seededRandom(1)))
  await journal.append(small)
  expect(await Promise.all([large, small, small].map((each) => journal.append(each)))).toEqual([3, 1, 2])
})

test('a large entry starts a new segment, and later entries follow it there', async () => {
  const disk = new SimulatedDisk(seededRandom(1))
  const journal = await open(disk)
  for (const each of [small, large, small, large]) await journal.append(each)
  await journal.close()
  expect(await disk.mount().list(directory)).toEqual(
    [0, 1, 3].map((first) => `${`${first}`.padStart(20, '0')}.journal`),
  )
  const reopened = await open(disk)
  const entries = await openFileJournalCursor({ disk: disk.mount(), directory }).read(0, reopened.durablePosition, 1e6)
  expect(entries.map(({ body }) => body.length)).toEqual([10, 3000, 10, 3000])
})

test('a large first entry goes into the existing empty segment', async () => {
  const disk = new SimulatedDisk(seededRandom(1))
  const journal = await open(disk)
  expect(await journal.append(large)).toBe(0)
  expect(await disk.mount().list(directory)).toEqual(['00000000000000000000.journal'])
})

test.each(['create', 'write'] as const)(
  'a large entry is refused when the disk is full (%s), and leaves no file behind',
  async (operation) => {
    const disk = new SimulatedDisk(seededRandom(1))
    const journal = await open(disk)
    await journal.append(small)
    disk.failOnce(operation, 'ENOSPC')
    await expect(journal.append(large)).rejects.toMatchObject({ code: 'overloaded' })
    expect(await disk.mount().list(directory)).toHaveLength(1)
    expect(await journal.append(large)).toBe(1)
  },
)

test('an I/O error on a large entry fails the journal, and its file is deleted at the next start', async () => {
  const disk = new SimulatedDisk(seededRandom(1))
  const journal = await open(disk)
  await journal.append(small)
  disk.failOnce('sync', 'EIO')
  await expect(journal.append(large)).rejects.toMatchObject({ code: 'unavailable' })
  await expect(journal.append(small)).rejects.toMatchObject({ code: 'unavailable' })
  expect(await disk.mount().list(directory)).toContain('1.apart')
  expect((await open(disk)).durablePosition).toBe(1)
  expect(await disk.mount().list(directory)).toHaveLength(1)
})

test('close() waits for a large entry', async () => {
  const disk = new SimulatedDisk(seededRandom(1))
  const journal = await open(disk)
  const appends = [small, large].map((each) => journal.append(each))
  await journal.close()
  expect(await Promise.all(appends)).toEqual([0, 1])
})
