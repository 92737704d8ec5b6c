// Rejected rows are corrected while they are replayed, and replayed into another ingest. Each is stored once, however the service stops.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { call, callOk, makeIngest } from '../support/api.ts'
import { type RunningService, runService } from '../support/running-service.ts'
import { adminKey } from '../support/server-process.ts'

let service: RunningService
const admin = { key: adminKey }

beforeAll(async () => {
  service = await runService({ 'store.headRows': '40', 'store.headAgeMs': '30', 'store.dayRowsMin': '5' })
})
afterAll(() => service?.close())

type Row = Readonly<Record<string, unknown>>

const minute = (count: number): string => new Date(Date.UTC(2026, 0, 1, 0, count)).toISOString()
const replay = (alias: string, body: Row = {}, path = '') =>
  callOk<Row>(service.url, 'POST', `/admin/ingests/${alias}/rejected/replay${path}`, { ...admin, body })
const select = (entity: string) =>
  callOk<readonly Row[]>(service.url, 'POST', '/consumer/data/select', { body: { entity } })
const listed = async (alias: string) =>
  (await callOk<{ Items: readonly Row[] }>(service.url, 'GET', `/admin/ingests/${alias}/rejected`, admin)).Items
const counters = async (alias: string) =>
  (await callOk<{ counters: unknown }>(service.url, 'GET', `/admin/ingests/${alias}`, admin)).counters

/** An ingest whose V is wrongly a whole number, with three rejected rows of fractions. */
async function makeWrong(alias: string): Promise<{ key: string; batch: string }> {
  const fields = [
    { name: 'D', type: 'timestamp', role: 'time' },
    { name: 'T', type: 'string', role: 'tag' },
    { name: 'V', type: 'long', role: 'metric' },
  ]
  const key = await makeIngest(service.url, adminKey, { alias, fields })
  const body = [1, 1.5, 2.5, 'x'].map((V, index) => ({ D: minute(index), T: 'a', V }))
  const { batch } = await callOk<{ batch: string }>(service.url, 'POST', `/ingests/${alias}/data?wait=true`, {
    key,
    body,
  })
  return { key, batch }
}

describe('replays into another ingest', () => {
  test('store each row once; the other rows stay in the list of rejected rows', async () => {
    const { key, batch } = await makeWrong('wrong')
    await makeIngest(service.url, adminKey, { alias: 'right' })
    const [, , last] = await listed('wrong')
    expect(await replay('wrong', { into: 'right' })).toEqual({ replayed: 3, stored: 2, rejected: 1 })
    expect(await replay('wrong', { into: 'right' })).toEqual({ replayed: 1, stored: 0, rejected: 1 })
    const moved = [
      { D: minute(1), T: 'a', V: 1.5 },
      { D: minute(2), T: 'a', V: 2.5 },
    ]
    expect(await select('right')).toEqual(moved)
    expect(await select('wrong')).toEqual([{ D: minute(0), T: 'a', V: 1 }])
    // The row keeps the reason of its own ingest; the preview shows that of the other.
    expect(await listed('wrong')).toEqual([last])
    const { Items } = await replay('wrong', { into: 'right' }, '/preview')
    expect(Items).toMatchObject([{ code: 'wrong_type', message: 'V: expected a number, got "x"' }])
    expect(await counters('wrong')).toEqual({ received: 4, stored: 3, rejected: 1, pending: 0 })
    expect(await counters('right')).toEqual({ received: 0, stored: 0, rejected: 0, pending: 0 })
    const receipt = await callOk<Row>(service.url, 'GET', `/ingests/wrong/batches/${batch}`, { key })
    expect(receipt).toMatchObject({ stored: 3, rejected: 1, pending: 0 })
    // Also after a restart, and after the ingest that rejected the rows is deleted.
    service = await service.restart()
    expect(await select('right')).toEqual(moved)
    await callOk(service.url, 'DELETE', '/admin/ingests/wrong?data=drop', admin)
    service = await service.restart()
    expect(await select('right')).toEqual(moved)
  })

  test('replace metadata items that were pushed before the replay', async () => {
    const { key } = await makeWrong('objects')
    const fields = [
      { name: 'id', type: 'string', role: 'index' },
      { name: 'D', type: 'timestamp', role: 'attribute' },
      { name: 'V', type: 'double', role: 'attribute' },
    ]
    await makeIngest(service.url, adminKey, { alias: 'table', kind: 'metadata', fields })
    const subscriptions = { ...admin, body: [{ ingest: 'table' }, { ingest: 'objects' }] }
    await callOk(service.url, 'PUT', '/admin/subscribers/pusher-of-objects/subscriptions', subscriptions)
    await callOk(service.url, 'POST', '/ingests/table/data?wait=true', { key, body: [{ id: 'a', V: 1 }] })
    const ids = [(await listed('objects'))[1]!['id']]
    // It is as new as the replay, so it replaces the item that was pushed before.
    const changes = { into: 'table', rename: { T: 'id' }, ids }
    expect(await replay('objects', changes)).toEqual({ replayed: 1, stored: 1, rejected: 0 })
    const items = await callOk<{ Items: unknown }>(service.url, 'GET', '/consumer/metadata/table', {})
    expect(items.Items).toEqual([{ id: 'a', D: minute(2), V: 2.5 }])
  })

  test('are a 400 if that ingest does not exist', async () => {
    await makeWrong('alone')
    const asked = { ...admin, body: { into: 'nowhere' } }
    const answer = await call<Row>(service.url, 'POST', '/admin/ingests/alone/rejected/replay', asked)
    expect([answer.status, answer.body['detail']]).toEqual([400, 'into: there is no ingest "nowhere".'])
    expect(await replay('alone', { into: 'alone' })).toEqual({ replayed: 3, stored: 0, rejected: 3 })
  })
})

describe('changed rows', () => {
  test('are stored as the preview shows, which changes nothing', async () => {
    const key = await makeIngest(service.url, adminKey, { alias: 'mended' })
    const body = [
      { D: minute(0), T: 'a', value: ' 1.50 ' },
      { D: minute(1), T: 'a', value: 'n/a' },
      { D: minute(2), value: '2' },
    ]
    await callOk(service.url, 'POST', '/ingests/mended/data?wait=true', { key, body })
    const changes = { rename: { value: 'V' }, set: { T: 'pump' }, convert: { V: 'number' } }
    const preview = await replay('mended', changes, '/preview')
    // T is valid in two rows.
    expect(preview).toMatchObject({ rows: 3, stored: 2, rejected: 1, more: false })
    expect(preview).toMatchObject({ overwritten: [{ name: 'T', rows: 2 }], unused: [] })
    expect((preview['Items'] as Row[]).map(({ after, code }) => [after, code])).toEqual([
      [`{"D":"${minute(0)}","V":1.50,"T":"pump"}`, null],
      [`{"D":"${minute(1)}","V":"n/a","T":"pump"}`, 'wrong_type'],
      [`{"D":"${minute(2)}","V":2,"T":"pump"}`, null],
    ])
    expect((await listed('mended')).map(({ code }) => code)).toEqual([
      'unknown_field',
      'unknown_field',
      'unknown_field',
    ])
    expect(await replay('mended', changes)).toEqual({ replayed: 3, stored: 2, rejected: 1 })
    expect(await replay('mended', changes)).toEqual({ replayed: 1, stored: 0, rejected: 1 })
    expect(await select('mended')).toEqual([
      { D: minute(0), T: 'pump', V: 1.5 },
      { D: minute(2), T: 'pump', V: 2 },
    ])
    expect(await listed('mended')).toMatchObject([{ code: 'unknown_field', row: JSON.stringify(body[1]) }])
  })

  test('with properties dropped or set if missing; a misspelt name is reported', async () => {
    const key = await makeIngest(service.url, adminKey, { alias: 'dropped' })
    const body = [
      { D: minute(0), T: 'a', V: 1, comment: 'x' },
      { D: minute(1), V: 2, comment: 'y' },
    ]
    await callOk(service.url, 'POST', '/ingests/dropped/data?wait=true', { key, body })
    const misspelt = { drop: ['coment'] }
    expect(await replay('dropped', misspelt)).toEqual({
      ...{ replayed: 2, stored: 0, rejected: 2 },
      unused: [{ of: 'drop', name: 'coment', likely: 'comment' }],
    })
    const changes = { drop: ['comment'], set_missing: { T: 'pump' } }
    expect(await replay('dropped', changes, '/preview')).toMatchObject({ stored: 2, overwritten: [], unused: [] })
    expect(await replay('dropped', changes)).toEqual({ replayed: 2, stored: 2, rejected: 0 })
    expect(await select('dropped')).toEqual([
      { D: minute(0), T: 'a', V: 1 },
      { D: minute(1), T: 'pump', V: 2 },
    ])
  })

  test('with times converted from seconds', async () => {
    const key = await makeIngest(service.url, adminKey, { alias: 'counted' })
    const body = ['1767225600', 1767225601.5, 'soon'].map((D) => ({ D, T: 'a', V: 1 }))
    await callOk(service.url, 'POST', '/ingests/counted/data?wait=true', { key, body })
    const changes = { convert: { D: 'seconds' } }
    expect(await replay('counted', changes, '/preview')).toMatchObject({ rows: 3, stored: 2, rejected: 1 })
    expect(await replay('counted', changes)).toEqual({ replayed: 3, stored: 2, rejected: 1 })
    expect(await select('counted')).toEqual([
      { D: '2026-01-01T00:00:00.000Z', T: 'a', V: 1 },
      { D: '2026-01-01T00:00:01.500Z', T: 'a', V: 1 },
    ])
  })
})
