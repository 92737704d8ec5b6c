// Rows of open ingests that are validated again, because a restart finds them in the journal: they get the same fields as the first time.
import { afterAll, expect, test } from 'vitest'
import { callOk, makeIngest } from '../support/api.ts'
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
  callOk(service.url, 'POST', `/ingests/${ingest}/data?wait=true`, { key, body: rows })
const add = (ingest: string, ...fields: readonly object[]) =>
  callOk(service.url, 'PATCH', `/admin/ingests/${ingest}`, { key: adminKey, body: { add_fields: fields } })
const fieldsOf = async (ingest: string): Promise<readonly string[]> => {
  const shown = await callOk<{ fields: { name: string; type: string }[] }>(
    service.url,
    'GET',
    `/admin/ingests/${ingest}`,
    { key: adminKey },
  )
  return shown.fields.map(({ name, type }) => `${name} ${type}`)
}

/** The contents of an entity and its ingests. */
async function state(entity: string, ingests: readonly string[] = [entity]): Promise<object> {
  const items = await callOk(service.url, 'POST', '/consumer/data/select', { key: adminKey, body: { entity } })
  const rejected = []
  for (const alias of ingests)
    rejected.push(await callOk(service.url, 'GET', `/admin/ingests/${alias}/rejected`, { key: adminKey }))
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

test('rows pushed before the operator added a tag stay stored after a restart', async () => {
  const key = await makeIngest(service.url, adminKey, { alias: 'tagged', unknown: 'add' })
  const row = { D: time, T: 'a', V: 1 }
  expect(await push(key, 'tagged', [row, { ...row, T: 'b', load: 1 }])).toMatchObject({ stored: 2 })
  await add('tagged', { name: 't2', type: 'string', role: 'tag' })
  expect(await push(key, 'tagged', [row, { ...row, t2: 'x' }])).toMatchObject({ stored: 1, rejected: 1 })
  await staysByRestart('tagged')
})

test('a tag of a line that had no field is ignored again when the line is validated after a restart', async () => {
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

test('an ignored null of an unknown field erases no value when it is validated again', async () => {
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

test('only a valid row adds fields', async () => {
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

test('an integer of a line adds a long when it is replayed, also renamed and into another ingest', async () => {
  const key = await makeIngest(service.url, adminKey, { alias: 'closed' })
  await makeIngest(service.url, adminKey, { alias: 'taking', unknown: 'add' })
  const lines = ['n=1i,x=1', 'n=1.5', 'big=9223372036854775808u', 'u=7u', 'twice=1i,twice=1.5', 'old=3i']
  await pushLines(key, 'closed', lines.map((fields, index) => `m,T=t${index} ${fields} 1`).join('\n'))
  expect(await push(key, 'closed', [{ D: time, T: 'last', V: 1, whole: 1 }])).toMatchObject({ rejected: 1 })
  const path = '/admin/ingests/closed/rejected'
  const { Items } = await callOk<{ Items: { id: string }[] }>(service.url, 'GET', path, { key: adminKey })
  const replay = (body: object, how = ''): Promise<object> =>
    callOk(service.url, 'POST', `${path}/replay${how}`, { key: adminKey, body })
  const rename = { old: 'renamed' }
  const into = { ids: Items.map(({ id }) => id), into: 'taking', rename }
  const codes = [null, 'wrong_type', 'out_of_range', null, null, null, null]
  const shown = { rows: 7, stored: 5, rejected: 2, Items: codes.map((code) => expect.objectContaining({ code })) }
  expect(await replay(into, '/preview')).toMatchObject(shown)
  const made = ['n long', 'x double', 'u long', 'twice double', 'renamed long', 'whole double']
  const own = ['D timestamp', 'T string', 'V double', 'measurement string']
  // Half of the rows in each of two replays.
  const some = Items.slice(0, 3).map(({ id }) => id)
  const unused = [{ of: 'rename', name: 'old', likely: null }]
  expect(await replay({ ...into, ids: some })).toEqual({ replayed: 3, stored: 1, rejected: 2, unused })
  expect(await fieldsOf('taking')).toEqual([...own, ...made.slice(0, 2)])
  await callOk(service.url, 'PATCH', '/admin/ingests/closed', { key: adminKey, body: { unknown: 'add' } })
  expect(await replay({ rename }, '/preview')).toMatchObject({ stored: 5, rejected: 1 })
  expect(await replay({ rename })).toEqual({ replayed: 6, stored: 5, rejected: 1 })
  expect(await fieldsOf('closed')).toEqual([...own, 'n double', ...made.slice(2)])
  await staysByRestart('closed', ['closed', 'taking'])
  expect(await fieldsOf('closed')).toEqual([...own, 'n double', ...made.slice(2)])
})
