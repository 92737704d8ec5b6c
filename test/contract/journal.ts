import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import {
  type JournalCursor,
  type JournalEntry,
  type JournalTarget,
  type JournalWriter,
  type PlacedEntry,
  positionAfter,
} from '../../src/journal/journal.ts'

export interface JournalSettings {
  /** The maximum number of bytes of waiting entries; null for no tight bound. */
  readonly pendingBytesMax: number | null
}

/** The suite's adapter: an empty journal that can be opened several times. */
export interface JournalUnderTest {
  open(settings: JournalSettings): Promise<JournalWriter>
  openCursor(): JournalCursor
  /** The position of the first entry of a target. */
  firstPosition(target: JournalTarget): number
  remove(): Promise<void>
}

const roomy: JournalSettings = { pendingBytesMax: null }
const one: JournalTarget = { entityId: 1, kind: 'series' }
const other: JournalTarget = { entityId: 2, kind: 'metadata' }
const many = 1 << 30

function entry(change: Partial<JournalEntry> = {}): JournalEntry {
  return {
    ingestId: 1,
    fieldsVersion: 1,
    subscriberId: 7,
    receivedMs: 1_700_000_000_000.5,
    format: 'json',
    idempotencyKey: null,
    rows: 1,
    body: Buffer.from('[{"D":0}]'),
    ...change,
  }
}

export function journalTests(make: () => Promise<JournalUnderTest>): void {
  let adapter: JournalUnderTest
  let writers: JournalWriter[]
  let readers: JournalCursor[]

  beforeEach(async () => {
    adapter = await make()
    writers = []
    readers = []
  })
  afterEach(async () => {
    for (const reader of readers) await reader.close()
    for (const writer of writers) await writer.close()
    await adapter.remove()
  })

  async function open(settings = roomy): Promise<JournalWriter> {
    const writer = await adapter.open(settings)
    writers.push(writer)
    return writer
  }

  /** All entries of a target from `position` up to `untilPosition`. */
  async function readAll(position: number, untilPosition: number, bytesMax = many): Promise<readonly PlacedEntry[]> {
    const reader = adapter.openCursor()
    readers.push(reader)
    const found: PlacedEntry[] = []
    for (let at = position; ; ) {
      const entries = await reader.read(at, untilPosition, bytesMax)
      if (entries.length === 0) return found
      found.push(...entries)
      at = positionAfter(entries.at(-1)!)
    }
  }

  describe('append', () => {
    test('returns rising positions in the order of the calls, with space for the rows of each entry', async () => {
      const journal = await open()
      const rows = [1, 0, 3, 256, 257, 1000, 1]
      const positions = await Promise.all(rows.map((count) => journal.append(entry({ rows: count }), one)))
      expect(positions[0]).toBe(adapter.firstPosition(one))
      const placed = positions.map((position, index) => ({ position, rows: rows[index]! }))
      for (const [index, next] of placed.slice(1).entries()) {
        expect(next.position).toBeGreaterThanOrEqual(positionAfter(placed[index]!))
      }
      expect(await journal.endPosition(one.entityId)).toBeGreaterThanOrEqual(positionAfter(placed.at(-1)!))
    })

    test('continues after the existing entries when the journal is opened again', async () => {
      const first = await open()
      const position = await first.append(entry({ rows: 300 }), one)
      await first.close()
      const again = await open()
      expect(await again.append(entry(), one)).toBeGreaterThanOrEqual(positionAfter({ position, rows: 300 }))
    })

    test('refuses entries beyond pendingBytesMax, and stores nothing of them', async () => {
      const journal = await open({ pendingBytesMax: 100_000 })
      const body = Buffer.alloc(70_000, ' ')
      const outcomes = await Promise.allSettled([
        journal.append(entry({ body }), one),
        journal.append(entry({ body }), one),
      ])
      expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected'])
      expect(outcomes[1]).toMatchObject({ reason: { code: 'overloaded' } })
      await journal.append(entry(), one)
      const from = adapter.firstPosition(one)
      expect(await readAll(from, await journal.endPosition(one.entityId))).toHaveLength(2)
    })

    test('entries appended before a close are stored, and later ones are refused', async () => {
      const journal = await open()
      const appends = [journal.append(entry(), one), journal.append(entry({ rows: 600 }), one)]
      const closed = journal.close()
      await expect(journal.append(entry(), one)).rejects.toMatchObject({ code: 'shutting_down' })
      await closed
      await Promise.all(appends)
      const again = await open()
      expect(await readAll(adapter.firstPosition(one), await again.endPosition(one.entityId))).toHaveLength(2)
    })
  })

  describe('read', () => {
    test.each([
      ['a push', {}],
      ['NDJSON', { format: 'ndjson', body: Buffer.from('{"D":0}\n{"D":1}\n'), rows: 2 }],
      ['an idempotency key', { idempotencyKey: 'k\u00e9y "1"' }],
      ['no rows', { rows: 0, body: Buffer.from('[]') }],
      ['a replay', { format: 'replay', rows: 0, body: Buffer.from([0, 255, 1, 0]) }],
      ['many rows', { rows: 100_000, body: Buffer.alloc(300_001, '{}, ') }],
      ['other numbers', { ingestId: 2 ** 32 - 1, fieldsVersion: 9, subscriberId: 0, receivedMs: 0 }],
    ] as const)('returns the entry that was written: %s', async (_, change) => {
      const journal = await open()
      const written = entry(change)
      const position = await journal.append(written, one)
      const [found] = await readAll(position, await journal.endPosition(one.entityId))
      expect({ ...found, body: Buffer.from(found!.body) }).toEqual({ ...written, position })
    })

    test('returns the entries from one position to another, in parts of about bytesMax', async () => {
      const journal = await open()
      const entries = Array.from({ length: 40 }, (_, index) => entry({ ingestId: index + 1, rows: (index * 37) % 600 }))
      const positions: number[] = []
      for (const each of entries.slice(0, 10)) positions.push(await journal.append(each, one))
      positions.push(...(await Promise.all(entries.slice(10).map((each) => journal.append(each, one)))))
      const end = await journal.endPosition(one.entityId)
      const idsOf = (found: readonly PlacedEntry[]): number[] => found.map(({ ingestId }) => ingestId)
      expect(idsOf(await readAll(positions[0]!, end, 1))).toEqual(idsOf(await readAll(positions[0]!, end)))
      expect(idsOf(await readAll(positions[7]!, positions[31]!))).toEqual(
        entries.slice(7, 31).map(({ ingestId }) => ingestId),
      )
      const [only] = await readAll(positions[3]!, positions[4]!)
      expect(positionAfter(only!)).toBeLessThanOrEqual(positions[4]!)
      expect(await readAll(end, end)).toEqual([])
    })

    test('returns the entries of another target', async () => {
      const journal = await open()
      const position = await journal.append(entry(), other)
      const again = await readAll(position, await journal.endPosition(other.entityId))
      expect(again.map((found) => found.position)).toEqual([position])
    })
  })
}
