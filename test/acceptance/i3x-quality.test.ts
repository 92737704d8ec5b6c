// i3X 1.0: the quality of values when they are read, streamed and written. The newest value is returned whatever its quality, and a bad value is null.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { call, callOk, makeIngest, makeSubscriber } from '../support/api.ts'
import { type RunningService, runService } from '../support/running-service.ts'
import { adminKey } from '../support/server-process.ts'

interface Vqt {
  readonly value: unknown
  readonly quality: string
}
interface Result {
  readonly success: boolean
  readonly result: Vqt & { readonly values: readonly Vqt[] }
  readonly responseDetail?: { readonly status: number; readonly detail: string }
}
interface Body {
  readonly result: unknown
  readonly results: readonly Result[]
}

let service: RunningService
let key: string

const fields = [
  { name: 'D', type: 'timestamp', role: 'time' },
  { name: 'T', type: 'string', role: 'tag' },
  { name: 'V', type: 'double', role: 'metric' },
]
/** By alias of the ingest: the definition of its quality, and a good, an uncertain and a bad quality. Null is good. */
const kinds: readonly (readonly [string, object, readonly unknown[]])[] = [
  ['opcda', { type: 'long' }, [216, 64, 0]],
  ['opcua', { type: 'long', coding: 'opcua' }, [0, 0x40000000, 0x80340000]],
  ['words', { type: 'string' }, ['Good', 'uncertain', '']],
]
const at = (second: number): string => new Date(Date.UTC(2026, 0, 1, 0, 0, second)).toISOString()
const range = { startTime: at(0), endTime: at(59) }
const ask = (method: string, path: string, body: object) =>
  callOk<Body>(service.url, method, `/i3x/v1${path}`, { key, body })
const push = (alias: string, body: readonly object[]) =>
  callOk(service.url, 'POST', `/ingests/${alias}/data?wait=true`, { key, body })
const pairsOf = (all: readonly Vqt[]) => all.map(({ value, quality }) => [value, quality])

beforeAll(async () => {
  service = await runService({ 'access.consumption': 'key' })
  for (const [alias, quality] of kinds)
    await makeIngest(service.url, adminKey, { alias, fields: [...fields, { name: 'Q', role: 'quality', ...quality }] })
  await makeIngest(service.url, adminKey, { alias: 'plain', entity: 'words', fields })
  await makeIngest(service.url, adminKey, {
    ...{ alias: 'wide', duplicates: 'replace' },
    fields: [...fields, { name: 'N', type: 'long', role: 'metric' }, { name: 'Q', type: 'string', role: 'quality' }],
  })
  const rights = [{ entity: '*' }, ...[...kinds.map(([alias]) => alias), 'wide'].map((ingest) => ({ ingest }))]
  key = await makeSubscriber(service.url, adminKey, 'factory', rights, ['consume', 'ingest'])
}, 120_000)
afterAll(() => service?.close())

const expected = [
  [1, 'Good'],
  [2, 'Good'],
  [3, 'Uncertain'],
  [null, 'Bad'],
]

test.each(kinds)(
  '%s: values, histories and updates report the quality',
  async (alias, _quality, [good, uncertain, bad]) => {
    const [tag, whole] = [`tag:${alias}:a`, `entity:${alias}`]
    const { result } = await ask('POST', '/subscriptions', { clientId: 'client' })
    const named = { clientId: 'client', subscriptionId: Reflect.get(Object(result), 'subscriptionId') }
    await push(alias, [{ D: at(0), T: 'a', V: 1 }])
    await ask('POST', '/subscriptions/register', { ...named, elementIds: [tag, whole] })
    const rows = [good, uncertain, bad].map((Q, index) => ({ D: at(index + 1), T: 'a', V: index + 2, Q }))
    for (const [index, row] of rows.entries()) {
      await push(alias, [row])
      const { results } = await ask('POST', '/objects/value', { elementIds: [tag, whole] })
      const [value, quality] = expected[index + 1]!
      expect(results.map((one) => one.result)).toMatchObject([
        { value, quality, timestamp: row.D },
        { value: value === null ? null : { T: 'a', V: value }, quality, timestamp: row.D },
      ])
    }
    const history = await ask('POST', '/objects/history', { elementIds: [tag, whole], ...range })
    expect(pairsOf(history.results[0]!.result.values)).toEqual(expected)
    expect(pairsOf(history.results[1]!.result.values).map(([, quality]) => quality)).toEqual(
      expected.map((one) => one[1]),
    )
    const updates = async () => {
      const synced = await ask('POST', '/subscriptions/sync', named)
      const all = (synced.result as { updates: (Vqt & { elementId: string })[] }[]).flatMap((one) => one.updates)
      return pairsOf(all.filter(({ elementId }) => elementId === tag))
    }
    await expect.poll(updates).toEqual(expected.slice(1))
  },
)

test('the quality is next to the value, not a property of it', async () => {
  const types = await call<{ result: readonly { elementId: string; schema: object }[] }>(
    ...([service.url, 'GET', '/i3x/v1/objecttypes', { key }] as const),
  )
  const schemas = new Map(types.body.result.map(({ elementId, schema }) => [elementId, schema]))
  expect(schemas.get('type:tag:opcua')).toEqual({ type: 'number' })
  expect(Object.keys(Reflect.get(schemas.get('type:tag:wide')!, 'properties'))).toEqual(['V', 'N'])
})

const write = (what: string, elementId: string, value: object) =>
  ask('PUT', `/objects/${what}`, { updates: [{ elementId, value }] }).then(({ results }) => results[0]!)

test.each(kinds)('%s: a quality can be written', async (alias) => {
  const written = ['Good', 'Uncertain', 'Bad', undefined]
  for (const [index, quality] of written.entries()) {
    const value = { value: index, quality, timestamp: at(40 + index) }
    expect(await write('history', `tag:${alias}:a`, value)).toMatchObject({ success: true })
  }
  const asked = { elementIds: [`tag:${alias}:a`], startTime: at(40), endTime: at(59) }
  const { results } = await ask('POST', '/objects/history', asked)
  expect(pairsOf(results[0]!.result.values)).toEqual([
    [0, 'Good'],
    [1, 'Uncertain'],
    [null, 'Bad'],
    [3, 'Good'],
  ])
})

test('a written Good value replaces a Bad one', async () => {
  await push('wide', [{ D: at(1), T: 'a', V: 1, N: 2, Q: 'bad' }])
  expect(await write('history', 'tag:wide:a', { value: { V: 5, N: 6 }, timestamp: at(1) })).toMatchObject({
    success: true,
  })
  const { results } = await ask('POST', '/objects/value', { elementIds: ['tag:wide:a'] })
  expect(results[0]!.result).toMatchObject({ value: { V: 5, N: 6 }, quality: 'Good', timestamp: at(1) })
})

test('rejects an invalid quality, and a quality for an ingest without one', async () => {
  const refused = async (value: object) => (await write('value', 'tag:words:a', value)).responseDetail
  for (const quality of ['GoodNoData', 'good', ''])
    expect(await refused({ value: 1, quality })).toMatchObject({
      status: 400,
      detail: expect.stringMatching(/Good, Uncertain or Bad/),
    })
  expect(await refused({ value: null, quality: 'Bad' })).toMatchObject({ status: 400 })
  key = await makeSubscriber(
    ...([service.url, adminKey, 'plain', [{ entity: '*' }, { ingest: 'plain' }], ['consume', 'ingest']] as const),
  )
  expect(await refused({ value: 1, quality: 'Bad' })).toMatchObject({
    status: 400,
    detail: expect.stringMatching(/must be Good.*"plain"/),
  })
  expect(await write('value', 'tag:words:a', { value: 9, quality: 'Good' })).toMatchObject({ success: true })
})
