// Rows that are rejected before a deletion and replayed after it count as pushed before it.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { callOk, makeIngest } from '../support/api.ts'
import { type RunningService, runService } from '../support/running-service.ts'
import { adminKey } from '../support/server-process.ts'

interface Replayed {
  readonly stored: number
  readonly rejected: number
}

let service: RunningService
const admin = { key: adminKey }
const fields = [
  { name: 'D', type: 'timestamp', role: 'time' },
  { name: 'T', type: 'string', role: 'tag' },
  { name: 'V', type: 'double', role: 'metric' },
  { name: 'W', type: 'double', role: 'metric' },
]
const at = (hour: number): string => new Date(Date.UTC(2026, 0, 1, hour)).toISOString()

beforeAll(async () => {
  service = await runService({ 'store.headAgeMs': '50' })
})
afterAll(() => service?.close())

/** An entity with an ingest that rejects rows with a note, until the field is added. */
async function made(alias: string, duplicates: 'keep' | 'replace' = 'keep') {
  const key = await makeIngest(service.url, adminKey, { alias, fields, duplicates })
  const path = `/admin/entities/${alias}/deletions`
  const rejected = `/admin/ingests/${alias}/rejected`
  return {
    push: (rows: readonly object[]) =>
      callOk(service.url, 'POST', `/ingests/${alias}/data?wait=true`, { key, body: rows }),
    addNote: () =>
      callOk(service.url, 'PATCH', `/admin/ingests/${alias}`, {
        ...admin,
        body: { add_fields: [{ name: 'note', type: 'string', role: 'dimension' }] },
      }),
    remove: async (body: object): Promise<number> => {
      const asked = { ...admin, body: { reason: 'wrong', ...body } }
      return (await callOk<{ id: number }>(service.url, 'POST', path, asked)).id
    },
    takeBack: (id: number) => callOk(service.url, 'DELETE', `${path}/${id}`, admin),
    replay: (body: object = {}) => callOk<Replayed>(service.url, 'POST', `${rejected}/replay`, { ...admin, body }),
    rejected: async () => {
      const { Items } = await callOk<{ Items: { code: string; message: string }[] }>(
        service.url,
        'GET',
        rejected,
        admin,
      )
      return Items
    },
    items: async () => {
      const body = { entity: alias }
      const items = await callOk<Record<string, unknown>[]>(service.url, 'POST', '/consumer/data/select', { body })
      return items.map(({ D, T, V, W }) => [new Date(String(D)).getUTCHours(), T, V, W])
    },
  }
}

const noted = (hour: number, T: string, values: object) => ({ D: at(hour), T, ...values, note: 'x' })

test.each<[name: string, body: object, seen: readonly unknown[][]]>([
  ['ids', { ids: ['a'] }, [[2, 'b', 2, 20]]],
  ['prefixes and dates', { prefixes: ['a'], end_date: at(1) }, [[2, 'b', 2, 20]]],
  ['dates', { start_date: at(2) }, [[1, 'a', 1, 10]]],
  ['a condition', { where: { metric: 'W', op: '>', value: 10 } }, [[1, 'a', 1, 10]]],
  ['metrics', { ids: ['a'], metrics: ['V'] }, [[2, 'b', 2, 20]]],
  [
    'nothing of them',
    { ids: ['c'] },
    [
      [1, 'a', 1, 10],
      [2, 'b', 2, 20],
    ],
  ],
])(
  'a row that a deletion selects is not stored by a replay until the deletion is undone: %s',
  async (name, body, seen) => {
    const entity = await made(name.replaceAll(' ', '_'))
    await entity.push([noted(1, 'a', { V: 1, W: 10 }), noted(2, 'b', { V: 2, W: 20 })])
    const id = await entity.remove(body)
    await entity.addNote()
    expect(await entity.replay()).toMatchObject({ stored: seen.length, rejected: 2 - seen.length })
    service = await service.restart()
    expect(await entity.items()).toEqual(seen)
    const codes = (await entity.rejected()).map(({ code }) => code)
    expect(codes).toEqual(Array(2 - seen.length).fill('row_deleted'))
    await entity.takeBack(id)
    expect(await entity.replay()).toMatchObject({ stored: 2 - seen.length })
    expect(await entity.items()).toEqual([
      [1, 'a', 1, 10],
      [2, 'b', 2, 20],
    ])
  },
)

test('a row without the deleted metrics is stored', async () => {
  const entity = await made('without')
  await entity.push([noted(1, 'a', { V: 1, W: 10 })])
  await entity.remove({ ids: ['a'], metrics: ['V'] })
  expect(await entity.replay({ drop: ['note'] })).toMatchObject({ stored: 0 })
  expect(await entity.replay({ drop: ['note', 'V'] })).toMatchObject({ stored: 1 })
  expect(await entity.items()).toEqual([[1, 'a', null, 10]])
})

test('a row that was rejected after the deletion is stored', async () => {
  const entity = await made('later')
  await entity.remove({ ids: ['a'] })
  await entity.push([noted(1, 'a', { V: 1, W: 10 })])
  await entity.addNote()
  expect(await entity.replay()).toMatchObject({ stored: 1, rejected: 0 })
  expect(await entity.items()).toEqual([[1, 'a', 1, 10]])
})

describe('with `duplicates: replace`', () => {
  test('a row is selected by the values of its item, or by its own if there is no item', async () => {
    const entity = await made('items', 'replace')
    await entity.push([
      { D: at(1), T: 'a', V: 100, W: 1 },
      { D: at(2), T: 'a', V: 1, W: 1 },
    ])
    await entity.push([
      noted(1, 'a', { W: 5 }),
      noted(2, 'a', { W: 5 }),
      noted(3, 'a', { V: 100 }),
      noted(4, 'a', { V: 4 }),
    ])
    const id = await entity.remove({ where: { metric: 'V', op: '>', value: 50 } })
    await entity.addNote()
    expect(await entity.replay()).toMatchObject({ stored: 2, rejected: 2 })
    expect(await entity.items()).toEqual([
      [2, 'a', 1, 5],
      [4, 'a', 4, null],
    ])
    await entity.takeBack(id)
    expect(await entity.replay()).toMatchObject({ stored: 2, rejected: 0 })
    expect(await entity.items()).toEqual([
      [1, 'a', 100, 5],
      [2, 'a', 1, 5],
      [3, 'a', 100, null],
      [4, 'a', 4, null],
    ])
  })
})

test('a replay into another ingest applies the deletions of the entity of that ingest', async () => {
  const [from, into] = [await made('source'), await made('target')]
  await from.push([noted(1, 'a', { V: 1, W: 10 }), noted(1, 'b', { V: 1, W: 10 })])
  await into.remove({ ids: ['a'] })
  expect(await from.replay({ into: 'target', drop: ['note'] })).toMatchObject({ stored: 1, rejected: 1 })
  expect(await into.items()).toEqual([[1, 'b', 1, 10]])
})
