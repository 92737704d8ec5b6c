// Several processes on one database: here, each is represented by a catalog with its own connections.
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { NewIngest } from '../../src/catalog/catalog.ts'
import type { ClusterCatalog } from '../../src/catalog/cluster-catalog.ts'
import type { RejectedRow } from '../../src/catalog/rejected.ts'
import { defaultSeriesFields, type Field } from '../../src/model/field.ts'
import { allKeys, keyOfString } from '../../src/model/item-key.ts'
import { testSchema } from './postgres-schemas.ts'

const schema = testSchema()
let catalogs: readonly ClusterCatalog[] = []

beforeEach(async () => {
  // All find the schema empty and try to create its tables.
  catalogs = await Promise.all([schema.open(), schema.open(), schema.open()])
})
afterEach(async () => {
  await Promise.all(catalogs.map((catalog) => catalog.close()))
  await schema.remove()
})

const series = (alias: string): NewIngest => ({
  alias,
  kind: 'series',
  entity: alias,
  fields: defaultSeriesFields,
  duplicates: 'keep',
  createdMs: 1,
})

const rejected = (position: number, ingestId = 1): RejectedRow => ({
  ingestId,
  position,
  batchPosition: position,
  batchRows: 1,
  subscriberId: 1,
  index: 0,
  row: `{"V":${'9'.repeat(position % 50)}}`,
  field: null,
  code: 'wrong_type',
  message: 'not a number',
  receivedMs: 1,
})

const item = (name: string, position: number, entityId = 1) => ({
  entityId,
  key: keyOfString(name),
  position,
  attributes: `p:${position}\n`,
})

const range = (count: number): readonly number[] => Array.from({ length: count }, (_, index) => index)
const any = (index: number): ClusterCatalog => catalogs[index % catalogs.length]!
const everything = { afterPosition: -1, limit: 10_000, bytesMax: 100_000_000 }
const unbounded = { itemsMax: 10_000, bytesMax: 100_000_000 }

test('when many processes create the same alias or name, one succeeds and the others get a conflict', async () => {
  const outcomes = await Promise.allSettled([
    ...range(9).map((index) => any(index).ingests.create(series('a'))),
    ...range(9).map((index) => any(index).access.createSubscriber('x', 1)),
  ])
  const codes = outcomes.map((outcome) => (outcome.status === 'rejected' ? outcome.reason.code : 'made'))
  expect(codes.toSorted()).toEqual([...range(16).map(() => 'conflict'), 'made', 'made'])
})

test('fields added concurrently are all stored, and each version stays as it was returned', async () => {
  const { id } = await any(0).ingests.create(series('a'))
  const changed = await Promise.all(
    range(12).map((index) => {
      const field: Field = { name: `F${index}`, source: `F${index}`, type: 'long', role: 'metric' }
      return any(index).ingests.change('a', { addFields: [field] })
    }),
  )
  expect(changed.map((ingest) => ingest?.fieldsVersion).toSorted((a, b) => a! - b!)).toEqual(
    range(12).map((n) => n + 2),
  )
  for (const ingest of changed) expect(await any(1).ingests.findVersion(id, ingest!.fieldsVersion)).toEqual(ingest)
  const [entity] = await any(2).ingests.entities()
  expect(new Set(entity!.fields.map(({ name }) => name)).size).toBe(15)
})

test('counts of rejected rows are right when rows are added, discarded and replayed concurrently', async () => {
  const keep = (rows: readonly RejectedRow[], index: number) =>
    any(index).outcomes.add({ rejected: rows, items: [] }, 0)
  await keep(
    range(300).map((position) => rejected(position)),
    0,
  )
  const discarded: number[] = []
  const stored: number[] = []
  await Promise.all([
    // In opposite orders of the ingests, with some rows twice.
    ...range(10).map((n) => keep([rejected(300 + n), rejected(n, 2), rejected(5, 1)], n)),
    ...range(10).map((n) => keep([rejected(n, 2), rejected(400 + n), rejected(7, 2)].reverse(), n)),
    ...range(6).map(async (n) => {
      discarded.push(await any(n).rejected.discard(1, range(100)))
    }),
    ...range(6).map(async (n) => {
      const outcome = {
        ingestId: 1,
        kind: 'series' as const,
        position: 5000 + n,
        passed: range(120).map((at) => at + 60),
        items: [],
        rejected: [],
      }
      stored.push((await any(n).outcomes.replay(outcome)).stored.length)
    }),
  ])
  const sum = (numbers: readonly number[]) => numbers.reduce((total, number) => total + number, 0)
  const { rows } = await any(0).rejected.list(1, everything)
  expect(rows.length + sum(discarded) + sum(stored)).toBe(320)
  expect(sum(discarded) + sum(stored)).toBe(180)
  expect(await any(1).rejected.counts()).toEqual(
    new Map([
      [1, 320 - sum(stored)],
      [2, 10],
    ]),
  )
  const bytes = sum(rows.map(({ row, message }) => row.length + message.length + 128))
  expect((await any(2).rejected.keptBytes()).get(1)).toBe(bytes)
})

test('concurrent writes and deletions of items keep counts right and the newest version of each item', async () => {
  const names = range(40).map((n) => `i${n}`)
  await any(0).outcomes.add({ rejected: [], items: names.map((name, n) => item(name, n)) }, 0)
  await Promise.all([
    ...range(12).map((n) =>
      any(n).outcomes.add(
        { rejected: [], items: (n % 2 === 0 ? names : names.toReversed()).map((name) => item(name, 100 + n)) },
        0,
      ),
    ),
    ...names.map((name, n) => any(n).items.delete(1, keyOfString(name), 100)),
  ])
  const { items } = await any(1).items.list(1, allKeys, unbounded)
  expect(items.map(({ attributes }) => attributes)).toEqual(names.map(() => 'p:111\n'))
  expect(await any(2).items.counts()).toEqual(new Map([[1, 40]]))
})

test('an entity that waits for slots keeps its first time, and is removed when it no longer waits', async () => {
  expect(await any(0).slotWaits.put([3, 1], 10)).toBe(true)
  expect(await any(1).slotWaits.put([1, 3], 20)).toBe(false)
  await Promise.all([any(0).slotWaits.put([1, 2, 3], 30), any(1).slotWaits.put([3, 2, 1], 30)])
  expect(await any(2).slotWaits.list()).toEqual(
    new Map([
      [1, 10],
      [2, 30],
      [3, 10],
    ]),
  )
  expect(await any(2).slotWaits.put([2], 40)).toBe(true)
  expect(await any(0).slotWaits.list()).toEqual(new Map([[2, 30]]))
  expect(await any(0).slotWaits.put([], 50)).toBe(true)
  expect(await any(0).slotWaits.list()).toEqual(new Map())
})

test('changes that deadlock are retried', async () => {
  // Each writes first the row that the other one writes last.
  const rows = range(400).map((position) => rejected(position))
  const keep = (n: number, kept: readonly RejectedRow[]) => any(n).outcomes.add({ rejected: kept, items: [] }, 0)
  await Promise.all([keep(0, rows), keep(1, rows.toReversed())])
  expect(await any(2).rejected.counts()).toEqual(new Map([[1, 400]]))
})

test('no row or item of a dropped entity remains, however writes and the drop interleave', async () => {
  for (const round of range(8)) {
    const { id, entityId } = await any(0).ingests.create(series(`e${round}`))
    const keeping = range(6).map((n) =>
      any(n).outcomes.add({ rejected: [rejected(n, id)], items: [item(`i${n}`, n, entityId)] }, 0),
    )
    const dropping = any(round).ingests.delete(`e${round}`, 'drop', 5)
    const removing = dropping.then(() => any(round + 1).dropped.remove(entityId, new AbortController().signal))
    await Promise.all([...keeping, removing])
    expect((await any(0).rejected.list(id, everything)).rows).toEqual([])
    expect((await any(0).items.list(entityId, allKeys, unbounded)).items).toEqual([])
  }
})

test('each process is notified of changes by others, also after its connection was cut', async () => {
  const heard: [string, number][] = []
  const waiting = new Set<() => void>()
  const note = (name: string, value: number): void => {
    heard.push([name, value])
    for (const look of waiting) look()
  }
  const until = (name: string, least: number) =>
    new Promise<void>((resolve) => {
      const look = (): void => {
        if (!heard.some(([each, value]) => each === name && value >= least)) return
        waiting.delete(look)
        resolve()
      }
      waiting.add(look)
      look()
    })
  any(0).changes.listen({
    definitions: (version) => note('definitions', version),
    access: (version) => note('access', version),
    partitions: (partitions) => note('partitions', partitions[0]?.processedPosition ?? 0),
  })
  await until('definitions', 0)
  await any(1).ingests.create(series('a'))
  await any(1).access.createSubscriber('x', 1)
  await any(1).partitions.processed(0, 7)
  await Promise.all([until('definitions', 1), until('access', 1), until('partitions', 7)])
  await schema.query(
    `select pg_terminate_backend(pid) from pg_stat_activity where query like 'listen%' or query like 'select * from partitions%'`,
  )
  await any(1).ingests.create(series('b'))
  await until('definitions', 2)
})

describe('a query that another process runs', () => {
  const query = { id: 'q', readerId: 'subscriber 1' }
  const quiet = { definitions: () => undefined, access: () => undefined, partitions: () => undefined }
  const away = expect.objectContaining({ code: 'unavailable' })

  /** Starts to listen at each catalog; `runs` states whether it runs `query`. Resolves with the list of cancel requests that catalogs receive. */
  async function running(...runs: readonly boolean[]): Promise<string[]> {
    const canceled: string[] = []
    for (const [index, runsIt] of runs.entries()) {
      const { changes, cancelsElsewhere } = any(index)
      cancelsElsewhere.listen(({ id, readerId }) => {
        canceled.push(`${index} ${id} ${readerId}`)
        return runsIt
      })
      changes.listen(quiet)
    }
    for (const index of runs.keys()) await heard(index)
    canceled.length = 0
    return canceled
  }

  /** Waits until the catalog can send a cancel request and all others have received it. */
  async function heard(index: number): Promise<void> {
    await expect
      .poll(() => any(index).cancelsElsewhere.cancel(query).catch(String), { timeout: 60_000 })
      .toBeTypeOf('boolean')
  }

  test('is canceled by that process alone', async () => {
    const canceled = await running(false, true, false)
    expect(await any(0).cancelsElsewhere.cancel(query)).toBe(true)
    await expect.poll(() => canceled.toSorted()).toEqual(['1 q subscriber 1', '2 q subscriber 1'])
    // It does not ask itself.
    expect(await any(1).cancelsElsewhere.cancel(query)).toBe(false)
  })

  test('many cancellations run concurrently, and foreign notifications are ignored', async () => {
    await running(true, true, true)
    await schema.query(
      `select pg_notify('tidemark.${schema.name}.cancels', text) from unnest(array['', 'x', '{"ask":1}', '[]', 'null']) as text`,
    )
    const ask = (n: number) => any(n).cancelsElsewhere.cancel({ ...query, id: `q${n}` })
    expect(await Promise.all(range(150).map(ask))).toEqual(range(150).map(() => true))
    const tooMany = await Promise.allSettled(range(65).map(() => any(0).cancelsElsewhere.cancel(query)))
    expect(tooMany.filter(({ status }) => status === 'rejected')).toEqual([
      { status: 'rejected', reason: expect.objectContaining({ code: 'overloaded' }) },
    ])
  })

  test('a cancellation does not wait for processes that ended, and reports an unavailable database', async () => {
    await expect(any(0).cancelsElsewhere.cancel(query)).rejects.toEqual(away)
    await running(false, false, false)
    const asked = any(0).cancelsElsewhere.cancel(query)
    const leaving = any(2)
    catalogs = catalogs.slice(0, 2)
    await leaving.close()
    expect(await asked).toBe(false)
    await schema.query(
      `select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'tidemark.${schema.name}.cancels'`,
    )
    await heard(0)
    await heard(1)
    expect(await any(0).cancelsElsewhere.cancel(query)).toBe(false)
  })
})
