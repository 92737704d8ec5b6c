import { expect, test } from 'vitest'
import type { ReplayOutcome, SharedCatalog } from '../../src/catalog/catalog.ts'
import { defaultSeriesFields } from '../../src/model/field.ts'
import { everything, rejected } from './lifecycle.ts'

/** Tests of replays of one ingest's rejected rows into another, for every catalog. */
export function replayIntoTests(catalog: () => SharedCatalog): void {
  const made = async (alias: string): Promise<number> => {
    const definition = { kind: 'series', entity: alias, fields: defaultSeriesFields, duplicates: 'keep' } as const
    return (await catalog().ingests.create({ alias, ...definition, createdMs: 1000 })).id
  }
  /** A replay at position 500 of the rows 10 to 15, which get the positions 500 to 505. */
  const outcome = (ingestId: number, into: number, failed: readonly number[] = []): ReplayOutcome => {
    const rows = [10, 11, 12, 13, 14, 15]
    return {
      ...{ ingestId, kind: 'series', position: 500, items: [] },
      passed: rows.filter((row) => !failed.includes(row)),
      rejected: failed.map((row) => rejected(ingestId, row, { message: 'not there either' })),
      into: { ingestId: into, places: new Map(rows.map((row, index) => [row, 500 + index])) },
    }
  }
  const positions = async (ingestId: number): Promise<readonly number[]> =>
    (await catalog().rejected.list(ingestId, everything)).rows.map(({ position }) => position)
  const keepRows = async (ingestId: number): Promise<void> => {
    const rows = [10, 11, 12, 13, 14, 15].map((position) => rejected(ingestId, position))
    await catalog().outcomes.add({ rejected: rows, items: [] }, 300)
  }

  test('a replay into another ingest removes rows from their list once, and gives them positions in the other', async () => {
    const [from, into] = [await made('from'), await made('into')]
    await keepRows(from)
    await catalog().rejected.discard(from, [13])
    for (const taken of [4, 0]) {
      const reported = await catalog().outcomes.replay(outcome(from, into, [11]))
      expect(reported).toEqual({ stored: [500, 502, 504, 505], taken })
      expect(await positions(from)).toEqual([11])
      expect(await catalog().rejected.fates(from, [10, 11, 12, 13, 14, 15])).toEqual({ stored: 4, rejected: 1 })
    }
    // The reason from before, which refers to the fields of its own ingest.
    const { message } = rejected(from, 11)
    expect((await catalog().rejected.list(from, everything)).rows[0]?.message).toBe(message)
    expect(await positions(into)).toEqual([])
    // Another replay of the same rows, requested at the same time.
    const other = { ...outcome(from, into), position: 600 }
    const places = new Map([...outcome(from, into).into!.places].map(([own, place]) => [own, place + 100]))
    const late = await catalog().outcomes.replay({ ...other, into: { ingestId: into, places } })
    expect(late).toEqual({ stored: [601], taken: 1 })
  })

  test('rows replayed into another ingest stay stored when the ingest that rejected them is dropped', async () => {
    const [from, into] = [await made('from'), await made('into')]
    await keepRows(from)
    await catalog().rejected.discard(from, [13])
    await catalog().outcomes.replay(outcome(from, into, [11]))
    const entityId = (await catalog().ingests.find('from'))!.entityId
    await catalog().ingests.delete('from', 'drop', 700)
    const again = () => catalog().outcomes.replay(outcome(from, into, [11]))
    expect(await again()).toEqual({ stored: [500, 502, 504, 505], taken: 0 })
    await catalog().dropped.remove(entityId, new AbortController().signal)
    expect(await again()).toEqual({ stored: [500, 502, 504, 505], taken: 0 })
    await catalog().ingests.delete('into', 'drop', 700)
    expect(await again()).toEqual({ stored: [], taken: 0 })
  })

  test('a replay into a dropped ingest, or from one, removes nothing from the list', async () => {
    const [from, into] = [await made('from'), await made('into')]
    await keepRows(from)
    await catalog().ingests.delete('into', 'drop', 700)
    expect(await catalog().outcomes.replay(outcome(from, into))).toEqual({ stored: [], taken: 0 })
    expect(await positions(from)).toEqual([10, 11, 12, 13, 14, 15])
    const other = await made('other')
    await catalog().ingests.delete('from', 'drop', 700)
    expect(await catalog().outcomes.replay(outcome(from, other))).toEqual({ stored: [], taken: 0 })
  })

  test('rows replayed into another ingest return to the list if they no longer pass', async () => {
    const [from, into] = [await made('from'), await made('into')]
    await keepRows(from)
    await catalog().outcomes.replay(outcome(from, into))
    for (let time = 0; time < 2; time++) {
      const reported = await catalog().outcomes.replay(outcome(from, into, [12]))
      expect(reported).toEqual({ stored: [500, 501, 503, 504, 505], taken: 0 })
      expect(await positions(from)).toEqual([12])
    }
  })
}
