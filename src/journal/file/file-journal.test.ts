import { describe, expect, test } from 'vitest'
import { seededRandom } from '../../../test/support/random.ts'
import { SimulatedDisk } from '../../../test/support/simulated-disk.ts'
import type { ServiceEvent } from '../../observe/event.ts'
import type { JournalEntry, LocalJournalWriter } from '../journal.ts'
import { openFileJournal } from './file-journal.ts'

const directory = '/journal'
const settings = { segmentBytes: 1000, batchBytesMax: 1000, pendingBytesMax: 2000, apartBytesMin: 2 ** 30 }
const headerBytes = 32
/** Size of an entry with the body below. */
const entryBytes = 72

function entry(options: { readonly rows?: number; readonly body?: string } = {}): JournalEntry {
  const { rows = 1, body = '[1, "x"]' } = options
  const rest = { ingestId: 1, fieldsVersion: 1, subscriberId: 1, receivedMs: 1, idempotencyKey: null }
  return { ...rest, format: 'json', rows, body: Buffer.from(body) }
}

async function opened(disk = new SimulatedDisk(seededRandom(1))) {
  const events: ServiceEvent[] = []
  const observe = (event: ServiceEvent): void => void events.push(event)
  const journal = await openFileJournal({ disk: disk.mount(), directory, settings, observe, nowMs: () => 0 })
  const fileBytes = (position: number): number => disk.contents(pathOf(position)).length
  const names = (): Promise<string[]> => disk.mount().list(directory)
  return { disk, journal, events, fileBytes, names }
}

function pathOf(position: number): string {
  return `${directory}/${nameOf(position)}`
}

function nameOf(position: number): string {
  return `${position.toString().padStart(20, '0')}.journal`
}

/** The positions of the appends, or the codes of their errors. */
async function outcomes(appends: readonly Promise<number>[]): Promise<unknown[]> {
  const settled = await Promise.allSettled(appends)
  return settled.map((each) => (each.status === 'fulfilled' ? each.value : each.reason.code))
}

function appendEach(journal: LocalJournalWriter, entries: readonly JournalEntry[]): Promise<number>[] {
  return entries.map((each) => journal.append(each))
}

describe('append', () => {
  test('assigns positions in call order; an entry without rows takes one position', async () => {
    const { journal } = await opened()
    const rows = [1, 3, 0, 2, 1]
    expect(
      await outcomes(
        appendEach(
          journal,
          rows.map((each) => entry({ rows: each })),
        ),
      ),
    ).toEqual([0, 1, 4, 5, 7])
    expect(journal.durablePosition).toBe(8)
  })

  test('writes the first entry immediately, and the entries appended meanwhile in one write', async () => {
    const { journal, events } = await opened()
    await Promise.all(
      appendEach(
        journal,
        Array.from({ length: 5 }, () => entry({ rows: 2 })),
      ),
    )
    expect(events.slice(1)).toEqual([
      { kind: 'journalWritten', entries: 1, rows: 2, bytes: entryBytes, ms: 0 },
      { kind: 'journalWritten', entries: 4, rows: 8, bytes: 4 * entryBytes, ms: 0 },
    ])
  })

  test('reports the new durable position after each write', async () => {
    const { journal } = await opened()
    const reported: number[] = []
    journal.onDurable((position) => reported.push(position))
    await Promise.all(appendEach(journal, [entry(), entry(), entry()]))
    expect(reported).toEqual([1, 3])
  })

  test('starts a new segment when the next entry does not fit, and lets a long entry exceed the segment size', async () => {
    const { journal, names, fileBytes } = await opened()
    const long = entry({ body: 'x'.repeat(1500) })
    for (let count = 0; count < 14; count++) await journal.append(entry())
    await journal.append(long)
    await journal.append(entry())
    expect(await names()).toEqual([nameOf(0), nameOf(13), nameOf(14), nameOf(15)])
    expect([0, 13, 14].map(fileBytes)).toEqual([
      headerBytes + 13 * entryBytes,
      headerBytes + entryBytes,
      headerBytes + 1568,
    ])
    expect(journal.bytes).toBe(4 * headerBytes + 15 * entryBytes + 1568)
  })

  test('refuses entries beyond the pending limit, but never a lone entry', async () => {
    const { journal } = await opened()
    const body = 'x'.repeat(1800)
    expect(await outcomes(appendEach(journal, [entry({ body }), entry(), entry({ body })]))).toEqual([
      0,
      1,
      'overloaded',
    ])
    expect(await outcomes([journal.append(entry({ body: 'x'.repeat(5000) }))])).toEqual([2])
  })

  test.each([
    ['rows', { ...entry(), rows: 2 ** 32 }],
    ['ingestId', { ...entry(), ingestId: -1 }],
    ['idempotencyKey', { ...entry(), idempotencyKey: 'k'.repeat(70_000) }],
  ])('throws RangeError for a value that does not fit its field: %s', async (_, wrong) => {
    const { journal } = await opened()
    await expect(journal.append(wrong)).rejects.toThrow(RangeError)
    expect(await journal.append(entry())).toBe(0)
  })
})

describe('a full disk', () => {
  test('refuses the write, stores nothing of it, and reuses its positions for the next entry', async () => {
    const { disk, journal, fileBytes, events } = await opened()
    disk.spaceBytes = headerBytes + entryBytes + 100
    expect(await outcomes(appendEach(journal, [entry(), entry(), entry()]))).toEqual([0, 'overloaded', 'overloaded'])
    expect(fileBytes(0)).toBe(headerBytes + entryBytes)
    disk.spaceBytes = Number.POSITIVE_INFINITY
    expect(await outcomes([journal.append(entry())])).toEqual([1])
    expect(events.map((event) => event.kind)).not.toContain('journalFailed')
  })

  test.each(['create', 'beginWrite', 'write'] as const)(
    'leaves no segment behind when its creation fails (%s)',
    async (operation) => {
      const { disk, journal, names } = await opened()
      await journal.append(entry())
      disk.failOnce(operation, 'EDQUOT')
      await expect(journal.rotate()).rejects.toMatchObject({ code: 'overloaded', retryAfterS: 5 })
      expect(await names()).toEqual([nameOf(0)])
      expect(await journal.append(entry())).toBe(1)
      await journal.rotate()
      expect(await names()).toEqual([nameOf(0), nameOf(2)])
    },
  )

  test('lets the journal close without a mark', async () => {
    const { disk, journal, fileBytes } = await opened()
    await journal.append(entry())
    disk.failOnce('write', 'ENOSPC')
    await journal.close()
    expect(fileBytes(0)).toBe(headerBytes + entryBytes)
  })
})

describe('a failing disk', () => {
  test.each([
    ['write', 'EIO'],
    ['sync', 'EIO'],
    ['sync', 'ENOSPC'],
  ] as const)('%s fails with %s: no append is acknowledged any more', async (operation, code) => {
    const { disk, journal, events } = await opened()
    await journal.append(entry())
    disk.failOnce(operation, code)
    const failed = ['unavailable', 'unavailable', 'unavailable']
    expect(await outcomes(appendEach(journal, [entry(), entry(), entry()]))).toEqual(failed)
    expect(await outcomes([journal.append(entry())])).toEqual(['unavailable'])
    await expect(journal.rotate()).rejects.toMatchObject({ code: 'unavailable' })
    expect(events.filter((event) => event.kind === 'journalFailed')).toEqual([
      { kind: 'journalFailed', file: pathOf(0), message: expect.stringContaining(code) },
    ])
    expect(journal.durablePosition).toBe(1)
    await journal.close()
  })

  test.each([
    ['truncate', 'EIO'],
    ['sync', 'EIO'],
  ] as const)('%s fails with %s after a full disk: all appends fail', async (operation, code) => {
    const { disk, journal } = await opened()
    disk.failOnce('write', 'ENOSPC')
    disk.failOnce(operation, code)
    expect(await outcomes([journal.append(entry()), journal.append(entry())])).toEqual(['unavailable', 'unavailable'])
  })

  test.each(['create', 'sync', 'syncDirectory'] as const)(
    '%s fails with EIO while a segment is created: the journal becomes unavailable',
    async (operation) => {
      const { disk, journal } = await opened()
      await journal.append(entry())
      disk.failOnce(operation, 'EIO')
      await expect(journal.rotate()).rejects.toMatchObject({ code: 'unavailable' })
      expect(await outcomes([journal.append(entry())])).toEqual(['unavailable'])
    },
  )
})

describe('trim', () => {
  async function threeSegments() {
    const parts = await opened()
    for (const position of [0, 2, 4]) {
      if (position > 0) await parts.journal.rotate()
      await Promise.all(appendEach(parts.journal, [entry(), entry()]))
    }
    return parts
  }

  test.each([
    [0, 0],
    [1, 0],
    [2, 1],
    [3, 1],
    [4, 2],
    [6, 2],
    [100, 2],
  ])('to position %i deletes %i of three segments', async (position, deleted) => {
    const { journal, names } = await threeSegments()
    const before = journal.bytes
    expect(await journal.trim(position)).toBe(deleted)
    expect(await names()).toEqual([0, 2, 4].slice(deleted).map(nameOf))
    expect(journal.bytes).toBe(before - deleted * (headerBytes + 2 * entryBytes))
  })

  test('deletes the newest segment only after a rotation, and a reopened journal continues at its end', async () => {
    const { disk, journal, names } = await threeSegments()
    await journal.rotate()
    await journal.rotate()
    expect(await journal.trim(6)).toBe(3)
    expect(await names()).toEqual([nameOf(6)])
    await journal.close()
    expect((await opened(disk)).journal.durablePosition).toBe(6)
  })
})

describe('close', () => {
  test('waits for pending appends and refuses later ones', async () => {
    const { disk, journal } = await opened()
    const body = 'x'.repeat(500)
    const appends = appendEach(journal, [entry({ body }), entry({ body }), entry({ body })])
    const closed = Promise.all([journal.close(), journal.close()])
    expect(await outcomes([journal.append(entry()), ...appends])).toEqual(['shutting_down', 0, 1, 2])
    await closed
    await expect(journal.rotate()).rejects.toMatchObject({ code: 'shutting_down' })
    expect((await opened(disk)).journal.recovery).toMatchObject({ entries: 3, tornBytes: 0, tornFile: null })
  })
})
