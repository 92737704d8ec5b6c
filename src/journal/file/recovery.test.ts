import { describe, expect, test } from 'vitest'
import { seededRandom } from '../../../test/support/random.ts'
import { SimulatedDisk } from '../../../test/support/simulated-disk.ts'
import type { ServiceEvent } from '../../observe/event.ts'
import type { JournalEntry, PlacedEntry } from '../journal.ts'
import { openFileJournal } from './file-journal.ts'
import { openFileJournalCursor } from './file-journal-cursor.ts'

// Three segments, written one entry at a time. Each entry has 72 bytes: a body of 8 and no padding.
//   0.journal: entries 0 1    2.journal: entries 2 3    4.journal: entries 4 5 6; 5 and 6 were written together
const directory = '/journal'
const settings = { segmentBytes: 10_000, batchBytesMax: 10_000, pendingBytesMax: 10_000, apartBytesMin: 2 ** 30 }
const [first, second, last] = [0, 2, 4].map((position) => `${position.toString().padStart(20, '0')}.journal`) as [
  string,
  string,
  string,
]
const headerBytes = 32
const entryBytes = 72

function entry(number: number): JournalEntry {
  const body = Buffer.from(`[${number},"x"]`.padEnd(8))
  const rest = { ingestId: 1, fieldsVersion: 1, subscriberId: 1, receivedMs: 1, idempotencyKey: null, rows: 1 }
  return { ...rest, format: 'json', body }
}

async function writtenJournal(close: boolean): Promise<SimulatedDisk> {
  const disk = new SimulatedDisk(seededRandom(1))
  let salt = 1000
  const newSalt = (): number => salt++
  const journal = await openFileJournal({ disk: disk.mount(), directory, settings, observe: () => {}, newSalt })
  for (const number of [0, 1, 2, 3]) {
    if (number === 2) await journal.rotate()
    await journal.append(entry(number))
  }
  await journal.rotate()
  // The first append starts a write at once; the other two share the next write.
  await Promise.all([4, 5, 6].map((number) => journal.append(entry(number))))
  if (close) await journal.close()
  return disk
}

interface Opened {
  readonly numbers: readonly number[]
  readonly torn: readonly [file: string | null, bytes: number]
}

/** Opens the journal, appends entry 99, and reads all entries. */
async function reopen(disk: SimulatedDisk): Promise<Opened> {
  disk.kill()
  const folder = { disk: disk.mount(), directory }
  const events: ServiceEvent[] = []
  const journal = await openFileJournal({ ...folder, settings, observe: (event) => events.push(event) })
  expect(events).toEqual([{ kind: 'journalOpened', ...journal.recovery, ms: expect.any(Number) }])
  const startPosition = journal.durablePosition
  expect(await journal.append(entry(99))).toBe(startPosition)
  const cursor = openFileJournalCursor(folder)
  const found: PlacedEntry[] = []
  for (let position = 0; position < journal.durablePosition; position = found.length) {
    found.push(...(await cursor.read(position, journal.durablePosition, 1)))
  }
  const { tornFile, tornBytes } = journal.recovery
  return { numbers: found.map((each) => numberOf(each)), torn: [tornFile, tornBytes] }
}

function numberOf({ body }: PlacedEntry): number {
  return Number.parseInt(Buffer.from(body).toString().slice(1), 10)
}

type Change = (disk: SimulatedDisk) => void

/** Replaces a file with the copy of its bytes that `change` modifies or returns. */
function edit(name: string, change: (bytes: Buffer) => Buffer | undefined): Change {
  return (disk) => {
    const bytes = Buffer.from(disk.contents(`${directory}/${name}`))
    disk.put(`${directory}/${name}`, change(bytes) ?? bytes)
  }
}

const cut = (name: string, size: number): Change => edit(name, (bytes) => bytes.subarray(0, size))
const flip = (name: string, offset: number): Change =>
  edit(name, (bytes) => void bytes.writeUInt8(bytes[offset]! ^ 1, offset))
const put =
  (name: string, bytes: Buffer): Change =>
  (disk) =>
    disk.put(`${directory}/${name}`, bytes)
const remove =
  (name: string): Change =>
  (disk) =>
    disk.delete(`${directory}/${name}`)
const copy =
  (from: string, to: string): Change =>
  (disk) =>
    disk.put(`${directory}/${to}`, disk.contents(`${directory}/${from}`))
const at = (entryOfSegment: number, byte = 0): number => headerBytes + entryOfSegment * entryBytes + byte
const nothing: Change = () => {}

describe('opening without a clean close recovers', () => {
  const all = [0, 1, 2, 3, 4, 5, 6]
  test.each<[string, Change, readonly number[], [string | null, number]]>([
    ['an intact journal', nothing, all, [null, 0]],
    ['the last entry cut in its body', cut(last, at(2, 65)), [0, 1, 2, 3, 4, 5], [last, 65]],
    ['the last entry cut one byte short', cut(last, at(2, 71)), [0, 1, 2, 3, 4, 5], [last, 71]],
    ['the last entry cut in its header', cut(last, at(2, 10)), [0, 1, 2, 3, 4, 5], [last, 10]],
    ['the last entry cut to one byte', cut(last, at(2, 1)), [0, 1, 2, 3, 4, 5], [last, 1]],
    ['an invalid checksum of the last body', flip(last, at(2, 70)), [0, 1, 2, 3, 4, 5], [last, 72]],
    ['an invalid length of the last entry', flip(last, at(2, 9)), [0, 1, 2, 3, 4, 5], [last, 72]],
    ['an invalid magic of the last entry', flip(last, at(2, 0)), [0, 1, 2, 3, 4, 5], [last, 72]],
    [
      'the first entry of the last write damaged, the second intact',
      flip(last, at(1, 66)),
      [0, 1, 2, 3, 4],
      [last, 144],
    ],
    [
      'the header of the first entry of the last write zeroed',
      edit(last, (b) => void b.fill(0, at(1), at(1, 64))),
      [0, 1, 2, 3, 4],
      [last, 144],
    ],
    ['zeros after the end', edit(last, (b) => Buffer.concat([b, Buffer.alloc(5000)])), all, [last, 5000]],
    ['zeros in place of the last entry', edit(last, (b) => void b.fill(0, at(2))), [0, 1, 2, 3, 4, 5], [last, 72]],
    [
      'an entry of another file after the end',
      (disk) => edit(last, (b) => Buffer.concat([b, disk.contents(`${directory}/${first}`).subarray(at(0))]))(disk),
      all,
      [last, 144],
    ],
    [
      'repeated magics after the end',
      edit(last, (b) => Buffer.concat([b, Buffer.alloc(4000, Buffer.from([0xff, 0x54, 0x4d, 0x52, 0, 0, 0, 0]))])),
      all,
      [last, 4000],
    ],
    ['a last segment with a header only', cut(last, headerBytes), [0, 1, 2, 3], [null, 0]],
    ['an empty last segment', cut(last, 0), [0, 1, 2, 3], [last, 0]],
    ['a torn header of the last segment', cut(last, 20), [0, 1, 2, 3], [last, 20]],
    [
      'a last segment with the header of another',
      (disk) => put(last, disk.contents(`${directory}/${first}`).subarray(0, headerBytes))(disk),
      [0, 1, 2, 3],
      [last, headerBytes],
    ],
    ['a zeroed header of the last segment', put(last, Buffer.alloc(headerBytes)), [0, 1, 2, 3], [last, headerBytes]],
    ['a missing last segment', remove(last), [0, 1, 2, 3], [null, 0]],
    ['unrelated files in the folder', put('lost+found.txt', Buffer.from('?')), all, [null, 0]],
  ])('%s', async (_, change, numbers, torn) => {
    const disk = await writtenJournal(false)
    change(disk)
    expect(await reopen(disk)).toEqual({ numbers: [...numbers, 99], torn })
    // Repairs are permanent.
    expect(await reopen(disk)).toEqual({ numbers: [...numbers, 99, 99], torn: [null, 0] })
  })
})

describe('opening after a clean close recovers', () => {
  const mark = at(3)
  test.each<[string, Change, readonly number[], [string | null, number]]>([
    ['an intact journal', nothing, [0, 1, 2, 3, 4, 5, 6], [null, 0]],
    ['a truncated mark', cut(last, mark + 20), [0, 1, 2, 3, 4, 5, 6], [last, 20]],
    ['a damaged mark', flip(last, mark + 5), [0, 1, 2, 3, 4, 5, 6], [last, 64]],
  ])('%s', async (_, change, numbers, torn) => {
    const disk = await writtenJournal(true)
    change(disk)
    expect(await reopen(disk)).toEqual({ numbers: [...numbers, 99], torn })
  })
})

describe('opening refuses', () => {
  const damaged = 'Restore the file from a copy'
  const wholeWhen = 'though it was whole when'
  test.each<[string, boolean, Change, string, number, string]>([
    ['damage in the middle of the last segment', false, flip(last, at(0, 66)), last, at(0), wholeWhen],
    ['an invalid length in the middle of the last segment', false, flip(last, at(0, 8)), last, at(0), wholeWhen],
    [
      'a zeroed entry in the middle of the last segment',
      false,
      edit(last, (b) => void b.fill(0, at(0), at(1))),
      last,
      at(0),
      wholeWhen,
    ],
    ['damage in the last entry before the mark', true, flip(last, at(2, 66)), last, at(2), wholeWhen],
    ['damage in an earlier segment', false, flip(first, at(1, 66)), first, at(1), damaged],
    ['an earlier segment cut within an entry', false, cut(second, at(1, 30)), second, at(1), damaged],
    ['an earlier segment cut between entries', false, cut(second, at(1)), second, at(1), 'is not in the folder'],
    [
      'an earlier segment with zeros after its end',
      false,
      edit(second, (b) => Buffer.concat([b, Buffer.alloc(8)])),
      second,
      at(2),
      damaged,
    ],
    ['an empty earlier segment', false, cut(second, 0), second, 0, damaged],
    ['a missing middle segment', false, remove(second), first, at(2), 'is not in the folder'],
    ['a damaged header of the last segment', false, flip(last, 13), last, 0, damaged],
    ['a damaged header of the first segment', false, flip(first, 17), first, 0, damaged],
    ['a header of another file format', false, edit(last, (b) => void b.write('GARBAGE!')), last, 0, damaged],
    ['a newer format version', false, edit(last, (b) => void b.writeUInt32LE(2, 8)), last, 8, 'Start the version'],
    [
      'a renamed segment',
      false,
      (disk) => {
        copy(first, '00000000000000000001.journal')(disk)
        remove(first)(disk)
      },
      '00000000000000000001.journal',
      16,
      'restore its name',
    ],
    ['an invalid segment name', false, copy(last, 'copy of 4.journal'), 'copy of 4.journal', 0, 'Move the file away'],
    [
      'two segments with the same positions',
      false,
      copy(second, '00000000000000000003.journal'),
      second,
      at(2),
      'is not in the folder',
    ],
  ])('%s', async (_, close, change, file, offset, advice) => {
    const disk = await writtenJournal(close)
    change(disk)
    const opening = reopen(disk)
    await expect(opening).rejects.toThrow(`${directory}/${file}, offset ${offset}: `)
    await expect(opening).rejects.toThrow(advice)
  })

  test('a journal that ends before the position the store has reached', async () => {
    const disk = await writtenJournal(true)
    const opening = openFileJournal({ disk: disk.mount(), directory, settings, observe: () => {}, reachedPosition: 8 })
    await expect(opening).rejects.toThrow('ends before position 7, but the stored rows reach 8')
  })
})

test('an empty folder starts at the position the store has reached', async () => {
  const disk = new SimulatedDisk(seededRandom(1))
  const options = { disk: disk.mount(), directory, settings, observe: () => {} }
  const journal = await openFileJournal({ ...options, reachedPosition: 1000 })
  expect(await journal.append(entry(0))).toBe(1000)
})

test('closing an already cleanly closed journal adds no second mark', async () => {
  const disk = await writtenJournal(true)
  const path = `${directory}/${last}`
  const before = disk.contents(path)
  const journal = await openFileJournal({ disk: disk.mount(), directory, settings, observe: () => {} })
  await journal.close()
  expect(disk.contents(path).equals(before)).toBe(true)
})
