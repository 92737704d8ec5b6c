import { beforeEach, describe, expect, test } from 'vitest'
import type { NewIngest, OutcomeCatalog, ReplayOutcome, SharedCatalog } from '../../src/catalog/catalog.ts'
import { keptTextBytes, type RejectedRow } from '../../src/catalog/rejected.ts'
import { defaultSeriesFields, type Field } from '../../src/model/field.ts'
import type { ItemWrite } from '../../src/model/item.ts'

export const everything = { afterPosition: -1, limit: 1000, bytesMax: 1_000_000 }

function series(alias: string, entity = alias): NewIngest {
  return { alias, kind: 'series', entity, fields: defaultSeriesFields, duplicates: 'keep', createdMs: 1000 }
}

function metadata(alias: string): NewIngest {
  const id: Field = { name: 'id', source: 'id', type: 'string', role: 'index' }
  return { alias, kind: 'metadata', entity: null, fields: [id], duplicates: 'keep', createdMs: 1000 }
}

export function rejected(ingestId: number, position: number, change: Partial<RejectedRow> = {}): RejectedRow {
  return {
    ingestId,
    position,
    batchPosition: 0,
    batchRows: 100,
    subscriberId: 7,
    index: position,
    row: `{"D":${position}}`,
    field: 'W',
    code: 'unknown_field',
    message: 'W is no field',
    receivedMs: 1000,
    ...change,
  }
}

function item(entityId: number, key: string, position: number): ItemWrite {
  return { entityId, key: Buffer.from(key), position, attributes: `at:${position}\n` }
}

/** Tests of deleted ingests, dropped entities, retention and replays, for every catalog. */
export function lifecycleTests(catalog: () => SharedCatalog): void {
  describe('deleting ingests', () => deletionTests(catalog))
  describe('replays', () => replayTests(catalog))

  test('an entry is quarantined once, with its body; releasing it keeps the entry and deletes the body', async () => {
    const { quarantine } = catalog()
    const header = { ingestId: 1, fieldsVersion: 1, subscriberId: 7, receivedMs: 5, format: 'ndjson', rows: 3 } as const
    const entry = { ...header, position: 2 ** 40, fromPosition: 2 ** 40 + 1, level: 1, quarantinedMs: 9 } as const
    const body = Buffer.alloc(2 ** 21 + 1, 'x')
    const bodyOf = async () => {
      const parts: Uint8Array[] = []
      for (let part = 0; ; part++) {
        const bytes = await quarantine.bodyPart(entry.position, part)
        if (bytes === null) return Buffer.concat(parts)
        parts.push(bytes)
      }
    }
    await quarantine.add(entry, body)
    const kept = { ...entry, bodyBytes: body.length, isReleased: false }
    expect(await quarantine.list()).toEqual([kept])
    expect((await bodyOf()).equals(body)).toBe(true)
    await quarantine.add({ ...entry, fromPosition: 2 ** 40, level: 2, quarantinedMs: 10 }, body)
    expect(await quarantine.list()).toEqual([{ ...kept, level: 2 }])
    expect(await quarantine.release(entry.position)).toBe(true)
    expect(await quarantine.release(entry.position)).toBe(false)
    expect(await quarantine.release(1)).toBe(false)
    expect(await quarantine.list()).toEqual([{ ...kept, level: 2, isReleased: true }])
    expect(await bodyOf()).toHaveLength(0)
  })

  test('stores the retention of an entity, and the time before which its rows have expired', async () => {
    const { ingests } = catalog()
    await ingests.create(series('a'))
    await ingests.create(metadata('m'))
    expect((await ingests.entities())[0]).toMatchObject({ retention: null, sinceMs: null })
    const version = await ingests.version()
    const none = { retention: null, sinceMs: null }
    const day = { retention: 'P90D', sinceMs: -86_400_000 }
    expect(await ingests.retain(1, day, none)).toBe(true)
    expect((await ingests.entities())[0]).toMatchObject({ name: 'a', ...day })
    expect(await ingests.version()).toBeGreaterThan(version)
    expect(await ingests.retain(1, none, day)).toBe(true)
    expect((await ingests.entities())[0]).toMatchObject(none)
    expect(await ingests.retain(2, { retention: 'P1D', sinceMs: null }, none)).toBe(false)
    expect(await ingests.retain(3, { retention: 'P1D', sinceMs: null }, none)).toBe(false)
  })

  test('a retention is changed only by a caller that knows the current one', async () => {
    const { ingests } = catalog()
    await ingests.create(series('a'))
    const known = { retention: 'P2D', sinceMs: 5 }
    await ingests.retain(1, known, { retention: null, sinceMs: null })
    for (const other of [
      { retention: null, sinceMs: null },
      { retention: null, sinceMs: 5 },
      { retention: 'P2D', sinceMs: null },
      { retention: 'P2D', sinceMs: 4 },
      { retention: 'P1D', sinceMs: 5 },
    ]) {
      expect(await ingests.retain(1, { retention: 'P9D', sinceMs: 1 }, other)).toBe(false)
    }
    expect((await ingests.entities())[0]).toMatchObject(known)
    expect(await ingests.retain(1, { retention: 'P2D', sinceMs: 6 }, known)).toBe(true)
  })
}

function deletionTests(catalog: () => SharedCatalog): void {
  const names = async (): Promise<unknown> => {
    const { ingests } = catalog()
    return {
      ingests: (await ingests.list({ after: null, limit: 10 })).map(({ alias }) => alias),
      entities: (await ingests.entities()).map(({ name }) => name),
      tables: (await ingests.metadataEntities()).map(({ name }) => name),
    }
  }

  test('with its data kept, the alias is free, and a new ingest of that alias feeds the same entity', async () => {
    const { ingests } = catalog()
    const old = await ingests.create(series('a'))
    const version = await ingests.version()
    expect(await ingests.delete('a', 'keep', 5)).toBe(true)
    expect(await ingests.delete('a', 'keep', 5)).toBe(false)
    expect(await ingests.version()).toBeGreaterThan(version)
    expect(await ingests.find('a')).toBeNull()
    expect(await names()).toEqual({ ingests: [], entities: ['a'], tables: [] })
    expect(await ingests.findVersion(old.id, 1)).toMatchObject({ alias: 'a', entityId: old.entityId })
    const other = await ingests.create(series('a'))
    expect([other.id, other.entityId]).toEqual([old.id + 1, old.entityId])
    expect((await ingests.entities())[0]!.ingests).toEqual(['a'])
    await expect(
      ingests.create({ ...series('b', 'a'), fields: [...defaultSeriesFields].slice(0, 2) }),
    ).resolves.toBeDefined()
    await expect(ingests.create(metadata('c'))).resolves.toMatchObject({ alias: 'c' })
  })

  test('with its data dropped, the entity is unknown, and a new one of that name is another entity', async () => {
    const { ingests, dropped } = catalog()
    const first = await ingests.create(series('a', 'e'))
    await ingests.delete('a', 'keep', 5)
    const second = await ingests.create(series('b', 'e'))
    const third = await ingests.create(series('c', 'e'))
    await expect(ingests.delete('b', 'drop', 6)).rejects.toMatchObject({ code: 'conflict', errors: [{ path: 'data' }] })
    await expect(ingests.delete('b', 'drop', 6)).rejects.toThrow('"c"')
    expect(await names()).toEqual({ ingests: ['b', 'c'], entities: ['e'], tables: [] })
    await ingests.delete('b', 'keep', 6)
    expect(await ingests.delete('c', 'drop', 7)).toBe(true)
    expect(await names()).toEqual({ ingests: [], entities: [], tables: [] })
    expect(await ingests.findVersion(first.id, 1)).toBeNull()
    const ingestIds = [first.id, second.id, third.id]
    expect(await dropped.list()).toEqual([{ entityId: first.entityId, ingestIds, isRemoved: false }])
    const other = await ingests.create(series('c', 'e'))
    expect([other.id, other.entityId]).toEqual([third.id + 1, first.entityId + 1])
  })

  test('rejected rows and items of a dropped entity are removed, and none are added afterwards', async () => {
    const { ingests, dropped, outcomes, rejected: rows, items } = catalog()
    const gone = await ingests.create(metadata('m'))
    const stays = await ingests.create(metadata('n'))
    const all = [gone, stays]
    const keep = (position: number): Promise<void> =>
      outcomes.add(
        {
          rejected: all.map(({ id }) => rejected(id, position)),
          items: all.map(({ entityId }) => item(entityId, `k${position}`, position)),
          replaced: all.map(({ id }) => ({ ingestId: id, batchPosition: 0, rows: position + 1 })),
        },
        position + 1,
      )
    for (let position = 0; position < 3; position++) await keep(position)
    await items.delete(gone.entityId, Buffer.from('k0'), 3)
    await ingests.delete('m', 'drop', 5)
    const aborted = new AbortController()
    aborted.abort()
    expect(await dropped.remove(gone.entityId, aborted.signal)).toBe(false)
    const { signal } = new AbortController()
    for (const position of [7, 8]) {
      expect(await dropped.remove(gone.entityId, signal)).toBe(true)
      await keep(position)
      expect(await replay(gone.id, position, [7])).toEqual([])
      expect((await rows.list(gone.id, everything)).rows).toEqual([])
      expect(await rows.ofBatch(gone.id, 0, 0)).toMatchObject({ replaced: 0 })
      expect(await rows.ofBatch(stays.id, 0, 0)).toMatchObject({ replaced: position + 1 })
    }
    expect(await dropped.list()).toMatchObject([{ entityId: gone.entityId, isRemoved: true }])
    expect(await rows.counts()).toEqual(new Map([[stays.id, 5]]))
    expect(await items.counts()).toEqual(new Map([[stays.entityId, 5]]))
  })

  const replay = async (ingestId: number, position: number, passed: readonly number[]): Promise<readonly number[]> =>
    (await catalog().outcomes.replay({ ingestId, kind: 'series', position, passed, items: [], rejected: [] })).stored
}

function replayTests(catalog: () => SharedCatalog): void {
  const positions = async (): Promise<number[]> =>
    (await catalog().rejected.list(1, everything)).rows.map(({ position }) => position)
  const reported = (position: number, change: Partial<ReplayOutcome>): ReturnType<OutcomeCatalog['replay']> =>
    catalog().outcomes.replay({ ingestId: 1, kind: 'series', position, passed: [], items: [], rejected: [], ...change })
  const replay = async (position: number, change: Partial<ReplayOutcome>): Promise<readonly number[]> =>
    (await reported(position, change)).stored
  const pushed = Array.from({ length: 300 }, (_, position) => rejected(1, position))

  beforeEach(() => catalog().outcomes.add({ rejected: pushed, items: [] }, 300))

  test('remove rows from the list, the counts and the receipt, once', async () => {
    const { rejected: rows, outcomes } = catalog()
    const passed = Array.from({ length: 200 }, (_, index) => index)
    for (const taken of [200, 0, 0]) {
      expect(await reported(500, { passed })).toEqual({ stored: passed, taken })
      expect(await positions()).toEqual(Array.from({ length: 100 }, (_, index) => 200 + index))
      expect(await rows.counts()).toEqual(new Map([[1, 100]]))
      expect((await rows.ofBatch(1, 0, 5)).count).toBe(100)
      expect((await rows.ofBatch(1, 0, 1)).first[0]?.index).toBe(200)
      expect(await rows.fates(1, passed)).toEqual({ stored: 200, rejected: 0 })
      // The journal is validated again from its start.
      await outcomes.add({ rejected: pushed, items: [] }, 300)
    }
    expect(await rows.keptBytes()).toEqual(
      new Map([[1, (await rows.list(1, everything)).rows.reduce((bytes, row) => bytes + keptTextBytes(row) + 128, 0)]]),
    )
  })

  test('the size of a rejected row includes its field name and message, and is freed with the row', async () => {
    const { rejected: rows, outcomes } = catalog()
    const before = (await rows.keptBytes()).get(1)!
    const long = { ...rejected(1, 600), row: `{"${'x'.repeat(10_000)}":1}`, field: 'x'.repeat(10_000), message: 'no' }
    await outcomes.add({ rejected: [long], items: [] }, 601)
    expect((await rows.keptBytes()).get(1)! - before).toBe(10_006 + 30_000 + 2 + 128)
    await rows.discard(1, [600])
    expect((await rows.keptBytes()).get(1)).toBe(before)
  })

  test('store no row that another replay stored or that was discarded', async () => {
    const { rejected: rows } = catalog()
    expect(await replay(500, { passed: [1, 2] })).toEqual([1, 2])
    await rows.discard(1, [2, 3])
    expect(await replay(501, { passed: [2, 3, 4, 999] })).toEqual([4])
    expect(await replay(500, { passed: [1, 2] })).toEqual([1, 2])
    expect(await rows.discard(1, [1, 2, 3, 4, 5])).toBe(1)
    expect((await positions()).slice(0, 3)).toEqual([0, 6, 7])
    expect(await rows.fates(1, [0, 1, 2, 3, 4, 5, 6, 999])).toEqual({ stored: 3, rejected: 2 })
    expect(await rows.fates(1, [])).toEqual({ stored: 0, rejected: 0 })
    // Whatever happened to the rows since.
    expect(await catalog().outcomes.rejectedIn(1, 1, 7)).toEqual([1, 2, 3, 4, 5, 6])
    expect(await catalog().outcomes.rejectedIn(2, 0, 300)).toEqual([])
    expect(await rows.counts()).toEqual(new Map([[1, 297]]))
  })

  test('store the new reason of rows that still fail', async () => {
    await replay(500, { rejected: [rejected(1, 3, { code: 'wrong_type', field: null, message: 'not so' })] })
    await catalog().rejected.discard(1, [4])
    await replay(501, { rejected: [rejected(1, 4, { code: 'wrong_type' })] })
    const { rows } = await catalog().rejected.list(1, { ...everything, code: 'wrong_type' })
    expect(rows).toEqual([rejected(1, 3, { code: 'wrong_type', field: null, message: 'not so' })])
  })

  test('keep the old reason of rows that were changed for the replay', async () => {
    const { rejected: rows } = catalog()
    const before = (await rows.list(1, { ...everything, positions: [3] })).rows
    await replay(500, { rejected: [{ ...rejected(1, 3, { code: 'wrong_type' }), row: '{"V":1.5}' }] })
    expect((await rows.list(1, { ...everything, positions: [3] })).rows).toEqual(before)
  })

  test('count the size of the new reasons', async () => {
    const { rejected: rows } = catalog()
    const before = (await rows.keptBytes()).get(1)!
    const long = rejected(1, 3, { code: 'unknown_field', field: 'x'.repeat(1000), message: 'y'.repeat(500) })
    const longer = keptTextBytes(long) - keptTextBytes(rejected(1, 3))
    // Rows that are validated twice count once.
    for (let time = 0; time < 2; time++) {
      await replay(500, { rejected: [long] })
      expect((await rows.keptBytes()).get(1)).toBe(before + longer)
    }
    await replay(501, { passed: [3] })
    expect((await rows.keptBytes()).get(1)).toBe(before - keptTextBytes(rejected(1, 3)) - 128)
  })

  test('return rows to the list that they stored and that no longer pass, once', async () => {
    const { rejected: rows } = catalog()
    const before = [await positions(), await rows.counts()]
    const bytesBefore = (await rows.keptBytes()).get(1)!
    await replay(500, { passed: [1, 2, 3] })
    const tooLong = rejected(1, 2, { code: 'wrong_type', message: 'too long by now' })
    for (let time = 0; time < 2; time++) {
      expect(await reported(500, { passed: [1, 3], rejected: [tooLong] })).toEqual({ stored: [1, 3], taken: 0 })
      expect((await positions()).slice(0, 3)).toEqual([0, 2, 4])
      expect((await rows.list(1, { ...everything, positions: [2] })).rows).toEqual([tooLong])
      expect(await rows.fates(1, [1, 2, 3])).toEqual({ stored: 2, rejected: 1 })
      expect(await rows.counts()).toEqual(new Map([[1, 298]]))
    }
    await reported(500, { passed: [], rejected: [rejected(1, 1), rejected(1, 3)] })
    expect([await positions(), await rows.counts()]).toEqual(before)
    const longer = keptTextBytes(tooLong) - keptTextBytes(rejected(1, 2))
    expect((await rows.keptBytes()).get(1)).toBe(bytesBefore + longer)
    // Items, and rows that another replay stored, are not given back.
    await replay(501, { passed: [7, 8] })
    await replay(501, { kind: 'metadata', rejected: [rejected(1, 7)] })
    await replay(502, { rejected: [rejected(1, 8)] })
    expect((await positions()).slice(6, 9)).toEqual([6, 9, 10])
  })

  test('store the items of their rows, unless a newer item exists', async () => {
    const { outcomes, items } = catalog()
    await outcomes.add({ rejected: [], items: [item(1, 'a', 290), item(1, 'b', 2)] }, 300)
    await catalog().rejected.discard(1, [7])
    const replayed = [item(1, 'a', 5), item(1, 'b', 6), item(1, 'c', 7), item(1, 'd', 8)]
    expect(await replay(500, { passed: [5, 6, 7, 8], items: replayed })).toEqual([5, 6, 8])
    const { items: found } = await items.list(1, { from: new Uint8Array(0), to: null }, { itemsMax: 9, bytesMax: 9999 })
    expect(found.map(({ key, attributes }) => [Buffer.from(key).toString(), attributes])).toEqual([
      ['a', 'at:290\n'],
      ['b', 'at:6\n'],
      ['d', 'at:8\n'],
    ])
  })

  test('find rows by their positions, page by page', async () => {
    const chosen = [2, 5, 250, 999]
    const page = await catalog().rejected.list(1, { ...everything, positions: chosen, limit: 2 })
    expect([page.rows.map(({ position }) => position), page.after]).toEqual([[2, 5], 5])
    const rest = await catalog().rejected.list(1, { ...everything, positions: chosen, afterPosition: 5 })
    expect([rest.rows.map(({ position }) => position), rest.after]).toEqual([[250], null])
  })
}
