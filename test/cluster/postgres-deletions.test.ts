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

test('what a process left under way is forgotten with the next deletion of any entity: its own may be dropped', async () => {
  const { deletions } = catalog
  const underWay = async (): Promise<unknown> =>
    schema.query('select entity_id, name from deletions_under_way order by 1')
  expect(await deletions.begin({ entityId: 1, name: 'gone' }, -1000)).toBe(true)
  expect(await deletions.begin({ entityId: 2, name: 'there' }, 60_000)).toBe(true)
  expect(await deletions.begin({ entityId: 2, name: 'another' }, 60_000)).toBe(false)
  expect(await underWay()).toEqual([{ entity_id: '2', name: 'there' }])
})
