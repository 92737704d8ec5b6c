import { expect, test } from 'vitest'
import { formatInstant } from '../model/instant.ts'
import type { CellType } from './cells.ts'
import { FirstRows } from './first-rows.ts'
import { mostlyCompactDates } from './misread-times.ts'

const types = new Map<string, CellType>([
  ['D', 'timestamp'],
  ['T', 'string'],
  ['V', 'double'],
])
const unknown = (field: string, rows = 1) => ({ code: 'unknown_field', field, rows })

async function likely(rows: readonly string[], kinds: Parameters<FirstRows['likelyRenames']>[0]) {
  const firstRows = new FirstRows()
  const groups = (async function* () {
    yield []
    yield rows.map((row) => Buffer.from(row))
  })()
  const passed: string[] = []
  for await (const group of await firstRows.of(groups)) passed.push(...group.map((row) => Buffer.from(row).toString()))
  expect(passed).toEqual(rows)
  const renames = firstRows.likelyRenames(kinds, { types })
  return renames === null ? null : Object.fromEntries(renames)
}

const named = '{"value":1,"timestamp":"2026-01-01T00:00:00Z","name":"a"}'

test.each([
  ['all names are unknown', named, [unknown('value', 5)], { timestamp: 'D', name: 'T', value: 'V' }],
  ['one name is unknown', '{"D":"2026-01-01","tag":"a","V":1}', [unknown('tag')], { tag: 'T' }],
  [
    'an open ingest lacks its time',
    named,
    [{ code: 'missing_time', field: 'D', rows: 3 }],
    { timestamp: 'D', name: 'T', value: 'V' },
  ],
  [
    'each row has other unknown names',
    '{"t1":"2026-01-01","x1":1}',
    ['t1', 't2', 't3'].map((name) => unknown(name)),
    null,
  ],
  ['other faults are more frequent', named, [unknown('value'), { code: 'wrong_type', field: 'V', rows: 2 }], null],
  ['an unknown number and only a string field is missing', '{"D":1,"V":1,"oil":3}', [unknown('oil')], null],
  ['no field is missing', '{"D":1,"T":"a","V":1,"x":1}', [unknown('x')], null],
  ['the row is not an object', '[1]', [unknown('x')], null],
  ['the row is not JSON', '{"x', [unknown('x')], null],
])('proposes renames: %s', async (_, row, kinds, renames) => {
  expect(await likely([row, '{}'], kinds)).toEqual(renames)
})

test.each([
  ['{"T":"a","D":1767225600}', 'seconds', '2026-01-01T00:00:00.000Z'],
  ['{"D":100000000}', 'seconds', '1973-03-03T09:46:40.000Z'],
  ['{"D":20260131}', 'yyyyMMdd', '2026-01-31T00:00:00.000Z'],
  ['{"D":2026013108}', 'yyyyMMddHH', '2026-01-31T08:00:00.000Z'],
  ['{"D":202301010000}', 'yyyyMMddHHmm', '2023-01-01T00:00:00.000Z'],
  ['{"D":202301012400}', 'yyyyMMddHHmm', '2023-01-02T00:00:00.000Z'],
  ['{"D":20260101080000}', 'yyyyMMddHHmmss', '2026-01-01T08:00:00.000Z'],
  ['{"D":20260101080000123}', 'yyyyMMddHHmmssSSS', '2026-01-01T08:00:00.123Z'],
  ['{"D":194901010000}', null, null],
  ['{"D":210101010000}', 'yyMMddHHmmss', '2021-01-01T01:00:00.000Z'],
  ['{"D":202313010000}', null, null],
  ['{"D":260301080000}', 'yyMMddHHmmss', '2026-03-01T08:00:00.000Z'],
  ['{"D":2603010800}', 'yyMMddHHmm', '2026-03-01T08:00:00.000Z'],
  ['{"D":1607151200}', 'seconds', '2020-12-05T06:53:20.000Z'],
  ['{"D":400301080000}', null, null],
  ['{"D":261301080000}', null, null],
  ['{"D":202302290000}', null, null],
  ['{"D":202301012500}', null, null],
  ['{"D":2023010100001}', null, null],
  ['{"D":1767225600000}', null, null],
  ['{"D":"1767225600"}', null, null],
  ['{"D":"202301010000"}', null, null],
  ['{"D":4100000000}', null, null],
  ['{"D":99999999}', null, null],
  ['{"V":202301010000}', null, null],
  ['D 1767225600', null, null],
])('%s, read as milliseconds, is likely in %s', async (row, meant, instant) => {
  const found = await misreadIn([[row]])
  expect([found?.likelyUnit ?? null, found ? formatInstant(found.likelyMs) : null]).toEqual([meant, instant])
})

test.each([
  [['{"D":202301010000}', '{"D":202301010015}', '{"D":1672531200000}'], 'yyyyMMddHHmm'],
  [['{"D":202301010000}', '{"D":1672531200000}'], null],
  [['{"D":1767225600}'], null],
  [[], null],
])('more than half of %j are compact dates: %s', (rows, pattern) => {
  expect(mostlyCompactDates(rows, types)?.likelyUnit ?? null).toBe(pattern)
})

test('an error while reading is thrown to the consumer of the rows', async () => {
  const rows = await new FirstRows().of(
    (async function* () {
      yield [Buffer.from('{}')]
      throw new Error('it broke')
    })(),
  )
  const taken: number[] = []
  await expect(async () => {
    for await (const group of rows) taken.push(group.length)
  }).rejects.toThrow('it broke')
  expect(taken).toEqual([1])
})

async function misreadIn(groups: readonly (readonly string[])[]) {
  const firstRows = new FirstRows()
  const rows = await firstRows.of(
    (async function* () {
      for (const group of groups) yield group.map((row) => Buffer.from(row))
    })(),
  )
  for await (const _ of rows);
  return firstRows.misread({ types })
}

const [none, seconds] = ['{"D":null}', '{"D":1767225600}']

test.each([
  ['in the same group', [[none, none, seconds, seconds]], 3],
  ['in a later group', [[none], [], [none, seconds]], 3],
  ['after a row that is not JSON', [['{', seconds]], 2],
  ['in row 100', [Array(60).fill(none), [...Array(39).fill(none), seconds]], 100],
  ['in row 101', [Array(60).fill(none), [...Array(40).fill(none), seconds]], undefined],
])('detects misread times in later rows: %s', async (_, groups, row) => {
  expect((await misreadIn(groups))?.row).toBe(row)
})

test('proposes no renames without rows', async () => {
  expect(await likely([], [])).toBeNull()
})
