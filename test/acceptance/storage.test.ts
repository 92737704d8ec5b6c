// The disk space of each entity, as reported to the operator.
import { expect, test } from 'vitest'
import { call, callOk, makeIngest } from '../support/api.ts'
import { newClusterName, onCluster, publishRows } from '../support/cluster-under-test.ts'
import { runService } from '../support/running-service.ts'
import { adminKey } from '../support/server-process.ts'

interface Held {
  readonly entity: string
  readonly files: number
  readonly rows: number | null
  readonly bytes: number
  readonly first_date: string | null
  readonly last_date: string | null
}

test('reports files, rows and bytes by entity to keys with the right to observe', { timeout: 240_000 }, async () => {
  const clusterName = newClusterName()
  const service = await runService(onCluster ? {} : { 'store.headAgeMs': '50' }, { clusterName })
  const storage = async (key = adminKey): Promise<readonly Held[]> =>
    (await callOk<{ Items: readonly Held[] }>(service.url, 'GET', '/admin/storage', { key })).Items
  const key = await makeIngest(service.url, adminKey, { alias: 'plant' })
  await makeIngest(service.url, adminKey, { alias: 'empty' })
  const none = { entity: 'empty', files: 0, rows: 0, bytes: 0, first_date: null, last_date: null }
  const body = [
    { D: '2026-01-01T08:00:00Z', T: 'a', V: 1 },
    { D: '2026-01-02T09:30:00Z', T: 'b', V: 2 },
    { D: '2026-01-02T09:31:00Z', T: 'b', V: 'bad' },
  ]
  await callOk(service.url, 'POST', '/ingests/plant/data?wait=true', { key, body })
  if (onCluster) await publishRows(clusterName)
  await expect
    .poll(async () => (await storage())[1]?.last_date?.slice(0, 10), { timeout: 120_000, interval: 200 })
    .toBe(onCluster ? '2026-01-03' : '2026-01-02')
  const [empty, plant] = await storage()
  expect(empty).toEqual(none)
  const dates = onCluster
    ? { first_date: '2026-01-01T00:00:00.000Z', last_date: '2026-01-03T00:00:00.000Z' }
    : { first_date: '2026-01-01T08:00:00.000Z', last_date: '2026-01-02T09:30:00.000Z' }
  expect(plant).toMatchObject({ entity: 'plant', rows: onCluster ? null : 2, ...dates })
  expect(plant!.files).toBeGreaterThan(0)
  expect(plant!.bytes).toBeGreaterThan(100)
  const made = { key: adminKey, body: { rights: ['observe'] } }
  const path = '/admin/subscribers/pusher-of-plant/keys'
  const observer = (await callOk<{ key: string }>(service.url, 'POST', path, made)).key
  expect(await storage(observer)).toEqual([empty, plant])
  expect((await call(service.url, 'GET', '/admin/storage', { key })).status).toBe(403)
  expect((await call(service.url, 'GET', '/admin/storage?limit=1', { key: observer })).body).toMatchObject({
    Items: [none],
    NextToken: expect.any(String),
  })
  await service.close()
})
