// Rows of open ingests that are judged again, because a restart finds them in the journal: they have the fields that they had the first time.
import { afterAll, expect, test } from 'vitest'
import { callWell, makeIngest } from '../support/api.ts'
import { type RunningService, runService } from '../support/running-service.ts'
import { adminKey } from '../support/server-process.ts'

let service: RunningService = await runService({ 'limits.fields': '12' })
afterAll(() => service.close())

interface Receipt {
  readonly stored: number
  readonly rejected: number
  readonly errors: readonly { readonly index: number; readonly code: string; readonly field: string | null }[]
}

const time = '2026-01-01T00:00:00.000Z'
const push = (key: string, ingest: string, rows: readonly object[]): Promise<Receipt> =>
  callWell(service.url, 'POST', `/ingests/${ingest}/data?wait=true`, { key, body: rows })
const add = (ingest: string, ...fields: readonly object[]) =>
  callWell(service.url, 'PATCH', `/admin/ingests/${ingest}`, { key: adminKey, body: { add_fields: fields } })
const fieldsOf = async (ingest: string): Promise<readonly string[]> => {
  const shown = await callWell<{ fields: { name: string; type: string }[] }>(
    service.url,
    'GET',
    `/admin/ingests/${ingest}`,
    { key: adminKey },
  )
  return shown.fields.map(({ name, type }) => `${name} ${type}`)
}

/** What an entity and its ingests hold. */
async function state(entity: string, ingests: readonly string[] = [entity]): Promise<object> {
  const items = await callWell(service.url, 'POST', '/consumer/data/select', { key: adminKey, body: { entity } })
  const rejected = []
  for (const alias of ingests)
    rejected.push(await callWell(service.url, 'GET', `/admin/ingests/${alias}/rejected`, { key: adminKey }))
  return { items, rejected }
}

async function staysByRestart(entity: string, ingests: readonly string[] = [entity]): Promise<void> {
  const before = await state(entity, ingests)
  service = await service.restart()
  expect(await state(entity, ingests)).toEqual(before)
}

async function pushLines(key: string, ingest: string, body: string): Promise<void> {
  const headers = { authorization: `Token ${key}` }
  const { status } = await fetch(`${service.url}/write?db=${ingest}&precision=s`, { method: 'POST', headers, body })
  expect(status).toBe(204)
}

test('rows stay stored that were pushed before the operator added a tag', async () => {
  const key = await makeIngest(service.url, adminKey, { alias: 'tagged', unknown: 'add' })
  const row = { D: time, T: 'a', V: 1 }
  expect(await push(key, 'tagged', [row, { ...row, T: 'b', load: 1 }])).toMatchObject({ stored: 2 })
  await add('tagged', { name: 't2', type: 'string', role: 'tag' })
  expect(await push(key, 'tagged', [row, { ...row, t2: 'x' }])).toMatchObject({ stored: 1, rejected: 1 })
  await staysByRestart('tagged')
})

test('a tag of a line that had no field has none either when the line is judged again', async () => {
  for (const kind of ['row', 'operator']) {
    const alias = `filled_${kind}`
    const ingest = { alias, unknown: 'add' as const, lines: { tag: '{measurement}.{host}.{field}' } }
    const key = await makeIngest(service.url, adminKey, ingest)
    await pushLines(key, alias, 'cpu,host=a load=1 1')
    expect(await push(key, alias, [{ D: 2, T: 'y', V: 1 }])).toMatchObject({ stored: 1 })
    if (kind === 'operator') await add(alias, { name: 'host', type: 'string', role: 'dimension' })
    else expect(await push(key, alias, [{ D: 3, T: 'z', V: 1, host: 5 }])).toMatchObject({ stored: 1 })
    await staysByRestart(alias)
  }
})

test('a null that was passed over takes nothing away when it is judged again', async () => {
  const common = { entity: 'both', duplicates: 'replace' as const, unknown: 'add' as const }
  const one = await makeIngest(service.url, adminKey, { alias: 'one', ...common })
  const other = await makeIngest(service.url, adminKey, { alias: 'other', ...common })
  const row = { D: time, T: 'a' }
  await push(one, 'one', [{ ...row, load: 5 }])
  await push(other, 'other', [{ ...row, load: null }])
  await push(other, 'other', [{ ...row, T: 'b', load: 1 }])
  expect(await state('both', ['one', 'other'])).toMatchObject({
    items: expect.arrayContaining([expect.objectContaining({ load: 5 })]),
  })
  await staysByRestart('both', ['one', 'other'])
  await push(other, 'other', [{ ...row, load: null }])
  await staysByRestart('both', ['one', 'other'])
})

test('only a good row makes fields', async () => {
  const V = { name: 'V', type: 'double', role: 'metric' }
  const fields = [{ name: 'D', type: 'timestamp', role: 'time' }, { name: 'T', type: 'string', role: 'tag' }, V]
  const more = [
    { name: 'y', type: 'double', role: 'metric' },
    { name: 'site', type: 'string', role: 'tag' },
  ]
  await makeIngest(service.url, adminKey, { alias: 'narrow', entity: 'wide', fields: [...fields, ...more] })
  const key = await makeIngest(service.url, adminKey, { alias: 'good', entity: 'wide', fields, unknown: 'add' })
  await pushLines(key, 'good', 'm,T=a big=18446744073709551615u 1')
  const row = { D: time, T: 'a' }
  expect(
    await push(key, 'good', [
      { ...row, x: 1, y: 'text' },
      { ...row, x: 1, site: 's' },
    ]),
  ).toMatchObject({
    rejected: 2,
    errors: [
      { code: 'wrong_type', field: 'y' },
      { code: 'unknown_field', field: 'site' },
    ],
  })
  const many = Object.fromEntries(Array.from({ length: 10 }, (_value, index) => [`f${index}`, 1]))
  expect(await push(key, 'good', [{ ...row, ...many }])).toMatchObject({ errors: [{ code: 'too_many_fields' }] })
  expect(await fieldsOf('good')).toEqual(['D timestamp', 'T string', 'V double'])
  expect(await push(key, 'good', [{ ...row, y: 1, x: true }])).toMatchObject({ stored: 1 })
  expect(await fieldsOf('good')).toEqual(['D timestamp', 'T string', 'V double', 'y double', 'x boolean'])
  await staysByRestart('wide', ['good'])
})
