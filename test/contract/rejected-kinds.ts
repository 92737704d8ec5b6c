import { describe, expect, test } from 'vitest'
import type { SharedCatalog } from '../../src/catalog/catalog.ts'
import type { RejectedFilter, RejectedRow } from '../../src/catalog/rejected.ts'
import { positionAt } from '../../src/journal/partition-position.ts'
import { seededRandom } from '../support/random.ts'

const everything = { afterPosition: -1, limit: 1000, bytesMax: 1_000_000 }
const limits = { kindsMax: 100, bytesMax: 1_000_000 }

function rejected(position: number, change: Partial<RejectedRow> = {}): RejectedRow {
  const batchPosition = position - (position % 10)
  return {
    ingestId: 1,
    position,
    batchPosition,
    batchRows: 10,
    subscriberId: 7,
    index: position - batchPosition,
    row: `{"D":${position}}`,
    field: 'T',
    code: 'missing_tag',
    message: 'T is missing',
    receivedMs: 1000 + batchPosition,
    ...change,
  }
}

/** Tests of the views of some of the rejected rows: by subscriber, by code and field, and by batch. */
export function rejectedKindTests(catalog: () => SharedCatalog): void {
  const keep = (rows: readonly RejectedRow[]): Promise<void> => catalog().outcomes.add({ rejected: rows, items: [] }, 1)
  const positions = async (filter: Partial<RejectedFilter>): Promise<readonly number[]> => {
    const found: number[] = []
    for (let afterPosition: number | null = -1; afterPosition !== null; ) {
      const page = await catalog().rejected.list(1, { ...everything, ...filter, afterPosition })
      found.push(...page.rows.map(({ position }) => position))
      afterPosition = page.after
    }
    return found
  }
  const summary = (subscriberId: number | null = null) => catalog().rejected.summary(1, subscriberId, limits)

  describe('rejected rows by subscriber, code and field', () => {
    test('are listed by each of them, page by page', async () => {
      const long = 'x'.repeat(5000)
      await keep([
        rejected(1),
        rejected(2, { subscriberId: 8 }),
        rejected(3, { field: 'V', code: 'wrong_type' }),
        rejected(4, { field: 'V', code: 'out_of_range', subscriberId: 8 }),
        rejected(5, { field: null, code: 'not_an_object' }),
        rejected(6, { field: '', code: 'unknown_field' }),
        rejected(7, { field: long, code: 'unknown_field' }),
        rejected(8, { field: `${long}y`, code: 'unknown_field' }),
        rejected(9, { ingestId: 2 }),
        rejected(10, { field: 'a\u0000\ud800"', code: 'unknown_field' }),
      ])
      for (const limit of [1, 2, 1000]) {
        expect(await positions({ limit })).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 10])
        expect(await positions({ limit, subscriberId: 8 })).toEqual([2, 4])
        expect(await positions({ limit, subscriberId: 9 })).toEqual([])
        expect(await positions({ limit, field: 'V' })).toEqual([3, 4])
        expect(await positions({ limit, field: 'V', subscriberId: 7 })).toEqual([3])
        expect(await positions({ limit, field: 'V', code: 'out_of_range' })).toEqual([4])
        expect(await positions({ limit, field: '' })).toEqual([6])
        expect(await positions({ limit, field: long })).toEqual([7])
        expect(await positions({ limit, field: `${long}y` })).toEqual([8])
        expect(await positions({ limit, field: 'a\u0000\ud800"' })).toEqual([10])
        expect(await positions({ limit, field: 'T', batchPosition: 0, subscriberId: 8 })).toEqual([2])
        expect(await positions({ limit, code: 'unknown_field' })).toEqual([6, 7, 8, 10])
      }
    })

    test('are listed by each of them if there are very many kinds', async () => {
      const rows = Array.from({ length: 300 }, (_, index) =>
        rejected(index, { field: `f${index % 150}`, code: 'unknown_field', subscriberId: 7 + (index % 2) }),
      )
      await keep(rows)
      const all = rows.map(({ position }) => position)
      expect(await positions({ limit: 7 })).toEqual(all)
      expect(await positions({ limit: 7, subscriberId: 8 })).toEqual(all.filter((position) => position % 2 === 1))
      expect(await positions({ limit: 7, field: 'f3' })).toEqual([3, 153])
      expect(await positions({ limit: 7, code: 'wrong_type' })).toEqual([])
      expect(await catalog().rejected.discard(1, null, 8)).toBe(150)
      expect(await positions({})).toEqual(all.filter((position) => position % 2 === 0))
    })

    test('are summarized, most frequent first', async () => {
      await keep([
        rejected(1, { field: 'V', code: 'wrong_type' }),
        ...[12, 23, 34].map((position) => rejected(position)),
        rejected(41, { subscriberId: 8 }),
        rejected(45, { field: null, code: 'too_large', subscriberId: 8 }),
        rejected(55, { field: null, code: 'too_large', subscriberId: 8 }),
      ])
      const missing = { code: 'missing_tag', field: 'T', firstMs: 1010, examplePosition: 12 }
      const large = { code: 'too_large', field: null, rows: 2, firstMs: 1040, lastMs: 1050, examplePosition: 45 }
      const wrong = { code: 'wrong_type', field: 'V', rows: 1, firstMs: 1000, lastMs: 1000, examplePosition: 1 }
      expect(await summary()).toEqual([{ ...missing, rows: 4, lastMs: 1040 }, large, wrong])
      expect(await summary(7)).toEqual([{ ...missing, rows: 3, lastMs: 1030 }, wrong])
      expect(await summary(9)).toEqual([])
      expect(await catalog().rejected.summary(2, null, limits)).toEqual([])
      expect(await catalog().rejected.summary(1, null, { ...limits, kindsMax: 2 })).toHaveLength(2)
      expect(await catalog().rejected.summary(1, null, { ...limits, bytesMax: 0 })).toHaveLength(1)
    })

    test('are summarized across partitions by the time of their receipt', async () => {
      const late = positionAt(1, 0)
      await keep([
        rejected(12),
        rejected(late, { receivedMs: 5, batchPosition: late, index: 0 }),
        rejected(late + 9000, { receivedMs: 900, batchPosition: late + 9000, index: 0 }),
      ])
      expect(await summary()).toMatchObject([{ rows: 3, firstMs: 5, lastMs: 1010, examplePosition: late }])
    })

    test('are counted correctly after replays, discards and repeated validation', async () => {
      const random = seededRandom(1)
      const kinds = [
        { code: 'unknown_field', field: 'W' },
        { code: 'unknown_field', field: 'X' },
        { code: 'wrong_type', field: 'V' },
        { code: 'not_an_object', field: null },
      ] as const
      const row = (position: number): RejectedRow =>
        rejected(position, { ...kinds[random.below(kinds.length)]!, subscriberId: 7 + (Math.floor(position / 10) % 3) })
      const some = (): readonly number[] =>
        Array.from({ length: 400 }, (_, position) => position).filter(() => random.below(8) === 0)
      await keep(Array.from({ length: 400 }, (_, position) => row(position)))
      for (let round = 0; round < 12; round++) {
        const passed = some()
        const again = { ingestId: 1, kind: 'series', position: 1000 + round, items: [] } as const
        const others = some().filter((position) => !passed.includes(position))
        await catalog().outcomes.replay({ ...again, passed, rejected: others.map(row) })
        if (round % 3 === 0) {
          const back = passed.filter(() => random.below(2) === 0)
          const still = passed.filter((position) => !back.includes(position))
          await catalog().outcomes.replay({ ...again, passed: still, rejected: back.map(row) })
        }
        if (round % 4 === 1) await catalog().rejected.discard(1, some(), 8)
        await keep(some().map(row))
        await checkCounts()
      }
      await catalog().rejected.discard(1, null)
      expect(await summary()).toEqual([])
      expect(await summary(7)).toEqual([])
    })

    test('are not counted after their entity is dropped', async () => {
      const id = { name: 'id', source: 'id', type: 'string', role: 'index' } as const
      const definition = { alias: 'm', kind: 'metadata', entity: null, fields: [id], duplicates: 'keep' } as const
      const { entityId } = await catalog().ingests.create({ ...definition, createdMs: 5 })
      await keep([rejected(1), rejected(2, { field: 'x' })])
      await catalog().ingests.delete('m', 'drop', 5)
      await catalog().dropped.remove(entityId, new AbortController().signal)
      expect(await summary()).toEqual([])
      expect(await batches(null)).toEqual([])
    })
  })

  const batches = (subscriberId: number | null, limit = 100) =>
    catalog().rejected.batches(1, subscriberId, { after: null, limit })

  /** Compares the counts with those of the listed rows. */
  async function checkCounts(): Promise<void> {
    const { rows } = await catalog().rejected.list(1, everything)
    for (const subscriberId of [null, 7, 8, 9]) {
      const counted = new Map<string, number>()
      for (const { code, field, subscriberId: owner } of rows) {
        if (subscriberId !== null && subscriberId !== owner) continue
        const key = JSON.stringify([code, field])
        counted.set(key, (counted.get(key) ?? 0) + 1)
      }
      const kinds = await summary(subscriberId)
      expect(new Map(kinds.map((kind) => [JSON.stringify([kind.code, kind.field]), kind.rows]))).toEqual(counted)
      for (const batch of await batches(subscriberId)) {
        const { count } = await catalog().rejected.ofBatch(1, batch.position, 0)
        const { first } = await catalog().rejected.ofBatch(1, batch.position, 100)
        expect([batch.rejected, first.length]).toEqual([count, count])
      }
    }
  }

  describe('batches with rejected rows', () => {
    test('are listed, newest first, also if none of their rows is rejected any more', async () => {
      await keep([
        rejected(1),
        rejected(3),
        rejected(11, { subscriberId: 8 }),
        rejected(21, { receivedMs: 1000 }),
        rejected(35, { ingestId: 2 }),
      ])
      const first = { position: 0, rows: 10, subscriberId: 7, receivedMs: 1000, rejected: 2 }
      const second = { position: 10, rows: 10, subscriberId: 8, receivedMs: 1010, rejected: 1 }
      const third = { position: 20, rows: 10, subscriberId: 7, receivedMs: 1000, rejected: 1 }
      expect(await batches(null)).toEqual([second, third, first])
      expect(await batches(7)).toEqual([third, first])
      expect(await batches(8, 1)).toEqual([second])
      expect(await catalog().rejected.batches(1, null, { after: second, limit: 1 })).toEqual([third])
      expect(await catalog().rejected.batches(1, null, { after: third, limit: 9 })).toEqual([first])
      await catalog().rejected.discard(1, [1])
      await catalog().outcomes.replay({
        ...{ ingestId: 1, kind: 'series', position: 100, passed: [21], items: [], rejected: [] },
      })
      expect(await batches(null)).toEqual([second, { ...third, rejected: 0 }, first])
    })
  })
}
