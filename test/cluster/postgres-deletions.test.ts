import { afterAll, beforeAll, expect, test } from 'vitest'
import type { ClusterCatalog } from '../../src/catalog/cluster-catalog.ts'
import { testSchema } from './postgres-schemas.ts'

const schema = testSchema()
let catalog: ClusterCatalog
beforeAll(async () => {
  catalog = await schema.open()
})
afterAll(async () => {
  await catalog.close()
  await schema.remove()
})

test("the next deletion of any entity removes expired entries of other processes' unfinished deletions", async () => {
  const { deletions } = catalog
  const underWay = async (): Promise<unknown> =>
    schema.query('select entity_id, name from deletions_under_way order by 1')
  expect(await deletions.begin({ entityId: 1, name: 'gone' }, -1000)).toBe(true)
  expect(await deletions.begin({ entityId: 2, name: 'there' }, 60_000)).toBe(true)
  expect(await deletions.begin({ entityId: 2, name: 'another' }, 60_000)).toBe(false)
  expect(await underWay()).toEqual([{ entity_id: '2', name: 'there' }])
})

test('a deletion cannot be undone while hours are made without its rows, and can be afterwards', async () => {
  const { deletions, ingests } = catalog
  const { entityId } = await ingests.create({
    ...{ alias: 'h', kind: 'series', entity: null, duplicates: 'keep', unknown: 'reject', createdMs: 0 },
    fields: [
      { name: 'D', source: 'D', type: 'timestamp', role: 'time' },
      { name: 'T', source: 'T', type: 'string', role: 'tag' },
      { name: 'V', source: 'V', type: 'double', role: 'metric' },
    ],
  } as Parameters<typeof ingests.create>[0])
  const told = async () => {
    const underWay = { entityId, name: 'told' }
    await deletions.begin(underWay, 60_000)
    return { underWay, places: [0], madeMs: 0, forgetBeforeMs: 0 }
  }
  const everything = { tag: 'T', ids: null, prefixes: null, fromMs: 10, toMs: 20, metrics: null, where: null }
  const asked = { entityId, selection: everything, reason: '', subscriber: 's', createdMs: 0, position: 0, rows: 0 }
  const hidden = { pushed: [{ from: 0, before: 5 }], items: null }
  const made = await deletions.create(asked, hidden, { deletionsMax: 9, itemsMax: 9 }, await told())
  expect((await deletions.hidden()).get(entityId)).toEqual([{ id: made.id, selection: everything, ...hidden }])
  const entity = async () => (await ingests.entities()).find(({ id }) => id === entityId)!
  const making = {
    untilMs: 15,
    pushed: hidden.pushed,
    deletionId: made.id,
    startedMs: 1,
    rows: null,
    isRemoving: false,
  }
  const begun = { goneMs: 0, madeMs: 0, making }
  for (const known of [begun, { ...begun, madeMs: 15 }]) {
    const hours = { retention: null, sinceMs: null, made: known }
    expect(await ingests.retain(entityId, { retention: 'P1D', sinceMs: 15, hours }, await entity())).toBe(true)
    expect((await entity()).hours).toEqual(hours)
    const taken = deletions.takeBack(made.id, await told())
    if (known === begun) await expect(taken).rejects.toMatchObject({ code: 'unavailable' })
    else expect(await taken).toBe(true)
    await deletions.end({ entityId, name: 'told' })
  }
})
