// Notices of deletions to live readers.
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { restoreBackup } from '../../src/admin/restore.ts'
import { type LiveEvent, Tidemark } from '../../src/client/tidemark.ts'
import { nodeDisk } from '../../src/lib/node-disk.ts'
import { callOk, makeIngest } from '../support/api.ts'
import { LiveReader } from '../support/live-reader.ts'
import { embedded } from '../support/replica-world.ts'
import { type RunningService, runService } from '../support/running-service.ts'
import { inScratchFolder } from '../support/scratch-folder.ts'
import { adminKey } from '../support/server-process.ts'

let service: RunningService
const admin = { key: adminKey }
const at = (second: number): string => new Date(Date.UTC(2026, 0, 1, 0, 0, second)).toISOString()
const fields = [
  { name: 'D', type: 'timestamp', role: 'time' },
  { name: 'T', type: 'string', role: 'tag' },
  { name: 'V', type: 'double', role: 'metric' },
  { name: 'W', type: 'double', role: 'metric' },
]

beforeAll(async () => {
  service = await runService()
})
afterAll(() => service?.close())

async function made(alias: string) {
  const key = await makeIngest(service.url, adminKey, { alias, fields })
  const path = `/admin/entities/${alias}/deletions`
  return {
    push: (rows: readonly object[]) =>
      callOk(service.url, 'POST', `/ingests/${alias}/data?wait=true`, { key, body: rows }),
    remove: (body: object) =>
      callOk<{ id: number; selection: object }>(service.url, 'POST', path, {
        ...admin,
        body: { reason: 'wrong', ...body },
      }),
    takeBack: (id: number) => callOk(service.url, 'DELETE', `${path}/${id}`, admin),
  }
}

test('a live reader gets each deletion once and in order, whatever its filter, also across a restart', async () => {
  const plant = await made('plant')
  const stop = new AbortController()
  const url = () => service.url
  let heads = 0
  const throughProxy: typeof fetch = async (input, init) => {
    const response = await fetch(String(input).replace('http://service', url()), init)
    heads++
    return response
  }
  const client = new Tidemark({ url: 'http://service', fetch: throughProxy })
  const events: LiveEvent<{ V: number }>[] = []
  const stream = client.live<{ V: number }>({ entity: 'plant', ids: ['a'] }, { signal: stop.signal })
  const following = (async () => {
    for await (const one of stream) events.push(one)
  })()
  const told = () =>
    events.map((one) => {
      if (one.event === 'rows') return one.items.map(({ V }) => V)
      return one.event === 'deleted' ? [one.deletion.id, one.deletion.undone] : one.event
    })
  // A reader receives what becomes queryable after the head of the response.
  await expect.poll(() => heads, { timeout: 60_000 }).toBe(1)
  await plant.push([{ D: at(1), T: 'a', V: 1 }])
  const { id, selection } = await plant.remove({ ids: ['b'] })
  await plant.push([{ D: at(2), T: 'a', V: 2 }])
  service = await service.restart()
  await plant.takeBack(id)
  await plant.push([{ D: at(3), T: 'a', V: 3 }])
  await expect.poll(told, { timeout: 60_000 }).toEqual([[1], [id, false], [2], [id, true], [3]])
  expect(events[1]).toMatchObject({ deletion: { id, selection } })
  stop.abort()
  await following
})

test('a resumed reader gets no rows deleted meanwhile, and null for their deleted metrics', async () => {
  const plant = await made('meanwhile')
  const reader = new LiveReader()
  await reader.connect(service.url, 'entity=meanwhile')
  await reader.cut()
  await plant.push(['a', 'b', 'c'].map((T) => ({ D: at(1), T, V: 1, W: T === 'c' ? null : 2 })))
  await plant.remove({ ids: ['a'] })
  await plant.remove({ metrics: ['V'], start_date: at(1) })
  await plant.push([{ D: at(1), T: 'a', V: 3 }])
  await reader.connect(service.url, 'entity=meanwhile')
  const later = { D: at(1), T: 'a', V: 3, W: null }
  await expect.poll(() => reader.rows, { timeout: 60_000 }).toEqual([{ D: at(1), T: 'b', V: null, W: 2 }, later])
  expect(reader.receivedEvents.map(([event]) => event)).toEqual(['row', 'deleted', 'deleted', 'row'])
  // A reader that resumes after them does not receive them again.
  await reader.connect(service.url, 'entity=meanwhile')
  await plant.push([{ D: at(2), T: 'a', V: 4 }])
  await expect.poll(() => reader.rows.length, { timeout: 60_000 }).toBe(3)
  expect(reader.receivedEvents.length).toBe(5)
  await reader.cut()
})

test('after a restore from a backup, an event id from after the backup resets the stream', { timeout: 60_000 }, () =>
  inScratchFolder('tidemark-live-', async (directory) => {
    const plant = await made('kept')
    await plant.push([{ D: at(1), T: 'a', V: 1 }])
    const { path } = await callOk<{ path: string }>(service.url, 'POST', '/admin/backups', admin)
    const reader = new LiveReader()
    await reader.connect(service.url, 'entity=kept')
    await plant.remove({ ids: ['a'] })
    await expect.poll(() => reader.receivedEvents.length, { timeout: 60_000 }).toBe(1)
    await reader.cut()
    const data = join(directory, 'restored')
    await restoreBackup({ backup: path, data }, { disk: nodeDisk, reach: () => undefined })
    const restored = await runService({}, { ...embedded, dataDirectory: data })
    try {
      await reader.connect(restored.url, 'entity=kept')
      expect(reader.events).toEqual(['reset'])
    } finally {
      await reader.cut()
      await restored.close()
    }
  }),
)
