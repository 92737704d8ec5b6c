import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { seededRandom } from '../../../test/support/random.ts'
import { rounds } from '../../../test/support/rounds.ts'
import { SimulatedDisk } from '../../../test/support/simulated-disk.ts'
import { type JournalEntry, type PlacedEntry, positionAfter } from '../journal.ts'
import { openFileJournal } from './file-journal.ts'
import { openFileJournalCursor } from './file-journal-cursor.ts'

const directory = '/journal'
const settings = { segmentBytes: 2000, batchBytesMax: 2000, pendingBytesMax: 2 ** 30, apartBytesMin: 2 ** 30 }

async function opened(disk: SimulatedDisk) {
  const folder = { disk: disk.mount(), directory }
  return {
    journal: await openFileJournal({ ...folder, settings, observe: () => {} }),
    cursor: openFileJournalCursor(folder),
  }
}

function entry(rows: number, body = '[]'): JournalEntry {
  const rest = { ingestId: 1, fieldsVersion: 1, subscriberId: 1, receivedMs: 1, idempotencyKey: null }
  return { ...rest, format: 'json', rows, body: Buffer.from(body) }
}

const uint32 = fc.integer({ min: 0, max: 2 ** 32 - 1 })
const anyEntry: fc.Arbitrary<JournalEntry> = fc.record({
  ingestId: uint32,
  fieldsVersion: uint32,
  subscriberId: uint32,
  receivedMs: fc.double({ noNaN: true, noDefaultInfinity: true }),
  format: fc.constantFrom('json', 'ndjson'),
  idempotencyKey: fc.option(fc.string({ unit: 'grapheme', maxLength: 20 })),
  rows: fc.integer({ min: 0, max: 2 ** 20 }),
  body: fc.oneof(
    fc.uint8Array({ maxLength: 300 }),
    fc.integer({ min: 0, max: 4000 }).map((length) => new Uint8Array(length).fill(120)),
  ),
})
type Step = JournalEntry | 'rotate' | 'reopen'
const anyStep: fc.Arbitrary<Step> = fc.oneof(
  { weight: 8, arbitrary: anyEntry },
  fc.constant('rotate'),
  fc.constant('reopen'),
)

test('reads back all entries in portions of any size, also with a cursor that follows the writer', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(anyStep, { maxLength: 30 }),
      fc.integer({ min: 0, max: 5000 }),
      async (steps, bytesMax) => {
        const disk = new SimulatedDisk(seededRandom(1))
        let { journal, cursor } = await opened(disk)
        const written: PlacedEntry[] = []
        const read: PlacedEntry[] = []
        const follow = async (): Promise<void> => {
          const last = read.at(-1)
          read.push(
            ...(await cursor.read(last === undefined ? 0 : positionAfter(last), journal.durablePosition, bytesMax)),
          )
        }
        for (const step of steps) {
          if (step === 'rotate') {
            await journal.rotate()
          } else if (step === 'reopen') {
            await journal.close()
            const reopened = await opened(disk)
            journal = reopened.journal
          } else {
            written.push({ ...step, position: await journal.append(step) })
            await follow()
          }
        }
        while (read.length < written.length) await follow()
        expect(read.map(plain)).toEqual(written.map(plain))
      },
    ),
    { numRuns: rounds(150) },
  )
})

function plain({ body, ...rest }: PlacedEntry): object {
  return { ...rest, body: Buffer.from(body).toString('hex') }
}

test('later reads do not overwrite a returned body', async () => {
  const { journal, cursor } = await opened(new SimulatedDisk(seededRandom(1)))
  const kept: PlacedEntry[] = []
  for (let number = 0; number < 40; number++) {
    await journal.append(entry(1, `[${number},"${'x'.repeat(100_000)}"]`))
    kept.push(...(await cursor.read(number, journal.durablePosition, 1)))
  }
  expect(kept.map(({ body }) => Number.parseInt(Buffer.from(body).toString('latin1').slice(1), 10))).toEqual([
    ...kept.keys(),
  ])
})

test('passing bodies stay valid until the next call, also when a call spans many blocks and files', async () => {
  const folder = { disk: new SimulatedDisk(seededRandom(1)).mount(), directory }
  const large = { ...settings, segmentBytes: 5_000_000 }
  const journal = await openFileJournal({ ...folder, settings: large, observe: () => {} })
  const texts = Array.from({ length: 60 }, (_, number) => `[${number},"${'x'.repeat((number % 7) * 300_000)}"]`)
  for (const text of texts) await journal.append(entry(1, text))
  const cursor = openFileJournalCursor(folder, { bodies: 'passing' })
  const read: string[] = []
  for (const bytesMax of [1, 4_000_000, 1, 700_000, 9_000_000, 1, 100_000_000]) {
    const entries = await cursor.read(read.length, journal.durablePosition, bytesMax)
    read.push(...entries.map(({ body }) => Buffer.from(body).toString('latin1')))
  }
  expect(read).toEqual(texts)
})

describe('reading entries of 3, 1, 0 and 2 rows', () => {
  test.each([
    [0, 7, 10_000, [0, 3, 4, 5]],
    [0, 4, 10_000, [0, 3]],
    [0, 7, 1, [0]],
    [0, 7, 0, [0]],
    [0, 7, 3, [0, 3]],
    [3, 7, 10_000, [3, 4, 5]],
    [1, 4, 10_000, [0, 3]],
    [5, 7, 10_000, [5]],
    [4, 4, 10_000, []],
    [7, 7, 10_000, []],
  ])('read(%i, %i, %i) returns the entries at %j', async (position, untilPosition, bytesMax, expected) => {
    const { journal, cursor } = await opened(new SimulatedDisk(seededRandom(1)))
    for (const rows of [3, 1, 0, 2]) {
      await journal.append(entry(rows))
      if (rows === 1) await journal.rotate()
    }
    const entries = await cursor.read(position, untilPosition, bytesMax)
    expect(entries.map((each) => each.position)).toEqual(expected)
  })
})

describe('read() rejects with a specific error for', () => {
  async function twoSegments() {
    const disk = new SimulatedDisk(seededRandom(1))
    const { journal, cursor } = await opened(disk)
    for (const position of [0, 1, 2, 3]) {
      if (position === 2) await journal.rotate()
      await journal.append(entry(1))
    }
    return { disk, journal, cursor }
  }
  const first = `${directory}/00000000000000000000.journal`
  const second = `${directory}/00000000000000000002.journal`

  test.each([
    ['a damaged body', first, 32 + 72 + 64, `${first}, offset 104: the body of a record is damaged`],
    ['a damaged header', first, 32 + 72 + 8, `${first}, offset 104: the header of a record is damaged`],
    ['a damaged segment header', second, 16, `${second}, offset 0: the header of the segment is damaged`],
  ])('%s', async (_, path, offset, message) => {
    const { disk, cursor } = await twoSegments()
    const bytes = Buffer.from(disk.contents(path))
    bytes.writeUInt8(bytes[offset]! ^ 1, offset)
    disk.put(path, bytes)
    await expect(cursor.read(0, 4, 10_000)).rejects.toThrow(message)
  })

  test.each([
    ['within a record', 32 + 72 + 66, `${second}, offset 104: the file ends within a record`],
    ['within a header', 32 + 72 + 6, `${second}, offset 104: the file ends within the header of a record`],
    ['before an entry', 32, `${second}, offset 32: the file ends before an entry that was on disk`],
  ])('a file cut %s', async (_, size, message) => {
    const { disk, cursor } = await twoSegments()
    disk.put(second, disk.contents(second).subarray(0, size))
    await expect(cursor.read(0, 4, 10_000)).rejects.toThrow(message)
  })

  test('a trimmed position, and the cursor remains usable', async () => {
    const { journal, cursor } = await twoSegments()
    await journal.trim(2)
    await expect(cursor.read(1, 4, 10_000)).rejects.toThrow('position 1 is not in the journal any more')
    expect((await cursor.read(2, 4, 10_000)).map((each) => each.position)).toEqual([2, 3])
  })

  test('a second call while one is running', async () => {
    const { cursor } = await twoSegments()
    const reading = cursor.read(0, 4, 10_000)
    await expect(cursor.read(0, 4, 10_000)).rejects.toThrow('one call at a time')
    expect(await reading).toHaveLength(4)
  })
})
