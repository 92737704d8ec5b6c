// Open ingests through the whole service: rows add fields, the first row decides their types, and restarts and replays change nothing.
import { afterAll, expect, test } from 'vitest'
import { call, callOk, makeIngest } from '../support/api.ts'
import { seededRandom } from '../support/random.ts'
import { type RunningService, runService } from '../support/running-service.ts'
import { adminKey } from '../support/server-process.ts'

const fieldsMax = 12
let service: RunningService = await runService({ 'limits.fields': String(fieldsMax) })
afterAll(() => service.close())

interface Receipt {
  readonly stored: number
  readonly rejected: number
  readonly errors: readonly { readonly index: number; readonly code: string; readonly field: string | null }[]
}
interface Shown {
  readonly unknown: string
  readonly fields: readonly {
    readonly name: string
    readonly type: string
    readonly role: string
    readonly added?: string
  }[]
}

const time = '2026-01-01T00:00:00.000Z'
const push = (key: string, ingest: string, rows: readonly object[]): Promise<Receipt> =>
  callOk(service.url, 'POST', `/ingests/${ingest}/data?wait=true`, { key, body: rows })
const show = (ingest: string): Promise<Shown> =>
  callOk(service.url, 'GET', `/admin/ingests/${ingest}`, { key: adminKey })
const addedOf = async (ingest: string): Promise<readonly string[]> =>
  (await show(ingest)).fields
    .filter(({ added }) => added === 'by_row')
    .map((one) => `${one.name} ${one.type} ${one.role}`)
const rowsOf = (entity: string): Promise<readonly object[]> =>
  callOk(service.url, 'POST', '/consumer/data/select', { key: adminKey, body: { entity } })
const openUp = (alias: string, unknown: string) =>
  call(service.url, 'PATCH', `/admin/ingests/${alias}`, { key: adminKey, body: { unknown } })

test('a row adds fields, and is immediately queryable with them', async () => {
  const key = await makeIngest(service.url, adminKey, { alias: 'open', ...{ unknown: 'add' } })
  const row = { D: time, T: 'a', V: 1 }
  const first = await push(key, 'open', [
    row,
    { ...row, T: 'b', load: 2, unit: 'C', on: true, none: null },
    { ...row, T: 'c', load: 'x' },
    { ...row, T: 'd', deep: { x: 1 } },
    { ...row, T: 'e', 'not a name': 1 },
    { D: time, other: 1 },
    { ...row, T: 'f', none: 3 },
  ])
  expect(first).toMatchObject({
    stored: 3,
    rejected: 4,
    errors: [
      { index: 2, code: 'wrong_type', field: 'load' },
      { index: 3, code: 'unknown_field', field: 'deep' },
      { index: 4, code: 'unknown_field', field: 'not a name' },
      { index: 5, code: 'missing_tag', field: 'T' },
    ],
  })
  expect(await addedOf('open')).toEqual([
    'load double metric',
    'unit string dimension',
    'on boolean metric',
    'none double metric',
  ])
  const asked = { entity: 'open', ids: ['b'], fields: ['unit'], metric_name_field: ['load', 'on'] }
  expect(await callOk(service.url, 'POST', '/consumer/data/select', { key: adminKey, body: asked })).toEqual([
    { D: time, T: 'b', unit: 'C', load: 2, on: true },
  ])
  expect(await callOk(service.url, 'GET', '/ingests/open', { key })).toMatchObject({ unknown: 'add' })
})

test('an integer of a line adds a long; a field beyond limits.fields is rejected by name', async () => {
  const key = await makeIngest(service.url, adminKey, { alias: 'lines', ...{ unknown: 'add' } })
  const headers = { authorization: `Token ${key}` }
  const fields = Array.from({ length: fieldsMax }, (_, index) => `f${index}=1`).join()
  const body = `m,T=a n=1i,x=1 0\n${fields.replaceAll(/f\d+=1/g, (text) => `m,T=b ${text} 1`).replaceAll(',m', '\nm')}`
  expect((await fetch(`${service.url}/write?db=lines&precision=s`, { method: 'POST', headers, body })).status).toBe(204)
  const row = await push(key, 'lines', [{ D: time, T: 'c' }])
  expect(row).toMatchObject({ stored: 1 })
  expect((await show('lines')).fields).toHaveLength(fieldsMax)
  expect(await addedOf('lines')).toEqual([
    'measurement string dimension',
    'n long metric',
    'x double metric',
    ...[0, 1, 2, 3, 4, 5].map((index) => `f${index} double metric`),
  ])
  const { Items } = await callOk<{ Items: object[] }>(service.url, 'GET', '/admin/ingests/lines/rejected', {
    key: adminKey,
  })
  expect(Items[0]).toMatchObject({ code: 'too_many_fields', field: 'f6' })
  expect(Items).toHaveLength(fieldsMax - 6)
})

test('an ingest can be opened and closed; replayed rows add their fields while it is open', async () => {
  const key = await makeIngest(service.url, adminKey, { alias: 'later' })
  const row = { D: time, T: 'a', V: 1, load: 5 }
  expect(await push(key, 'later', [row])).toMatchObject({ rejected: 1 })
  expect((await openUp('later', 'add')).status).toBe(200)
  const replayed = await callOk(service.url, 'POST', '/admin/ingests/later/rejected/replay', {
    key: adminKey,
    body: {},
  })
  expect(replayed).toEqual({ replayed: 1, stored: 1, rejected: 0 })
  expect(await addedOf('later')).toEqual(['load double metric'])
  expect((await openUp('later', 'reject')).status).toBe(200)
  expect(await push(key, 'later', [row, { ...row, more: 1 }])).toMatchObject({ stored: 1, rejected: 1 })
  expect((await openUp('later', 'other')).status).toBe(400)
  const tanks = {
    alias: 'x',
    kind: 'metadata',
    unknown: 'add',
    fields: [{ name: 'id', type: 'string', role: 'index' }],
  }
  expect((await call(service.url, 'POST', '/admin/ingests', { key: adminKey, body: tanks })).status).toBe(400)
})

test('random rows, restarts and replays result in the fields and rows of the model', async () => {
  const random = seededRandom(Number(process.env['TIDEMARK_TEST_SEED'] ?? Date.now()))
  const pick = <T>(list: readonly T[]): T => list[random.below(list.length)]!
  let key = await makeIngest(service.url, adminKey, { alias: 'random', ...{ unknown: 'add' } })
  const known = new Map<string, string>()
  const kept: string[] = []
  const typeOf = (value: unknown): string =>
    typeof value === 'number' ? 'double metric' : typeof value === 'string' ? 'string dimension' : 'boolean metric'
  for (let round = 0; round < 12; round++) {
    const rows = Array.from({ length: 1 + random.below(8) }, (_, index) => {
      const row: Record<string, unknown> = { D: time, T: `${round} ${index}`, V: 1 }
      for (let properties = random.below(4); properties > 0; properties--)
        row[`p${random.below(14)}`] = pick<unknown>([1, 2.5, 'x', true, null])
      return row
    })
    for (const row of rows) {
      const { D: _time, T, V: _value, ...rest } = row
      const brought = new Map(known)
      const isGood = Object.entries(rest).every(([name, value]) => {
        if (value === null) return true
        if (!brought.has(name) && brought.size === fieldsMax - 3) return false
        if (!brought.has(name)) brought.set(name, typeOf(value))
        return brought.get(name) === typeOf(value)
      })
      if (!isGood) continue
      for (const [name, type] of brought) known.set(name, type)
      kept.push(String(T))
    }
    await push(key, 'random', rows)
    if (random.below(10) < 3) service = await service.restart()
    if (random.below(10) < 3)
      await callOk(service.url, 'POST', '/admin/ingests/random/rejected/replay', { key: adminKey, body: {} })
    if (random.below(10) < 3) {
      const made = { key: adminKey, body: { rights: ['ingest'] } }
      key = (await callOk<{ key: string }>(service.url, 'POST', '/admin/subscribers/pusher-of-random/keys', made)).key
    }
  }
  expect(await addedOf('random')).toEqual([...known].map(([name, type]) => `${name} ${type}`))
  const stored = (await rowsOf('random')).map((row) => String(Reflect.get(row, 'T')))
  expect(new Set(stored)).toEqual(new Set(kept))
  expect(stored).toHaveLength(kept.length)
  service = await service.restart()
  expect(await addedOf('random')).toEqual([...known].map(([name, type]) => `${name} ${type}`))
  expect(await rowsOf('random')).toHaveLength(kept.length)
})
